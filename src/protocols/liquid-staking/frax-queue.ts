import { encodeFunctionData, parseAbi } from 'viem/utils'
import { jsonArguments, strictDecode } from '../../chain/calldata.ts'
import type { Query, Rounds } from '../../chain/contract-query.ts'
import { sameAddress } from '../../domain/address.ts'
import { refuse } from '../verdict.ts'
import type { Queue, Requests } from '../withdrawal-queue.ts'
import type { FraxEtherConstants } from './constants.ts'
import { apart, ownedBy, type Ready } from './tickets.ts'

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
    const told = yield mine.flatMap((id): Query[] => [
      { address, abi: fraxAbi, functionName: 'nftInformation', args: [id] },
      { address, abi: fraxAbi, functionName: 'canRedeem', args: [id, 0n, false] },
    ])
    return apart(
      mine.map((id, at): Ready => {
        const [item, can] = told.slice(2 * at, 2 * at + 2)
        if (item === undefined || can === undefined) return null
        const [, maturity, amount, fee] = item as readonly [boolean, bigint, bigint, bigint]
        return {
          isReady: (can as readonly [boolean, bigint])[0],
          id: id.toString(),
          amount: amount - (amount * fee) / feePrecision,
          requestedAt: null,
          availableAt: Number(maturity),
        }
      }),
    )
  },
  *wait() {
    const [state] = yield [{ address, abi: fraxAbi, functionName: 'redemptionQueueState' }]
    return state === undefined ? null : Number((state as readonly bigint[])[1])
  },
  taken: (claimable) => claimable.slice(0, 1),
  claim: (owner, taken) => ({
    to: address,
    data: encodeFunctionData({
      abi: fraxClaim,
      functionName: 'burnRedemptionTicketNft',
      args: [BigInt(taken[0]!.id), owner],
    }),
    value: 0n,
    chainId,
  }),
  named: ({ data }) =>
    (strictDecode(fraxClaim, data)?.args.slice(0, 1) as readonly bigint[] | undefined) ?? [],
  bind: ({ data }, { ids, wallet }) => {
    const found = strictDecode(fraxClaim, data)
    if (!found) return refuse('POLICY_DECODE', 'It is not a call of burnRedemptionTicketNft of Frax')
    const [id, recipient] = found.args
    if (!sameAddress(recipient, wallet))
      return refuse('POLICY_RECIPIENT', `It pays out to ${recipient}, not to ${wallet}`)
    if (ids.join() !== id.toString())
      return refuse('POLICY_AMOUNT', `It claims request ${id}, which is not yours`)
    const text = `Claim request ${id} of the queue, paid to the wallet`
    const args = jsonArguments({ nftId: id, recipient })
    return { bound: { name: 'burnRedemptionTicketNft', args, text, value: 0n } }
  },
})
