import { toEventSelector } from 'viem/utils'

import { erc20Abi } from '../../calls/erc20.ts'
import { queueOf } from '../../calls/queues.ts'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Context } from '../context.ts'
import type { Tracked } from './track.ts'

const transferred = toEventSelector(erc20Abi.find((one) => 'name' in one && one.name === 'Transfer')!)

type Receipt = { blockHash?: unknown; logs?: unknown }

type Log = { address: string; topics: string[]; data: string }

/** A log with all that it has to have. */
const isWhole = (log: Partial<Log> | null): log is Log =>
  typeof log?.address === 'string' &&
  Array.isArray(log.topics) &&
  log.topics.every((topic) => typeof topic === 'string') &&
  /^0x[0-9a-f]{64}$/i.test(String(log.data))

/**
 * What a withdrawal of all there was has brought, by its receipt: nobody knew that when it was asked for. `undefined` where an operation is
 * something else or not done, where it is paid later or in the native coin, of which a receipt says nothing, and where the chain does not
 * answer: then nobody is kept from the rest.
 */
export async function cameOut(context: Context, { action, txs }: Tracked): Promise<TokenAmount | undefined> {
  const { type, status, wallet, strategyId } = action
  const entry = context.markets.find((one) => one.entry.id === strategyId)?.entry
  const { hash, blockHash } = txs.findLast(({ kind }) => kind === 'withdraw') ?? { hash: null }
  const isDone = type === 'SAMECHAIN_INVESTMENT_WITHDRAW' && status === 'fulfilled'
  if (!isDone || !entry || hash === null || queueOf(entry) || sameAddress(entry.asset.address, nativeAddress))
    return undefined
  try {
    const { rpc } = context.chain(entry.chainId)
    const receipt = await rpc.request<Receipt | null>('eth_getTransactionReceipt', [hash])
    if (typeof receipt?.blockHash !== 'string' || !sameAddress(receipt.blockHash, blockHash ?? ''))
      return undefined
    const logs: (Partial<Log> | null)[] = Array.isArray(receipt.logs) ? receipt.logs : []
    const came = logs
      .filter(isWhole)
      .filter(({ address }) => sameAddress(address, entry.asset.address))
      .filter(({ topics }) => topics[0] === transferred && topics.length === 3)
      .filter(({ topics }) => sameAddress(`0x${topics[2]!.slice(26)}`, wallet))
      .reduce((sum, { data }) => sum + BigInt(data), 0n)
    return came > 0n ? tokenAmount(came, entry.asset) : undefined
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
