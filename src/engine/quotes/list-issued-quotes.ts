import { z } from 'zod'
import type { Page } from '../../api/page.ts'
import { Quote } from '../../api/quote.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { ListedQuote } from '../../store/engine/quote-queries.ts'
import type { EngineContext } from '../engine.ts'
import { originNetworks } from './stored-quote.ts'
import { listedStatus } from './swap-status.ts'

/**
 * Lists the issued quotes, newest first, without `rawQuote`, with the deadline as text and the status of the swap. An unreadable quote loses
 * its row but counts in the total, so that pages do not shift.
 */
export async function listQuotes(
  context: EngineContext,
  input: {
    originChain?: string | undefined
    destinationChain?: string | undefined
    provider?: string | undefined
    id?: string | undefined
    page?: number | undefined
    limit?: number | undefined
  },
): Promise<Page<Quote>> {
  const { page = 1, limit = 10 } = input
  const by = {
    originChain: networkFilter(context, input, 'originChain'),
    destinationChain: networkFilter(context, input, 'destinationChain'),
    provider: providerFilter(context, input.provider),
    id: input.id ?? null,
    networks: originNetworks(context.catalog).map(({ name }) => name),
  }
  const { rows, total } = await context.store.quotes(context.customer, by, limit, (page - 1) * limit)
  const found = await Promise.all(
    rows.map(async (row) => {
      try {
        return [quoteOutput(row, await listedStatus(context, row))]
      } catch (fault) {
        context.onUnreadableQuote?.(row.id, fault)
        return []
      }
    }),
  )
  const items = found.flat()
  return { items, page, limit, total, hasMore: page * limit < total }
}

function quoteOutput(row: ListedQuote, status: string): Quote {
  const { rawQuote: _, ...wire } = JSON.parse(row.wire) as z.input<typeof Quote>
  return z.decode(Quote, { ...wire, deadline: wire.deadlineDate, status })
}

/** The network name of a filter, by name or chain id, in any casing; `null` without a filter. An unknown network is VALIDATION_ERROR. */
function networkFilter<name extends 'originChain' | 'destinationChain'>(
  { catalog }: EngineContext,
  input: { [key in name]?: string | undefined },
  name: name,
): string | null {
  const filter = input[name]
  if (filter === undefined) return null
  try {
    return networkNamed(originNetworks(catalog), filter).name
  } catch (cause) {
    throw invalidFilter(name, `there is no network "${filter}"`, cause)
  }
}

/** The provider name of a filter, in any casing; `null` without a filter. An unknown provider is VALIDATION_ERROR. */
function providerFilter(
  { providers: swaps, deposits }: EngineContext,
  filter: string | undefined,
): string | null {
  if (filter === undefined) return null
  const providers = [...swaps, ...(deposits?.providers ?? [])]
  const found = providers.find(({ name }) => name === filter.toLowerCase())
  if (found) return found.name
  const known = providers.map(({ name }) => name).join(', ')
  throw invalidFilter('provider', `there is no provider "${filter}". Known: ${known}`)
}

const invalidFilter = (path: string, message: string, cause?: unknown): AppError =>
  new AppError('VALIDATION_ERROR', `${path}: ${message}`, { details: { errors: [{ path, message }] }, cause })
