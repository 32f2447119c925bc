import { AppError } from '../domain/errors.ts'
import type { ChainClient } from './chain-client.ts'

/** The receipt fields that show the outcome. */
type Ended = {
  transactionHash?: string
  to?: string | null
  status?: unknown
  logs?: unknown
}

/**
 * Whether a receipt's transaction succeeded. Some nodes omit the status, as before Byzantium (EIP-658): then events prove success,
 * since a reverted transaction has none, and so does a target without code. RPC_INCONSISTENT if nothing proves it.
 */
export async function hasSucceeded(rpc: ChainClient, receipt: Ended): Promise<boolean> {
  const said = statusOf(receipt.status)
  if (said !== undefined) return said
  if (Array.isArray(receipt.logs) && receipt.logs.some(isOfContract)) return true
  if (receipt.to && (await rpc.request('eth_getCode', [receipt.to, 'latest'])) === '0x') return true
  throw new AppError(
    'RPC_INCONSISTENT',
    `The node at ${rpc.host} returns a receipt of ${receipt.transactionHash} without its status`,
    { details: { host: rpc.host, hash: receipt.transactionHash } },
  )
}

function statusOf(status: unknown): boolean | undefined {
  if (!/^0x0*[01]$/.test(String(status))) return undefined
  return Number(status) === 1
}

/**
 * Whether a log is a system contract's gas record at one of the first addresses: some chains add one even to reverted transactions.
 */
const isOfContract = (log: unknown): boolean =>
  !/^0x0{36}/.test(String((log as { address?: unknown } | null)?.address ?? '0x'.padEnd(42, '0')))
