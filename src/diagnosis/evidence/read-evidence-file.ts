import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { changedCall, inconsistencyOf } from './evidence-consistency.ts'
import { EvidenceSchema } from './evidence-file-schema.ts'
import { type Evidence, evidenceHash } from './make-evidence-file.ts'

const inPage = /<script type="application\/json" id="evidence">([\s\S]*?)<\/script>/

/** The document in a text, or in its HTML page; USAGE if there is none. */
export function parsedEvidence(text: string): unknown {
  try {
    // This also removes a byte order mark.
    return JSON.parse((inPage.exec(text)?.[1] ?? text).trim())
  } catch (cause) {
    throw none('it is not JSON', cause)
  }
}

/** Whether a text is the HTML page of evidence instead of its JSON. */
export const isEvidencePage = (text: string): boolean => inPage.test(text)

/**
 * Reads evidence from JSON or its page. USAGE if it is neither; EVIDENCE_CHANGED if its hash or its parts do not match: the states
 * of the operation and its steps, unique transactions and nonces, what each attempt signed, and the whole report, which is made
 * again. Calls, contracts and step texts are checked by `refuseChangedCall`; mined transactions and payouts by `checkEvidence`. Covered by
 * the hash alone: plan and request, accepted minimums that no call contains, the recorded result, the hashes of refunds, what happened on
 * Bitcoin, hashes of attempts in no block, send counts, gas of attempts in no block, events, trail and verdict.
 * Consistent omissions cannot be detected.
 */
export function readEvidence(text: string): Evidence {
  const found = parsedEvidence(text)
  const evidence = found as Evidence
  if (typeof found !== 'object' || found === null || evidence.format !== 'sluice-evidence@1')
    throw none('it is not an export of sluice')
  if (!hasItsHash(evidence)) throw changed('its hash does not match')
  const shape = EvidenceSchema.safeParse(found)
  if (!shape.success) throw changed(`${shape.error.issues[0]!.path.join('.')} is invalid`)
  const misfit = inconsistencyOf(shape.data)
  if (misfit !== undefined) throw changed(misfit)
  return evidence
}

function hasItsHash(evidence: Evidence): boolean {
  try {
    return evidenceHash(evidence) === evidence.sha256
  } catch (error) {
    // Too deeply nested to walk: not written by this program.
    if (error instanceof RangeError) return false
    throw error
  }
}

const none = (why: string, cause?: unknown): AppError =>
  new AppError('USAGE', `This is not evidence: ${why}`, {
    cause,
    next: sluice('action export', 'ID', { '--out': 'FILE' }),
  })

const changed = (why: string): AppError =>
  new AppError('EVIDENCE_CHANGED', `The evidence was changed after it was made: ${why}`)

/**
 * Refuses evidence whose step texts, calls or contracts differ from this program's decoding: EVIDENCE_CHANGED. Another version or
 * catalogue may have had other texts; unknown calls are covered by the hash alone.
 */
export function refuseChangedCall(evidence: Evidence, catalog: Catalog): void {
  const why = changedCall(evidence, catalog)
  if (why === undefined) return
  throw new AppError(
    'EVIDENCE_CHANGED',
    `The evidence was changed after it was made, or another version made it: ${why}`,
    { next: advice`Ask its author for a new export: ${sluice('action export', 'ID', { '--out': 'FILE' })}` },
  )
}
