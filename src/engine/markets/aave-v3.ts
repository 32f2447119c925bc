import { decodeEventLog } from 'viem/utils'

import { aaveV3ATokenAbi as aTokenAbi, supply, withdraw } from '../../calls/aave-v3.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import type { AaveV3Constants, StrategyEntry } from '../../domain/catalog.ts'
import { known } from '../reading.ts'
import { balance, ray, reserve } from '../readings/reserve.ts'
import { topic, topicOf } from '../readings/topics.ts'
import type { Log, LogFilter, Market, MarketEvent } from './market.ts'

/** A reserve of an Aave v3 pool. aTokens rebase, so a balance already is the position (source: aave-v3-origin). */
export const aaveV3 = (entry: StrategyEntry, { pool, aToken }: AaveV3Constants): Market => {
  const { chainId, asset } = entry
  return {
    entry,
    state: reserve({ pool, aToken, asset: asset.address, decimals: asset.decimals }),
    shares: (owner) => balance(aToken, owner),
    worth: known,
    deposit: ({ amount, owner }) => ({
      transaction: supply({ chainId, pool, asset: asset.address, amount, onBehalfOf: owner }),
      needs: { token: asset.address, spender: pool, amount },
    }),
    withdraw: ({ amount, owner }) => ({
      transaction: withdraw({ chainId, pool, asset: asset.address, amount, to: owner }),
    }),
    withdrawAll: ({ owner }) => ({
      transaction: withdraw({ chainId, pool, asset: asset.address, amount: maxUint256, to: owner }),
    }),
    logs: (owner) => logsOf(aToken, owner),
    event: eventOf,
  }
}

const logsOf = (aToken: Address, owner: Address): LogFilter[] => [
  { address: aToken, topics: [topicOf(aTokenAbi, 'Mint'), null, topic(owner)] },
  { address: aToken, topics: [topicOf(aTokenAbi, 'Burn'), topic(owner)] },
  { address: aToken, topics: [topicOf(aTokenAbi, 'BalanceTransfer'), topic(owner)] },
  { address: aToken, topics: [topicOf(aTokenAbi, 'BalanceTransfer'), null, topic(owner)] },
]

/**
 * `Mint` carries amount + interest since the last touch, so the amount is `value - balanceIncrease`; below zero it is a withdrawal that
 * was smaller than the interest. `Burn` carries amount - interest. `BalanceTransfer` carries scaled units and the index.
 */
function eventOf(log: Log, owner: Address): MarketEvent | undefined {
  const { eventName, args } = decodeEventLog({ abi: aTokenAbi, topics: log.topics as never, data: log.data })
  if (eventName === 'BalanceTransfer') {
    const { from, to, value, index } = args as unknown as {
      from: Address
      to: Address
      value: bigint
      index: bigint
    }
    if (sameAddress(from, to)) return undefined
    return {
      type: sameAddress(to, owner) ? 'transfer_in' : 'transfer_out',
      amount: half(value * index, ray),
      shares: value,
    }
  }
  if (eventName !== 'Mint' && eventName !== 'Burn') return undefined
  const { value, balanceIncrease, index } = args as unknown as {
    value: bigint
    balanceIncrease: bigint
    index: bigint
  }
  const moved = eventName === 'Mint' ? value - balanceIncrease : -(value + balanceIncrease)
  if (moved === 0n) return undefined
  const amount = moved < 0n ? -moved : moved
  return { type: moved > 0n ? 'deposit' : 'withdraw', amount, shares: half(amount * ray, index) }
}

/** Division that rounds half up, as Aave's ray arithmetic does. */
const half = (a: bigint, b: bigint) => (a + b / 2n) / b
