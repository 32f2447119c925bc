import { parseAbi } from 'viem/utils'
import { type Call, contract, type Reading, type Rounds } from '../../chain/call.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { MarketState, ProtocolMarket, Rate } from '../market-adapter.ts'
import { reserve } from '../shared/aave-reserve.ts'
import { mustRespond } from '../shared/contract-assertions.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import { erc4626Abi } from './abi.ts'
import type { Erc4626Constants } from './constants-schema.ts'
import { roomIn, roomOut } from './morpho-v2-room.ts'

/** The lending of a vault of Euler: `interestRate` is the borrow rate per second, in rays, and `interestFee` is of 10,000 (source: euler-interfaces, EVault). */
const eulerVaultAbi = parseAbi([
  'function interestRate() view returns (uint256)',
  'function interestFee() view returns (uint16)',
  'function cash() view returns (uint256)',
  'function totalBorrows() view returns (uint256)',
  'function hookConfig() view returns (address hookTarget, uint32 hookedOps)',
])

/** The length of a year in the rates of Euler, in seconds: 365.2425 days. */
const eulerYear = 31_556_952

/** The reads of a vault of Euler, in this order. */
const names = ['interestRate', 'interestFee', 'cash', 'totalBorrows'] as const

/** The operations of a vault of Euler, as bits of `hookedOps`. A hooked operation without a hook is disabled (source: euler-vault-kit, Constants and Base). */
const operations = { deposit: 1, withdraw: 4, redeem: 8 }

/** Whether a vault of Euler has disabled an operation, by the answer of `hookConfig`. */
const isDisabled = (config: unknown, operation: number): boolean => {
  if (!config) return false
  const [target, hooked] = config as readonly [Address, number]
  return sameAddress(target, nativeAddress) && (hooked & operation) !== 0
}

/** The state of a vault of Euler: its cash is what it can pay out, and operations may be disabled. */
const eulerState = (vault: Address, { reads, parse }: Reading<MarketState>): Reading<MarketState> => {
  const ask = contract(vault, eulerVaultAbi)
  return {
    reads: [...reads, { ...ask('cash'), refused: null }, { ...ask('hookConfig'), refused: null }],
    parse: (answers) => {
      const state = parse(answers.slice(0, -2))
      const [cash, config] = answers.slice(-2)
      return {
        ...state,
        liquidity: cash as bigint | null,
        canDeposit: state.canDeposit && !isDisabled(config, operations.deposit),
        canWithdraw: !isDisabled(config, operations.withdraw | operations.redeem),
      }
    },
  }
}

/**
 * How much a vault of Euler pays an owner now. Its `maxWithdraw` is zero for an owner with a controller, whatever that owner can withdraw
 * (source: euler-vault-kit, Vault.maxRedeemInternal): then the cash is the limit, and the simulation tells whether the controller agrees.
 */
function* eulerMostOut(vault: Address, owner: Address): Rounds<bigint | null> {
  const ask = contract(vault, eulerVaultAbi)
  const [most, cash, config] = yield [
    contract(vault, erc4626Abi)('maxWithdraw', owner),
    ask('cash'),
    ask('hookConfig'),
  ]
  if (most !== 0n) return (most as bigint | undefined) ?? null
  return isDisabled(config, operations.withdraw) ? 0n : ((cash as bigint | undefined) ?? 0n)
}

/** The current rate of a vault of Euler; `null` if it does not answer. */
function* eulerRate(vault: Address): Rounds<Rate | null> {
  const answers = yield names.map((functionName): Call => contract(vault, eulerVaultAbi)(functionName))
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
  const { vault, lends, backing, limits } = constants
  const { address, decimals } = entry.asset
  const readings = vaultReadings(
    entry,
    constants,
    backing && reserve({ ...backing, asset: address, decimals }),
  )
  return {
    entry,
    ...readings,
    ...(limits === 'none' && {
      mostIn: (owner) => roomIn(vault, owner),
      mostOut: (owner) => roomOut({ vault, asset: address }, owner),
    }),
    ...(lends === 'euler' && {
      state: eulerState(vault, readings.state),
      mostOut: (owner) => eulerMostOut(vault, owner),
      rate: () => eulerRate(vault),
      contractAssertions: [
        ...readings.contractAssertions,
        mustRespond('what it costs to borrow from it', contract(vault, eulerVaultAbi)('interestRate')),
      ],
    }),
    ...vaultSteps(entry, vault),
  }
}
