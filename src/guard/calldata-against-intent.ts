import { isAddress } from 'viem/utils'
import { type Hex, HexData, nativeAddress, sameAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { type Advice, advice, sameWith } from '../domain/text/next-step.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { Violation } from '../protocols/calldata-verdict.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { Intent } from '../protocols/intent.ts'
import {
  feesOf,
  mostFees,
  stepFeesOf,
  withoutFees,
  withoutPayments,
} from '../protocols/service-fees-of-intent.ts'
import { whyLost } from '../protocols/unrecoverable-recipients.ts'
import {
  checkApproval,
  describeApproval,
  isPermit2Approve,
  reducedApprovalNote,
  withExactApproval,
} from './approvals.ts'
import { authoritySelectors, findAuthorityCall } from './authority-granting-calls.ts'
import { contractName } from './contract-names.ts'
import { expectationOf } from './intent-expectation.ts'
import type { RecordedSteps } from './simulation/simulate.ts'
import {
  checkFeePayment,
  feeReceiverFault,
  insideFeesFault,
  refuseHighServiceFee,
  statedFeesFault,
} from './stated-fee-checks.ts'
import { type Exemptions, noExemptions } from './user-limits-and-exemptions.ts'

/**
 * A leg, or the rest of one, that has passed the guard. `until` (Unix seconds) is when its calldata expires; `recorded`: which steps of a
 * recorded operation the transactions are.
 */
export type CheckedLeg = {
  chainId: number
  intent: Intent
  transactions: readonly Transaction[]
  until?: number
  recorded?: RecordedSteps
}

/** Refuses payments of a swap or transfer to addresses from which they would never return, for anybody. */
function refuseUnrecoverablePayee({
  intent,
  chainId,
  catalog,
}: {
  intent: Intent
  chainId: number
  catalog: Catalog
}): void {
  if (intent.kind !== 'swap' && intent.kind !== 'transfer') return
  const { recipient } = intent
  const isCoin = intent.kind === 'transfer' && sameAddress(intent.token.address, nativeAddress)
  const at = intent.kind === 'swap' ? intent.tokenOut.chainId : chainId
  const paid = intent.kind === 'swap' ? intent.tokenOut : intent.token
  const isItself = !isCoin && sameAddress(paid.address, recipient)
  const lost = isItself ? 'the token itself' : whyLost(catalog, at, recipient, isCoin)
  if (lost)
    throw new AppError('POLICY_RECIPIENT', `The recipient is ${lost}: funds sent there are lost`, {
      next: 'Use an address that you or the recipient has the key of.',
    })
}

/** The role of a transaction in its leg. */
type Role = 'approve-reset' | 'approve' | 'action' | 'fee'

/** One decoded transaction of a leg. */
export type DecodedStep = {
  index: number
  role: Role
  transaction: Transaction
  call: { name: string; args: Record<string, string> }
  text: string
}

/** The input of `checkLeg`. */
export type LegToCheck = {
  intent: Intent
  chainId: number
  transactions: readonly Transaction[]
  catalog: Catalog
  vouched?: Exemptions
  /** Whether a service proposes them, and nothing is recorded yet: an approval above the need is then made exact. */
  isProposed?: boolean
}

const wrongTarget =
  'The service replaced the contract that this program knows. Do not sign the transaction with another tool.'

const approveSelector = '0x095ea7b3'

const deny = ({ code, message, unlisted }: Violation, index?: number): AppError => {
  const next = code === 'POLICY_CONTRACT_NOT_ALLOWED' ? exemptionAdvice(unlisted) : undefined
  return new AppError(code, index === undefined ? message : `Transaction ${index + 1}: ${message}`, {
    details: index === undefined ? {} : { index },
    ...(next !== undefined && { next }),
  })
}

/** The flag that exempts what the catalogue lacks. None where the right address is known, so that nobody is led to exempt another. */
function exemptionAdvice(unlisted: Violation['unlisted']): Advice | undefined {
  if (unlisted === undefined) return wrongTarget
  if (unlisted === 'way') return undefined
  return 'token' in unlisted
    ? advice`If you know this token: ${sameWith({ '--allow-token': unlisted.token })}`
    : advice`If you know this contract: ${sameWith({ '--allow-contract': unlisted.contract })}`
}

/**
 * Decides whether the transactions of one leg do what was asked and nothing else, from any source. Returns them decoded, or throws
 * the first broken rule (G1 to G8) as POLICY_*. Anything unknown is refused.
 */
export function checkLeg(question: LegToCheck): DecodedStep[] {
  const { intent: asked, chainId, transactions: all, catalog, vouched = noExemptions } = question
  refuseMalformed(question)
  refuseUnrecoverablePayee(question)
  // Only the stated fees that the action does not pay itself may follow it, each once.
  const transactions = withoutPayments(asked, all)
  const paid = all.slice(transactions.length)
  if (transactions.length === 0)
    throw deny({ code: 'POLICY_SHAPE', message: 'The stated fee is not among its transactions' })
  const intent = withoutFees(asked)
  const roles = rolesOf(transactions, intent)
  const action = transactions[transactions.length - 1]!
  const last = transactions.length - 1
  const expected = expectationOf(intent, chainId, catalog, action, vouched)
  if ('violation' in expected) throw deny(expected.violation, last)
  if (![...expected.targets, ...vouched.allow].some((known) => sameAddress(known, action.to)))
    throw deny(
      {
        code: 'POLICY_CONTRACT_NOT_ALLOWED',
        message: `The contract ${action.to} is not the one for this action on this network`,
      },
      last,
    )
  const verdict = expected.check(action)
  if ('violation' in verdict) throw deny(verdict.violation, last)
  const { bound } = verdict
  const unlike = insideFeesFault(asked, bound.fees)
  if (unlike) throw deny(unlike.violation, last)
  if (action.value !== bound.value)
    throw deny(
      { code: 'POLICY_VALUE', message: `Its value is ${action.value} wei, not ${bound.value}` },
      last,
    )

  const approvals = transactions.slice(0, -1).map((transaction, index): DecodedStep => {
    const role = roles[index]!
    const given = question.isProposed ? withExactApproval(transaction, role, bound.spends) : transaction
    const approval = checkApproval(given, role, action.to, bound.spends)
    if ('violation' in approval) throw deny(approval.violation, index)
    if (given.value !== 0n)
      throw deny(
        { code: 'POLICY_VALUE', message: `The value of an approval is ${given.value} wei, not 0` },
        index,
      )
    const spenderName = contractName(catalog, chainId, approval.spender)
    const { call, text } = describeApproval(approval, chainId, catalog, { intent, spenderName })
    const more = given === transaction ? '' : reducedApprovalNote
    return { index, role, transaction: given, call, text: `${text}${more}` }
  })
  const { name, args, text } = bound
  return [
    ...approvals,
    { index: last, role: 'action', transaction: action, call: { name, args }, text },
    ...feeSteps(question, paid, last + 1, action.to),
  ]
}

/** The fee payments of a leg, as its last steps; fees that the action pays are held to the same rules. */
function feeSteps(
  { intent, chainId, catalog, vouched = noExemptions }: LegToCheck,
  paid: readonly Transaction[],
  first: number,
  action: Transaction['to'],
): DecodedStep[] {
  const fees = feesOf(intent)
  if (fees.length === 0) return []
  const fault = statedFeesFault(intent, fees) ?? feeReceiverFault(intent, { catalog, chainId, action })
  if (fault) throw deny(fault.violation, paid.length > 0 ? first : first - 1)
  const owed = stepFeesOf(intent)
  const steps = paid.map((transaction, at): DecodedStep => {
    const fee = checkFeePayment(intent, owed[at]!, transaction)
    if ('violation' in fee) throw deny(fee.violation, first + at)
    return { index: first + at, role: 'fee', transaction, ...fee }
  })
  refuseHighServiceFee(intent, vouched.maxServiceFeeBps)
  return steps
}

/** G1 and G2: the number and shape of the transactions, all on the leg's chain. */
function refuseMalformed({ intent, chainId, transactions }: LegToCheck): void {
  // Two approvals of the token, one at Permit2, the action and the fees.
  const most = 4 + mostFees
  if (transactions.length < 1 || transactions.length > most)
    throw deny({
      code: 'POLICY_SHAPE',
      message: `A leg must have 1 to ${most} transactions, but this one has ${transactions.length}`,
    })
  for (const [index, transaction] of transactions.entries()) {
    const wrong = shapeFault(transaction, intent)
    if (wrong) throw deny({ code: 'POLICY_SHAPE', message: wrong }, index)
  }
  for (const [index, transaction] of transactions.entries())
    if (transaction.chainId !== chainId)
      throw deny(
        { code: 'POLICY_CHAIN', message: `It is for chain ${transaction.chainId}, not for ${chainId}` },
        index,
      )
}

/** G1: exactly the four fields, each well-formed, and a plausible target. */
function shapeFault(transaction: Transaction, { wallet }: Intent): string | undefined {
  if (Object.keys(transaction).sort().join() !== 'chainId,data,to,value')
    return 'It has fields besides to, data, value and chainId'
  const { to, data, value, chainId } = transaction
  if (typeof to !== 'string' || !(isAddress(to, { strict: true }) || /^0x[0-9a-f]{40}$/.test(to)))
    return 'Its target is not an address'
  if (BigInt(to) < 0x10000n) return `Its target ${to} is a reserved address, not a contract`
  if (sameAddress(to, wallet)) return 'Its target is the wallet itself'
  if (!HexData.safeParse(data).success) return 'Its calldata is not hex'
  if (typeof value !== 'bigint' || value < 0n || value >= 1n << 256n) return 'Its value is not an amount'
  if (!Number.isSafeInteger(chainId) || chainId < 1) return 'Its chain id is not valid'
  return undefined
}

const selectorOf = (data: Hex): Hex => data.slice(0, 10).toLowerCase() as Hex

/** G3 and the context-free half of G8: (reset approval)? (approval)? (approval at Permit2)? action, and no other grant of authority. */
function rolesOf(transactions: readonly Transaction[], intent: Intent): Role[] {
  // The only operation that is itself an approval: of zero, and alone.
  if (intent.kind === 'revoke' && transactions.length === 1) return ['action']

  const last = transactions.length - 1
  // Whether the action needs one at Permit2 is told by its calldata.
  const hasPermit = last > 0 && isPermit2Approve(transactions[last - 1]!.data)
  const approvals = hasPermit ? last - 1 : last

  return transactions.map(({ data }, index) => {
    const selector = selectorOf(data)
    const isLast = index === last
    if (hasPermit && index === last - 1) return 'approve'
    if (selector === approveSelector) {
      if (isLast) throw deny({ code: 'POLICY_SHAPE', message: 'It ends with an approval' }, index)
      const first = approvals === 2 && index === 0
      return first ? 'approve-reset' : 'approve'
    }
    const power = authoritySelectors[selector]
    if (power !== undefined)
      throw deny(
        {
          code: 'POLICY_AUTHORITY',
          message: `${power} gives another address rights over assets of the wallet`,
        },
        index,
      )
    if (!isLast)
      throw deny({ code: 'POLICY_SHAPE', message: 'Only approvals may come before the action' }, index)
    const hidden = findAuthorityCall(data)
    if (hidden !== undefined)
      throw deny(
        {
          code: 'POLICY_AUTHORITY',
          message: `Inside it, ${hidden} gives another address rights over assets of the wallet`,
        },
        index,
      )
    if (approvals > 2)
      throw deny({ code: 'POLICY_SHAPE', message: 'There are more approvals than an action can need' }, 0)
    return 'action'
  })
}
