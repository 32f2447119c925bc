import { z } from 'zod'
import { nativeAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import type { Price } from '../../domain/usd.ts'
import { getJson } from '../../http/client.ts'
import type { Market } from '../../protocols/market.ts'
import type { PriceFiller } from '../context.ts'

/** What somebody outside of the chains says that tokens are worth, in their order; what he does not say, or not well, is `null`. */
export type ExternalPriceSource = (tokens: readonly Token[]) => Promise<readonly Price[]>

/** What the prices API of DefiLlama calls a chain (source: DefiLlama/DefiLlama-Adapters, projects/helper/chains.json). */
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

/** For so long an answer is used, and nobody is asked again who gave none, in ms. */
const maxAgeMs = 60_000
/** A URL carries so many tokens. */
const maxTokensPerRequest = 50
/** A price that was made longer ago is none, in seconds; clocks may be a few minutes apart. */
const maxPriceAgeSeconds = 2 * 3_600
const maxClockSkewSeconds = 300
/** How sure the source must be of a price, by its own word. */
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

/** Asks a server that speaks the prices API of DefiLlama (`GET /prices/current/{chain}:{address},...`). It never fails: who does not answer says nothing. */
export function externalPriceSource(url: string, { now, deadlineMs = 4_000 }: Needs): ExternalPriceSource {
  const kept = new Map<string, { at: number; coins: Promise<Coins> }>()
  const asked = (keys: readonly string[]): Promise<Coins> => {
    const name = keys.join(',')
    const last = kept.get(name)
    if (last && now() - last.at < maxAgeMs) return last.coins
    const coins = fetchCoins(`${url}/prices/current/${name}`, deadlineMs)
    kept.set(name, { at: now(), coins })
    return coins
  }
  return async (tokens) => {
    const keys = [...new Set(tokens.flatMap((token) => coinKey(token) ?? []))].sort()
    const parts = Array.from({ length: Math.ceil(keys.length / maxTokensPerRequest) }, (_, at) =>
      keys.slice(at * maxTokensPerRequest, (at + 1) * maxTokensPerRequest),
    )
    const found = await Promise.all(parts.map(asked))
    const said = new Map(found.flatMap((coins) => Object.entries(coins)))
    const seconds = now() / 1000
    return tokens.map((token) => acceptedPrice(said.get(coinKey(token) ?? ''), token, seconds))
  }
}

const coinKey = ({ chainId, address }: Token): string | undefined => {
  const chain = chainNames.get(chainId)
  return chain && `${chain}:${address}`
}

/** The coin of a chain stands at the zero address there, as with us. */
function acceptedPrice(coin: Coins[string] | undefined, { address, decimals }: Token, now: number): Price {
  if (!coin || coin.confidence < minConfidence) return null
  if (coin.timestamp + maxPriceAgeSeconds < now || coin.timestamp > now + maxClockSkewSeconds) return null
  // Another number of digits is another token.
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

/** Prices are apart by more than that when they contradict each other. */
const maxDeviation = 0.05

/**
 * Prices from outside for what the chain itself does not price. All markets of the chain are asked for, whatever rows there are: what
 * somebody holds is nobody's business. Who contradicts the chain on most of what both price is not believed at all.
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
    const said = new Map(tokens.map(({ address }, at) => [address, prices[at] ?? null]))
    const both = rows.flatMap(({ market, price }) => {
      const other = said.get(market.entry.asset.address)
      return price === null || other == null ? [] : [Math.abs(Number(other) / Number(price) - 1)]
    })
    if (both.filter((distance) => distance > maxDeviation).length * 2 > both.length) return rows
    return rows.map((row) => ({
      ...row,
      price: row.price ?? said.get(row.market.entry.asset.address) ?? null,
    }))
  }
}
