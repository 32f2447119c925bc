import type { ChainClient } from '../../chain/chain-client.ts'
import {
  isNonceCount,
  nonceCountIn,
  nonceCountRequest,
  pendingCountOfOthers,
  readNonceCount,
} from '../../chain/nonce-count.ts'
import { isNodeError, isUnknownBlock, isUnsupportedMethod } from '../../chain/rpc/errors.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { NonceJournal, OperationJournal, StepJournal } from '../../store/journal/journal-interface.ts'
import { isAccepted } from '../steps/send-errors.ts'
import { transactionByNonce } from './nonce-use.ts'

/** The mined and the pending nonce count of a wallet. */
export type NonceCounts = { latest: number; pending: number }

/** The wallet and chain to count. */
type Question = {
  journal: OperationJournal & StepJournal & NonceJournal
  rpc: ChainClient
  chainId: number
  wallet: Address
}

/**
 * Reads the nonce counts from a node. If the node does not serve the pending count, it is derived from the
 * transactions that this journal sent and a node accepted, and from those that other nodes show.
 */
export async function readNonceCounts({ journal, rpc, chainId, wallet }: Question): Promise<NonceCounts> {
  try {
    const [latest, pending] = await rpc.batch([
      nonceCountRequest(wallet),
      nonceCountRequest(wallet, 'pending'),
    ])
    return { latest: nonceCountIn(latest), pending: nonceCountIn(pending, 'the pending nonce') }
  } catch (error) {
    if (!isNodeError(error) && !(error instanceof AppError && error.code === 'RPC_INCONSISTENT')) throw error
  }
  const latest = await readNonceCount(rpc, wallet)
  const said = await rpc.request(...nonceCountRequest(wallet, 'pending')).catch((error: unknown) => {
    if (isPendingUnsupported(error)) return null
    throw error
  })
  if (isNonceCount(said)) return { latest, pending: nonceCountIn(said, 'the pending nonce') }
  let pending = latest
  while (isSent(journal, journal.nonceHolder(chainId, wallet, pending))) pending++
  // A pending transaction of another sender must not be replaced.
  if (await transactionByNonce(rpc, wallet, pending)) pending++
  // Other nodes may know more pending transactions. One that lags or fails never lowers the count.
  return { latest, pending: Math.max(pending, await pendingCountOfOthers(rpc, wallet)) }
}

/** Whether a node does not serve the pending count. */
const isPendingUnsupported = (error: unknown): boolean =>
  isUnsupportedMethod(error) ||
  isUnknownBlock(error) ||
  (error instanceof AppError && error.code === 'RPC_ERROR' && /pending/i.test(String(error.details?.message)))

function isSent(
  journal: OperationJournal & StepJournal & NonceJournal,
  holder: ReturnType<NonceJournal['nonceHolder']>,
): boolean {
  const step = holder && journal.find(holder.operation)?.steps.find(({ index }) => index === holder.index)
  if (!step || ['PLANNED', 'RESERVED', 'SIGNED'].includes(step.state)) return false
  return step.state !== 'BROADCAST' || step.attempts.some(isAccepted)
}
