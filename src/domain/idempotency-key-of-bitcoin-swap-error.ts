import { AppError } from './errors.ts'
import { shellOperand } from './text/shell-quoting.ts'

/** The hint for an idempotency key that belongs to a swap from Bitcoin. */
export const otherKeyHint = (key: string): string =>
  `Use another key. To see the swap: sluice swap status ${shellOperand(key)}`

/** IDEMPOTENCY_KEY_REUSED for a key that belongs to a swap from Bitcoin. */
export const bitcoinKeyError = (key: string): AppError =>
  new AppError('IDEMPOTENCY_KEY_REUSED', `The idempotency key ${key} was used for a swap from Bitcoin`, {
    hint: otherKeyHint(key),
  })
