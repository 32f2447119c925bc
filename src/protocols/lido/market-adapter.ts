import { parseAbi, toEventSelector } from 'viem/utils'
import { contract, known, type Reading } from '../../chain/call.ts'
import { erc20, transferTopic } from '../../chain/erc20.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { Log, LogFilter, MarketEvent, MarketState, ProtocolMarket, SentLog } from '../market-adapter.ts'
import { balance, readAmount } from '../shared/amount-reads.ts'
import { mustAnswer } from '../shared/contract-assertions.ts'
import { addressTopic } from '../shared/encode-topics.ts'
import { ray } from '../shared/rate-units.ts'
import { movementOf, transferLogs } from '../shared/transfers.ts'
import { lidoAbi as abi } from './abi.ts'
import type { LidoConstants } from './constants-schema.ts'
import { requestWithdrawals, submit } from './encode.ts'
import { lidoQueueAbi } from './queue.ts'

/** The contract that stakes with a referral (source: lidofinance/si-lidity, WstETHReferralStaker). */
const stakerAbi = parseAbi(['function wstETH() view returns (address)'])

/**
 * ETH staked with Lido. stETH rebases, so its balance is the position; the price of wstETH grows. A withdrawal is a request to the queue, which is
 * claimed once it is finalized. The rate is the growth of a share over a week, as Lido's own average.
 */
export const lido = (entry: StrategyEntry, constants: LidoConstants): ProtocolMarket => {
  const { chainId, receipt } = entry
  const ofQueue = contract(constants.queue, lidoQueueAbi)
  const leave = (amount: bigint, owner: Address) => ({
    transaction: requestWithdrawals({ chainId, constants, amount, owner }),
    needs: { token: receipt.address, spender: constants.queue, amount },
  })
  return {
    entry,
    contractAssertions: [
      mustAnswer('what the queue takes', ofQueue('STETH'), constants.stEth),
      ...(constants.holds === 'wstETH'
        ? [mustAnswer('what the queue takes wrapped', ofQueue('WSTETH'), constants.wstEth)]
        : []),
      // wstETH may take the coin itself, and then has no other staker.
      ...(constants.holds === 'wstETH' && constants.staker !== constants.wstEth
        ? [
            mustAnswer(
              'what the staker gives',
              contract(constants.staker, stakerAbi)('wstETH'),
              constants.wstEth,
            ),
          ]
        : []),
    ],
    state: stateOf(constants),
    index: { reads: [share(constants)], parse: ([worth]) => worth as bigint },
    shares: (owner) => balance(receipt.address, owner),
    ...(constants.holds === 'stETH'
      ? {
          worth: known,
          counted: (owner) => ({
            reads: [contract(constants.stEth, abi)('sharesOf', owner)],
            parse: ([shares]) => (shares as bigint | undefined) ?? null,
          }),
        }
      : {
          worth: (shares) => converted(constants.wstEth, 'getStETHByWstETH', shares),
          units: (amount) => converted(constants.wstEth, 'getWstETHByStETH', amount),
        }),
    deposit: ({ amount }) => ({ transaction: submit({ chainId, constants, amount }) }),
    withdraw: ({ amount, owner, units }) => leave(units ?? amount, owner),
    withdrawAll: ({ owner, shares }) => leave(shares, owner),
    logs: (owner) => logsOf(receipt.address, constants.queue, owner),
    requested: (owner, all) =>
      all
        .filter(({ topics }) => topics[0] === requested && topics[2]?.toLowerCase() === addressTopic(owner))
        .filter((asked) => isWithThis(asked, all, { queue: constants.queue, receipt: receipt.address }))
        .map(({ topics }) => BigInt(topics[1]!).toString()),
    event: (log, owner, inSame, all) =>
      isOfAnother(log, owner, all, { queue: constants.queue, receipt: receipt.address })
        ? undefined
        : eventOf(log, owner, inSame, constants),
  }
}

/** The value of 1e27 shares, which equals the index, because a share began as one. */
const share = ({ stEth }: LidoConstants) => contract(stEth, abi)('getPooledEthByShares', ray)

const converted = (
  address: Address,
  functionName: 'getStETHByWstETH' | 'getWstETHByStETH',
  amount: bigint,
): Reading<bigint | undefined> => readAmount(contract(address, abi)(functionName, amount))

const unlimited = 2n ** 255n

const stateOf = (constants: LidoConstants): Reading<MarketState> => ({
  reads: [
    share(constants),
    contract(constants.stEth, abi)('isStakingPaused'),
    contract(constants.stEth, abi)('getCurrentStakeLimit'),
    contract(constants.queue, lidoQueueAbi)('isPaused'),
    constants.holds === 'stETH'
      ? contract(constants.stEth, abi)('getTotalPooledEther')
      : erc20.balanceOf(constants.stEth, constants.wstEth),
  ],
  parse: ([worth, noStaking, limit, noRequests, held]) => ({
    apr: null,
    apy: null,
    tvl: held as bigint,
    index: worth as bigint,
    canDeposit: noStaking === false,
    canWithdraw: noRequests === false,
    headroom: (limit as bigint) >= unlimited ? null : (limit as bigint),
    liquidity: null,
  }),
})

const logsOf = (receipt: Address, queue: Address, owner: Address): LogFilter[] => [
  ...transferLogs(receipt, owner),
  { address: receipt, topics: [sharesMoved, addressTopic(owner)] },
  { address: receipt, topics: [sharesMoved, null, addressTopic(owner)] },
  { address: queue, topics: [claimed, null, addressTopic(owner)] },
  { address: queue, topics: [requested, null, null, addressTopic(owner)] },
]

/** The first topics of the events of the ABIs that are told apart; texts here are hashed while the program is built. */
export const lidoTopics = {
  sharesMoved: toEventSelector('TransferShares(address,address,uint256)'),
  claimed: toEventSelector('WithdrawalClaimed(uint256,address,address,uint256)'),
  requested: toEventSelector('WithdrawalRequested(uint256,address,address,uint256,uint256)'),
}
const { sharesMoved, claimed, requested } = lidoTopics

/** Whether a claim belongs to the other token: the queue is shared, and the owner's request of that number was made without this one. */
function isOfAnother(
  log: Log,
  owner: Address,
  all: readonly SentLog[],
  { queue, receipt }: { queue: Address; receipt: Address },
): boolean {
  if (log.topics[0] !== claimed) return false
  const asked = all.find(({ topics }) => topics[0] === requested && topics[1] === log.topics[1])
  if (asked?.topics[2]?.toLowerCase() !== addressTopic(owner)) return false
  return !isWithThis(asked, all, { queue, receipt })
}

/** Whether a request was made with this token. */
const isWithThis = (
  asked: SentLog,
  all: readonly SentLog[],
  { queue, receipt }: { queue: Address; receipt: Address },
): boolean =>
  all.some(
    ({ address, topics, transactionHash }) =>
      transactionHash === asked.transactionHash &&
      sameAddress(address, receipt) &&
      topics[0] === transferTopic &&
      topics[2]?.toLowerCase() === addressTopic(queue),
  )

/**
 * Transfers from the zero address are deposits, those to the queue are withdrawals, and a claim is what the queue paid. The log after each
 * `Transfer` of stETH has the number of its shares.
 */
function eventOf(
  log: Log,
  owner: Address,
  inSame: readonly Log[],
  constants: LidoConstants,
): MarketEvent | undefined {
  if (log.topics[0] === claimed) return { type: 'claim', amount: BigInt(log.data), shares: [] }
  const movement = movementOf(log, owner)
  if (!movement) return undefined
  const { value, isIncoming, other } = movement
  const isPlain = constants.holds === 'stETH'
  const counted = inSame.slice(inSame.indexOf(log)).find(({ topics }) => topics[0] === sharesMoved)
  // stETH has this event since 2022.
  const shares = isPlain ? counted && BigInt(counted.data) : value
  const rest = { amount: isPlain ? value : null, shares: shares === undefined ? [] : [shares] }
  const isZero = sameAddress(other, nativeAddress)
  if (isIncoming) {
    const isNew = isZero || (!isPlain && sameAddress(other, constants.staker))
    return { type: isNew ? 'deposit' : 'transfer_in', ...rest }
  }
  return { type: isZero || sameAddress(other, constants.queue) ? 'withdraw' : 'transfer_out', ...rest }
}
