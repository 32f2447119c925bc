import type { Catalog } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import { type Evidence, hashOf } from './evidence.ts'
import { misfitOf, otherCall } from './evidence-fits.ts'
import { Shape } from './evidence-shape.ts'

const inPage = /<script type="application\/json" id="evidence">([\s\S]*?)<\/script>/

/** Whether a text is the page of an evidence, which shows it to people, and not the evidence alone. */
export const isPage = (text: string): boolean => inPage.test(text)

/**
 * Reads evidence from a file, or out of the page that was made of it. What is none is USAGE; what was changed since it was made, by its hash or
 * because its parts do not fit each other, is EVIDENCE_CHANGED: the states of the action and its steps, and the whole report, which is made anew of them.
 * What was asked for in words (plan and request), what came out by the journal, events, trail and verdict stand on nothing but the hash, and nobody finds
 * out what was left out of all of it alike.
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
  const shape = Shape.safeParse(found)
  if (!shape.success) throw none(`${shape.error.issues[0]!.path.join('.')} is not what it should be`)
  const misfit = misfitOf(shape.data)
  if (misfit !== undefined) throw changed(misfit)
  return evidence
}

function hasItsHash(evidence: Evidence): boolean {
  try {
    return hashOf(evidence) === evidence.sha256
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

/** Refuses evidence that says of a step that it calls something else than its bytes do, as far as this catalogue knows such calls: EVIDENCE_CHANGED. */
export function refuseOtherCall(evidence: Evidence, catalog: Catalog): void {
  const index = otherCall(evidence, catalog)
  if (index !== undefined) throw changed(`step ${index + 1} does not call what it says`)
}
