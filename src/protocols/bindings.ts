import { encodeFunctionData } from 'viem/utils'
import type { Address, Hex } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction.ts'
import { bindAaveV3 } from './aave-v3/binding.ts'
import { bindAcross } from './across/binding.ts'
import { lpRate, lpUnits } from './across/lp-token.ts'
import type { StrategyEntry } from './catalog.ts'
import { cTokenAbi, entranceOf } from './compound-v2/abi.ts'
import { bindCompoundV2 } from './compound-v2/binding.ts'
import { bindCompoundV3 } from './compound-v3/binding.ts'
import { erc4626Abi } from './erc4626/abi.ts'
import { bindErc4626 } from './erc4626/binding.ts'
import { bindEthena } from './ethena/binding.ts'
import { ethenaQueue } from './ethena/queue.ts'
import type { Exchange } from './exchange.ts'
import type { Intent } from './intent.ts'
import { lidoAbi, entranceOf as lidoEntranceOf } from './lido/abi.ts'
import { bindLido } from './lido/binding.ts'
import { lidoQueue } from './lido/queue.ts'
import { bindStaked } from './liquid-staking/binding.ts'
import { stakedOf } from './liquid-staking/contracts.ts'
import { etherFiQueue } from './liquid-staking/ether-fi-queue.ts'
import { fraxQueue } from './liquid-staking/frax-queue.ts'
import { listaQueue } from './liquid-staking/lista-queue.ts'
import { savaxQueue } from './liquid-staking/savax-queue.ts'
import { staderQueue } from './liquid-staking/stader-queue.ts'
import { bindPendlePt } from './pendle-pt/binding.ts'
import { pendleExchange, ptPrice } from './pendle-pt/price.ts'
import { unitsAt } from './receipt-units.ts'
import { bindSparkPsm3 } from './spark-psm3/binding.ts'
import { psm3Exchange, psm3Rate, psm3Units } from './spark-psm3/price.ts'
import { stakewiseAbi } from './stakewise/abi.ts'
import { bindStakewise } from './stakewise/binding.ts'
import { stakewiseQueue } from './stakewise/queue.ts'
import type { Verdict } from './verdict.ts'
import type { Queue } from './withdrawal-queue.ts'
import { bindYearnV3 } from './yearn-v3/binding.ts'

/**
 * What a wallet must know of a market to hold calls of it to what was asked: the contract that they go to, how their calldata is
 * bound, and how much of the receipt a withdrawal of an exact amount should cost: so much, or what a read of the market says.
 */
type Place = {
  /** The contract that deposits go to first; withdrawals may go to another. */
  targets: readonly [Address, ...Address[]]
  bind: (transaction: Transaction, intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>) => Verdict
  cost: (amount: bigint) => Cost
  /** Whether a part is left by giving back what it costs of the receipt, so that the calldata says units of that. */
  byUnits?: true
  /** Whether a withdrawal is taken through an allowance of the receipt. */
  takesReceipt?: true
  /** Where its steps are exchanges at a price that moves: what they bring. */
  exchange?: Exchange
}

/** What an amount costs of the receipt: so much, or what a read of the market says. */
export type Cost = { units: bigint } | { read: { to: Address; data: Hex }; unitsOf: (said: bigint) => bigint }

/** The place of a strategy of a catalogue: a new protocol family is one case here. */
export function placeOf({ constants, asset, receipt }: StrategyEntry): Place {
  switch (constants.family) {
    case 'aave-v3':
      return { targets: [constants.pool], bind: (tx, intent) => bindAaveV3(tx, intent, asset), cost: itself }
    case 'across': {
      const pool = { constants, asset }
      const { address: to, abi, functionName, args = [] } = lpRate(pool)
      return {
        targets: [constants.hubPool],
        bind: (tx, intent) => bindAcross(tx, intent, pool),
        cost: (amount) => ({
          read: { to, data: encodeFunctionData({ abi, functionName, args: [...args] }) },
          unitsOf: (rate) => lpUnits(rate, amount),
        }),
        byUnits: true,
      }
    }
    case 'compound-v2': {
      const { market: to } = constants
      const read = { to, data: encodeFunctionData({ abi: cTokenAbi, functionName: 'exchangeRateCurrent' }) }
      return {
        targets: [entranceOf(constants), to],
        bind: (tx, intent) => bindCompoundV2(tx, intent, asset, constants),
        // One unit more where the price does not divide the amount.
        cost: (amount) => ({ read, unitsOf: (rate) => (amount * 10n ** 18n) / rate + 1n }),
      }
    }
    case 'compound-v3':
      return {
        targets: [constants.comet],
        bind: (tx, intent) => bindCompoundV3(tx, intent, asset),
        cost: itself,
      }
    case 'lido': {
      const isPlain = constants.holds === 'stETH'
      const args = { abi: lidoAbi, functionName: 'getWstETHByStETH' } as const
      return {
        targets: [lidoEntranceOf(constants), constants.queue],
        bind: (tx, intent) => bindLido(tx, intent, asset, receipt, constants),
        cost: (amount) =>
          constants.holds === 'stETH'
            ? itself(amount)
            : {
                read: { to: constants.wstEth, data: encodeFunctionData({ ...args, args: [amount] }) },
                unitsOf: (said) => said,
              },
        takesReceipt: true,
        ...(!isPlain && { byUnits: true }),
      }
    }
    case 'ether-fi':
    case 'frax-ether':
    case 'rocket-pool':
    case 'stader':
    case 'lista':
    case 'gnosis-sdai':
    case 'benqi-staking': {
      const staked = stakedOf(constants)
      const { address: to, abi, functionName, args = [] } = staked.rate
      const isQueued = constants.family !== 'rocket-pool' && constants.family !== 'gnosis-sdai'
      return {
        targets: [staked.stake.to, staked.leave.to],
        bind: (tx, intent) => bindStaked(tx, intent, { asset, receipt }, staked, isQueued),
        cost: (amount) => ({
          read: { to, data: encodeFunctionData({ abi, functionName, args: [...args] }) },
          unitsOf: (rate) => unitsAt(rate, amount),
        }),
        byUnits: true,
        ...(staked.takesReceipt && { takesReceipt: true }),
      }
    }
    case 'pendle-pt': {
      const { address: to, abi, functionName, args = [] } = ptPrice(constants)
      return {
        targets: [constants.router],
        bind: (tx, intent) => bindPendlePt(tx, intent, { asset, receipt }, constants),
        cost: (amount) => ({
          read: { to, data: encodeFunctionData({ abi, functionName, args: [...args] }) },
          unitsOf: (price) => unitsAt(price, amount),
        }),
        byUnits: true,
        takesReceipt: true,
        exchange: pendleExchange(constants, asset.address),
      }
    }
    case 'stakewise': {
      const { vault: to } = constants
      const args = { abi: stakewiseAbi, functionName: 'convertToShares' } as const
      return {
        targets: [to],
        bind: (tx, intent) => bindStakewise(tx, intent, asset),
        cost: (amount) => ({
          read: { to, data: encodeFunctionData({ ...args, args: [amount] }) },
          unitsOf: (shares) => shares,
        }),
        byUnits: true,
      }
    }
    case 'spark-psm3': {
      const { address: to, abi, functionName } = psm3Rate(constants)
      return {
        targets: [constants.psm],
        bind: (tx, intent) => bindSparkPsm3(tx, intent, { asset, receipt }),
        cost: (amount) => ({
          read: { to, data: encodeFunctionData({ abi, functionName }) },
          unitsOf: (rate) => psm3Units(rate, amount, asset),
        }),
        byUnits: true,
        takesReceipt: true,
        exchange: psm3Exchange(constants, { asset, receipt }),
      }
    }
    case 'ethena':
    case 'erc4626':
    case 'morpho':
    case 'yearn-v3': {
      const { vault: to } = constants
      const bind = { ethena: bindEthena, erc4626: bindErc4626, morpho: bindErc4626, 'yearn-v3': bindYearnV3 }[
        constants.family
      ]
      return {
        targets: [to],
        bind: (tx, intent) => bind(tx, intent, asset),
        cost: (amount) => ({
          read: {
            to,
            data: encodeFunctionData({ abi: erc4626Abi, functionName: 'previewWithdraw', args: [amount] }),
          },
          unitsOf: (shares) => shares,
        }),
      }
    }
  }
}

/** Balances that rebase: a unit of the receipt is a unit of the asset. */
const itself = (amount: bigint) => ({ units: amount })

/** The queue of a market that pays out later; `undefined` where a withdrawal pays at once. */
export function queueOf({ constants, chainId }: StrategyEntry): Queue | undefined {
  switch (constants.family) {
    case 'lido':
      return lidoQueue(chainId, constants)
    case 'ethena':
      return ethenaQueue(chainId, constants)
    case 'stader':
      return staderQueue(chainId, constants)
    case 'lista':
      return listaQueue(chainId, constants)
    case 'benqi-staking':
      return savaxQueue(chainId, constants)
    case 'ether-fi':
      return etherFiQueue(chainId, constants)
    case 'frax-ether':
      return fraxQueue(chainId, constants)
    case 'stakewise':
      return stakewiseQueue(chainId, constants)
    default:
      return undefined
  }
}
