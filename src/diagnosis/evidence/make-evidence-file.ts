import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import { sendAnswerText } from '../../store/journal/send-answer.ts'
import { decodeStepCalls, type StepCall } from './decode-step-calls.ts'

/** The data of one operation for a support case: no secrets, and nothing that can be sent. */
export type Evidence = {
  format: 'sluice-evidence@1'
  made: string
  operation: Record<string, unknown>
  attempts: readonly Record<string, unknown>[]
  events: readonly Record<string, unknown>[]
  trail: { whole: boolean; brokenAt: number | null }
  report: unknown
  /** The call of each step, decoded from its bytes. */
  calls: readonly StepCall[]
  /** The verdict of `action explain` at that time; `null` if no chain could be read. */
  verdict: unknown
  sha256: string
}

/** The SHA-256 of the evidence in canonical JSON, as hex. */
export const evidenceHash = ({ sha256: _, ...rest }: Evidence): string =>
  createHash('sha256').update(canonicalJson(rest)).digest('hex')

/**
 * Makes the evidence of an operation from the journal. Signed bytes could be sent and are left out: an attempt is identified by its
 * hash.
 */
export function makeEvidence(
  { journal, catalog, now }: Pick<ExecutionContext, 'journal' | 'catalog' | 'now'>,
  operation: Operation,
  { report, verdict }: Pick<Evidence, 'report' | 'verdict'>,
): Evidence {
  const { id, steps } = operation
  const attempts = steps.flatMap(({ index, attempts: signed }) =>
    signed.map(({ raw: _, transaction, lastAnswer, ...attempt }) => ({
      step: index,
      ...attempt,
      lastAnswer: lastAnswer && sendAnswerText(lastAnswer),
      transaction,
    })),
  )
  const brokenAt = journal.firstBrokenEvent() ?? null
  const evidence: Evidence = {
    format: 'sluice-evidence@1',
    made: new Date(now()).toISOString(),
    operation: { ...operation, steps: steps.map(({ attempts: _, endedBefore: __, ...step }) => step) },
    attempts,
    events: journal.events(id),
    trail: { whole: brokenAt === null, brokenAt },
    report,
    calls: decodeStepCalls(operation, catalog),
    verdict,
    sha256: '',
  }
  // Through JSON once, so that the hash covers what a reader parses.
  const plain = JSON.parse(canonicalJson(evidence)) as Evidence
  return { ...plain, sha256: evidenceHash(plain) }
}
