import { encodeFunctionData } from 'viem/utils'

import type { Address } from '../domain/address.ts'
import type { StrategyEntry } from '../domain/catalog.ts'
import { cometAbi } from './compound-v3.ts'
import { erc4626Abi } from './erc4626.ts'
import { type Cost, placeOf } from './places.ts'
import { drift } from './units.ts'

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
