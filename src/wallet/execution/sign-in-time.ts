import { AppError } from '../../domain/errors.ts'
import type { TransactionSigner } from '../keys/who.ts'
import { type Run, stopped } from './run.ts'

/** The longest that a timer can be set to. */
const longestMs = 2 ** 31 - 1

/**
 * A signer that nobody waits for when the person interrupts or the time of the run is over: it may ask a person on a device, and an
 * answer that comes later is thrown away. What it signed is then written nowhere and never sent.
 */
export const signerInTime = (
  signer: TransactionSigner,
  { clock, until, signal, signing }: Pick<Run, 'clock' | 'until' | 'signal' | 'signing'>,
): TransactionSigner => ({
  ...signer,
  signTransaction: async (transaction) => {
    const left = until - clock.now()
    if (signal?.aborted || left <= 0) throw stopped
    const done = new AbortController()
    const over = clock.sleep(Math.min(left, longestMs), done.signal).then(() => {
      throw new AppError('KEY_SOURCE', 'The time was over before the signer had signed', {
        hint: 'Reject what it may still show, and give it more time: --timeout 10m',
      })
    })
    const interrupted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(stopped), { once: true, signal: done.signal })
    })
    signing.isAsked = true
    try {
      return await Promise.race([(async () => signer.signTransaction(transaction))(), over, interrupted])
    } finally {
      done.abort()
    }
  },
})
