import { join } from 'node:path'
import type { AskedQuote, ReceivedQuotes } from '../../cli/asked-quote-types.ts'
import { decodeSavedQuote } from '../../cli/decode-saved-quote.ts'
import { AppError } from '../../domain/errors.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { mostCandidates } from '../../planning/named-operation.ts'
import { openDocumentStore } from '../../store/document-store.ts'
import type { Directories } from '../profiles/directories.ts'
import type { RegisterResource } from './backend-input-types.ts'

type SavedQuote = Omit<AskedQuote, 'quote'> & { raw: never; seen: { about: string; profile?: string } }

/**
 * Opens the quotes received on this machine, by id. An id keeps its first meaning: a different quote with the same id
 * is POLICY_QUOTE_DRIFT.
 */
export async function openReceivedQuotes(
  dirs: Directories,
  now: () => number,
  keep: RegisterResource,
): Promise<ReceivedQuotes> {
  const memory = keep(openDocumentStore(join(dirs.data, 'quotes.db'), now))
  return {
    save: async ({ quote: { id, raw, deadline }, ...asked }, seen) => {
      const until = deadline === null ? null : Date.parse(deadline)
      const given = { raw, ...asked, seen: { ...seen, until } }
      const kept = memory.save(id, given) as SavedQuote
      if (quoteTerms(kept) !== quoteTerms(given as never)) throw rebound(id, kept.seen.about)
    },
    find: async (id) => {
      const kept = memory.find(id) as SavedQuote | undefined
      return (
        kept && {
          quote: decodeSavedQuote(kept.raw),
          exact: kept.exact,
          slippage: kept.slippage ?? null,
          destination: kept.destination,
          speed: kept.speed ?? null,
          isNamed: kept.isNamed ?? false,
        }
      )
    },
    idsBeginning: async (start) => memory.idsBeginning(start, mostCandidates + 1),
    ofProfile: async (profile) =>
      (memory.all() as SavedQuote[])
        .filter(({ seen }) => seen.profile === profile)
        .map(({ raw }) => decodeSavedQuote(raw)),
  }
}

/** The normalized terms of a saved quote, without its status. */
function quoteTerms({ raw, exact, slippage, destination }: SavedQuote): string {
  const { raw: _, status: __, ...quote } = decodeSavedQuote(raw)
  return canonicalJson({ quote, exact, slippage: slippage ?? null, destination })
}

const rebound = (id: string, about: string): AppError =>
  new AppError(
    'POLICY_QUOTE_DRIFT',
    `The service reused the quote ID ${sanitizeText(id)} of an earlier quote: ${sanitizeText(about)}. The new quote is discarded`,
    { nothing: 'signed', next: advice`Get a new quote: ${sluice('swap quote', { '--help': true })}` },
  )
