import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import { strictDecode } from '../../chain/calldata.ts'
import type { Rounds } from '../../chain/contract-query.ts'
import type { Address } from '../../domain/address.ts'
import type { Queue, Requests } from '../withdrawal-queue.ts'
import type { StaderConstants } from './constants.ts'
import { apart, boundOne } from './single-claim.ts'

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

const noTimes = { requestedAt: null, availableAt: null }
const inOrder = (ids: readonly bigint[]): bigint[] => [...ids].sort((a, b) => (a < b ? -1 : 1))
