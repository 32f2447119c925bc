import { decodeApprove } from '../../chain/erc20.ts'
import { AppError } from '../../domain/errors.ts'
import { tokenAt } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { describeApproval, reducedApprovalNote } from '../../guard/approvals.ts'
import { contractName } from '../../guard/contract-names.ts'
import { expectationOf, intentTokens } from '../../guard/expectations.ts'
import { actionIntent, decodeIntent, type StoredPlan } from '../../guard/intent-json.ts'
import { checkFeePayment } from '../../guard/service-fees.ts'
import { isUnknownPayoutNote } from '../../planning/market-amounts.ts'
import type { Catalog } from '../../protocols/catalog.ts'
import type { Intent } from '../../protocols/intent.ts'
import { feesOf, withoutFees } from '../../protocols/service-fee.ts'
import type { Operation, Step } from '../../store/journal/operation.ts'

/** What a step of the journal calls, decoded anew from its bytes: `call` is `null` where this program does not know such a call of this contract. */
export type StepCall = {
  index: number
  contract: string | null
  call: { name: string; args: Record<string, string> } | null
}

/** A call that this program knows, and its words for it; no words for what it is not known of which token it is. */
type Told = { call: NonNullable<StepCall['call']>; text: string | undefined }

/** Every step of an operation by its own calldata, not by what was said of it. */
export const decodedCalls = (operation: Operation, catalog: Catalog): StepCall[] =>
  operation.steps.map((step) => ({
    index: step.index,
    contract: contractName(catalog, step.transaction.chainId, step.transaction.to),
    call: toldOf(step, operation, catalog)?.call ?? null,
  }))

/**
 * Whether the words of a step are those that this program has for its calldata. They are taken as they are where it has none, and for a step in vain
 * that another one of its leg took the place of, which was planned for it since.
 */
export function hasTrueText(step: Step, operation: Operation, catalog: Catalog): boolean {
  const { role, text, leg } = step
  const told = toldOf(step, operation, catalog)?.text
  if (told === undefined || text === told) return true
  if (role === 'approve') return text === `${told}${reducedApprovalNote}`
  if (role !== 'action') return false
  const plan = operation.plan as StoredPlan
  if (isReplaced(step, operation.steps, plan.since?.[leg] ?? 0)) return true
  return (
    text.startsWith(told) &&
    isUnknownPayoutNote(text.slice(told.length), intentOf(actionIntent(plan, leg), catalog))
  )
}

/** Whether a step came to nothing, and what was planned anew for it is there. */
const isReplaced = ({ index, leg, state }: Step, steps: readonly Step[], since: number): boolean =>
  index < since &&
  state !== 'FINAL_OK' &&
  steps.some((one) => one.role === 'action' && one.leg === leg && one.index >= since)

function toldOf(step: Step, operation: Operation, catalog: Catalog): Told | null {
  const { transaction, role, leg } = step
  const plan = operation.plan as StoredPlan
  if (role.startsWith('approve'))
    return approvalOf(transaction, intentOf(actionIntent(plan, leg), catalog), catalog)
  const intent = intentOf(role === 'action' ? actionIntent(plan, leg) : plan.intents[leg], catalog)
  if (!intent) return null
  try {
    if (role === 'fee') {
      const told = feesOf(intent).map((fee) => checkFeePayment(intent, fee, transaction))
      return (told.find((fee) => !('violation' in fee)) as Told | undefined) ?? null
    }
    // Whatever the person vouched for then is taken here: this says what a call is, and allows nothing.
    const allowTokens = intentTokens(intent).map(({ address }) => address)
    const vouched = { allow: [transaction.to], allowTokens, exactAllowance: 'refuse' } as const
    const known = expectationOf(withoutFees(intent), transaction.chainId, catalog, transaction, vouched)
    const verdict = 'violation' in known ? known : known.bind(transaction)
    if ('violation' in verdict) return null
    const { name, args, text } = verdict.bound
    return { call: { name, args }, text }
  } catch (error) {
    // An older catalogue may have known what this one does not: the bytes are in the evidence in any case.
    if (error instanceof AppError) return null
    throw error
  }
}

function approvalOf(transaction: Transaction, intent: Intent | null, catalog: Catalog): Told | null {
  const approval = decodeApprove(transaction.data)
  if (!approval) return null
  const { chainId, to } = transaction
  const { call, text } = describeApproval(approval, transaction, chainId, catalog, intent)
  const isKnown = intent !== null || tokenAt(catalog.tokens, chainId, to) !== undefined
  return { call, text: isKnown ? text : undefined }
}

/** An intent of the journal; `null` where there is none, or of what this catalogue does not know. */
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
