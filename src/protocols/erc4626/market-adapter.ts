import { parseAbi } from 'viem/utils'
import { type Query, queriesOf, type Rounds } from '../../chain/contract-query.ts'
import type { Address } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { ProtocolMarket, Rate } from '../market-adapter.ts'
import { reserve } from '../shared/aave-reserve.ts'
import { mustRespond } from '../shared/contract-assertions.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import type { Erc4626Constants } from './constants-schema.ts'

/** The lending of a vault of Euler: `interestRate` is the borrow rate per second, in rays, and `interestFee` is of 10,000 (source: euler-interfaces, EVault). */
const eulerVaultAbi = parseAbi([
  'function interestRate() view returns (uint256)',
  'function interestFee() view returns (uint16)',
  'function cash() view returns (uint256)',
  'function totalBorrows() view returns (uint256)',
])

/** The length of a year in the rates of Euler, in seconds: 365.2425 days. */
const eulerYear = 31_556_952

/** The reads of a vault of Euler, in this order. */
const names = ['interestRate', 'interestFee', 'cash', 'totalBorrows'] as const

/** The current rate of a vault of Euler; `null` if it does not answer. */
function* eulerRate(vault: Address): Rounds<Rate | null> {
  const answers = yield names.map(
    (functionName): Query => ({ address: vault, abi: eulerVaultAbi, functionName }),
  )
  if (answers.includes(undefined)) return null
  const [aSecond, fee, cash, borrowed] = answers as [bigint, number, bigint, bigint]
  return lentRate({ aSecond, fee: Number(fee) / 10_000, cash, borrowed })
}

/**
 * The borrow rate, compounded every second over 365.2425 days, times the utilization, less the fee of the vault (source:
 * euler-xyz/evk-periphery, UtilsLens.computeAPYs).
 */
function lentRate(vault: { aSecond: bigint; fee: number; cash: bigint; borrowed: bigint }): Rate {
  const all = vault.cash + vault.borrowed
  const each = Number(vault.aSecond) / 1e27
  const part = all === 0n ? 0 : (Number(vault.borrowed) / Number(all)) * (1 - vault.fee)
  return {
    apr: each * eulerYear * part,
    apy: Math.expm1(eulerYear * Math.log1p(each)) * part,
    protocolFee: vault.fee,
  }
}

/** Any ERC-4626 vault: a deposit brings shares, and redeeming all shares leaves no rest. */
export const erc4626 = (entry: StrategyEntry, constants: Erc4626Constants): ProtocolMarket => {
  const { vault, lends, backing } = constants
  const { address, decimals } = entry.asset
  const readings = vaultReadings(
    entry,
    constants,
    backing && reserve({ ...backing, asset: address, decimals }),
  )
  return {
    entry,
    ...readings,
    ...(lends === 'euler' && {
      rate: () => eulerRate(vault),
      contractAssertions: [
        ...readings.contractAssertions,
        mustRespond('what it costs to borrow from it', queriesOf(vault, eulerVaultAbi)('interestRate')),
      ],
    }),
    ...vaultSteps(entry, vault),
  }
}
