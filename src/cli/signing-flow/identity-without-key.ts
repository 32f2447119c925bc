import { AppError } from '../../domain/errors.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import type { JournalOperation } from '../../planning/execution-context-types.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { isFinished } from '../../transactions/steps/operation-state.ts'

/**
 * The wallet of an operation that has nothing left to sign, where no signer is given (KEY_REQUIRED): it is followed, or its result is
 * repeated. Any signature, such as a raised fee, throws the error. Throws it at once for another operation or error.
 */
export function identityWithoutKey(operation: JournalOperation | undefined, error: unknown): SignerIdentity {
  const isMissing =
    error instanceof AppError && error.code === 'KEY_REQUIRED' && error.details?.named === false
  if (!isMissing || !operation || !(isFinished(operation) || !operation.steps.some(isUnsigned))) throw error
  const address = operation.wallet
  const signTransaction = async () => {
    throw error
  }
  return { address, label: address, source: 'address', unlock: async () => ({ address, signTransaction }) }
}
