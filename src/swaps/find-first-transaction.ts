import type { Address, Hex } from '../domain/address.ts'
import type { SwapDependencies } from './provider-dependencies.ts'

/** How many transactions are looked at for one event. */
const mostLooked = 20

/** The first successful transaction from a block on that a query finds and in which something holds; `undefined` if none is seen. */
export async function firstTransaction(
  { log, mined }: Pick<SwapDependencies, 'log' | 'mined'>,
  chainId: number,
  { address, topics }: { address: Address; topics: readonly Hex[] },
  fromBlock: bigint,
  isIt: (transaction: NonNullable<Awaited<ReturnType<SwapDependencies['mined']>>>) => boolean,
): Promise<Hex | undefined> {
  const query = { address: [address], topics: topics.map((topic) => [topic]) }
  const isThere = { reads: [], parse: () => false }
  for (let look = 0, next = fromBlock; look < mostLooked; look++) {
    const found = await log(chainId, { query, isThere }, next)
    const transaction = found && (await mined(chainId, found.transactionHash))
    if (!transaction) return undefined
    if (transaction.ok && isIt(transaction)) return found.transactionHash
    next = BigInt(transaction.blockNumber) + 1n
  }
  return undefined
}
