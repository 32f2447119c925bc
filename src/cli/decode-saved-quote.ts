import { Quote } from '../api/quote.ts'
import { AppError } from '../domain/errors.ts'

/** Decodes a quote that this machine saved as it was received; QUOTE_EXPIRED for a form that this version does not read. */
export function decodeSavedQuote(raw: unknown): Quote {
  const read = Quote.safeDecode(raw as never)
  if (read.success) return read.data
  throw new AppError('QUOTE_EXPIRED', 'The quote was saved by another version of this program', {
    cause: read.error,
  })
}
