import type { Exit } from '../../domain/errors.ts'
import { exits } from '../../domain/exit-codes.ts'

const always: readonly Exit[] = [0, 1, 2, 12, 130]
const service: readonly Exit[] = [...always, 3, 4, 5, 6, 7, 10, 13, 26]

/**
 * The dependencies of commands and the exit codes of each: `asked` confirms, `follows` reports a final
 * state, `ends` ends as its action does.
 */
const ends = {
  settings: [...always, 7, 9, 13],
  sandbox: [...always, 7, 9],
  service,
  asked: [...service, 9],
  guard: [...service, 8],
  follows: [...service, 20, 22, 25],
  ends: [...service, 9, 20, 21, 22, 23, 24, 25],
  signer: Object.keys(exits).map((code) => Number(code) as Exit),
} satisfies Record<string, readonly Exit[]>

/** The dependency of a command that decides its exit codes. */
export type Standing = keyof typeof ends

/** The exit codes of a command, in order, with their meanings. */
export const endsOf = (standing: Standing): { code: Exit; meaning: string }[] =>
  [...ends[standing]].sort((a, b) => a - b).map((code) => ({ code, meaning: exits[code] }))
