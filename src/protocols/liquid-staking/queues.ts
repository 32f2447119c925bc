import type { Abi, AbiFunction } from 'viem'
import { parseAbi, toEventSelector } from 'viem/utils'
import { contract, type Rounds } from '../../chain/call.ts'
import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import { callOf } from '../shared/contract-call.ts'
import { byReadiness, noRequests, type Queue, type Requests } from '../withdrawal-queue.ts'
import type {
  BenqiStakingConstants,
  EtherFiConstants,
  FraxEtherConstants,
  ListaConstants,
  StaderConstants,
} from './constants-schema.ts'

const etherFiAbi = parseAbi([
  'function isFinalized(uint256 requestId) view returns (bool)',
  'function getRequest(uint256 requestId) view returns ((uint96 amountOfEEth, uint96 shareOfEEth, bool isValid, uint32 feeGwei))',
  'function getClaimableAmount(uint256 tokenId) view returns (uint256)',
])
const etherFiClaim = parseAbi(['function claimWithdraw(uint256 tokenId)'])

/** The requests of ether.fi (source: etherfi-protocol/smart-contracts, WithdrawRequestNFT.sol): each is a ticket, which its owner claims. */
export const etherFiQueue = (chainId: number, { requests: address }: EtherFiConstants): Queue => ({
  place: address,
  ticket: { address, symbol: 'withdrawal ticket', unlisted: true },
  *requests(owner, _, tickets): Rounds<Requests | null> {
    const mine = yield* ownedBy(owner, address, tickets)
    const names = ['isFinalized', 'getRequest', 'getClaimableAmount'] as const
    const answers = yield mine.flatMap((id) => names.map((name) => contract(address, etherFiAbi)(name, id)))
    return byReadiness(
      mine.map((id, at) => {
        const [isReady, request, payout] = answers.slice(3 * at, 3 * at + 3)
        if (request === undefined || (isReady === true && payout === undefined)) return null
        const { amountOfEEth, feeGwei } = request as { amountOfEEth: bigint; feeGwei: number }
        const amount = isReady === true ? (payout as bigint) : amountOfEEth - BigInt(feeGwei) * 10n ** 9n
        return { isReady: isReady === true, id: id.toString(), amount, ...noTimes }
      }),
    )
  },
  ...claimsOne(chainId, address, etherFiClaim),
  named: ({ data }) => strictDecode(etherFiClaim, data)?.args ?? [],
})

const fraxAbi = parseAbi([
  'function nftInformation(uint256 nftId) view returns (bool hasBeenRedeemed, uint64 maturity, uint120 amount, uint64 redemptionFee)',
  'function redemptionQueueState() view returns (uint64 nextNftId, uint64 queueLengthSecs, uint64 redemptionFee)',
  'function canRedeem(uint256 nftId, uint120 partialAmount, bool revertIfFalse) view returns (bool isRedeemable, uint120 maxAmountRedeemable)',
])
const fraxClaim = parseAbi(['function burnRedemptionTicketNft(uint256 nftId, address recipient)'])
/** Fees of Frax count millionths. */
const feePrecision = 1_000_000n

/** The redemption queue of frxETH (source: FraxFinance/frax-ether-redemption-queue-v2, FraxEtherRedemptionQueueV2.sol): each request is a ticket with a maturity and a fee. */
export const fraxQueue = (chainId: number, { queue: address }: FraxEtherConstants): Queue => ({
  place: address,
  ticket: { address, symbol: 'redemption ticket', unlisted: true },
  *requests(owner, _, tickets): Rounds<Requests | null> {
    const mine = yield* ownedBy(owner, address, tickets)
    const ask = contract(address, fraxAbi)
    const answers = yield mine.flatMap((id) => [ask('nftInformation', id), ask('canRedeem', id, 0n, false)])
    return byReadiness(
      mine.map((id, at) => {
        const [ticket, redeemable] = answers.slice(2 * at, 2 * at + 2)
        if (ticket === undefined || redeemable === undefined) return null
        const [, maturity, amount, fee] = ticket as readonly [boolean, bigint, bigint, bigint]
        return {
          isReady: (redeemable as readonly [boolean, bigint])[0],
          id: id.toString(),
          amount: amount - (amount * fee) / feePrecision,
          requestedAt: null,
          availableAt: Number(maturity),
        }
      }),
    )
  },
  *wait() {
    const [state] = yield [contract(address, fraxAbi)('redemptionQueueState')]
    return state === undefined ? null : Number((state as readonly bigint[])[1])
  },
  ...claimsOne(chainId, address, fraxClaim),
  named: ({ data }) => (strictDecode(fraxClaim, data)?.args.slice(0, 1) as bigint[] | undefined) ?? [],
})

const staderAbi = parseAbi([
  'function getRequestIdsByUser(address owner) view returns (uint256[])',
  'function userWithdrawRequests(uint256 id) view returns (address owner, uint256 ethXAmount, uint256 ethExpected, uint256 ethFinalized)',
  'function nextRequestIdToFinalize() view returns (uint256)',
])
const staderClaim = parseAbi(['function claim(uint256 requestId)'])

/** The requests of Stader (source: stader-labs/ethx, UserWithdrawalManager.sol): each is claimed by itself, by its owner. */
export const staderQueue = (chainId: number, { withdrawals: address }: StaderConstants): Queue => ({
  place: address,
  paid: toEventSelector('RequestRedeemed(address,address,uint256)'),
  *requests(owner): Rounds<Requests | null> {
    const ask = contract(address, staderAbi)
    const [found, next] = yield [ask('getRequestIdsByUser', owner), ask('nextRequestIdToFinalize')]
    if (found === undefined || next === undefined) return null
    const ids = [...(found as readonly bigint[])].sort((a, b) => (a < b ? -1 : 1))
    const answers = yield ids.map((id) => ask('userWithdrawRequests', id))
    if (answers.includes(undefined)) return null
    return byReadiness(
      ids.map((id, at) => {
        const [, , expected, finalized] = answers[at] as readonly [Address, bigint, bigint, bigint]
        const isReady = id < (next as bigint)
        return { isReady, id: id.toString(), amount: isReady ? finalized : expected, ...noTimes }
      }),
    )
  },
  ...claimsOne(chainId, address, staderClaim),
})

const listaAbi = parseAbi([
  'function getUserWithdrawalRequests(address user) view returns ((uint256 uuid, uint256 amountInSnBnb, uint256 startTime)[])',
  'function getUserRequestStatus(address user, uint256 idx) view returns (bool isClaimable, uint256 amount)',
])
// Its argument is called `idx` there.
const listaClaim = parseAbi(['function claimWithdraw(uint256 requestId)'])

/** The requests of Lista (source: lista-dao/synclub-contracts, ListaStakeManager.sol): named by their place among those of their owner. */
export const listaQueue = (chainId: number, { manager: address }: ListaConstants): Queue => ({
  place: address,
  *requests(owner): Rounds<Requests | null> {
    const ask = contract(address, listaAbi)
    const [found] = yield [ask('getUserWithdrawalRequests', owner)]
    if (found === undefined) return null
    const list = found as readonly { startTime: bigint }[]
    const answers = yield list.map((_, at) => ask('getUserRequestStatus', owner, BigInt(at)))
    if (answers.includes(undefined)) return null
    return byReadiness(
      list.map(({ startTime }, at) => {
        const [isReady, amount] = answers[at] as readonly [boolean, bigint]
        return { isReady, id: String(at), amount, requestedAt: Number(startTime), availableAt: null }
      }),
    )
  },
  ...claimsOne(chainId, address, listaClaim),
})

const savaxAbi = parseAbi([
  'function getUnlockRequestCount(address user) view returns (uint256)',
  'function getPaginatedUnlockRequests(address user, uint256 from, uint256 to) view returns ((uint256 startedAt, uint256 shareAmount)[] requests, uint256[] rates)',
  'function cooldownPeriod() view returns (uint256)',
  'function redeemPeriod() view returns (uint256)',
  'function getPooledAvaxByShares(uint256 shareAmount) view returns (uint256)',
])
const savaxClaim = parseAbi(['function redeem()'])
const savaxReturn = parseAbi(['function redeemOverdueShares()'])
const one = 10n ** 18n

/**
 * The requests of sAVAX (source: Benqi-fi/BENQI-Smart-Contracts, StakedAvax.sol): each can be claimed for a limited time, and a claim takes all that
 * can be claimed then. An overdue request stays in the list of those that wait: redeemOverdueShares() gives all its shares back, and pays nothing.
 */
export const savaxQueue = (chainId: number, { token: address }: BenqiStakingConstants): Queue => {
  const ask = contract(address, savaxAbi)
  const back = `redeemOverdueShares() of ${address}`
  return {
    place: address,
    lapses: {
      *window() {
        const [seconds] = yield [ask('redeemPeriod')]
        return seconds === undefined ? null : Number(seconds)
      },
      back,
      takeBack: callOf({ chainId, to: address }, { abi: savaxReturn }),
      check: ({ data }, { ids }) =>
        strictDecode(savaxReturn, data)
          ? { bound: { name: 'redeemOverdueShares', args: {}, text: returnText(ids), value: 0n } }
          : refuse('POLICY_DECODE', 'It does not return the shares of lapsed requests'),
    },
    paid: toEventSelector('Redeem(address,uint256,uint256,uint256)'),
    *requests(owner, now): Rounds<Requests | null> {
      const [count, cooldown, window, rate] = (yield [
        ask('getUnlockRequestCount', owner),
        ask('cooldownPeriod'),
        ask('redeemPeriod'),
        ask('getPooledAvaxByShares', one),
      ]) as (bigint | undefined)[]
      if (count === undefined || cooldown === undefined || window === undefined || rate === undefined)
        return null
      if (count === 0n) return noRequests
      const [found] = yield [ask('getPaginatedUnlockRequests', owner, 0n, count)]
      if (found === undefined) return null
      const [list, rates] = found as [
        readonly { startedAt: bigint; shareAmount: bigint }[],
        readonly bigint[],
      ]
      return byReadiness(
        list.map(({ startedAt, shareAmount }, at) => {
          const from = startedAt + cooldown
          const isOverdue = from + window < BigInt(now)
          const isReady = from < BigInt(now) && !isOverdue
          return {
            isReady,
            id: String(at),
            amount: (shareAmount * (isReady ? rates[at]! : rate)) / one,
            requestedAt: Number(startedAt),
            availableAt: isOverdue ? null : Number(from),
            until: Number(from + window),
            ...(isOverdue && { back, shares: shareAmount }),
          }
        }),
      )
    },
    *wait() {
      const [cooldown] = yield [ask('cooldownPeriod')]
      return cooldown === undefined ? null : Number(cooldown)
    },
    taken: (claimable) => claimable,
    claim: () => callOf({ chainId, to: address }, { abi: savaxClaim }),
    check: ({ data }, { ids }) =>
      strictDecode(savaxClaim, data)
        ? { bound: { name: 'redeem', args: {}, text: claimText(ids), value: 0n } }
        : refuse('POLICY_DECODE', 'It is not a claim of all that can be claimed, for its owner'),
  }
}

const noTimes = { requestedAt: null, availableAt: null }

/** A ticket (ERC-721) names its owner; a paid one has none, and reverts. */
const ticketAbi = parseAbi(['function ownerOf(uint256 tokenId) view returns (address)'])

/** The tickets that still belong to an owner. */
function* ownedBy(owner: Address, address: Address, tickets: readonly bigint[]): Rounds<bigint[]> {
  const owners = yield tickets.map((id) => contract(address, ticketAbi)('ownerOf', id))
  return tickets.filter((_, at) => typeof owners[at] === 'string' && sameAddress(owners[at] as string, owner))
}

/**
 * The parts of a queue where each request is claimed by a transaction of its own. The only function of the ABI takes the number of the
 * request, and then the recipient, if it has one: without it, the sender is paid.
 */
function claimsOne(
  chainId: number,
  to: Address,
  abi: readonly [AbiFunction],
): Pick<Queue, 'taken' | 'claim' | 'check'> {
  const [{ name, inputs }] = abi
  return {
    taken: (claimable) => claimable.slice(0, 1),
    claim: (owner, taken) => {
      const args = [BigInt(taken[0]!.id), owner].slice(0, inputs.length)
      return callOf({ chainId, to }, { abi: abi as Abi, functionName: name, args })
    },
    check: ({ data }, { ids, wallet }): CalldataVerdict => {
      const found = strictDecode(abi as Abi, data)?.args as [id: bigint, recipient?: Address] | undefined
      if (!found) return refuse('POLICY_DECODE', `It is not a call of ${name} of this queue`)
      const [id, recipient = wallet] = found
      if (!sameAddress(recipient, wallet))
        return refuse('POLICY_RECIPIENT', `It pays out to ${recipient}, not to ${wallet}`)
      if (ids.join() !== id.toString())
        return refuse('POLICY_AMOUNT', `It claims request ${id}, but yours is ${ids.join(', ')}`)
      const args = jsonArguments(Object.fromEntries(found.map((value, at) => [inputs[at]!.name, value])))
      return { bound: { name, args, text: claimText(ids), value: 0n } }
    },
  }
}

const requestsIn = (ids: readonly string[]): string =>
  `${ids.length === 1 ? 'request' : 'requests'} ${ids.join(', ')}`

const claimText = (ids: readonly string[]): string =>
  `Claim ${requestsIn(ids)} of the queue, paid to the wallet`

const returnText = (ids: readonly string[]): string =>
  `Take back the shares of overdue ${requestsIn(ids)}: nothing is paid`
