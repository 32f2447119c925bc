import { printed } from '../../calls/decode.ts'
import { decodeApprove } from '../../calls/erc20.ts'
import type { Catalog } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import { withoutFee } from '../../domain/service-fee.ts'
import type { Operation, Step } from '../../store/operation.ts'
import { contractName } from '../guard/contract-names.ts'
import { checkFee } from '../guard/guard-fee.ts'
import { expectation, tokensOf } from '../guard/registry.ts'
import { decodeIntent, type KeptPlan } from '../plan/intent-json.ts'

/** What a step of the journal calls, decoded anew from its bytes: `call` is `null` where this program does not know such a call of this contract. */
export type StepCall = {
  index: number
  contract: string | null
  call: { name: string; args: Record<string, string> } | null
}

/** Every step of an operation by its own calldata, not by what was said of it. */
export const callsOf = (operation: Operation, catalog: Catalog): StepCall[] =>
  operation.steps.map((step) => ({
    index: step.index,
    contract: contractName(catalog, step.transaction.chainId, step.transaction.to),
    call: callOf(step, operation, catalog),
  }))

function callOf(step: Step, operation: Operation, catalog: Catalog): StepCall['call'] {
  const { transaction, role, leg } = step
  if (role.startsWith('approve')) {
    const approval = decodeApprove(transaction.data)
    return approval ? { name: 'approve', args: printed(approval) } : null
  }
  const kept = (operation.plan as KeptPlan).intents[leg]
  if (!kept) return null
  try {
    const intent = decodeIntent(kept, catalog)
    if (role === 'fee') {
      const fee = checkFee(intent, transaction)
      return 'violation' in fee ? null : fee.call
    }
    // Whatever the person vouched for then is taken here: this says what a call is, and allows nothing.
    const allowTokens = tokensOf(intent).map(({ address }) => address)
    const vouched = { allow: [transaction.to], allowTokens, exactAllowance: 'refuse' } as const
    const known = expectation(withoutFee(intent), transaction.chainId, catalog, transaction, vouched)
    const bound = 'violation' in known ? known : known.bind(transaction)
    return 'violation' in bound ? null : { name: bound.bound.name, args: bound.bound.args }
  } catch (error) {
    // An older catalogue may have known what this one does not: the bytes are in the evidence in any case.
    if (error instanceof AppError) return null
    throw error
  }
}
