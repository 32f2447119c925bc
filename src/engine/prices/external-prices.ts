import { z } from 'zod'
import { nativeAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import type { Price } from '../../domain/usd.ts'
import { getJson } from '../../http/client.ts'
import type { Market } from '../../protocols/market-adapter.ts'

/** Rows of markets of one chain. Some may lack a price. */
type Rows<row> = readonly (row & { market: Market; price: Price })[]

/** Fills in prices that no contract provides. They are only displayed: no signed amount depends on them. */
export type PriceFiller = <row>(rows: Rows<row>) => Promise<Rows<row>>

/**
 * Prices tokens from outside the chains, in the order of the tokens. A missing or unreliable price is `null`.
 */
export type ExternalPriceSource = (tokens: readonly Token[]) => Promise<readonly Price[]>

/**
 * The chain names of the DefiLlama prices API (source: DefiLlama/DefiLlama-Adapters,
 * projects/helper/chains.json).
 */
const chainNames = new Map([
  [1, 'ethereum'],
  [10, 'optimism'],
  [56, 'bsc'],
  [100, 'xdai'],
  [130, 'unichain'],
  [137, 'polygon'],
  [146, 'sonic'],
  [8453, 'base'],
  [42161, 'arbitrum'],
  [43114, 'avax'],
  [59144, 'linea'],
  [534352, 'scroll'],
])

/** How long an answer, or a failure to answer, is reused, in ms. */
const maxAgeMs = 60_000
/** The number of tokens in one URL. */
const maxTokensPerRequest = 50
/** The maximum age of a price, in seconds. Clocks may differ by a few minutes. */
const maxPriceAgeSeconds = 2 * 3_600
const maxClockSkewSeconds = 300
/** The minimum confidence that the source must state for a price. */
const minConfidence = 0.9

const Answer = z.object({
  coins: z.record(
    z.string(),
    z.object({
      price: z.number().positive().max(1e12),
      timestamp: z.number(),
      confidence: z.number(),
      decimals: z.number().optional(),
    }),
  ),
})
type Coins = z.output<typeof Answer>['coins']

type Needs = { now: () => number; deadlineMs?: number }

/**
 * Creates a client of a server with the DefiLlama prices API (`GET /prices/current/{chain}:{address},...`). It never
 * throws: without an answer there are no prices.
 */
export function externalPriceSource(url: string, { now, deadlineMs = 4_000 }: Needs): ExternalPriceSource {
  const cached = new Map<string, { at: number; coins: Promise<Coins> }>()
  const asked = (keys: readonly string[]): Promise<Coins> => {
    const name = keys.join(',')
    const last = cached.get(name)
    if (last && now() - last.at < maxAgeMs) return last.coins
    const coins = fetchCoins(`${url}/prices/current/${name}`, deadlineMs)
    cached.set(name, { at: now(), coins })
    return coins
  }
  return async (tokens) => {
    const keys = [...new Set(tokens.flatMap((token) => coinKey(token) ?? []))].sort()
    const parts = Array.from({ length: Math.ceil(keys.length / maxTokensPerRequest) }, (_, at) =>
      keys.slice(at * maxTokensPerRequest, (at + 1) * maxTokensPerRequest),
    )
    const found = await Promise.all(parts.map(asked))
    const known = new Map(found.flatMap((coins) => Object.entries(coins)))
    const seconds = now() / 1000
    return tokens.map((token) => acceptedPrice(known.get(coinKey(token) ?? ''), token, seconds))
  }
}

const coinKey = ({ chainId, address }: Token): string | undefined => {
  const chain = chainNames.get(chainId)
  return chain && `${chain}:${address}`
}

/** The API uses the zero address for the native coin, as the catalogue does. */
function acceptedPrice(coin: Coins[string] | undefined, { address, decimals }: Token, now: number): Price {
  if (!coin || coin.confidence < minConfidence) return null
  if (coin.timestamp + maxPriceAgeSeconds < now || coin.timestamp > now + maxClockSkewSeconds) return null
  // A different number of decimals means a different token.
  if (address !== nativeAddress && coin.decimals !== undefined && coin.decimals !== decimals) return null
  const price = BigInt(Math.round(coin.price * 1e8))
  return price > 0n ? price : null
}

async function fetchCoins(url: string, deadlineMs: number): Promise<Coins> {
  try {
    const { status, body } = await getJson(url, { deadlineMs, maxBytes: 1 << 20 })
    const read = Answer.safeParse(body)
    return status === 200 && read.success ? read.data.coins : {}
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('SERVICE_')) return {}
    throw error
  }
}

/** Two prices contradict each other if they differ by more than this fraction. */
const maxDeviation = 0.05

/**
 * Fills in external prices for markets that the chain does not price. It always requests all assets of the chain, so
 * the source does not learn which ones a wallet holds. A source that contradicts the chain on most tokens that both
 * price is ignored.
 */
export function externalPriceFiller(
  outside: ExternalPriceSource | undefined,
  markets: readonly Market[],
): PriceFiller {
  if (!outside) return async (rows) => rows
  return async (rows) => {
    const chainId = rows[0]?.market.entry.chainId
    if (rows.every(({ price }) => price !== null)) return rows
    const assets = new Map(
      markets.flatMap(({ entry }) => (entry.chainId === chainId ? [[entry.asset.address, entry.asset]] : [])),
    )
    const tokens = [...assets.values()]
    const prices = await outside(tokens)
    const known = new Map(tokens.map(({ address }, at) => [address, prices[at] ?? null]))
    const both = rows.flatMap(({ market, price }) => {
      const other = known.get(market.entry.asset.address)
      return price === null || other == null ? [] : [Math.abs(Number(other) / Number(price) - 1)]
    })
    if (both.filter((distance) => distance > maxDeviation).length * 2 > both.length) return rows
    return rows.map((row) => ({
      ...row,
      price: row.price ?? known.get(row.market.entry.asset.address) ?? null,
    }))
  }
}
