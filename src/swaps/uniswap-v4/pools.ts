import { encodeAbiParameters, keccak256 } from 'viem/utils'
import { type Call, contract } from '../../chain/call.ts'
import { type Address, type Hex, nativeAddress } from '../../domain/address.ts'
import type { SwapPath } from '../fee-tier-paths.ts'
import { poolKeyParameters, stateViewAbi } from './abi.ts'

/**
 * Tick spacings by fee, in millionths: the pairs of Uniswap v3 (`TICK_SPACINGS` of `@uniswap/v3-sdk`), which most pools without hooks use.
 */
const spacings: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }

/** The fees of the pools to quote. */
export const poolFees: readonly number[] = Object.keys(spacings).map(Number)

/** A pool of a path without hooks, with the token at its other end. */
export type PathKey = {
  intermediateCurrency: Address
  fee: number
  tickSpacing: number
  hooks: Address
  hookData: Hex
}

const keyOf = (token: Address, fee: number): PathKey => ({
  intermediateCurrency: token,
  fee,
  tickSpacing: spacings[fee]!,
  hooks: nativeAddress,
  hookData: '0x',
})

/** Whether a pool is plain: no hooks, and the usual tick spacing of its fee. */
export const isPlain = ({ fee, tickSpacing, hooks, hookData }: PathKey): boolean =>
  spacings[fee] === tickSpacing && BigInt(hooks) === 0n && hookData === '0x'

/** Converts a path for router and quoter: it starts at the token with the exact amount, and each pool has the token at its other end. */
export function keysOf(
  { tokens, fees }: SwapPath,
  exact: 'in' | 'out',
): { exactCurrency: Address; path: PathKey[] } {
  // For an exact output, each pool has the token before it.
  const [exactCurrency, others] =
    exact === 'in' ? [tokens[0]!, tokens.slice(1)] : [tokens.at(-1)!, tokens.slice(0, -1)]
  return { exactCurrency, path: others.map((token, at) => keyOf(token, fees[at]!)) }
}

/** Converts a path of the router to tokens and fees, from the first token to the last. */
export function pathOf(exactCurrency: Address, path: readonly PathKey[], exact: 'in' | 'out'): SwapPath {
  const others = path.map(({ intermediateCurrency }) => intermediateCurrency)
  return {
    tokens: exact === 'in' ? [exactCurrency, ...others] : [...others, exactCurrency],
    fees: path.map(({ fee }) => fee),
  }
}

/** The reads of the prices of a path's pools. */
export const priceQueries = (stateView: Address, { tokens, fees }: SwapPath): Call[] =>
  fees.map((fee, at) =>
    contract(stateView, stateViewAbi)('getSlot0', poolIdOf(tokens[at]!, tokens[at + 1]!, fee)),
  )

/** A cache of pool ids by tokens and fee: all quotes use the same few pools, and hashing is the slowest part of a quote. */
const poolIds = new Map<string, Hex>()
const mostPoolIds = 10_000

/** The id of a pool without hooks. */
export function poolIdOf(one: Address, other: Address, fee: number): Hex {
  const key = `${one} ${other} ${fee}`
  const known = poolIds.get(key)
  if (known !== undefined) return known
  const [currency0, currency1] = BigInt(one) < BigInt(other) ? [one, other] : [other, one]
  const id = keccak256(
    encodeAbiParameters(poolKeyParameters, [currency0, currency1, fee, spacings[fee]!, nativeAddress]),
  )
  if (poolIds.size < mostPoolIds) poolIds.set(key, id)
  return id
}

/** The square root of a pool's price in an answer; `undefined` without an answer. */
export const sqrtPriceIn = (answer: unknown): bigint | undefined =>
  (answer as readonly [bigint] | undefined)?.[0]
