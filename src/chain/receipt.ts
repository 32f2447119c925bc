import { AppError } from '../domain/errors.ts'
import type { Rpc } from './rpc/rpc.ts'

/** What of a receipt tells how its transaction ended. */
type Ended = {
  transactionHash?: string
  to?: string | null
  status?: unknown
  logs?: unknown
}

/**
 * Whether the transaction of a receipt succeeded. Some nodes leave out the status, as all did before Byzantium (EIP-658): then its events say so, as one that
 * reverted leaves none, or that its target has no code that could revert. What nothing says is RPC_INCONSISTENT, and neither of both.
 */
export async function hasSucceeded(rpc: Rpc, receipt: Ended): Promise<boolean> {
  const said = statusOf(receipt.status)
  if (said !== undefined) return said
  if (Array.isArray(receipt.logs) && receipt.logs.some(isOfContract)) return true
  if (receipt.to && (await rpc.request('eth_getCode', [receipt.to, 'latest'])) === '0x') return true
  throw new AppError(
    'RPC_INCONSISTENT',
    `The node at ${rpc.host} gives a receipt of ${receipt.transactionHash} that does not say whether it succeeded`,
    { details: { host: rpc.host, hash: receipt.transactionHash } },
  )
}

function statusOf(status: unknown): boolean | undefined {
  if (!/^0x0*[01]$/.test(String(status))) return undefined
  return Number(status) === 1
}

/** Some chains write down what was paid for gas as an event of a contract of their own, at one of the first addresses, also of what reverted. */
const isOfContract = (log: unknown): boolean =>
  !/^0x0{36}/.test(String((log as { address?: unknown } | null)?.address ?? '0x'.padEnd(42, '0')))
