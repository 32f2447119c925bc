import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'
import { type Token, tokenNamed } from '../domain/token.ts'
import type { Cli } from './command-run-types.ts'

/**
 * Returns the token with a name on a network, for a request to the service. UNKNOWN_TOKEN only if the service answers: with a remote
 * profile, the failure of its service (an invalid key, no connection) is thrown instead, because no other token would help.
 */
export async function tokenForService(cli: Cli, network: Network, name: string): Promise<Token> {
  const { tokens } = await cli.backend.catalog()
  try {
    return tokenNamed(tokens, network, name)
  } catch (error) {
    if (cli.backend.kind === 'remote' && error instanceof AppError && error.code === 'UNKNOWN_TOKEN')
      await (await cli.service()).listStrategies({ page: 1, limit: 1 })
    throw error
  }
}
