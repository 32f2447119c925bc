import { expect } from 'vitest'

/** The error of a command: the last document of its output, or its text. */
type Told = {
  message: string
  hint: string
  details: Record<string, unknown>
  next?: readonly { why: string | null }[]
}

function toldIn(out: string, err: string): Told | undefined {
  const words = /(?:^|\n)error (.*) \([A-Z_]+\)\nnext\s+([\s\S]*)\n$/.exec(err)
  if (words) return { message: words[1]!, hint: words[2]!.replace(/\n\s+/g, ' '), details: {} }
  const last = out.trimEnd().split('\n').at(-1) ?? ''
  if (!last.startsWith('{"error":')) return undefined
  const { message, hint, details, next = [] } = (JSON.parse(last) as { error: Told }).error
  return { message, hint: hint ?? '', details, next }
}

/** The placeholder that a hint contains although its value is known; `undefined` if there is none. */
export function leftOpen(argv: readonly string[], { message, hint, details }: Told): string | undefined {
  const [command, verb, operand] = argv
  const isNamed =
    (command === 'action' && verb !== 'submit' && verb !== 'verify') ||
    (command === 'swap' && verb === 'status')
  const isKnown =
    typeof details.id === 'string' ||
    typeof details.operation === 'string' ||
    (isNamed && operand !== undefined && !operand.startsWith('-'))
  if (/\b(QUOTE_)?ID\b/.test(hint) && isKnown) return `an id, in: ${hint}`
  if (/\bADDR\b/.test(hint) && /0x[0-9a-fA-F]{40}\b/.test(message)) return `an address, in: ${hint}`
  return undefined
}

/**
 * The part of a text that invites to start a new action; `undefined` if there is none. After a signature a new action may pay a second
 * time. `action replan` continues an action that is partly done; after a lost nonce it pays again.
 */
export function startsAnew(text: string, exit: number): string | undefined {
  const commands = /sluice (?:deposit|withdraw|transfer|yield|swap (?:execute|quote)|action submit)\b/
  const words =
    /\b(?:omit|without|leave out) --nonce|\b(?:make|get|request|use) an?(?:other| new)\b|\bnew (?:plan|quote|one)\b|\bstart (?:it )?again|\brun (?:it|this|the (?:same|original) command) again|\banother --idempotency-key|--dry-run|--nonce \d/i
  const replans = exit === 23 ? /sluice action replan\b/ : undefined
  return [commands, words, replans].map((one) => one?.exec(text)?.[0]).find((found) => found !== undefined)
}

/**
 * Checks that a hint can be pasted: it must contain no placeholder for a known value. From exit 20 to 29 nothing in the error starts a
 * new action.
 */
export function checkHint(argv: readonly string[], out: string, err: string, exit: number): void {
  const told = toldIn(out, err)
  expect(told && leftOpen(argv, told)).toBe(undefined)
  // The words before a command are printed on a line of their own.
  for (const { why } of told?.next ?? []) expect(why ?? '').not.toMatch(/[([{,]$|\bor\W*$|(?<![\w=])--[a-z]/i)
  // A command as data that was put into a text without being rendered.
  expect(`${out}${err}`).not.toContain('[object Object]')
  expect(`${out}${err}`).not.toMatch(/"operands":\[[^\]]*\],"flags":\{/)
  if (told && exit >= 20 && exit <= 29)
    // Who asked for a new plan is asked to confirm it.
    expect(argv[1] !== 'replan' && startsAnew(told.hint, exit), told.hint).toBeFalsy()
}
