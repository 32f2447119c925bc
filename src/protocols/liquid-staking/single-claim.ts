import { jsonArguments } from '../../chain/calldata.ts'
import { refuse, type Verdict } from '../verdict.ts'
import type { Claim, Request, Requests } from '../withdrawal-queue.ts'

/** Requests by whether they are ready. */
export function apart(all: readonly (Request & { isReady: boolean })[]): Requests {
  const told = (ready: boolean) =>
    all.filter(({ isReady }) => isReady === ready).map(({ isReady: _, ...request }) => request)
  return { pending: told(false), claimable: told(true) }
}

/** Binds the claim of one request by its number. */
export const claimed = (ids: readonly string[]): string =>
  `Claim ${ids.length === 1 ? 'request' : 'requests'} ${ids.join(', ')} of the queue, paid to the wallet`

/** A claim of one request by its owner, who is the sender: it must be the one that is meant. */
export function boundOne(
  found: { args: readonly [bigint] } | undefined,
  name: string,
  { ids }: Claim,
): Verdict {
  if (!found) return refuse('POLICY_DECODE', `It is not a call of ${name} of this queue`)
  const id = found.args[0].toString()
  if (ids.length !== 1 || ids[0] !== id)
    return refuse('POLICY_AMOUNT', `It claims request ${id}, and yours is ${ids.join(', ')}`)
  return { bound: { name, args: jsonArguments({ requestId: id }), text: claimed(ids), value: 0n } }
}
