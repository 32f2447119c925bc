import { type BlockRef, type Chain, read } from '../../chain/chain.ts'
import { optional } from '../../chain/reading.ts'
import { AppError } from '../../domain/errors.ts'
import type { Market } from '../../protocols/market.ts'
import { ray } from '../../protocols/shared/rates.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../background-writes.ts'
import { deploymentBlock, firstBlockWhere, hasCodeAt, olderContract } from '../history/logs/first-block.ts'
import { pastBlocks } from './past-states.ts'
import { type IndexPoint, snapshotKey } from './rate-points.ts'

/** When a market began, in Unix seconds, and what a unit of it was then; `undefined` where only the time is known. */
export type Inception = { at: number; index: bigint | undefined }

const factName = (market: Market) => `inception ${snapshotKey(market)}`

const parseInception = (value: string): Inception => {
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
      const value = facts.get(factName(market))
      const begun = value === undefined ? catalogInception(market) : parseInception(value)
      return begun ? [[market, begun] as const] : []
    }),
  )
}

/** A unit began as one, but for receipts of the Compound v2 family, which begin at a price of each market's own (source: CToken.initialize). */
function catalogInception({ entry }: Market): Inception | undefined {
  if (entry.startDate === null) return undefined
  const index = entry.constants.family === 'compound-v2' ? undefined : ray
  return { at: Date.parse(entry.startDate) / 1000, index }
}

/**
 * When a market began: by the catalogue, or by the first block in which its contract says what a unit is, which may be long after it got
 * its code. Where the node does not have those states, the time of its code alone is told, or nothing; and whoever asks later asks again.
 * What is told once is kept, so that a list says the same, which asks no chain for it.
 */
export async function findInception(
  store: EngineStore,
  chain: Chain,
  market: Market,
  head: BlockRef,
): Promise<Inception | undefined> {
  const { chainId, depth } = chain.network
  const known = (await knownInceptions(store, chainId, [market])).get(market)
  if (known?.index !== undefined) return known
  const older = olderContract(market, chain)
  const coded =
    older && (await deploymentBlock(store, chain, market.entry.receipt.address, older, head.number))
  if (coded === undefined) return known
  const said = await firstReading(chain, market, coded, head.number)
  if (!said && known) return known
  const { block, index } = said ?? { block: coded, index: undefined }
  const at = await blockTime(chain, block)
  if (block + BigInt(depth) <= head.number)
    await writeInBackground(
      store.storeFact(chainId, factName(market), index === undefined ? `${at}` : `${at} ${index}`),
    )
  return { at, index }
}

/** Most contracts are told soon what they are: so many blocks after they got their code it is looked for first. */
const earlyOffsets = [0n, 16n, 256n, 4_096n, 65_536n, 1_048_576n]

/** The first block from the one of its code on in which a market says what a unit is; `undefined` where the node does not have those states. */
async function firstReading(
  chain: Chain,
  market: Market,
  coded: bigint,
  head: bigint,
): Promise<{ block: bigint; index: bigint } | undefined> {
  const said = new Map<bigint, bigint>()
  const says = (blocks: readonly bigint[]): Promise<boolean[]> =>
    Promise.all(
      blocks.map(async (block) => {
        const index = await read(chain, optional(market.index), block)
        if (index !== undefined && index > 0n) said.set(block, index)
        return said.has(block)
      }),
    )
  try {
    const early = [...earlyOffsets.map((later) => coded + later).filter((block) => block < head), head]
    const at = (await says(early)).indexOf(true)
    if (at === -1) return undefined
    const block = at === 0 ? coded : await firstBlockWhere(says, early[at - 1]!, early[at]!)
    // Where it did not say it yet, its code was there: who has none of that block has not the past.
    const isKnown = at === 0 || (await hasCodeAt(chain, market.entry.receipt.address, [block - 1n]))[0]
    return isKnown ? { block, index: said.get(block)! } : undefined
  } catch (error) {
    // Every node says in words of its own that it keeps no old states.
    if (error instanceof AppError && error.code === 'RPC_ERROR') return undefined
    throw error
  }
}

async function blockTime(chain: Chain, number: bigint): Promise<number> {
  const [block] = await pastBlocks(chain, [number])
  if (!block)
    throw new AppError('RPC_INCONSISTENT', `The node at ${chain.rpc.host} does not know an old block`)
  return block.timestamp
}

/** A beginning to count growth from; `undefined` where what a unit was then is not known. */
export const inceptionPoint = (begun: Inception | undefined): IndexPoint | undefined =>
  begun?.index === undefined ? undefined : { at: begun.at, index: begun.index }
