import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { advice, sameWith } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { refuse, type Violation } from '../protocols/calldata-verdict.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { type FeePayment, sumOf } from '../protocols/fee-payments.ts'
import { type Intent, type IntentOf, intentTokens, type ServiceFee } from '../protocols/intent.ts'
import { queueOf } from '../protocols/registry.ts'
import {
  feePayments,
  feesOf,
  insideFeesOf,
  mostFees,
  paymentOf,
  totalFeeBps,
  usualServiceFeeBps,
} from '../protocols/service-fees-of-intent.ts'
import { whyLost } from '../protocols/unrecoverable-recipients.ts'
import { checkTransferCalldata } from './erc20-calldata-check.ts'

/**
 * Why stated fees are invalid: they must share one basis that is known, stay below it in total, and each go to somebody else;
 * `undefined` if valid.
 */
export function statedFeesFault(
  intent: Intent,
  fees: readonly ServiceFee[],
): { violation: Violation } | undefined {
  const [{ of }, sum] = [fees[0]!, sumOf(fees)]
  const no = (why: string) => refuse('POLICY_SERVICE_FEE', why)
  if (intent.kind === 'withdraw' && queueOf(intent.strategy))
    return no('A fee is charged on a request, which pays out nothing yet')
  const whole = intent.kind === 'swap' ? intent.amountIn : intent.kind === 'withdraw' ? wholeOf(intent) : of
  if (whole !== undefined && of > whole) return no(`A fee is charged on ${of}, but the amount is ${whole}`)
  if (fees.some((one) => one.of !== of)) return no('Its fees are charged on different amounts')
  const empty = fees.find(({ amount }) => amount <= 0n)
  if (empty || sum >= of) return no(`A fee of ${empty?.amount ?? sum} is charged on ${of}`)
  if (fees.some(({ to }) => to === nativeAddress))
    return no('A fee is paid to the zero address, where it would be lost')
  if (fees.length > mostFees) return no(`It pays ${fees.length} fees; the maximum is ${mostFees}`)
  if (new Set(fees.map(({ to }) => to.toLowerCase())).size < fees.length)
    return no('It pays two fees to the same collector')
  return undefined
}

/** The withdrawn amount if known beforehand; for a full withdrawal the simulation tells. */
const wholeOf = ({ amount, shares }: IntentOf<'withdraw'>): bigint | undefined =>
  shares === undefined ? amount : undefined

/**
 * Why what the call of an action pays to others (`paid`) is not, one for one and in their order, the fees that are stated to be paid inside
 * it; `undefined` if it is. POLICY_SERVICE_FEE.
 */
export function insideFeesFault(
  intent: Intent,
  paid: readonly FeePayment[] = [],
): { violation: Violation } | undefined {
  const stated = insideFeesOf(intent)
  const isStated = ({ to, amount }: FeePayment, at: number) =>
    stated[at]?.amount === amount && sameAddress(stated[at].to, to)
  const other = paid.find((one, at) => !isStated(one, at))
  if (other)
    return refuse(
      'POLICY_SERVICE_FEE',
      `It pays ${other.amount} to ${other.to} itself, which is not a stated fee`,
    )
  const missing = stated[paid.length]
  return missing
    ? refuse('POLICY_SERVICE_FEE', `It does not pay the stated fee of ${missing.amount} to ${missing.to}`)
    : undefined
}

/** Why a fee receiver is invalid: a token, a contract of the catalogue or of the operation (`action`), or an unowned address. */
export function feeReceiverFault(
  intent: Intent,
  { catalog, chainId, action }: { catalog: Catalog; chainId: number; action: Address },
): { violation: Violation } | undefined {
  const used = [action, ...intentTokens(intent).map(({ address }) => address)]
  for (const { to } of feesOf(intent)) {
    const isUsed = used.some((one) => sameAddress(one, to))
    const lost =
      whyLost(catalog, chainId, to) ?? (isUsed ? `${to}, which this goes through itself` : undefined)
    if (lost !== undefined)
      return refuse('POLICY_SERVICE_FEE', `The fee is paid to ${lost}: funds sent there are lost`)
  }
  return undefined
}

/** Refuses a total fee above the person's limit, in basis points. POLICY_SERVICE_FEE, with the flag that allows it. */
export function refuseHighServiceFee(intent: Intent, most: number = usualServiceFeeBps): void {
  const fees = feesOf(intent)
  const [first, amount] = [fees[0], sumOf(fees)]
  if (!first || totalFeeBps(fees) <= most) return
  const { of } = first
  const { token } = feePayments(intent)[0]!
  const shown = (units: bigint) => formatAmount(units, { ...token, symbol: sanitizeText(token.symbol) })
  throw new AppError(
    'POLICY_SERVICE_FEE',
    `The service charges ${shown(amount)} of ${shown(of)}; the maximum is ${most / 100} %`,
    {
      details: {
        amount: amount.toString(),
        of: of.toString(),
        to: fees.map(({ to }) => to).join(', '),
        maxServiceFeeBps: most,
      },
      next: advice`If you accept it: ${sameWith({ '--max-service-fee': `${totalFeeBps(fees) / 100}%` })}`,
    },
  )
}

/**
 * Checks the payment of a stated fee: token, amount and collector, and nothing else. If the collector acts by itself, it pays
 * itself.
 */
export function checkFeePayment(
  intent: Intent,
  fee: ServiceFee,
  transaction: Transaction,
): { call: { name: string; args: Record<string, string> }; text: string } | { violation: Violation } {
  const payment = paymentOf(intent, [fee])
  if (!payment) return refuse('POLICY_SERVICE_FEE', 'It pays a fee that was not stated')
  const { token } = payment
  const isCoin = sameAddress(token.address, nativeAddress)
  if (!isCoin && !sameAddress(transaction.to, token.address))
    return refuse('POLICY_SERVICE_FEE', `The fee calls ${transaction.to}, but it is paid in ${token.symbol}`)
  const verdict = checkTransferCalldata(transaction, payment)
  if ('violation' in verdict) return verdict
  const { name, args, value } = verdict.bound
  if (transaction.value !== value)
    return refuse('POLICY_VALUE', `The value of the fee is ${transaction.value} wei, not ${value}`)
  return {
    call: { name, args },
    text: sameAddress(fee.to, intent.wallet)
      ? `Pay a fee of ${formatAmount(fee.amount, token)} to the wallet itself, which collects the fees: it keeps it`
      : `Pay the service a fee of ${formatAmount(fee.amount, token)} to ${fee.to}`,
  }
}
