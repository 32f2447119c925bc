import type { AppError } from '../domain/errors.ts'
import { shellOperand } from '../domain/shell.ts'
import type { Io } from './terminal/io.ts'

/**
 * What to do next, as it is to be typed: with the id that a table of errors cannot know, and without an answer that is nobody's yet. Who sits
 * at a terminal is asked there, and says yes himself.
 */
export function nextStep(
  { hint, details }: AppError,
  argv: readonly string[],
  { canAsk }: Pick<Io, 'canAsk'>,
): string | undefined {
  const id = details?.operation ?? details?.id
  const full = typeof id === 'string' && id !== '' ? hint?.replace(/\bID$/, shellOperand(id)) : hint
  return !canAsk || ['--yes', '-y', '--no-input'].some((flag) => argv.includes(flag))
    ? full
    : full?.replaceAll(/(sluice action (?:revoke|replan|cancel|abandon) [\w.:-]+) --yes\b/g, '$1')
}
