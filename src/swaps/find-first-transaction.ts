import type { Address, Hex } from '../domain/address.ts'
import type { SwapDependencies } from './provider-dependencies.ts'

/** The maximum number of transactions that are checked for one event. */
const mostLooked = 20

/** Finds the first successful transaction since a block that a log query matches and `isIt` accepts; `undefined` if there is none. */
export async function firstTransaction(
  { log, mined }: Pick<SwapDependencies, 'log' | 'mined'>,
  chainId: number,
  { address, topics }: { address: Address; topics: readonly Hex[] },
  fromBlock: bigint,
  isIt: (transaction: NonNullable<Awaited<ReturnType<SwapDependencies['mined']>>>) => boolean,
): Promise<Hex | undefined> {
  const query = { address: [address], topics: topics.map((topic) => [topic]) }
  const existsRead = { reads: [], parse: () => false }
  for (let look = 0, next = fromBlock; look < mostLooked; look++) {
    const found = await log(chainId, { query, existsRead }, next)
    const transaction = found && (await mined(chainId, found.transactionHash))
    if (!transaction) return undefined
    if (transaction.ok && isIt(transaction)) return found.transactionHash
    next = BigInt(transaction.blockNumber) + 1n
  }
  return undefined
}
