import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'

import type { Address } from '../domain/address.ts'
import type { BenqiStakingConstants, ListaConstants, StaderConstants } from '../domain/market-constants.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'
import { type Claim, noRequests, type Queue, type Request, type Requests, type Rounds } from './queue.ts'

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
    const [found, next] = yield [
      { address, abi: staderAbi, functionName: 'getRequestIdsByUser', args: [owner] },
      { address, abi: staderAbi, functionName: 'nextRequestIdToFinalize' },
    ]
    if (found === undefined || next === undefined) return null
    const ids = inOrder(found as readonly bigint[])
    const told = yield ids.map((id) => ({
      address,
      abi: staderAbi,
      functionName: 'userWithdrawRequests',
      args: [id],
    }))
    if (told.includes(undefined)) return null
    const all = ids.map((id, at) => {
      const [, , expected, finalized] = told[at] as readonly [Address, bigint, bigint, bigint]
      const isReady = id < (next as bigint)
      return { isReady, id: id.toString(), amount: isReady ? finalized : expected, ...noTimes }
    })
    return apart(all)
  },
  taken: (claimable) => claimable.slice(0, 1),
  claim: (_, taken) => {
    const data = encodeFunctionData({ abi: staderClaim, functionName: 'claim', args: [BigInt(taken[0]!.id)] })
    return { to: address, data, value: 0n, chainId }
  },
  bind: ({ data }, intent) => boundOne(strictDecode(staderClaim, data), 'claim', intent),
})

const listaAbi = parseAbi([
  'function getUserWithdrawalRequests(address user) view returns ((uint256 uuid, uint256 amountInSnBnb, uint256 startTime)[])',
  'function getUserRequestStatus(address user, uint256 idx) view returns (bool isClaimable, uint256 amount)',
])
const listaClaim = parseAbi(['function claimWithdraw(uint256 idx)'])

/** The requests of Lista (source: lista-dao/synclub-contracts, ListaStakeManager.sol): named by their place among those of their owner. */
export const listaQueue = (chainId: number, { manager: address }: ListaConstants): Queue => ({
  place: address,
  *requests(owner): Rounds<Requests | null> {
    const [found] = yield [
      { address, abi: listaAbi, functionName: 'getUserWithdrawalRequests', args: [owner] },
    ]
    if (found === undefined) return null
    const list = found as readonly { startTime: bigint }[]
    const told = yield list.map((_, at) => ({
      address,
      abi: listaAbi,
      functionName: 'getUserRequestStatus',
      args: [owner, BigInt(at)],
    }))
    if (told.includes(undefined)) return null
    const all = list.map(({ startTime }, at) => {
      const [isReady, amount] = told[at] as readonly [boolean, bigint]
      return { isReady, id: String(at), amount, requestedAt: Number(startTime), availableAt: null }
    })
    return apart(all)
  },
  taken: (claimable) => claimable.slice(0, 1),
  claim: (_, taken) => {
    const args = [BigInt(taken[0]!.id)] as const
    const data = encodeFunctionData({ abi: listaClaim, functionName: 'claimWithdraw', args })
    return { to: address, data, value: 0n, chainId }
  },
  bind: ({ data }, intent) => boundOne(strictDecode(listaClaim, data), 'claimWithdraw', intent),
})

const savaxAbi = parseAbi([
  'function getUnlockRequestCount(address user) view returns (uint256)',
  'function getPaginatedUnlockRequests(address user, uint256 from, uint256 to) view returns ((uint256 startedAt, uint256 shareAmount)[] requests, uint256[] rates)',
  'function cooldownPeriod() view returns (uint256)',
  'function redeemPeriod() view returns (uint256)',
  'function getPooledAvaxByShares(uint256 shareAmount) view returns (uint256)',
])
const savaxClaim = parseAbi(['function redeem()'])
const savaxBack = parseAbi(['function redeemOverdueShares()'])
const one = 10n ** 18n

/**
 * The requests of sAVAX (source: Benqi-fi/BENQI-Smart-Contracts, StakedAvax.sol): each can be claimed for a while only, and a claim takes
 * all that can be claimed then. What was let pass stays listed as waiting: redeemOverdueShares() gives all its shares back, and pays nothing.
 */
export const savaxQueue = (chainId: number, { token: address }: BenqiStakingConstants): Queue => {
  const ask = (functionName: string, args: readonly unknown[] = []) => ({
    address,
    abi: savaxAbi,
    functionName,
    args,
  })
  const back = `redeemOverdueShares() of ${address}`
  return {
    place: address,
    lapses: {
      *window() {
        const [seconds] = yield [ask('redeemPeriod')]
        return seconds === undefined ? null : Number(seconds)
      },
      back,
      takeBack: { to: address, data: encodeFunctionData({ abi: savaxBack }), value: 0n, chainId },
      bind: ({ data }, { ids }) =>
        strictDecode(savaxBack, data)
          ? { bound: { name: 'redeemOverdueShares', args: {}, text: takenBack(ids), value: 0n } }
          : refuse('POLICY_DECODE', 'It does not give back the shares of what was let pass'),
    },
    paid: toEventSelector('Redeem(address,uint256,uint256,uint256)'),
    *requests(owner, now): Rounds<Requests | null> {
      const [count, cooldown, window, rate] = (yield [
        ask('getUnlockRequestCount', [owner]),
        ask('cooldownPeriod'),
        ask('redeemPeriod'),
        ask('getPooledAvaxByShares', [one]),
      ]) as (bigint | undefined)[]
      if (count === undefined || cooldown === undefined || window === undefined || rate === undefined)
        return null
      if (count === 0n) return noRequests
      const [found] = yield [ask('getPaginatedUnlockRequests', [owner, 0n, count])]
      if (found === undefined) return null
      const [list, rates] = found as [
        readonly { startedAt: bigint; shareAmount: bigint }[],
        readonly bigint[],
      ]
      const all = list.map(({ startedAt, shareAmount }, at) => {
        const from = startedAt + cooldown
        const isOver = from + window < BigInt(now)
        const isReady = from < BigInt(now) && !isOver
        return {
          isReady,
          id: String(at),
          amount: (shareAmount * (isReady ? rates[at]! : rate)) / one,
          requestedAt: Number(startedAt),
          availableAt: isOver ? null : Number(from),
          until: Number(from + window),
          ...(isOver && { back, shares: shareAmount }),
        }
      })
      return apart(all)
    },
    *wait() {
      const [cooldown] = yield [ask('cooldownPeriod')]
      return cooldown === undefined ? null : Number(cooldown)
    },
    taken: (claimable) => claimable,
    claim: () => ({ to: address, data: encodeFunctionData({ abi: savaxClaim }), value: 0n, chainId }),
    bind: ({ data }, { ids }) =>
      strictDecode(savaxClaim, data)
        ? { bound: { name: 'redeem', args: {}, text: claimed(ids), value: 0n } }
        : refuse('POLICY_DECODE', 'It is not a claim of all that can be claimed, for its owner'),
  }
}

const noTimes = { requestedAt: null, availableAt: null }
const inOrder = (ids: readonly bigint[]): bigint[] => [...ids].sort((a, b) => (a < b ? -1 : 1))

/** Requests by whether they are ready. */
function apart(all: readonly (Request & { isReady: boolean })[]): Requests {
  const told = (ready: boolean) =>
    all.filter(({ isReady }) => isReady === ready).map(({ isReady: _, ...request }) => request)
  return { pending: told(false), claimable: told(true) }
}

const claimed = (ids: readonly string[]): string =>
  `Claim ${ids.length === 1 ? 'request' : 'requests'} ${ids.join(', ')} of the queue, paid to the wallet`

const takenBack = (ids: readonly string[]): string =>
  `Take back the shares of ${ids.length === 1 ? 'request' : 'requests'} ${ids.join(', ')}, which ${ids.length === 1 ? 'was' : 'were'} let pass: nothing is paid`

/** A claim of one request by its owner, who is the sender: it must be the one that is meant. */
function boundOne(found: { args: readonly [bigint] } | undefined, name: string, { ids }: Claim): Verdict {
  if (!found) return refuse('POLICY_DECODE', `It is not a call of ${name} of this queue`)
  const id = found.args[0].toString()
  if (ids.length !== 1 || ids[0] !== id)
    return refuse('POLICY_AMOUNT', `It claims request ${id}, and yours is ${ids.join(', ')}`)
  return { bound: { name, args: printed({ requestId: id }), text: claimed(ids), value: 0n } }
}
