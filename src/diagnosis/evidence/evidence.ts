import { createHash } from 'node:crypto'
import { canonical } from '../../domain/canonical-json.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import type { Operation } from '../../store/journal/operation.ts'
import { decodedCalls, type StepCall } from './step-calls.ts'

/** What a support case needs to know of one operation: no secrets, and nothing that could be sent. */
export type Evidence = {
  format: 'sluice-evidence@1'
  made: string
  operation: Record<string, unknown>
  attempts: readonly Record<string, unknown>[]
  events: readonly Record<string, unknown>[]
  trail: { whole: boolean; brokenAt: number | null }
  report: unknown
  /** What each step calls, decoded anew from its bytes. */
  calls: readonly StepCall[]
  /** What `action explain` said when it was made; `null` where nobody could be asked. */
  verdict: unknown
  sha256: string
}

/** The SHA-256 of an evidence in its canonical form, as hex. */
export const evidenceHash = ({ sha256: _, ...rest }: Evidence): string =>
  createHash('sha256').update(canonical(rest)).digest('hex')

/**
 * The evidence of an operation, from the journal. Signed bytes are as good as the payment and stay at home: an attempt
 * is known by its hash.
 */
export function makeEvidence(
  { journal, catalog, now }: Pick<ExecutionContext, 'journal' | 'catalog' | 'now'>,
  operation: Operation,
  { report, verdict }: Pick<Evidence, 'report' | 'verdict'>,
): Evidence {
  const {
    id,
    idemKey,
    requestHash,
    request,
    plan,
    kind,
    wallet,
    state,
    exit,
    result,
    created,
    updated,
    legs,
    steps,
  } = operation
  const attempts = steps.flatMap(({ index }) =>
    journal
      .attempts(id, index)
      .map(({ raw: _, transaction, ...attempt }) => ({ step: index, ...attempt, transaction })),
  )
  const brokenAt = journal.firstBrokenEvent() ?? null
  const evidence: Evidence = {
    format: 'sluice-evidence@1',
    made: new Date(now()).toISOString(),
    operation: {
      id,
      idemKey,
      requestHash,
      request,
      plan,
      kind,
      wallet,
      state,
      exit,
      result,
      created,
      updated,
      legs,
      steps,
    },
    attempts,
    events: journal.events(id),
    trail: { whole: brokenAt === null, brokenAt },
    report,
    calls: decodedCalls(operation, catalog),
    verdict,
    sha256: '',
  }
  // Through JSON once, so that what is hashed is what is read again.
  const plain = JSON.parse(canonical(evidence)) as Evidence
  return { ...plain, sha256: evidenceHash(plain) }
}
