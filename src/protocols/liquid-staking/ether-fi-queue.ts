import { encodeFunctionData, parseAbi } from 'viem/utils'
import { jsonArguments, strictDecode } from '../../chain/calldata.ts'
import type { Rounds } from '../../chain/contract-query.ts'
import { refuse } from '../verdict.ts'
import type { Queue, Requests } from '../withdrawal-queue.ts'
import type { EtherFiConstants } from './constants.ts'
import { apart, ownedBy, type Ready } from './tickets.ts'

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
    return { bound: { name: 'claimWithdraw', args: jsonArguments({ tokenId: id }), text, value: 0n } }
  },
})
