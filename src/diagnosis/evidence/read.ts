import { AppError } from '../../domain/errors.ts'
import type { Catalog } from '../../protocols/catalog.ts'
import { changedCall, inconsistencyOf } from './consistency.ts'
import { type Evidence, evidenceHash } from './evidence.ts'
import { EvidenceSchema } from './schema.ts'

const inPage = /<script type="application\/json" id="evidence">([\s\S]*?)<\/script>/

/** Whether a text is the page of an evidence, which shows it to people, and not the evidence alone. */
export const isEvidencePage = (text: string): boolean => inPage.test(text)

/**
 * Reads evidence from a file, or out of the page that was made of it. What is none is USAGE; what was changed since it was made, by its hash or
 * because its parts do not fit each other, is EVIDENCE_CHANGED: the states of the action and its steps, that no transaction and no nonce is of two of them,
 * what each attempt signed, and the whole report, which is made anew of them. Calls, contracts and words of steps are for `refuseOtherCall`, and what is in
 * blocks is for `checkEvidence`. What was asked for (plan and request), the least that was accepted of what did not say what it pays, what came out by the
 * journal, what brought something over a bridge (the hash of an arrival, which is the `destinationTxHash` of the report), the hash of an attempt that is in
 * no block, such as that of a step which lost its nonce, how often attempts were sent, what those had for gas that are in no block, events, trail and
 * verdict stand on nothing but the hash, and nobody finds out what was left out of all of it alike.
 */
export function readEvidence(text: string): Evidence {
  let found: unknown
  try {
    // Which takes a byte order mark away, too.
    found = JSON.parse((inPage.exec(text)?.[1] ?? text).trim())
  } catch (cause) {
    throw none('it is not JSON', cause)
  }
  const evidence = found as Evidence
  if (typeof found !== 'object' || found === null || evidence.format !== 'sluice-evidence@1')
    throw none('it is not of this program')
  if (!hasItsHash(evidence)) throw changed('its hash does not fit')
  const shape = EvidenceSchema.safeParse(found)
  if (!shape.success) throw changed(`${shape.error.issues[0]!.path.join('.')} is not what it should be`)
  const misfit = inconsistencyOf(shape.data)
  if (misfit !== undefined) throw changed(misfit)
  return evidence
}

function hasItsHash(evidence: Evidence): boolean {
  try {
    return evidenceHash(evidence) === evidence.sha256
  } catch (error) {
    // Nested so deep that nobody can walk through it: nothing that this program wrote.
    if (error instanceof RangeError) return false
    throw error
  }
}

const none = (why: string, cause?: unknown): AppError =>
  new AppError('USAGE', `This is no evidence: ${why}`, { cause, hint: 'sluice action export ID --out FILE' })

const changed = (why: string): AppError =>
  new AppError('EVIDENCE_CHANGED', `The evidence was changed after it was made: ${why}`)

/**
 * Refuses evidence whose steps have other words, calls or contracts than this program has for their bytes: EVIDENCE_CHANGED. Another version of it, or
 * another catalogue, may have had others; the words of what it does not know stand on the hash alone.
 */
export function refuseChangedCall(evidence: Evidence, catalog: Catalog): void {
  const why = changedCall(evidence, catalog)
  if (why === undefined) return
  throw new AppError(
    'EVIDENCE_CHANGED',
    `The evidence was changed after it was made, or another version made it: ${why}`,
    { hint: 'Ask for it again, from whoever made it: sluice action export ID --out FILE' },
  )
}
