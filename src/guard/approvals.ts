import { approve, decodeApprove } from '../chain/erc20.ts'
import { type Address, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { tokenAt } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Catalog } from '../protocols/catalog.ts'
import { type Intent, intentTokens } from '../protocols/intent.ts'
import { refuse, type Violation } from '../protocols/verdict.ts'
import type { Exemptions } from './terms.ts'

type Role = 'approve-reset' | 'approve' | 'action' | 'fee'

/** Makes approvals above the need exact if the person asked for that; everything else stays and is judged as it is. */
export function withExactApprovals(
  transaction: Transaction,
  role: Role,
  spends: { token: Address; amount: bigint } | undefined,
  { exactAllowance }: Exemptions,
): Transaction {
  if (exactAllowance === 'refuse' || role !== 'approve' || !spends) return transaction
  const asked = decodeApprove(transaction.data)
  if (!asked || asked.amount <= spends.amount) return transaction
  const { to: token, chainId, value } = transaction
  return { ...approve({ chainId, token, spender: asked.spender, amount: spends.amount }), value }
}

/** G4: an approval of the token that the action spends, to the contract that spends it, of exactly that amount. */
export function checkApproval(
  { to, data }: Transaction,
  role: Role,
  spender: Address,
  spends: { token: Address; amount: bigint } | undefined,
): { spender: Address; amount: bigint } | { violation: Violation } {
  const approval = decodeApprove(data)
  if (!approval) return refuse('POLICY_DECODE', 'It is not a clean call of approve(address,uint256)')
  if (!spends) return refuse('POLICY_ALLOWANCE', 'The action needs no approval')
  if (!sameAddress(to, spends.token))
    return refuse('POLICY_ALLOWANCE', `It approves the token ${to}, and the action spends ${spends.token}`)
  if (!sameAddress(approval.spender, spender))
    return refuse('POLICY_SPENDER', `It approves ${approval.spender}, and the action is a call of ${spender}`)
  const exact = role === 'approve-reset' ? 0n : spends.amount
  if (approval.amount !== exact)
    return refuse('POLICY_ALLOWANCE', `It approves ${approval.amount}, and the need is exactly ${exact}`)
  return approval
}

const receiptOf = (intent: Intent) => ('strategy' in intent ? [intent.strategy.receipt] : [])

/** The note behind the text of an approval that was made exact. */
export const reducedApprovalNote = ', and not more, as was proposed'

/** An approval as text and as JSON fields; without an intent only catalogue tokens have names. */
export function describeApproval(
  { spender, amount }: { spender: Address; amount: bigint },
  { to }: Transaction,
  chainId: number,
  catalog: Catalog,
  intent: Intent | null,
): { call: { name: string; args: Record<string, string> }; text: string } {
  const asked = intent ? [...intentTokens(intent), ...receiptOf(intent)] : []
  const token = tokenAt([...catalog.tokens, ...asked], chainId, to)
  const shown = token ? formatAmount(amount, token) : `${amount} of ${to}`
  return {
    call: { name: 'approve', args: { spender, amount: amount.toString() } },
    text: amount === 0n ? `Take the allowance of ${spender} back` : `Allow ${spender} to take ${shown}`,
  }
}
