import type { z } from 'zod'
import type { routes } from './routes.ts'

type Routes = typeof routes

/**
 * Keeps the answer of a request with an idempotency key in the transaction of its change: `tx` is the transaction of the store, `answer` the output of the method. It
 * throws, and so undoes the change, if another try of the request has taken over.
 */
export type KeepAnswer = (tx: object, answer: object) => Promise<void>

/**
 * The options of one call. A draft is a quote to compare or the transactions of a dry run: it is not listed. A method whose change is one transaction
 * calls `keepAnswer` in it.
 */
export type CallOptions = { signal?: AbortSignal; isDraft?: boolean; keepAnswer?: KeepAnswer }

/** The request header of a draft over HTTP; any value. */
export const draftHeader = 'x-sluice-draft'

/** A service whose quotes and transactions are drafts. */
export const asDrafts = (service: Service): Service => ({
  ...service,
  quote: (input, options) => service.quote(input, { ...options, isDraft: true }),
  swapBytecode: (input, options) => service.swapBytecode(input, { ...options, isDraft: true }),
  strategyBytecode: (input, options) => service.strategyBytecode(input, { ...options, isDraft: true }),
  transferBytecode: (input, options) => service.transferBytecode(input, { ...options, isDraft: true }),
})

/** All operations of the product. Two implementations: the engine in this process, and the client over HTTP. */
export type Service = {
  [name in keyof Routes]: (
    input: z.output<Routes[name]['input']>,
    options?: CallOptions,
  ) => Promise<z.output<Routes[name]['output']>>
}
