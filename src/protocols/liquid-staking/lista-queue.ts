import { encodeFunctionData, parseAbi } from 'viem/utils'
import { strictDecode } from '../../chain/calldata.ts'
import type { Rounds } from '../../chain/contract-query.ts'
import type { Queue, Requests } from '../withdrawal-queue.ts'
import type { ListaConstants } from './constants.ts'
import { apart, boundOne } from './single-claim.ts'

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
