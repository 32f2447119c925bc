import type { Rpc } from '../chain/rpc/rpc.ts'
import { AppError } from '../domain/errors.ts'
import { networkShown } from '../domain/networks.ts'
import type { ExecutionContext } from '../planning/context.ts'
import type { Operation } from '../store/journal/operation.ts'

/** Codes that say that a chain has no node here, whatever it may answer. */
const nowhere: readonly string[] = ['CONFIG_INVALID', 'UNKNOWN_NETWORK']

/** The same ground for whoever only looks: a chain that has no RPC here is silent, and the journal tells of it what it holds. */
export const readOnlyContext = (context: ExecutionContext): ExecutionContext => ({
  ...context,
  rpc: (chainId) => {
    try {
      return context.rpc(chainId)
    } catch (cause) {
      if (!(cause instanceof AppError) || !nowhere.includes(cause.code)) throw cause
      return silent(networkShown(context.catalog.networks, chainId).name, cause)
    }
  },
})

/** A chain that answers nothing, and says why. */
function silent(network: string, { message, hint, details }: AppError): Rpc {
  const why = typeof details?.variable === 'string' ? `: ${details.variable} is not set` : ''
  const refused = async (): Promise<never> => {
    throw new AppError('RPC_UNREACHABLE', `${message}${why}`, {
      details: { ...details, network },
      ...(hint !== undefined && { hint }),
    })
  }
  return { host: network, peers: [], request: refused, batch: refused }
}

/** Refuses what needs the nodes of an operation where one of its chains has none here, before anything is asked: CONFIG_INVALID or UNKNOWN_NETWORK. */
export function refuseMissingNodes(
  { rpc }: Pick<ExecutionContext, 'rpc'>,
  { legs }: Pick<Operation, 'legs'>,
): void {
  for (const { chainId } of legs) rpc(chainId)
}
