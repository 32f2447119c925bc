import { ungrouped } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { tokenAt } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { approvalIn, describeApproval, reducedApprovalNote } from '../../guard/approvals.ts'
import { contractName } from '../../guard/contract-names.ts'
import { expectationOf } from '../../guard/intent-expectation.ts'
import { decodeIntent } from '../../guard/intent-json.ts'
import { checkFeePayment } from '../../guard/stated-fee-checks.ts'
import { actionIntent, type StoredPlan } from '../../guard/stored-plan.ts'
import { isUnknownPayoutNote } from '../../planning/deposit-withdraw-previews.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { type Intent, intentTokens } from '../../protocols/intent.ts'
import { stepFeesOf, withoutFees } from '../../protocols/service-fees-of-intent.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'

/** A step's call, decoded from its bytes: `call` is `null` if this program does not know it. */
export type StepCall = {
  index: number
  contract: string | null
  call: { name: string; args: Record<string, string> } | null
}

/** A known call and its text; no text if its token is unknown. */
type Preview = { call: NonNullable<StepCall['call']>; text: string | undefined }

/** The calls of all steps, decoded from their calldata. */
export const decodeStepCalls = (operation: Operation, catalog: Catalog): StepCall[] =>
  operation.steps.map((step) => ({
    index: step.index,
    contract: contractName(catalog, step.transaction.chainId, step.transaction.to),
    call: previewOf(step, operation, catalog)?.call ?? null,
  }))

/**
 * Whether a step's text is the one of its calldata. Accepted unchecked if this program has none, and for a step without effect that
 * a later plan replaced.
 */
export function hasTrueText(step: Step, operation: Operation, catalog: Catalog): boolean {
  const { role, leg } = step
  const text = ungrouped(step.text)
  const derived = previewOf(step, operation, catalog)?.text
  const preview = derived && ungrouped(derived)
  if (preview === undefined || text === preview) return true
  if (role === 'approve') return text === `${preview}${reducedApprovalNote}`
  if (role !== 'action') return false
  const plan = operation.plan as StoredPlan
  if (isReplaced(step, operation.steps, plan.since?.[leg] ?? 0)) return true
  return (
    text.startsWith(preview) &&
    isUnknownPayoutNote(text.slice(preview.length), intentOf(actionIntent(plan, leg), catalog))
  )
}

/** Whether a step had no effect and was planned again. */
const isReplaced = ({ index, leg, state }: Step, steps: readonly Step[], since: number): boolean =>
  index < since &&
  state !== 'FINAL_OK' &&
  steps.some((one) => one.role === 'action' && one.leg === leg && one.index >= since)

function previewOf(step: Step, operation: Operation, catalog: Catalog): Preview | null {
  const { transaction, role, leg } = step
  const plan = operation.plan as StoredPlan
  if (role.startsWith('approve'))
    return approvalOf(transaction, intentOf(actionIntent(plan, leg), catalog), catalog)
  const intent = intentOf(role === 'action' ? actionIntent(plan, leg) : plan.intents[leg], catalog)
  if (!intent) return null
  try {
    if (role === 'fee') {
      const payments = stepFeesOf(intent).map((fee) => checkFeePayment(intent, fee, transaction))
      return (payments.find((fee) => !('violation' in fee)) as Preview | undefined) ?? null
    }
    // Everything exempted then is accepted here: this describes a call and allows nothing.
    const allowTokens = intentTokens(intent).map(({ address }) => address)
    const vouched = { allow: [transaction.to], allowTokens }
    const known = expectationOf(withoutFees(intent), transaction.chainId, catalog, transaction, vouched)
    const verdict = 'violation' in known ? known : known.check(transaction)
    if ('violation' in verdict) return null
    const { name, args, text } = verdict.bound
    return { call: { name, args }, text }
  } catch (error) {
    // An older catalogue may have known more; the bytes are in the evidence in any case.
    if (error instanceof AppError) return null
    throw error
  }
}

function approvalOf(transaction: Transaction, intent: Intent | null, catalog: Catalog): Preview | null {
  const approval = approvalIn(transaction)
  if (!approval) return null
  const { chainId } = transaction
  const spenderName = contractName(catalog, chainId, approval.spender)
  const { call, text } = describeApproval(approval, chainId, catalog, { intent, spenderName })
  const isKnown = intent !== null || tokenAt(catalog.tokens, chainId, approval.token) !== undefined
  return { call, text: isKnown ? text : undefined }
}

/** A stored intent; `null` if there is none or this catalogue does not know it. */
function intentOf(
  kept: Parameters<typeof decodeIntent>[0] | null | undefined,
  catalog: Catalog,
): Intent | null {
  if (!kept) return null
  try {
    return decodeIntent(kept, catalog)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
