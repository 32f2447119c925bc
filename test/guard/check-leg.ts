import { AppError } from '../../src/domain/errors.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { noExemptions } from '../../src/guard/user-limits-and-exemptions.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import { catalog } from '../support/plans/plan-fixtures.ts'

const chainId = 31337

/** Checks the transactions of a leg on the first chain, with `maxServiceFeeBps` as the maximum service fee. */
export const check = (intent: Intent, transactions: readonly Transaction[], maxServiceFeeBps?: number) =>
  checkLeg({
    intent,
    chainId,
    transactions,
    catalog,
    vouched: { ...noExemptions, ...(maxServiceFeeBps !== undefined && { maxServiceFeeBps }) },
  })
/** The `AppError` that the work throws; `undefined` if it throws none. */
export const refusal = (work: () => unknown): AppError | undefined => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  return undefined
}
