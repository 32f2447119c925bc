import { AppError } from '../../domain/errors.ts'
import type { EngineStore } from '../../store/engine.ts'
import { type BlockRef, type Chain, read } from '../chain.ts'
import { inPassing } from '../in-passing.ts'
import { firstBlockOf } from '../logs/first-block.ts'
import type { Market } from '../markets/market.ts'
import { optional } from '../reading.ts'
import { ray } from '../readings/reserve.ts'
import { keyOf, type Point } from './point.ts'

/** When a market began, in Unix seconds, and what a unit of it was then; `undefined` where only the time is known. */
export type Inception = { at: number; index: bigint | undefined }

const nameOf = (market: Market) => `inception ${keyOf(market)}`

const parsed = (value: string): Inception => {
  const [at, index] = value.split(' ')
  return { at: Number(at), index: index ? BigInt(index) : undefined }
}

/** The beginnings of markets that are known without asking a chain: those that were found before, and those of the catalogue. */
export async function knownInceptions(
  store: EngineStore,
  chainId: number,
  markets: readonly Market[],
): Promise<Map<Market, Inception>> {
  const facts = new Map(
    (await store.facts(chainId, 'inception ')).map(({ name, value }) => [name, value] as const),
  )
  return new Map(
    markets.flatMap((market) => {
      const value = facts.get(nameOf(market))
      const begun = value === undefined ? stated(market) : parsed(value)
      return begun ? [[market, begun] as const] : []
    }),
  )
}

/** A unit began as one, but for receipts of the Compound v2 family, which begin at a price of each market's own (source: CToken.initialize). */
function stated({ entry }: Market): Inception | undefined {
  if (entry.startDate === null) return undefined
  const index = entry.constants.family === 'compound-v2' ? undefined : ray
  return { at: Date.parse(entry.startDate) / 1000, index }
}

/** When a market began: by the catalogue, or by the block in which its contract got its code; `undefined` where the node has no old states. It is asked once. */
export async function inceptionOf(
  store: EngineStore,
  chain: Chain,
  market: Market,
  head: BlockRef,
): Promise<Inception | undefined> {
  const { chainId, multicall3 } = chain.network
  const known = (await knownInceptions(store, chainId, [market])).get(market)
  if (known) return known
  const { asset, receipt } = market.entry
  const older = BigInt(asset.address) === 0n ? multicall3 : asset.address
  const first = older && (await firstBlockOf(store, chain, receipt.address, older, head.number))
  if (first === undefined) return undefined
  const block = await chain.rpc.request<{ timestamp: string } | null>('eth_getBlockByNumber', [
    `0x${first.toString(16)}`,
    false,
  ])
  if (!block)
    throw new AppError('RPC_INCONSISTENT', `The node at ${chain.rpc.host} does not know an old block`)
  const state = await read(chain, optional(market.state), first)
  const index = state && state.index > 0n ? state.index : undefined
  const found: Inception = { at: Number(block.timestamp), index }
  const fact = [found.at, ...(index === undefined ? [] : [index])].join(' ')
  await inPassing(store.keepFact(chainId, nameOf(market), fact))
  return found
}

/** A beginning to count growth from; `undefined` where what a unit was then is not known. */
export const beginningOf = (begun: Inception | undefined): Point | undefined =>
  begun?.index === undefined ? undefined : { at: begun.at, index: begun.index }
