import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import { checkDelivery } from '../bridge/delivery-check.ts'
import { readResult } from '../outcome/received-amount.ts'
import { isNodeFailure } from '../run.ts'
import { executeOperation } from './execute-operation.ts'

/** How long the chains have to answer, in ms. */
const timeoutMs = 20_000

/**
 * Records everything that is final on the chains, and settles the operation if it has ended; with `closes` it ends otherwise, unless
 * something is in flight. Nothing is signed or sent. The caller holds the locks of the wallet. `reportedHash` is a delivery that a
 * service reports. RPC_UNREACHABLE and the like if a node does not answer.
 */
export async function recordFromChains(
  context: ExecutionContext,
  { id, wallet }: Operation,
  { reportedHash, closes = false }: { reportedHash: Hex | null; closes?: boolean },
): Promise<Operation> {
  const { journal, rpc, catalog } = context
  const now = () => journal.find(id)!
  const signTransaction = () => Promise.reject(new AppError('BUG', 'A run that only records signs nothing'))
  const ending = executeOperation({
    ...{ journal, operationId: id, rpc, networks: catalog.networks, tokens: catalog.tokens, timeoutMs },
    records: closes ? 'and closes' : 'only',
    signer: { address: wallet, signTransaction },
    lock: async () => ({ release: () => undefined }),
    reportedDelivery: async () => reportedHash ?? undefined,
    checkDelivery: (hash) => checkDelivery(context, now(), hash),
    readResult: () => readResult({ rpc, catalog }, now()),
    readsAhead: false,
  })
  await ending.catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    // How the operation ended stands in the journal.
    if (isNodeFailure(error.cause)) throw error.cause
  })
  return now()
}
