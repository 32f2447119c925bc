import { AppError, adviceOf } from './errors.ts'
import { type Advice, advice, bothAdvices, sluice } from './text/next-step.ts'
import { momentText } from './text/time-spans.ts'

/** The name of an order in messages: `id` is the provider, a colon, and the provider's own id. */
export const orderText = (id: string): string => {
  const at = id.indexOf(':')
  return `The order ${id.slice(at + 1)} of ${id.slice(0, at)}`
}

const inVain = 'A second payment for it would bring nothing'

/** The error for an order that belongs to another action. */
export const orderUsedError = (id: string, owner: string): AppError =>
  new AppError('ORDER_USED', `${orderText(id)} was already used by action ${owner}. ${inVain}`, {
    details: { order: id, usedBy: owner },
    next: bothAdvices(adviceOf('ORDER_USED'), advice`To see the first: ${sluice('action show', owner)}`),
  })

/** The error for an order that the chains, or another quote of the same service, show as used; `how` is the end of a sentence. */
export const usedElsewhereError = (id: string, how: string): AppError =>
  new AppError('ORDER_USED', `${orderText(id)} was already used: ${how}. ${inVain}`, {
    details: { order: id },
  })

/**
 * The error for a quote that expired at a time (epoch ms), by the clock of a network if one is named. `isUnsigned` says that nothing
 * was signed for it; `hint` replaces the usual one.
 */
export const quoteExpiredError = (
  at: number,
  { clock, isUnsigned = false, next }: { clock?: string; isUnsigned?: boolean; next?: Advice } = {},
): AppError =>
  new AppError(
    'QUOTE_EXPIRED',
    `The quote expired at ${momentText(at)}${clock === undefined ? '' : ` by the clock of ${clock}`}`,
    {
      details: { expiredAt: new Date(at).toISOString() },
      ...(isUnsigned && { nothing: 'signed' }),
      ...(next !== undefined && { next }),
    },
  )
