import { networkNamed } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { type AllowanceRef, revokeLegs } from '../../planning/revoke-legs.ts'
import type { Cli } from '../command-run-types.ts'
import type { SigningRequest } from './sign-and-send.ts'

/** Takes allowances back. `of` is the action that gave them, if it is about one. */
export async function revokeRequest(
  cli: Cli,
  endings: readonly [AllowanceRef, ...AllowanceRef[]],
  of: string | null,
): Promise<SigningRequest> {
  const { networks } = await cli.backend.catalog()
  const [{ token, spender }] = endings
  return {
    title:
      endings.length === 1
        ? `Revoke the allowance of ${spender} for ${sanitizeText(token.symbol)} on ${networkNamed(networks, token.chainId).name}`
        : `Revoke ${endings.length} allowances`,
    request: {
      command: 'revoke',
      allowances: endings.map((one) => [one.token.chainId, one.token.address, one.spender]),
      ...(of !== null && { of }),
    },
    propose: async (wallet) => ({
      id: cli.program.newId(),
      kind: 'revoke',
      quoteId: null,
      expiresAt: null,
      about: {
        type: 'REVOKE',
        strategyId: null,
        strategySlug: null,
        receiver: wallet,
        amounts: { in: null, out: null },
      },
      legs: revokeLegs(wallet, endings),
    }),
  }
}
