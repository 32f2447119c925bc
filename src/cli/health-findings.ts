import { AppError, type ErrorCode } from '../domain/errors.ts'
import type { Advice } from '../domain/text/next-step.ts'
import type { Line } from './output/view-types.ts'

/** The result of one check: state, description, and what to do if it failed. `details` is for programs. */
export type Finding = {
  check: 'profile' | 'settings' | 'policy' | 'journal' | 'signer' | 'service' | 'clock' | 'rpc' | 'database'
  /** The network or profile that it is about. */
  subject: string | null
  state: 'ok' | 'warning' | 'failed'
  says: string
  code: ErrorCode | null
  /** What to do; a document has it as `hint`. */
  next: Advice | null
  details: Record<string, unknown>
}

/** Something that works. */
export const fine = (
  check: Finding['check'],
  subject: string | null,
  says: string,
  details: Finding['details'] = {},
): Finding => ({ check, subject, state: 'ok', says, code: null, next: null, details })

/** The check passed with something to know. */
export const doubtful = (
  check: Finding['check'],
  subject: string | null,
  says: string,
  next: Advice,
  details: Finding['details'] = {},
): Finding => ({ ...fine(check, subject, says, details), state: 'warning', next })

/** Runs a check: an AppError becomes a finding, any other error is thrown. */
export async function found(
  check: Finding['check'],
  subject: string | null,
  work: () => Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  try {
    return [await work()].flat()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, next, details = {} } = error
    return [{ check, subject, state: 'failed', says: message, code, next: next ?? null, details }]
  }
}

/** A finding as a document prints it. */
export type FindingJson = Omit<Finding, 'next'> & { hint: string | null }

/** Makes the documents of findings. */
export const findingsJson = (checks: readonly Finding[], line: Line): FindingJson[] =>
  checks.map(({ check, subject, state, says, code, next, details }) => ({
    check,
    subject,
    state,
    says,
    code,
    hint: next === null ? null : line(next),
    details,
  }))
