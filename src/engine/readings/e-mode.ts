import { aaveV3CategoryAbi as categoryAbi, aaveV3PoolAbi as poolAbi } from '../../calls/aave-v3.ts'
import type { Address } from '../../domain/address.ts'
import type { Reading } from '../reading.ts'

/** A category of e-mode of a pool: the threshold of what counts in it as collateral, in basis points, and which reserves do. */
type Mode = { id: bigint; threshold: bigint; has: (reserve: ModeReserve) => boolean }

/** What tells whether a reserve is in a category: its number, and its configuration. */
type ModeReserve = { id: number; configuration: bigint }

/**
 * A category of a pool; `undefined` where the pool does not say what counts in it. Since version 3.2 it has a bit for each reserve, by the
 * reserve's number; before, each reserve had one category, in bits 168-175 of its configuration (source: aave-v3-origin, IPool and GenericLogic).
 */
export const modeOf = (pool: Address, id: bigint): Reading<Mode | undefined> => ({
  reads: [
    { address: pool, abi: categoryAbi, functionName: 'getEModeCategoryCollateralConfig', args: [Number(id)] },
    { address: pool, abi: categoryAbi, functionName: 'getEModeCategoryCollateralBitmap', args: [Number(id)] },
    { address: pool, abi: poolAbi, functionName: 'getEModeCategoryData', args: [Number(id)] },
  ],
  parse: ([terms, bitmap, older]) => {
    if (terms !== undefined && bitmap !== undefined)
      return { id, threshold: statedIn(terms), has: (one) => bits(bitmap as bigint, one.id, 1) === 1n }
    if (terms !== undefined || bitmap !== undefined || older === undefined) return undefined
    return { id, threshold: statedIn(older), has: (one) => bits(one.configuration, 168, 8) === id }
  },
})

const statedIn = (said: unknown): bigint =>
  BigInt((said as { liquidationThreshold: number }).liquidationThreshold)

/**
 * At which threshold a reserve counts for an account, in basis points: its own (bits 16-31 of its configuration), or that of the `category` the
 * account is in (zero is none). `null` where it is not known which of the two.
 */
export const thresholdIn =
  (category: bigint | undefined, mode: Mode | undefined) =>
  (reserve: ModeReserve): bigint | null => {
    const own = bits(reserve.configuration, 16, 16)
    if (category === 0n) return own
    if (category === undefined || mode?.id !== category) return null
    return mode.has(reserve) ? mode.threshold : own
  }

/** So many bits of a word, from the first of them on. */
export const bits = (word: bigint, first: number, count: number): bigint =>
  (word >> BigInt(first)) & ((1n << BigInt(count)) - 1n)
