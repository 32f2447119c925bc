import { refuse, type Violation } from '../../calls/decode.ts'
import { bindTransfer } from '../../calls/erc20.ts'
import { queueOf } from '../../calls/queues.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Catalog } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import type { Intent, ServiceFee } from '../../domain/intent.ts'
import { whyLost } from '../../domain/lost.ts'
import { feeOf, feePayment, usualServiceFeeBps } from '../../domain/service-fee.ts'
import { plain } from '../../domain/text.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { tokensOf } from './registry.ts'

/** A fee that is stated must be one: of something that is known to be there, less than that, and to somebody. */
function statementFault(
  intent: Intent,
  { to, amount, of }: ServiceFee,
): { violation: Violation } | undefined {
  const no = (why: string) => refuse('POLICY_SERVICE_FEE', why)
  if (intent.kind === 'withdraw' && queueOf(intent.strategy))
    return no('A fee is charged of a request, which brings nothing yet')
  const whole = intent.kind === 'swap' ? intent.amountIn : intent.kind === 'withdraw' ? wholeOf(intent) : of
  if (whole !== undefined && of > whole) return no(`A fee is charged of ${of}, and this is about ${whole}`)
  if (amount <= 0n || amount >= of) return no(`A fee of ${amount} is charged of ${of}`)
  if (to === nativeAddress) return no('A fee is paid to nobody, where it would be lost')
  return undefined
}

/** What is withdrawn, where that is known before: of everything, the simulation tells. */
const wholeOf = ({ amount, shares }: Extract<Intent, { kind: 'withdraw' }>): bigint | undefined =>
  shares === undefined ? amount : undefined

/** Why nobody who is paid a fee would have it: the receiver is a token, a contract of the catalogue or of the operation (`action`), or nobody's. */
export function receiverFault(
  intent: Intent,
  { catalog, chainId, action }: { catalog: Catalog; chainId: number; action: Address },
): { violation: Violation } | undefined {
  const to = feeOf(intent)?.to
  if (to === undefined) return undefined
  const used = [action, ...tokensOf(intent).map(({ address }) => address)]
  const isUsed = used.some((one) => sameAddress(one, to))
  const lost = whyLost(catalog, chainId, to) ?? (isUsed ? `${to}, which this goes through itself` : undefined)
  return lost === undefined
    ? undefined
    : refuse('POLICY_SERVICE_FEE', `The fee is paid to ${lost}: what is sent there is lost`)
}

/** How much of what it is charged of a fee is, in basis points, rounded up. */
export const bpsOf = ({ amount, of }: ServiceFee): number => Number((amount * 10_000n + of - 1n) / of)

/** Refuses a fee above what the person allows, in basis points. POLICY_SERVICE_FEE, with the flag that allows it. */
export function refuseDearFee(intent: Intent, most: number = usualServiceFeeBps): void {
  const fee = feeOf(intent)
  if (!fee || fee.amount * 10_000n <= fee.of * BigInt(most)) return
  const { token } = feePayment(intent)!
  const shown = (amount: bigint) => formatAmount(amount, { ...token, symbol: plain(token.symbol) })
  throw new AppError(
    'POLICY_SERVICE_FEE',
    `The service charges ${shown(fee.amount)} of ${shown(fee.of)}, and ${most / 100} % is the most that is allowed`,
    {
      details: { amount: fee.amount.toString(), of: fee.of.toString(), to: fee.to, maxServiceFeeBps: most },
      hint: `If you accept it: --max-service-fee ${bpsOf(fee) / 100}%`,
    },
  )
}

/**
 * The payment of the fee that was stated: this token, this amount, to this collector, and nothing else in it. A collector may act by
 * itself, too: what it pays then comes back to it.
 */
export function checkFee(
  intent: Intent,
  transaction: Transaction,
): { call: { name: string; args: Record<string, string> }; text: string } | { violation: Violation } {
  const [fee, payment] = [feeOf(intent), feePayment(intent)]
  if (!fee || !payment) return refuse('POLICY_SERVICE_FEE', 'It is a fee that was not stated')
  const fault = statementFault(intent, fee)
  if (fault) return fault
  const { token } = payment
  const isCoin = sameAddress(token.address, nativeAddress)
  if (!isCoin && !sameAddress(transaction.to, token.address))
    return refuse(
      'POLICY_SERVICE_FEE',
      `The fee is a call of ${transaction.to}, and it is paid in ${token.symbol}`,
    )
  const verdict = bindTransfer(transaction, payment)
  if ('violation' in verdict) return verdict
  const { name, args, value } = verdict.bound
  if (transaction.value !== value)
    return refuse('POLICY_VALUE', `The fee carries ${transaction.value} wei, not ${value}`)
  return {
    call: { name, args },
    text: sameAddress(fee.to, intent.wallet)
      ? `Pay a fee of ${formatAmount(fee.amount, token)} to the wallet itself, which collects the fees: it keeps it`
      : `Pay the service a fee of ${formatAmount(fee.amount, token)} to ${fee.to}`,
  }
}
