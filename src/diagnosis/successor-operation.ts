import { canonicalJson } from '../domain/text/canonical-json.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'
import type { Operation } from '../store/journal/operation-types.ts'

/** The operation that replaced an unsigned one under the same key and request; it speaks for both. */
export function successorOf(
  { journal }: Pick<ExecutionContext, 'journal'>,
  { id, state, idemKey, request }: Operation,
): Operation | undefined {
  const holder = state === 'DROPPED' ? journal.findByIdempotencyKey(idemKey) : undefined
  return holder && holder.id !== id && canonicalJson(holder.request) === canonicalJson(request)
    ? holder
    : undefined
}
