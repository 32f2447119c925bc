import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, sameAddress } from '../domain/address.ts'
import type { EtherFiConstants, FraxEtherConstants } from '../domain/market-constants.ts'
import { printed, refuse, strictDecode } from './decode.ts'
import type { Query, Queue, Request, Requests, Rounds } from './queue.ts'

/** A ticket (ERC-721) says whose it is; one that was paid is nobody's, and refuses. */
const ticketAbi = parseAbi(['function ownerOf(uint256 tokenId) view returns (address)'])

const etherFiAbi = parseAbi([
  'function isFinalized(uint256 requestId) view returns (bool)',
  'function getRequest(uint256 requestId) view returns ((uint96 amountOfEEth, uint96 shareOfEEth, bool isValid, uint32 feeGwei))',
  'function getClaimableAmount(uint256 tokenId) view returns (uint256)',
])
const etherFiClaim = parseAbi(['function claimWithdraw(uint256 tokenId)'])

type Ready = (Request & { isReady: boolean }) | null

/** The requests of ether.fi (source: etherfi-protocol/smart-contracts, WithdrawRequestNFT.sol): each is a ticket, which its owner claims. */
export const etherFiQueue = (chainId: number, { requests: address }: EtherFiConstants): Queue => ({
  place: address,
  ticket: { address, symbol: 'withdrawal ticket', unlisted: true },
  *requests(owner, _, tickets): Rounds<Requests | null> {
    const mine = yield* ownedBy(owner, address, tickets)
    const names = ['isFinalized', 'getRequest', 'getClaimableAmount'] as const
    const told = yield mine.flatMap((id) =>
      names.map((functionName) => ({ address, abi: etherFiAbi, functionName, args: [id] })),
    )
    return apart(
      mine.map((id, at): Ready => {
        const [isReady, asked, pays] = told.slice(3 * at, 3 * at + 3)
        if (asked === undefined || (isReady === true && pays === undefined)) return null
        const { amountOfEEth, feeGwei } = asked as { amountOfEEth: bigint; feeGwei: number }
        const amount = isReady === true ? (pays as bigint) : amountOfEEth - BigInt(feeGwei) * 10n ** 9n
        return { isReady: isReady === true, id: id.toString(), amount, requestedAt: null, availableAt: null }
      }),
    )
  },
  taken: (claimable) => claimable.slice(0, 1),
  claim: (_, taken) => ({
    to: address,
    data: encodeFunctionData({
      abi: etherFiClaim,
      functionName: 'claimWithdraw',
      args: [BigInt(taken[0]!.id)],
    }),
    value: 0n,
    chainId,
  }),
  named: ({ data }) => strictDecode(etherFiClaim, data)?.args ?? [],
  bind: ({ data }, { ids }) => {
    const found = strictDecode(etherFiClaim, data)
    if (!found) return refuse('POLICY_DECODE', 'It is not a call of claimWithdraw of ether.fi')
    const id = found.args[0].toString()
    if (ids.join() !== id) return refuse('POLICY_AMOUNT', `It claims request ${id}, which is not yours`)
    const text = `Claim request ${id} of the queue, paid to the wallet`
    return { bound: { name: 'claimWithdraw', args: printed({ tokenId: id }), text, value: 0n } }
  },
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
    const args = printed({ nftId: id, recipient })
    return { bound: { name: 'burnRedemptionTicketNft', args, text, value: 0n } }
  },
})

/** Those of the tickets that an owner still has. */
function* ownedBy(owner: Address, address: Address, tickets: readonly bigint[]): Rounds<bigint[]> {
  const owners = yield tickets.map((id) => ({ address, abi: ticketAbi, functionName: 'ownerOf', args: [id] }))
  return tickets.filter((_, at) => typeof owners[at] === 'string' && sameAddress(owners[at] as string, owner))
}

/** Requests by whether they are ready; one that is not answered for leaves all unknown. */
function apart(all: readonly Ready[]): Requests | null {
  if (all.includes(null)) return null
  const told = (ready: boolean) =>
    all.flatMap((one) => {
      if (one?.isReady !== ready) return []
      const { isReady: _, ...request } = one
      return [request]
    })
  return { pending: told(false), claimable: told(true) }
}
