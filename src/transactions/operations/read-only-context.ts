import { type ChainClient, unreachableClient } from '../../chain/chain-client.ts'
import { AppError } from '../../domain/errors.ts'
import { displayNetwork } from '../../domain/networks.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Operation } from '../../store/journal/operation-types.ts'

/** Error codes for a chain without a configured node. */
const noNodeCodes: readonly string[] = ['CONFIG_INVALID', 'UNKNOWN_NETWORK']

/**
 * A context for read-only commands: a chain without an RPC counts as unreachable, so the journal is the only source.
 */
export const readOnlyContext = (context: ExecutionContext): ExecutionContext => ({
  ...context,
  rpc: (chainId) => {
    try {
      return context.rpc(chainId)
    } catch (cause) {
      if (!(cause instanceof AppError) || !noNodeCodes.includes(cause.code)) throw cause
      return silentClient(displayNetwork(context.catalog.networks, chainId).name, cause)
    }
  },
})

/** A client that fails every request with the reason. */
function silentClient(network: string, { message, next, details }: AppError): ChainClient {
  const why = typeof details?.variable === 'string' ? `: ${details.variable} is not set` : ''
  return unreachableClient(
    network,
    new AppError('RPC_UNREACHABLE', `${message}${why}`, {
      details: { ...details, network },
      ...(next !== undefined && { next }),
    }),
  )
}

/** Refuses an operation with a chain that has no node configured, before any request: CONFIG_INVALID or UNKNOWN_NETWORK. */
export function refuseMissingNodes(
  { rpc }: Pick<ExecutionContext, 'rpc'>,
  { legs }: Pick<Operation, 'legs'>,
): void {
  for (const { chainId } of legs) rpc(chainId)
}
