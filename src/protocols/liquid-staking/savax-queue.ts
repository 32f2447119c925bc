import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import { strictDecode } from '../../chain/calldata.ts'
import type { Rounds } from '../../chain/contract-query.ts'
import { refuse } from '../verdict.ts'
import { noRequests, type Queue, type Requests } from '../withdrawal-queue.ts'
import type { BenqiStakingConstants } from './constants.ts'
import { apart, claimed } from './single-claim.ts'

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

const takenBack = (ids: readonly string[]): string =>
  `Take back the shares of ${ids.length === 1 ? 'request' : 'requests'} ${ids.join(', ')}, which ${ids.length === 1 ? 'was' : 'were'} let pass: nothing is paid`
