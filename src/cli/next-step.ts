import { errorTable } from '../domain/error-table.ts'
import { type AppError, errorRow } from '../domain/errors.ts'
import { shellOperand } from '../domain/shell.ts'
import { asTyped } from './as-typed.ts'
import type { Io } from './terminal/io.ts'

/**
 * What to do next, as it is to be typed: with the id that a table of errors cannot know, and without an answer that is nobody's yet. Who sits
 * at a terminal is asked there, and says yes himself.
 */
export function nextStep(
  { code, hint, details }: AppError,
  argv: readonly string[],
  { canAsk }: Pick<Io, 'canAsk'>,
): string | undefined {
  const id = details?.operation ?? details?.id
  const full = typeof id === 'string' && id !== '' ? hint?.replace(/\bID$/, shellOperand(id)) : hint
  const asked =
    !canAsk || ['--yes', '-y', '--no-input'].some((flag) => argv.includes(flag))
      ? full
      : full?.replaceAll(/(sluice action (?:revoke|replan|cancel|abandon) [\w.:-]+) --yes\b/g, '$1')
  // Whoever is to name another signer, or another profile, is not led to the same.
  const isSigner = [code, details?.cause].every((one) => !isOfSigner(one))
  const isProfile = details?.profile === undefined
  return asked === undefined ? undefined : asTyped(asked, argv, { isSigner, isProfile })
}

/** Whether a failure is about who signs. */
const isOfSigner = (code: unknown): boolean =>
  typeof code === 'string' &&
  Object.hasOwn(errorTable, code) &&
  errorRow(code as AppError['code']).exit === 13
