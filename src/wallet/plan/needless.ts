import { decodeApprove } from '../../calls/erc20.ts'
import { eachRead } from '../chain/each-read.ts'
import { readsOf } from '../chain/simulate-reads.ts'
import type { Ground } from '../ground.ts'
import type { Proposal } from './proposal.ts'

/** A proposal without the approvals of its first leg, where what they would allow may be taken already: a standing allowance is used, and nothing is sent for it. */
export async function withoutNeedless({ rpc }: Pick<Ground, 'rpc'>, proposal: Proposal): Promise<Proposal> {
  const [first, ...rest] = proposal.legs
  const given = (first?.transactions ?? []).slice(0, -1).flatMap(({ to, data }) => {
    const approval = decodeApprove(data)
    return approval && approval.amount > 0n ? [{ token: to, ...approval }] : []
  })
  if (!first || given.length === 0) return proposal
  const held = await eachRead(
    rpc(first.chainId),
    readsOf({ wallet: proposal.wallet, tokens: [], allowances: given }),
  )
  if (!given.every(({ amount }, at) => (held[at] ?? 0n) >= amount)) return proposal
  const transactions = first.transactions.filter(({ data }) => !decodeApprove(data))
  return { ...proposal, legs: [{ ...first, transactions }, ...rest] }
}
