import { AppError } from './errors.ts'
import { type Advice, advice, sluice } from './text/next-step.ts'

/** The hint for an idempotency key that belongs to a swap from Bitcoin. */
export const otherKeyHint = (key: string): Advice =>
  advice`Use another key. To see the swap: ${sluice('swap status', key)}`

/** IDEMPOTENCY_KEY_REUSED for a key that belongs to a swap from Bitcoin. */
export const bitcoinKeyError = (key: string): AppError =>
  new AppError('IDEMPOTENCY_KEY_REUSED', `The idempotency key ${key} was used for a swap from Bitcoin`, {
    next: otherKeyHint(key),
  })
