import { decodeEventLog, parseAbi, toEventSelector } from 'viem/utils'
import { contract, type Rounds } from '../../chain/call.ts'
import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { refuse } from '../calldata-verdict.ts'
import { callOf } from '../shared/contract-call.ts'
import { byReadiness, type Logged, type Queue, type Request, type Requests } from '../withdrawal-queue.ts'
import { stakewiseAbi as abi } from './abi.ts'
import type { StakewiseConstants } from './constants-schema.ts'

const claims = parseAbi([
  'function claimExitedAssets(uint256 positionTicket, uint256 timestamp, uint256 exitQueueIndex)',
])

/** The delay between a request and its payout, in seconds. No contract states it: this is the value of @stakewise/v3-sdk. */
const leastWait = 86_400

/** A number without a checkpoint: with it the queue returns how much of a request is left, and that nothing can be claimed. */
const nowhere = 2n ** 256n - 1n

/** A request is identified by its position in the queue and its time in Unix seconds. Both are one number here, with the time in its last 63 bits. */
const ticketOf = (place: bigint, at: bigint): bigint => (place << 64n) | at
const placeIn = (ticket: bigint): bigint => ticket >> 64n
const timeIn = (ticket: bigint): bigint => ticket & (inAssets - 1n)

/** The bit between both marks a request from before version 3, which is in assets instead of shares (source: V2ExitQueueEntered, VaultState.sol). */
const inAssets = 2n ** 63n

/** The id of a request for people and intents: `position-time`. */
const idOf = (ticket: bigint): string => `${placeIn(ticket)}-${timeIn(ticket)}`

/** Claims one request of its owner, who sends the call; `index` is its first checkpoint. */
export const claimExitedAssets = (claim: {
  chainId: number
  vault: Address
  id: string
  index: bigint
}): Transaction => {
  const [place, at] = claim.id.split('-').map(BigInt) as [bigint, bigint]
  return callOf({ chainId: claim.chainId, to: claim.vault }, { abi: claims, args: [place, at, claim.index] })
}

/**
 * The exit queue of a vault of StakeWise (source: stakewise/v3-core, VaultEnterExit.sol). Shares in the queue keep the share price, except in requests
 * from before version 3. A request is paid in parts as assets arrive; after a claim of a part, the rest has a new position and the same time.
 */
export const stakewiseQueue = (chainId: number, { vault: address }: StakewiseConstants): Queue => ({
  place: address,
  paid: toEventSelector('ExitedAssetsClaimed(address,uint256,uint256,uint256)'),
  logged: ticketsIn,
  *requests(owner, now, tickets): Rounds<Requests | null> {
    const ask = contract(address, abi)
    const places = yield tickets.map((ticket) => at(address, placeIn(ticket)))
    if (places.includes(undefined)) return null
    const answers = yield tickets.map((ticket, i) => {
      const index = places[i] as bigint
      return ask(
        'calculateExitedAssets',
        owner,
        placeIn(ticket),
        timeIn(ticket),
        index < 0n ? nowhere : index,
      )
    })
    if (answers.includes(undefined)) return null
    const parts = answers as (readonly [left: bigint, exited: bigint, assets: bigint])[]
    const worth = yield parts.map(([left]) => ask('convertToAssets', left))
    if (worth.includes(undefined)) return null
    const all = tickets.flatMap((ticket, i): (Request & { isReady: boolean })[] => {
      const since = Number(timeIn(ticket))
      const from = since + leastWait
      const [left, , assets] = parts[i]!
      const request = { id: idOf(ticket), requestedAt: since }
      return [
        { ...request, isReady: from <= now, amount: assets, availableAt: from },
        {
          ...request,
          isReady: false,
          amount: left === 0n || (ticket & inAssets) > 0n ? left : (worth[i] as bigint),
          availableAt: null,
        },
      ]
    })
    return byReadiness(
      all.filter(({ amount }) => amount > 0n).sort((one, other) => one.requestedAt! - other.requestedAt!),
    )
  },
  taken: (claimable) => claimable.slice(0, 1),
  *claim(_, [{ id } = { id: '0-0' }]): Rounds<Transaction> {
    const [index] = yield [at(address, BigInt(id.split('-')[0]!))]
    return claimExitedAssets({ chainId, vault: address, id, index: index as bigint })
  },
  named: ({ data }) => {
    const found = strictDecode(claims, data)
    return found && found.args[1] < inAssets ? [ticketOf(found.args[0], found.args[1])] : []
  },
  check: ({ data }, { ids }) => {
    const found = strictDecode(claims, data)
    if (!found) return refuse('POLICY_DECODE', 'It is not a call of claimExitedAssets of StakeWise')
    const [place, time, index] = found.args
    const id = `${place}-${time}`
    if (ids.join() !== id)
      return refuse('POLICY_AMOUNT', `It claims request ${id}, but yours is ${ids.join(', ')}`)
    return {
      bound: {
        name: 'claimExitedAssets',
        args: jsonArguments({ positionTicket: place, timestamp: time, exitQueueIndex: index }),
        text: `Claim request ${id} of the queue, paid to the wallet`,
        value: 0n,
      },
    }
  },
})

const at = (address: Address, place: bigint) => contract(address, abi)('getExitQueueIndex', place)

/** The requests of an owner: each keeps its time through every partial claim. */
function ticketsIn(owner: Address, logs: readonly Logged[]): bigint[] {
  const times = new Map<bigint, bigint>()
  for (const { topics, data, blockTimestamp } of logs) {
    const { eventName, args } = decodeEventLog({ abi, topics: topics as never, data })
    const isAsked = eventName === 'ExitQueueEntered' || eventName === 'V2ExitQueueEntered'
    if (isAsked && sameAddress(args.receiver, owner)) {
      const time = BigInt(blockTimestamp!)
      times.set(args.positionTicket, eventName === 'ExitQueueEntered' ? time : time | inAssets)
    }
    if (eventName !== 'ExitedAssetsClaimed') continue
    const time = times.get(args.prevPositionTicket)
    times.delete(args.prevPositionTicket)
    if (time !== undefined && args.newPositionTicket > 0n) times.set(args.newPositionTicket, time)
  }
  return [...times].map(([place, time]) => ticketOf(place, time))
}
