import { contract, known, type Reading, together } from '../../chain/call.ts'
import { erc20 } from '../../chain/erc20.ts'
import { priceAge } from '../../chain/read-oracle-price-age.ts'
import type { Address } from '../../domain/address.ts'
import { isFresh } from '../oracle-prices.ts'
import { balance } from '../shared/amount-reads.ts'
import type { Account, Reserve, ReserveHolding, Totals } from '../shared/lending-account.ts'
import {
  aaveV3CategoryAbi as categoryAbi,
  aaveV3OracleAbi as oracleAbi,
  aaveV3PoolAbi as poolAbi,
} from './abi.ts'

/** An e-mode category of a pool: the liquidation threshold of its collateral, in basis points, and its reserves. */
type Mode = { id: bigint; threshold: bigint; has: (reserve: ModeReserve) => boolean }

/** The data that places a reserve in a category: its number and its configuration. */
type ModeReserve = { id: number; configuration: bigint }

/**
 * A category of a pool; `undefined` if the pool does not state its reserves. Since version 3.2 it has a bit for each reserve, by the
 * reserve's number; before that, each reserve had one category, in bits 168-175 of its configuration (source: aave-v3-origin, IPool and GenericLogic).
 */
const modeOf = (pool: Address, id: bigint): Reading<Mode | undefined> => ({
  reads: [
    contract(pool, categoryAbi)('getEModeCategoryCollateralConfig', Number(id)),
    contract(pool, categoryAbi)('getEModeCategoryCollateralBitmap', Number(id)),
    contract(pool, poolAbi)('getEModeCategoryData', Number(id)),
  ],
  parse: ([terms, bitmap, older]) => {
    if (terms !== undefined && bitmap !== undefined)
      return { id, threshold: statedIn(terms), has: (one) => bits(bitmap as bigint, one.id, 1) === 1n }
    if (terms !== undefined || bitmap !== undefined || older === undefined) return undefined
    return { id, threshold: statedIn(older), has: (one) => bits(one.configuration, 168, 8) === id }
  },
})

const statedIn = (answer: unknown): bigint =>
  BigInt((answer as { liquidationThreshold: number }).liquidationThreshold)

/**
 * The liquidation threshold of a reserve for an account, in basis points: its own (bits 16-31 of its configuration), or that of the account's
 * `category` (zero is none). `null` if it is unknown which of the two applies.
 */
const thresholdIn =
  (category: bigint | undefined, mode: Mode | undefined) =>
  (reserve: ModeReserve): bigint | null => {
    const own = bits(reserve.configuration, 16, 16)
    if (category === 0n) return own
    if (category === undefined || mode?.id !== category) return null
    return mode.has(reserve) ? mode.threshold : own
  }

/** `count` bits of a word, beginning with the bit `first`. */
const bits = (word: bigint, first: number, count: number): bigint =>
  (word >> BigInt(first)) & ((1n << BigInt(count)) - 1n)

/** An Aave v3 market: the pool, and the oracle that prices its assets in USD with 8 decimals. */
export type LendingPool = { chainId: number; pool: Address; oracle: Address }

/** The assets of the reserves of a pool. */
export const reservesList = ({ pool }: LendingPool): Reading<readonly Address[] | undefined> => ({
  reads: [contract(pool, poolAbi)('getReservesList')],
  parse: ([list]) => list as readonly Address[] | undefined,
})

/** The constant data of a reserve (bits 48-55 of its configuration are the decimals). */
export const reserveOf = ({ pool }: LendingPool, asset: Address): Reading<Reserve | undefined> => ({
  reads: [contract(pool, poolAbi)('getReserveData', asset), erc20.symbol(asset)],
  parse: ([data, symbol]) => {
    if (data === undefined) return undefined
    const { configuration, aTokenAddress, variableDebtTokenAddress, id } = data as Data
    return {
      id,
      asset,
      aToken: aTokenAddress,
      debtToken: variableDebtTokenAddress,
      symbol: typeof symbol === 'string' ? symbol : null,
      decimals: Number(bits(configuration, 48, 8)),
    }
  },
})

/** An account of Aave. `used` has two bits per reserve, the lower for a debt; bits of unknown reserves may be set. `category` is its e-mode, zero for none. */
type AaveAccount = Account & { used: bigint | undefined; category: bigint | undefined }

/** The known reserves of a pool: whether they are all that it has, and whether all that were asked about answered. */
export type Reserves = { all: readonly Reserve[]; areAll: boolean; isAnswered: boolean }

/** The account of an owner in a pool, read in one block. Stable debts are left out: no version of Aave has any more. Thresholds are known if the account is in this `category`. */
export function accountIn(
  place: LendingPool,
  reserves: Reserves,
  owner: Address,
  category = 0n,
): Reading<AaveAccount> {
  const { pool } = place
  const inside = together(reserves.all.map((reserve) => partOf(place, reserve, owner)))
  const modeAsked = category === 0n ? known(undefined) : modeOf(pool, category)
  return {
    reads: [
      contract(pool, poolAbi)('getUserEMode', owner),
      contract(pool, poolAbi)('getUserConfiguration', owner),
      contract(pool, poolAbi)('getUserAccountData', owner),
      ...modeAsked.reads,
      ...inside.reads,
    ],
    parse: ([said, configuration, totals, ...rest]) => {
      const used = (configuration as { data: bigint } | undefined)?.data
      const modeReads = modeAsked.reads.length
      const about = { used, category: said as bigint | undefined }
      const thresholdOf = thresholdIn(about.category, modeAsked.parse(rest.slice(0, modeReads)))
      const found = inside.parse(rest.slice(modeReads)).map((part) => inAccount(part, used, thresholdOf))
      const seesAll = used === undefined ? reserves.areAll : unknownReserveBits(used, reserves) === 0n
      const isWhole = seesAll && found.every(({ isKnown }) => isKnown)
      const holdings = found.map(({ held }) => held)
      const isEmpty = holdings.every(
        (held) => !isPartOfAccount(held) && (used !== undefined || held.lent === 0n),
      )
      if (isWhole && isEmpty) return { ...about, holdings: [], totals: nothing }
      return { ...about, holdings, totals: isWhole && used !== undefined && totals ? totalsOf(totals) : null }
    },
  }
}

/** Whether a holding is part of a lending account: a deposit may not be collateral. */
export const isPartOfAccount = ({ isCollateral, borrowed }: ReserveHolding): boolean =>
  isCollateral || borrowed > 0n

const nothing: Totals = { collateral: 0n, debt: 0n, limit: 0n, carried: 0n, healthFactor: 2n ** 256n - 1n }

/** The bits of an account that belong to unknown reserves. */
export const unknownReserveBits = (used: bigint, { all }: Reserves): bigint =>
  used & ~all.reduce((known, { id }) => known | (3n << BigInt(2 * id)), 0n)

function totalsOf(answer: unknown): Totals {
  const [collateral, debt, available, threshold, maxLtv, healthFactor] = answer as readonly bigint[]
  return {
    collateral: collateral!,
    debt: debt!,
    // Each version of a pool rounds differently; it returns zero if the limit is below the debt.
    limit: available! > 0n ? debt! + available! : (collateral! * maxLtv!) / 10_000n,
    carried: collateral! * threshold!,
    healthFactor: healthFactor!,
  }
}

/** The answers of a reserve and its tokens about an account; `undefined` is no answer. */
type Part = {
  reserve: Reserve
  lent: bigint | undefined
  borrowed: bigint | undefined
  data: Data | undefined
  price: bigint | undefined
  age: unknown
}

/** A holding by the bits of its account. It is known if all that its bits require was answered. */
function inAccount(
  { reserve, lent, borrowed, data, price, age }: Part,
  used: bigint | undefined,
  thresholdOf: ReturnType<typeof thresholdIn>,
): { held: ReserveHolding; isKnown: boolean } {
  const has = (bit: number) => used === undefined || bits(used, 2 * reserve.id + bit, 1) === 1n
  const held = {
    reserve,
    isCollateral: used !== undefined && (lent ?? 0n) > 0n && has(1),
    lent: lent ?? 0n,
    borrowed: borrowed ?? 0n,
    borrowRate: data?.currentVariableBorrowRate ?? null,
    liquidationThreshold: data ? thresholdOf(data) : null,
    price: price || null,
    usd: isFresh(age) ? price || null : null,
  }
  return { held, isKnown: (lent !== undefined || !has(1)) && (borrowed !== undefined || !has(0)) }
}

const partOf = ({ pool, oracle }: LendingPool, reserve: Reserve, owner: Address): Reading<Part> => {
  const [lent, borrowed] = [balance(reserve.aToken, owner), balance(reserve.debtToken, owner)]
  return {
    reads: [
      ...lent.reads,
      ...borrowed.reads,
      contract(pool, poolAbi)('getReserveData', reserve.asset),
      contract(oracle, oracleAbi)('getAssetPrice', reserve.asset),
      priceAge(oracle, reserve.asset),
    ],
    parse: ([mine, owed, data, price, age]: readonly unknown[]) => ({
      reserve,
      lent: lent.parse([mine]),
      borrowed: borrowed.parse([owed]),
      data: data as Data | undefined,
      price: price as bigint | undefined,
      age,
    }),
  }
}

type Data = {
  id: number
  configuration: bigint
  currentVariableBorrowRate: bigint
  aTokenAddress: Address
  variableDebtTokenAddress: Address
}
