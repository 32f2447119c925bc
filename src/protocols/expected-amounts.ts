import { encodeFunctionData } from 'viem/utils'
import type { Query } from '../chain/contract-query.ts'
import type { Address, Hex } from '../domain/address.ts'
import { lpRate, lpWorth } from './across/lp-token.ts'
import { type Cost, placeOf, queueOf } from './bindings.ts'
import type { StrategyEntry } from './catalog.ts'
import { comptrollerAbi, cTokenAbi } from './compound-v2/abi.ts'
import { cometAbi } from './compound-v3/abi.ts'
import { erc4626Abi } from './erc4626/abi.ts'
import { stakedOf } from './liquid-staking/contracts.ts'
import { drift } from './receipt-units.ts'

/**
 * What a market pays: so much, or what reads of it say, of which each is the first word of its answer or `undefined` where it is refused.
 * `undefined` is a market that does not say it. `insteadOf` are words for what was not said, where something else was taken for it.
 */
type Pays =
  | { amount: bigint }
  | {
      reads: readonly { to: Address; data: Hex }[]
      amountOf: (said: readonly (bigint | undefined)[]) => bigint | undefined
      insteadOf?: (said: readonly (bigint | undefined)[]) => string | undefined
    }

/**
 * What so many units of the receipt pay at once when they are given back, by the market's own word before it, fees of the market taken
 * off. `undefined` where it pays later, or is an exchange, of which the calldata says it.
 */
export function paysOf(strategy: StrategyEntry, units: bigint): Pays | undefined {
  const { constants } = strategy
  if (placeOf(strategy).exchange || queueOf(strategy)) return undefined
  switch (constants.family) {
    case 'across':
      return by([lpRate({ constants, asset: strategy.asset })], ([rate]) =>
        whole(rate, (one) => lpWorth(one, units)),
      )
    case 'compound-v2': {
      const { market: address, comptroller, pauses } = constants
      const price: Query = { address, abi: cTokenAbi, functionName: 'exchangeRateCurrent' }
      // Venus may keep a part of what is redeemed; its isolated pools know no such thing.
      const kept: Query = { address: comptroller, abi: comptrollerAbi, functionName: 'treasuryPercent' }
      return by(pauses === 'action' ? [price, kept] : [price], ([rate, share = 0n]) =>
        whole(rate, (one) => (((units * one) / scale) * (scale - share)) / scale),
      )
    }
    case 'rocket-pool':
    case 'gnosis-sdai':
      return by([stakedOf(constants).rate], ([rate]) => whole(rate, (one) => (units * one) / scale))
    case 'erc4626':
    case 'morpho':
    case 'yearn-v3': {
      const vault = { address: constants.vault, abi: erc4626Abi }
      const asked = ['previewRedeem', 'convertToAssets'].map((name) => ({
        ...vault,
        functionName: name,
        args: [units],
      }))
      // Whoever does not say what it pays can be left all the same, for no less than its price: without its fees, if it has any.
      return {
        ...by(asked, ([assets, worth]) => assets ?? worth),
        insteadOf: ([assets]) =>
          assets === undefined ? 'the vault does not say beforehand what it pays' : undefined,
      }
    }
    default:
      // Balances that rebase: a unit of the receipt is a unit of the asset.
      return { amount: units }
  }
}

const scale = 10n ** 18n

const whole = (rate: bigint | undefined, worth: (rate: bigint) => bigint): bigint | undefined =>
  rate === undefined ? undefined : worth(rate)

const by = (
  queries: readonly Query[],
  amountOf: (said: readonly (bigint | undefined)[]) => bigint | undefined,
): Extract<Pays, { reads: unknown }> => ({
  reads: queries.map(({ address: to, abi, functionName, args = [] }) => ({
    to,
    data: encodeFunctionData({ abi, functionName, args: [...args] }),
  })),
  amountOf,
})

/** Rocket Pool keeps less than a hundredth of a deposit (source: rocket-pool/rocketpool, RocketDAOProtocolSettingsDeposit.setSettingUint). */
const hundredth = (amount: bigint): bigint => amount / 100n

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/**
 * How much of the receipt a deposit should bring at least, as the market says before it: what the same amount costs there, unless the
 * market keeps some of it. `undefined` where it is an exchange, of which the calldata says it.
 */
export function bringsOf(
  strategy: StrategyEntry,
  { amount, wallet }: { amount: bigint; wallet: Address },
): Cost | undefined {
  const { constants } = strategy
  const { cost, exchange } = placeOf(strategy)
  if (exchange) return undefined
  switch (constants.family) {
    case 'compound-v3': {
      // Who owes some pays that back first.
      const args = { abi: cometAbi, functionName: 'borrowBalanceOf', args: [wallet] } as const
      return {
        read: { to: constants.comet, data: encodeFunctionData(args) },
        unitsOf: (debt) => larger(0n, debt === 0n ? amount : amount - debt - drift(debt)),
      }
    }
    case 'rocket-pool':
      return cost(amount - hundredth(amount))
    case 'gnosis-sdai':
      // Interest since it was claimed last comes in before the shares are made, which then cost more: of a month at a tenth a year at most.
      return cost(amount - hundredth(amount))
    case 'ethena':
    case 'erc4626':
    case 'morpho':
    case 'yearn-v3': {
      // With the fee of those that take one, where what a part costs may have another.
      const args = { abi: erc4626Abi, functionName: 'previewDeposit', args: [amount] } as const
      return {
        read: { to: constants.vault, data: encodeFunctionData(args) },
        unitsOf: (shares) => shares,
      }
    }
    default:
      return cost(amount)
  }
}
