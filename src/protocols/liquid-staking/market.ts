import { decodeEventLog } from 'viem/utils'
import { erc20Abi } from '../../chain/erc20.ts'
import type { Answer, Read } from '../../chain/reading.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog.ts'
import type { Log, LogFilter, Market, MarketEvent, MarketState } from '../market.ts'
import { unitsAt } from '../receipt-units.ts'
import { balance, readAmount } from '../shared/amount-reads.ts'
import { says } from '../shared/contract-claims.ts'
import { topic, topicOf } from '../shared/event-topics.ts'
import type { Queue } from '../withdrawal-queue.ts'
import type { StakedConstants } from './constants.ts'
import { stakedClaims } from './contract-claims.ts'
import { type Staked, stakedOf } from './contracts.ts'
import { stake, unstake } from './encode.ts'

const one = 10n ** 18n

/** Staked coins as a token whose price grows. The rate is that at which it grew; a withdrawal pays at once or through a queue. */
export const staked = (
  entry: StrategyEntry,
  constants: StakedConstants,
  queue: Queue | undefined,
): Market => {
  const { chainId, receipt } = entry
  const protocol = stakedOf(constants)
  const { rate, registry, takesReceipt, leave: exit } = protocol
  const leave = (units: bigint, wallet: Address) => ({
    transaction: unstake({ chainId, wallet, staked: protocol, units }),
    ...(takesReceipt && { needs: { token: receipt.address, spender: exit.to, amount: units } }),
  })
  const supply: Read = { address: receipt.address, abi: erc20Abi, functionName: 'totalSupply' }
  const others = [protocol.paused, protocol.closed, protocol.headroom, protocol.liquidity, registry]
  return {
    entry,
    // What all of these have in common: it began as one, and never became less.
    claims: [
      says(`the price of ${receipt.symbol}`, rate, 'one or more', (price) =>
        (price as bigint) >= one ? 'one or more' : price,
      ),
      ...stakedClaims(constants),
    ],
    ...(queue && { queue }),
    state: {
      reads: [rate, supply, ...others.flatMap((read) => read ?? [])],
      parse: ([price, all, ...rest]) => {
        const left = [...rest]
        const [paused, closed, headroom, liquidity, place] = others.map((read) => read && left.shift())
        return stateOf(
          { price, all, paused, closed, headroom, liquidity },
          place === undefined || sameAddress(place as string, protocol.stake.to),
        )
      },
    },
    index: { reads: [rate], parse: ([price]) => (price as bigint) * 10n ** 9n },
    shares: (owner) => balance(receipt.address, owner),
    worth: (shares) => readAmount(rate, (price) => (shares * price) / one),
    units: (amount) => readAmount(rate, (price) => unitsAt(price, amount)),
    ...(registry && {
      entrance: {
        reads: [registry],
        parse: ([place]) => (place as Address | undefined) ?? protocol.stake.to,
      },
    }),
    deposit: ({ amount, owner, entrance }) => ({
      transaction: stake({ chainId, wallet: owner, staked: protocol, amount, entrance }),
    }),
    withdraw: ({ owner, units }) => leave(units ?? 0n, owner),
    withdrawAll: ({ owner, shares }) => leave(shares, owner),
    logs: (owner) => [
      ...logsOf(receipt.address, owner),
      ...(queue?.ticket?.unlisted
        ? [{ address: queue.ticket.address, topics: [topicOf(erc20Abi, 'Transfer'), null, topic(owner)] }]
        : []),
      ...(queue?.paid ? [{ address: queue.place, topics: [queue.paid, topic(owner)] }] : []),
    ],
    event: (log, owner) => {
      if (queue?.paid && log.topics[0] === queue.paid)
        return { type: 'claim', amount: BigInt(`0x${log.data.slice(-64)}`), shares: [] }
      return sameAddress(log.address, receipt.address) ? eventOf(log, owner, protocol) : undefined
    },
  }
}

type Answers = Record<'price' | 'all' | 'paused' | 'closed' | 'headroom' | 'liquidity', Answer>

/** What is known of where stakes go holds only while they go there. */
function stateOf(
  { price, all, paused, closed, headroom, liquidity }: Answers,
  isThere: boolean,
): MarketState {
  const room = isThere ? ((headroom as bigint | undefined) ?? null) : null
  return {
    apr: null,
    apy: null,
    tvl: ((all as bigint) * (price as bigint)) / one,
    index: (price as bigint) * 10n ** 9n,
    canDeposit: paused !== true && closed !== true && room !== 0n,
    canWithdraw: paused !== true,
    headroom: room !== null && room >= 2n ** 255n ? null : room,
    liquidity: (liquidity as bigint | undefined) ?? null,
  }
}

const logsOf = (token: Address, owner: Address): LogFilter[] => [
  { address: token, topics: [topicOf(erc20Abi, 'Transfer'), topic(owner)] },
  { address: token, topics: [topicOf(erc20Abi, 'Transfer'), null, topic(owner)] },
]

/** What comes from nobody, or from where stakes go, was staked; what goes to nobody, or to where withdrawals are asked for, was given back. Worth is read at the block. */
function eventOf(log: Log, owner: Address, { stake: into, leave }: Staked): MarketEvent | undefined {
  const { args } = decodeEventLog({ abi: erc20Abi, topics: log.topics as never, data: log.data })
  const { from, to, value } = args as unknown as { from: Address; to: Address; value: bigint }
  if (sameAddress(from, to)) return undefined
  const rest = { amount: null, shares: [value] }
  if (sameAddress(to, owner))
    return {
      type: sameAddress(from, nativeAddress) || sameAddress(from, into.to) ? 'deposit' : 'transfer_in',
      ...rest,
    }
  const isBack = sameAddress(to, nativeAddress) || sameAddress(to, leave.to)
  return { type: isBack ? 'withdraw' : 'transfer_out', ...rest }
}
