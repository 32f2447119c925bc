import { parseAbi } from 'viem/utils'
import { contract, type Rounds } from '../../chain/call.ts'
import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import { callOf } from '../shared/contract-call.ts'
import { byReadiness, type Claim, noRequests, type Queue, type Requests } from '../withdrawal-queue.ts'
import type { LidoConstants } from './constants-schema.ts'

/** The withdrawal queue of Lido (source: lidofinance/core, WithdrawalQueueERC721.sol). A request is a token of the queue. */
export const lidoQueueAbi = parseAbi([
  'function STETH() view returns (address)',
  'function WSTETH() view returns (address)',
  'function isPaused() view returns (bool)',
  'function getWithdrawalRequests(address owner) view returns (uint256[] requestsIds)',
  'function getWithdrawalStatus(uint256[] requestIds) view returns ((uint256 amountOfStETH, uint256 amountOfShares, address owner, uint256 timestamp, bool isFinalized, bool isClaimed)[] statuses)',
  'function getLastCheckpointIndex() view returns (uint256)',
  'function findCheckpointHints(uint256[] requestIds, uint256 firstIndex, uint256 lastIndex) view returns (uint256[] hintIds)',
  'function getClaimableEther(uint256[] requestIds, uint256[] hints) view returns (uint256[] claimableEthValues)',
  'event WithdrawalRequested(uint256 indexed requestId, address indexed requestor, address indexed owner, uint256 amountOfStETH, uint256 amountOfShares)',
  'event WithdrawalClaimed(uint256 indexed requestId, address indexed owner, address indexed receiver, uint256 amountOfETH)',
])

const claims = parseAbi(['function claimWithdrawals(uint256[] requestIds, uint256[] hints)'])

type Status = { amountOfStETH: bigint; timestamp: bigint; isFinalized: boolean; isClaimed: boolean }

/** The most requests of one claim, because of the gas limit of a block. */
const mostClaimed = 100

/** Claims some requests of their owner, who sends the call; each has a hint for its checkpoint. */
export const claimWithdrawals = (claim: {
  chainId: number
  queue: Address
  ids: readonly bigint[]
  hints: readonly bigint[]
}): Transaction =>
  callOf(
    { chainId: claim.chainId, to: claim.queue },
    { abi: claims, functionName: 'claimWithdrawals', args: [claim.ids, claim.hints] },
  )

/** The queue of Lido: the owner of a request sends the claim, and is paid by it. */
export const lidoQueue = (chainId: number, { queue }: LidoConstants): Queue => {
  const ask = contract(queue, lidoQueueAbi)
  function* hintsOf(ids: readonly bigint[]): Rounds<readonly bigint[] | undefined> {
    const [last] = yield [ask('getLastCheckpointIndex')]
    const [hints] = yield [ask('findCheckpointHints', ids, 1n, last ?? 0n)]
    return hints as readonly bigint[] | undefined
  }
  return {
    place: queue,
    ticket: { address: queue, symbol: 'unstETH' },
    *requests(owner: Address): Rounds<Requests | null> {
      const [found] = yield [ask('getWithdrawalRequests', owner)]
      if (found === undefined) return null
      const ids = [...(found as readonly bigint[])].sort((a, b) => (a < b ? -1 : 1))
      if (ids.length === 0) return noRequests
      const [statuses] = yield [ask('getWithdrawalStatus', ids)]
      if (statuses === undefined) return null
      const open = (statuses as readonly Status[]).flatMap((status, at) =>
        status.isClaimed ? [] : [{ ...status, id: ids[at]! }],
      )
      const ready = open.filter(({ isFinalized }) => isFinalized).map(({ id }) => id)
      // The payout of a request is fixed when it is finalized, and may be below the requested amount.
      const hints = ready.length === 0 ? [] : yield* hintsOf(ready)
      const [paid] = ready.length === 0 ? [[]] : yield [ask('getClaimableEther', ready, hints ?? [])]
      if (hints === undefined || paid === undefined) return null
      const amounts = new Map(ready.map((id, at) => [id, (paid as readonly bigint[])[at]!]))
      return byReadiness(
        open.map((of) => ({
          isReady: of.isFinalized,
          id: of.id.toString(),
          amount: amounts.get(of.id) ?? of.amountOfStETH,
          requestedAt: Number(of.timestamp),
          availableAt: null,
        })),
      )
    },
    taken: (claimable) => claimable.slice(0, mostClaimed),
    *claim(_, taken): Rounds<Transaction> {
      const ids = taken.map(({ id }) => BigInt(id))
      return claimWithdrawals({ chainId, queue, ids, hints: (yield* hintsOf(ids)) ?? [] })
    },
    check: checkClaimCalldata,
  }
}

/** Checks a claim against the requests that are the wallet's. It names no receiver: the queue pays the sender, who must be their owner. */
function checkClaimCalldata({ data }: Transaction, { ids }: Claim): CalldataVerdict {
  const found = strictDecode(claims, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a claim of withdrawals from Lido for their owner')
  const [claimed, hints] = found.args
  if (claimed.join() !== ids.join())
    return refuse('POLICY_AMOUNT', `It claims the requests ${claimed.join()}, but yours are ${ids.join()}`)
  if (hints.length !== claimed.length)
    return refuse('POLICY_DECODE', 'It does not have one hint for each request')
  return {
    bound: {
      name: 'claimWithdrawals',
      args: jsonArguments({ requestIds: claimed.join(), hints: hints.join() }),
      text: `Claim ${claimed.length === 1 ? 'request' : 'requests'} ${claimed.join(', ')} of the queue, paid to the wallet`,
      value: 0n,
    },
  }
}
