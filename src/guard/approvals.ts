import { approve, decodeApprove } from '../chain/erc20.ts'
import { decodeApproveThrough } from '../chain/permit2.ts'
import { type Address, type Hex, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { momentText } from '../domain/text/time-spans.ts'
import { tokenAt } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { refuse, type Spends, type Violation } from '../protocols/calldata-verdict.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { type Intent, intentTokens } from '../protocols/intent.ts'

type Role = 'approve-reset' | 'approve' | 'action' | 'fee'

/** Makes an approval above the need exact; everything else stays and is judged as it is. */
export function withExactApproval(
  transaction: Transaction,
  role: Role,
  spends: { token: Address; amount: bigint } | undefined,
): Transaction {
  if (role !== 'approve' || !spends) return transaction
  const asked = decodeApprove(transaction.data)
  if (!asked || asked.amount <= spends.amount) return transaction
  const { to: token, chainId, value } = transaction
  return { ...approve({ chainId, token, spender: asked.spender, amount: spends.amount }), value }
}

/** An approval. `until` (Unix seconds): the one at Permit2, which holds until then. */
type Approval = { token: Address; spender: Address; amount: bigint; until?: bigint }

/** The approval that a call gives, of a token or at Permit2; `undefined` if it is none. */
export function approvalIn({ to, data }: Pick<Transaction, 'to' | 'data'>): Approval | undefined {
  const plain = decodeApprove(data)
  return plain ? { token: to, ...plain } : decodeApproveThrough(data)
}

/**
 * G4: an approval of the token that the action spends, to the contract that spends it, of exactly that amount. Where that is done through
 * Permit2, the token allows Permit2, and Permit2 the contract, no longer than the action may wait.
 */
export function checkApproval(
  { to, data }: Transaction,
  role: Role,
  action: Address,
  spends: Spends | undefined,
): Approval | { violation: Violation } {
  if (isPermit2Approve(data)) return checkPermit(decodeApproveThrough(data), to, action, spends)
  const approval = decodeApprove(data)
  const spender = spends?.through?.permit2 ?? spends?.by ?? action
  if (!approval) return refuse('POLICY_DECODE', 'It is not an exact call of approve(address,uint256)')
  if (!spends) return refuse('POLICY_ALLOWANCE', 'The action needs no approval')
  if (!sameAddress(to, spends.token))
    return refuse('POLICY_ALLOWANCE', `It approves the token ${to}, but the action spends ${spends.token}`)
  if (!sameAddress(approval.spender, spender))
    return refuse(
      'POLICY_SPENDER',
      `It approves ${approval.spender}, but the action is ${spends.through || spends.by ? 'paid through' : 'a call of'} ${spender}`,
    )
  const exact = role === 'approve-reset' ? 0n : spends.amount
  if (approval.amount !== exact)
    return refuse('POLICY_ALLOWANCE', `It approves ${approval.amount}, but the action needs exactly ${exact}`)
  return { token: to, ...approval }
}

/** `approve(address,address,uint160,uint48)` of Permit2. */
const permitSelector = '0x87517c45'

/** Whether a call is an approval at Permit2, by its selector alone. */
export const isPermit2Approve = (data: Hex): boolean => data.slice(0, 10).toLowerCase() === permitSelector

function checkPermit(
  permit: Required<Approval> | undefined,
  permit2: Address,
  action: Address,
  spends: Spends | undefined,
): Approval | { violation: Violation } {
  if (!spends?.through)
    return refuse(
      'POLICY_AUTHORITY',
      'approve(address,address,uint160,uint48) gives another address rights over assets of the wallet',
    )
  if (!permit)
    return refuse('POLICY_DECODE', 'It is not an exact call of approve(address,address,uint160,uint48)')
  const { token, spender, amount, until } = permit
  if (!sameAddress(permit2, spends.through.permit2))
    return refuse('POLICY_CONTRACT_NOT_ALLOWED', `The contract ${permit2} is not the Permit2 of this action`)
  if (!sameAddress(token, spends.token))
    return refuse('POLICY_ALLOWANCE', `It approves the token ${token}, but the action spends ${spends.token}`)
  if (!sameAddress(spender, action))
    return refuse('POLICY_SPENDER', `It approves ${spender}, but the action is a call of ${action}`)
  if (amount !== spends.amount)
    return refuse('POLICY_ALLOWANCE', `It approves ${amount}, but the action needs exactly ${spends.amount}`)
  if (until > spends.through.until)
    return refuse(
      'POLICY_ALLOWANCE',
      `It approves until ${until}, but the action is valid only until ${spends.through.until}`,
    )
  return { token, spender, amount, until }
}

const receiptOf = (intent: Intent) => ('strategy' in intent ? [intent.strategy.receipt] : [])

/** The note behind the text of an approval that was made exact. */
export const reducedApprovalNote = ', not the larger amount that was proposed'

/** An approval as text and as JSON fields; without an intent only catalogue tokens have names. `spenderName`: what the catalogue calls the spender. */
export function describeApproval(
  { token: at, spender, amount, until }: Approval,
  chainId: number,
  catalog: Catalog,
  { intent, spenderName }: { intent: Intent | null; spenderName: string | null },
): { call: { name: string; args: Record<string, string> }; text: string } {
  const asked = intent ? [...intentTokens(intent), ...receiptOf(intent)] : []
  const token = tokenAt([...catalog.tokens, ...asked], chainId, at)
  const shown = token ? formatAmount(amount, token) : `${amount} of ${at}`
  const who = spenderName === null ? spender : `${spender} (${spenderName})`
  if (until !== undefined)
    return {
      call: {
        name: 'approve',
        args: { token: at, spender, amount: amount.toString(), expiration: until.toString() },
      },
      text: `Allow ${who} to take ${shown} through Permit2 until ${momentText(Number(until) * 1000)}`,
    }
  return {
    call: { name: 'approve', args: { spender, amount: amount.toString() } },
    text: amount === 0n ? `Take the allowance of ${who} back` : `Allow ${who} to take ${shown}`,
  }
}
