import { decodeEventLog } from 'viem/utils'
import { contract, known } from '../../chain/call.ts'
import { erc20Abi, transferTopic } from '../../chain/erc20.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { Log, LogFilter, MarketEvent, ProtocolMarket } from '../market-adapter.ts'
import { reserve } from '../shared/aave-reserve.ts'
import { balance } from '../shared/amount-reads.ts'
import { mustAnswer } from '../shared/contract-assertions.ts'
import { addressTopic, eventTopic } from '../shared/encode-topics.ts'
import { ray } from '../shared/rate-units.ts'
import { transferLogs } from '../shared/transfers.ts'
import { aaveV3OracleAbi, aaveV3PoolAbi, aaveV3ATokenAbi as aTokenAbi } from './abi.ts'
import type { AaveV3Constants } from './constants-schema.ts'
import { supply, withdraw } from './encode.ts'
import { aaveRewards } from './reward-emissions.ts'

/** A reserve of an Aave v3 pool. aTokens rebase, so a balance already is the position (source: aave-v3-origin). */
export const aaveV3 = (entry: StrategyEntry, { pool, aToken, oracle }: AaveV3Constants): ProtocolMarket => {
  const { chainId, asset } = entry
  const [ofPool, ofToken] = [contract(pool, aaveV3PoolAbi), contract(aToken, aTokenAbi)]
  return {
    entry,
    contractAssertions: [
      mustAnswer(
        'the aToken of the reserve',
        ofPool('getReserveData', asset.address),
        aToken,
        (data) => (data as { aTokenAddress: Address }).aTokenAddress,
      ),
      mustAnswer('the asset of the aToken', ofToken('UNDERLYING_ASSET_ADDRESS'), asset.address),
      mustAnswer('the pool of the aToken', ofToken('POOL'), pool),
      mustAnswer(
        'the unit of the oracle',
        contract(oracle, aaveV3OracleAbi)('BASE_CURRENCY_UNIT'),
        10n ** 8n,
      ),
    ],
    state: reserve({ pool, aToken, asset: asset.address, decimals: asset.decimals }),
    index: {
      reads: [ofPool('getReserveNormalizedIncome', asset.address)],
      parse: ([income]) => income as bigint,
    },
    rewards: aaveRewards(aToken),
    shares: (owner) => balance(aToken, owner),
    worth: known,
    counted: (owner) => ({
      reads: [ofToken('scaledBalanceOf', owner)],
      parse: ([scaled]) => (scaled as bigint | undefined) ?? null,
    }),
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
  { address: aToken, topics: [eventTopic(aTokenAbi, 'Mint'), null, addressTopic(owner)] },
  { address: aToken, topics: [eventTopic(aTokenAbi, 'Burn'), addressTopic(owner)] },
  { address: aToken, topics: [eventTopic(aTokenAbi, 'BalanceTransfer'), addressTopic(owner)] },
  { address: aToken, topics: [eventTopic(aTokenAbi, 'BalanceTransfer'), null, addressTopic(owner)] },
  ...transferLogs(aToken, owner),
]

/**
 * `Mint` carries amount + interest since the last update, so the amount is `value - balanceIncrease`; below zero it is a withdrawal that
 * was smaller than the interest. `Burn` carries amount - interest. `BalanceTransfer` carries the index, and the `Transfer` before it the amount.
 */
function eventOf(log: Log, owner: Address, inSame: readonly Log[]): MarketEvent | undefined {
  const { eventName, args } = decodeEventLog({ abi, topics: log.topics as never, data: log.data })
  if (eventName === 'BalanceTransfer') return transferOf(args as never, owner, exactOf(log, inSame))
  if (eventName !== 'Mint' && eventName !== 'Burn') return undefined
  const { value, balanceIncrease, index } = args as unknown as {
    value: bigint
    balanceIncrease: bigint
    index: bigint
  }
  const moved = eventName === 'Mint' ? value - balanceIncrease : -(value + balanceIncrease)
  if (moved === 0n) return undefined
  if (moved > 0n)
    return { type: 'deposit', amount: moved, shares: [half(moved * ray, index), (moved * ray) / index] }
  return { type: 'withdraw', amount: -moved, shares: [half(-moved * ray, index), ceil(-moved * ray, index)] }
}

const abi = [...aTokenAbi, ...erc20Abi]

type BalanceTransfer = { from: Address; to: Address; value: bigint; index: bigint }

function transferOf(
  { from, to, value, index }: BalanceTransfer,
  owner: Address,
  exact: bigint | undefined,
): MarketEvent | undefined {
  if (sameAddress(from, to)) return undefined
  const type = sameAddress(to, owner) ? 'transfer_in' : 'transfer_out'
  if (exact === undefined) return { type, amount: half(value * index, ray), shares: [value] }
  return { type, amount: exact, shares: [half(exact * ray, index), ceil(exact * ray, index)] }
}

/** The amount of the last `Transfer` between the same two addresses before a `BalanceTransfer`. */
function exactOf(log: Log, inSame: readonly Log[]): bigint | undefined {
  const before = inSame.slice(0, inSame.indexOf(log))
  const found = before.findLast(
    ({ topics }) => topics[0] === transferTopic && topics[1] === log.topics[1] && topics[2] === log.topics[2],
  )
  return found && BigInt(found.data)
}

/** Division that rounds half up, as Aave's ray arithmetic did before version 3.5, which rounds in favour of the pool. */
const half = (a: bigint, b: bigint) => (a + b / 2n) / b
const ceil = (a: bigint, b: bigint) => (a + b - 1n) / b
