import { parseAbi } from 'viem/utils'
import type { Rounds } from '../../chain/contract-query.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import type { Request, Requests } from '../withdrawal-queue.ts'

/** A ticket (ERC-721) says whose it is; one that was paid is nobody's, and refuses. */
const ticketAbi = parseAbi(['function ownerOf(uint256 tokenId) view returns (address)'])

/** A request with whether it can be claimed. */
export type Ready = (Request & { isReady: boolean }) | null

/** Those of the tickets that an owner still has. */
export function* ownedBy(owner: Address, address: Address, tickets: readonly bigint[]): Rounds<bigint[]> {
  const owners = yield tickets.map((id) => ({ address, abi: ticketAbi, functionName: 'ownerOf', args: [id] }))
  return tickets.filter((_, at) => typeof owners[at] === 'string' && sameAddress(owners[at] as string, owner))
}

/** Requests by whether they are ready; one that is not answered for leaves all unknown. */
export function apart(all: readonly Ready[]): Requests | null {
  if (all.includes(null)) return null
  const told = (ready: boolean) =>
    all.flatMap((one) => {
      if (one?.isReady !== ready) return []
      const { isReady: _, ...request } = one
      return [request]
    })
  return { pending: told(false), claimable: told(true) }
}
