import { aaveV3OracleAbi as oracleAbi, aaveV3PoolAbi as poolAbi } from '../../calls/aave-v3.ts'
import { erc20Abi } from '../../calls/erc20.ts'
import type { Address } from '../../domain/address.ts'
import { type Answer, optional, type Reading, together } from '../reading.ts'
import { balance } from './reserve.ts'

/** Where an Aave v3 market stands: the pool and the oracle that prices its assets in USD with 8 decimals. */
export type LendingPool = { chainId: number; pool: Address; oracle: Address }

/** One reserve of a pool, as it is for as long as it is listed. `id` is its number in an account's bits. */
export type Reserve = {
  id: number
  asset: Address
  aToken: Address
  debtToken: Address
  symbol: string | null
  decimals: number
}

/** Which assets a pool has reserves of. */
export const reservesList = ({ pool }: LendingPool): Reading<readonly Address[] | undefined> => ({
  reads: [{ address: pool, abi: poolAbi, functionName: 'getReservesList' }],
  parse: ([list]) => list as readonly Address[] | undefined,
})

/** What never changes of a reserve (bits 48-55 of its configuration are the decimals). */
export const reserveOf = ({ pool }: LendingPool, asset: Address): Reading<Reserve | undefined> => ({
  reads: [
    { address: pool, abi: poolAbi, functionName: 'getReserveData', args: [asset] },
    { address: asset, abi: erc20Abi, functionName: 'symbol' },
  ],
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

/** What an account has in one reserve, as it is now. Rates in ray, thresholds in basis points, the price in USD with 8 decimals. */
export type Holding = {
  reserve: Pick<Reserve, 'asset' | 'symbol' | 'decimals'>
  isCollateral: boolean
  lent: bigint
  borrowed: bigint
  borrowRate: bigint
  liquidationThreshold: bigint
  price: bigint
}

/**
 * An account as its pool counts it: USD with 8 decimals, the health factor with 18. `limit` is what may be owed, and `carried` the debt at which
 * it is liquidated, in basis points of USD units.
 */
export type Account = {
  collateral: bigint
  debt: bigint
  limit: bigint
  carried: bigint
  healthFactor: bigint
  holdings: Holding[]
}

/** An account of Aave. `used` has two bits a reserve, the lower for a debt: some may be of reserves that were not known. */
type AaveAccount = Account & { used: bigint }

/** What an account has in a pool, all of one block. Stable debts are left out: no version of Aave has any more. */
export function accountIn(
  place: LendingPool,
  reserves: readonly Reserve[],
  owner: Address,
): Reading<AaveAccount | undefined> {
  const { pool } = place
  const inside = together(reserves.map((reserve) => optional(holdingOf(place, reserve, owner))))
  return {
    reads: [
      { address: pool, abi: poolAbi, functionName: 'getUserConfiguration', args: [owner] },
      { address: pool, abi: poolAbi, functionName: 'getUserAccountData', args: [owner] },
      ...inside.reads,
    ],
    parse: ([configuration, totals, ...rest]) => {
      if (configuration === undefined || totals === undefined) return undefined
      const used = (configuration as { data: bigint }).data
      const [collateral, debt, , liquidationThreshold, maxLtv, healthFactor] = totals as readonly [
        bigint,
        bigint,
        bigint,
        bigint,
        bigint,
        bigint,
      ]
      const holdings = inside.parse(rest).flatMap((held) => {
        if (!held) return []
        const isCollateral = held.lent > 0n && bits(used, 2 * held.reserve.id + 1, 1) === 1n
        return [{ ...held, isCollateral }]
      })
      return {
        used,
        collateral,
        debt,
        // By its pool's own rounding, half up; the pool itself says zero where it is less than the debt.
        limit: (collateral * maxLtv + 5_000n) / 10_000n,
        carried: collateral * liquidationThreshold,
        healthFactor,
        holdings,
      }
    },
  }
}

const holdingOf = (
  { pool, oracle }: LendingPool,
  reserve: Reserve,
  owner: Address,
): Reading<Omit<Holding, 'isCollateral' | 'reserve'> & { reserve: Reserve }> => {
  const [lent, borrowed] = [balance(reserve.aToken, owner), balance(reserve.debtToken, owner)]
  return {
    reads: [
      ...lent.reads,
      ...borrowed.reads,
      { address: pool, abi: poolAbi, functionName: 'getReserveData', args: [reserve.asset] },
      { address: oracle, abi: oracleAbi, functionName: 'getAssetPrice', args: [reserve.asset] },
    ],
    parse: ([mine, owed, data, price]: readonly Answer[]) => ({
      reserve,
      lent: lent.parse([mine]),
      borrowed: borrowed.parse([owed]),
      borrowRate: (data as Data).currentVariableBorrowRate,
      liquidationThreshold: bits((data as Data).configuration, 16, 16),
      price: (price as bigint | undefined) ?? 0n,
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

const bits = (word: bigint, first: number, count: number): bigint =>
  (word >> BigInt(first)) & ((1n << BigInt(count)) - 1n)
