import { ask } from '../../chain/ask.ts'
import { optional } from '../../chain/call.ts'
import type { BlockRef } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { AppError } from '../../domain/errors.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import { ray } from '../../protocols/shared/rate-units.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../best-effort-write.ts'
import { deploymentBlock, firstBlockWhere, hasCodeAt, olderContract } from '../history/logs/first-block.ts'
import { undefinedIfRefused } from '../undefined-if-unread.ts'
import { type IndexPoint, snapshotKey } from './annualized-rate.ts'
import { pastBlocks } from './historical-snapshots.ts'

/** The start of a market in Unix seconds, and the index of one unit then; `undefined` if only the time is known. */
export type Inception = { at: number; index: bigint | undefined }

const factName = (market: Market) => `inception ${snapshotKey(market)}`

const parseInception = (value: string): Inception => {
  const [at, index] = value.split(' ')
  return { at: Number(at), index: index ? BigInt(index) : undefined }
}

/** Returns the inceptions known without reading a chain: those found before, and those of the catalogue. */
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
      const inception = value === undefined ? catalogInception(market) : parseInception(value)
      return inception ? [[market, inception] as const] : []
    }),
  )
}

/**
 * The index starts at one, except for receipts of the Compound v2 family, whose initial price each market
 * sets (source: CToken.initialize).
 */
function catalogInception({ entry }: Market): Inception | undefined {
  if (entry.startDate === null) return undefined
  const index = entry.constants.family === 'compound-v2' ? undefined : ray
  return { at: Date.parse(entry.startDate) / 1000, index }
}

/**
 * Finds the start of a market: from the catalogue, or from the first block in which its contract returns an index,
 * which may be long after deployment. If the node lacks those states, the result is the time of deployment, or
 * unknown, and a later call tries again. A result is stored, so that lists return it without reading the chain.
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
  const said = await undefinedIfRefused(firstReading(chain, market, coded, head.number))
  if (!said && known) return known
  const { block, index } = said ?? { block: coded, index: undefined }
  const at = await blockTime(chain, block)
  if (block + BigInt(depth) <= head.number)
    await writeInBackground(
      store.storeFact(chainId, factName(market), index === undefined ? `${at}` : `${at} ${index}`),
    )
  return { at, index }
}

/** Most contracts return an index soon after deployment: these distances are tried first. */
const earlyOffsets = [0n, 16n, 256n, 4_096n, 65_536n, 1_048_576n]

/**
 * Finds the first block, from deployment on, in which a market returns an index; `undefined` if the node
 * lacks those states.
 */
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
        const index = await ask(chain, optional(market.index), block)
        if (index !== undefined && index > 0n) said.set(block, index)
        return said.has(block)
      }),
    )
  const early = [...earlyOffsets.map((later) => coded + later).filter((block) => block < head), head]
  const at = (await says(early)).indexOf(true)
  if (at === -1) return undefined
  const block = at === 0 ? coded : await firstBlockWhere(says, early[at - 1]!, early[at]!)
  // Before the first reading the contract had code. A node that returns no code for that block lacks its
  // state.
  const isKnown = at === 0 || (await hasCodeAt(chain, market.entry.receipt.address, [block - 1n]))[0]
  return isKnown ? { block, index: said.get(block)! } : undefined
}

async function blockTime(chain: Chain, number: bigint): Promise<number> {
  const [block] = await pastBlocks(chain, [number])
  if (!block)
    throw new AppError('RPC_INCONSISTENT', `The node at ${chain.rpc.host} does not know an old block`)
  return block.timestamp
}

/** The point from which growth since inception is computed; `undefined` if the first index is unknown. */
export const inceptionPoint = (inception: Inception | undefined): IndexPoint | undefined =>
  inception?.index === undefined ? undefined : { at: inception.at, index: inception.index }
