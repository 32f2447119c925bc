import { encodeAbiParameters, keccak256 } from 'viem/utils'
import type { Query } from '../../chain/contract-query.ts'
import { type Address, type Hex, nativeAddress } from '../../domain/address.ts'
import type { SwapPath } from '../fee-tier-paths.ts'
import { poolKeyParameters, stateViewAbi } from './abi.ts'

/**
 * The distance of ticks of a pool by its fee, in millionths: the pairs of Uniswap v3 (`TICK_SPACINGS` of `@uniswap/v3-sdk`), which most
 * pools without hooks have.
 */
const spacings: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }

/** The fees of the pools that are used. */
export const fees: readonly number[] = Object.keys(spacings).map(Number)

/** A pool of a path, beside the token at its other end: without hooks. */
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

/** Whether a pool is one of those that are used: no hooks, and ticks as its fee has them. */
export const isPlain = ({ fee, tickSpacing, hooks, hookData }: PathKey): boolean =>
  spacings[fee] === tickSpacing && BigInt(hooks) === 0n && hookData === '0x'

/** A path as the router and the quoter take it: from the token whose amount is exact, each pool with the token beyond it. */
export function keysOf(
  { tokens, fees }: SwapPath,
  exact: 'in' | 'out',
): { exactCurrency: Address; path: PathKey[] } {
  // For an exact output each pool has the token before it.
  const [exactCurrency, others] =
    exact === 'in' ? [tokens[0]!, tokens.slice(1)] : [tokens.at(-1)!, tokens.slice(0, -1)]
  return { exactCurrency, path: others.map((token, at) => keyOf(token, fees[at]!)) }
}

/** The path behind what the router takes, from the first token to the last. */
export function pathOf(exactCurrency: Address, path: readonly PathKey[], exact: 'in' | 'out'): SwapPath {
  const others = path.map(({ intermediateCurrency }) => intermediateCurrency)
  return {
    tokens: exact === 'in' ? [exactCurrency, ...others] : [...others, exactCurrency],
    fees: path.map(({ fee }) => fee),
  }
}

/** One query per pool of a path: its price. */
export const priceQueries = (stateView: Address, { tokens, fees }: SwapPath): Query[] =>
  fees.map((fee, at) => ({
    address: stateView,
    abi: stateViewAbi,
    functionName: 'getSlot0',
    args: [poolIdOf(tokens[at]!, tokens[at + 1]!, fee)],
  }))

/** Ids of pools by their tokens and fee: each quote asks for the same few, and a hash takes longer than all else of it. */
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

/** The square root of a pool's price in an answer; `undefined` without one. */
export const rootIn = (answer: unknown): bigint | undefined => (answer as readonly [bigint] | undefined)?.[0]
