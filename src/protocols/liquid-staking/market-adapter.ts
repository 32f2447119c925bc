import type { Call } from '../../chain/call.ts'
import { erc20, transferTopic } from '../../chain/erc20.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { Log, MarketEvent, MarketState, ProtocolMarket } from '../market-adapter.ts'
import { balance, readAmount } from '../shared/amount-reads.ts'
import { mustAnswer } from '../shared/contract-assertions.ts'
import { addressTopic } from '../shared/encode-topics.ts'
import { movementOf, transferEvent, transferLogs } from '../shared/transfers.ts'
import type { Queue } from '../withdrawal-queue.ts'
import { leastUnitsFor } from '../withdrawal-units.ts'
import { type StakingToken, stakedOf } from './calls-and-reads.ts'
import type { StakedConstants } from './constants-schema.ts'
import { stake, unstake } from './encode.ts'

const one = 10n ** 18n

/** A liquid staking token whose price grows. The rate is that growth; a withdrawal pays at once or through a queue. */
export const staked = (
  entry: StrategyEntry,
  constants: StakedConstants,
  queue: Queue | undefined,
): ProtocolMarket => {
  const { chainId, receipt } = entry
  const protocol = stakedOf(constants)
  const { rate, registry, takesReceipt, leave: exit } = protocol
  const leave = (units: bigint, wallet: Address) => ({
    transaction: unstake({ chainId, wallet, staked: protocol, units }),
    ...(takesReceipt && { needs: { token: receipt.address, spender: exit.to, amount: units } }),
  })
  const supply: Call = erc20.totalSupply(receipt.address)
  const others = [protocol.paused, protocol.closed, protocol.headroom, protocol.liquidity, registry]
  return {
    entry,
    // The price of all of these began at one and never fell.
    contractAssertions: [
      mustAnswer(`the price of ${receipt.symbol}`, rate, 'one or more', (price) =>
        (price as bigint) >= one ? 'one or more' : price,
      ),
      ...protocol.claims,
    ],
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
    units: (amount) => readAmount(rate, (price) => leastUnitsFor(price, amount)),
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
      ...transferLogs(receipt.address, owner),
      ...(queue?.ticket?.unlisted
        ? [{ address: queue.ticket.address, topics: [transferTopic, null, addressTopic(owner)] }]
        : []),
      ...(queue?.paid ? [{ address: queue.place, topics: [queue.paid, addressTopic(owner)] }] : []),
    ],
    event: (log, owner) => {
      if (queue?.paid && log.topics[0] === queue.paid)
        return { type: 'claim', amount: BigInt(`0x${log.data.slice(-64)}`), shares: [] }
      return sameAddress(log.address, receipt.address) ? eventOf(log, owner, protocol) : undefined
    },
  }
}

type Answers = Record<'price' | 'all' | 'paused' | 'closed' | 'headroom' | 'liquidity', unknown>

/** The limit of deposits is valid only if stakes still go to the contract that was asked. */
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

/**
 * What comes from the zero address, or from the contract that takes stakes, was staked; what goes to the zero address, or to the contract that
 * takes withdrawals, was given back. The worth is read at the block.
 */
function eventOf(log: Log, owner: Address, { stake: into, leave }: StakingToken): MarketEvent | undefined {
  const movement = movementOf(log, owner)
  if (!movement) return undefined
  const { isIncoming, other } = movement
  const isOwn = sameAddress(other, nativeAddress) || sameAddress(other, isIncoming ? into.to : leave.to)
  const event = transferEvent(movement)
  return isOwn ? { ...event, type: isIncoming ? 'deposit' : 'withdraw' } : event
}
