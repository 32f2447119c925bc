import type { CommandLine } from '../domain/command-line/read-command-line.ts'
import { AppError } from '../domain/errors.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { Exemptions } from '../guard/user-limits-and-exemptions.ts'
import { untypedExemption } from './typed-addresses.ts'

/** The recorded plan or operation that a command line names: the transactions that may be signed, and the exempted contracts. */
export type RecordedPlan = {
  transactions: readonly Transaction[]
  vouched: readonly string[]
}

/** Whether two transactions are equal, ignoring the case of hex. */
export const isSameTransaction = (a: Transaction, b: Transaction): boolean =>
  a.to.toLowerCase() === b.to.toLowerCase() &&
  a.data.toLowerCase() === b.data.toLowerCase() &&
  a.value === b.value &&
  a.chainId === b.chainId

/** Refuses transactions that are not in the recorded plan. */
export function refusePlanMismatch(
  line: CommandLine,
  written: RecordedPlan | undefined,
  transactions: readonly Transaction[],
  { allow, allowTokens }: Exemptions,
): void {
  const unknown = transactions.find(
    (one) => !written?.transactions.some((known) => isSameTransaction(known, one)),
  )
  const isVouched = (address: string) =>
    written?.vouched.some((known) => known.toLowerCase() === address.toLowerCase()) === true
  const stranger = untypedExemption(line, {
    allow: allow.filter((address) => !isVouched(address)),
    allowTokens: allowTokens.filter((address) => !isVouched(address)),
  })
  if (!unknown && !stranger) return
  throw new AppError(
    'POLICY_TAMPER',
    unknown
      ? `The transaction calls ${unknown.to}, which is not in the recorded plan. It was not signed.`
      : `The transaction trusts ${stranger}, which is not in the recorded plan. It was not signed.`,
  )
}
