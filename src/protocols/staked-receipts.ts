import { both, type Reading } from '../chain/call.ts'
import { type Address, sameAddress } from '../domain/address.ts'
import type { Log, LogFilter, ProtocolMarket } from './market-adapter.ts'
import { movementOf, transferEvent } from './shared/transfers.ts'

/**
 * The contract of a protocol in which receipts of a market are staked for rewards. Staked receipts are a part of the position, but cannot be
 * withdrawn before they are unstaked.
 */
export type StakedReceipts = {
  at: Address
  /** The staked receipts of an owner; `undefined` if the contract does not answer. */
  staked: (owner: Address) => Reading<bigint | undefined>
  /** What the contract answers about itself if its address is right. */
  contractAssertions: ProtocolMarket['contractAssertions']
  /** The filters for all its logs about an owner. */
  logs: (owner: Address) => LogFilter[]
  /** What one of these logs staked or unstaked. */
  moved: (log: Log) => StakeMovement
}

/** Receipts that were staked or unstaked. */
type StakeMovement = { isStaked: boolean; value: bigint }

/**
 * A market whose `shares` include those that are staked. Receipts that an owner stakes and unstakes do not move for the owner: the `Transfer`
 * and the log of the staking contract after it cancel each other. What one wallet stakes for another is a transfer.
 */
export function withStaked(market: ProtocolMarket, staking: StakedReceipts): ProtocolMarket {
  const { at, logs, moved } = staking
  const isStaking = (log: Log | undefined): log is Log => log !== undefined && sameAddress(log.address, at)
  /** Whether two adjacent logs of a transaction are one stake or withdrawal of the owner's own receipts. */
  const cancel = (transfer: Log | undefined, stake: Log | undefined, owner: Address): boolean => {
    if (!transfer || isStaking(transfer) || !isStaking(stake)) return false
    const [movement, { isStaked, value }] = [movementOf(transfer, owner), moved(stake)]
    return (
      movement !== undefined &&
      sameAddress(movement.other, at) &&
      movement.isIncoming !== isStaked &&
      movement.value === value
    )
  }
  return {
    ...market,
    contractAssertions: [...market.contractAssertions, ...staking.contractAssertions],
    shares: (owner) => {
      const { reads, parse } = both(market.shares(owner), staking.staked(owner))
      return {
        reads,
        parse: (answers) => {
          const [liquid, staked] = parse(answers)
          return liquid === undefined || staked === undefined ? undefined : liquid + staked
        },
      }
    },
    staking: { at, shares: staking.staked },
    logs: (owner) => [...market.logs(owner), ...logs(owner)],
    event: (log, owner, inSame, all) => {
      const place = inSame.indexOf(log)
      if (!isStaking(log))
        return cancel(log, inSame[place + 1], owner) ? undefined : market.event(log, owner, inSame, all)
      if (cancel(inSame[place - 1], log, owner)) return undefined
      const { isStaked, value } = moved(log)
      return transferEvent({ isIncoming: isStaked, value })
    },
  }
}
