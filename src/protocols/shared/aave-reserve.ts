import { contract, type Reading } from '../../chain/call.ts'
import { erc20 } from '../../chain/erc20.ts'
import type { Address } from '../../domain/address.ts'
import { aaveV3VirtualAbi, aaveV3PoolAbi as poolAbi } from '../aave-v3/abi.ts'
import type { MarketState } from '../market-adapter.ts'
import { compounded, ray } from './rate-units.ts'

/**
 * The state of an Aave v3 reserve, from the legacy 15-field struct of `getReserveData`, which every v3 version answers.
 * Configuration bits: 56 active, 57 frozen (deposit off), 60 paused (both off), 116-151 supply cap in whole tokens, 252 virtual accounting.
 * Since 3.1 a withdrawal is limited by the virtual balance, which donated tokens do not raise; older pools do not answer it, and in 3.1 to 3.3
 * a reserve without virtual accounting answers zero (source: aave-dao/aave-v3-origin, ReserveLogic and docs/3.1): there the balance of the
 * aToken is the limit.
 */
export const reserve = ({
  pool,
  aToken,
  asset,
  decimals,
}: {
  pool: Address
  aToken: Address
  asset: Address
  decimals: number
}): Reading<MarketState> => ({
  reads: [
    contract(pool, poolAbi)('getReserveData', asset),
    contract(pool, poolAbi)('getReserveNormalizedIncome', asset),
    erc20.totalSupply(aToken),
    erc20.balanceOf(asset, aToken),
    {
      address: pool,
      abi: aaveV3VirtualAbi,
      functionName: 'getVirtualUnderlyingBalance',
      args: [asset],
      refused: null,
    },
  ],
  parse: ([data, income, supplied, idle, virtual]: readonly unknown[]) => {
    const { configuration, currentLiquidityRate, accruedToTreasury } = data as Reserve
    const index = income as bigint
    const tvl = supplied as bigint
    const has = (bit: number) => ((configuration >> BigInt(bit)) & 1n) === 1n
    const cap = ((configuration >> 116n) & ((1n << 36n) - 1n)) * 10n ** BigInt(decimals)
    const open = has(56) && !has(60)
    const apr = Number(currentLiquidityRate) / Number(ray)
    return {
      apr,
      apy: compounded(apr),
      tvl,
      index,
      canDeposit: open && !has(57),
      canWithdraw: open,
      headroom: cap === 0n ? null : max(0n, cap - tvl - (accruedToTreasury * index) / ray),
      liquidity: (virtual === null || (virtual === 0n && !has(252)) ? idle : virtual) as bigint,
    }
  },
})

type Reserve = { configuration: bigint; currentLiquidityRate: bigint; accruedToTreasury: bigint }

const max = (a: bigint, b: bigint) => (a > b ? a : b)
