import { AppError } from '../domain/errors.ts'
import type { Globals } from './options/global-options.ts'
import type { Io } from './terminal/io-types.ts'
import { wrapWords } from './terminal/text-wrap.ts'

/** Asks yes or no. `--yes` answers yes; without a terminal it is PROMPT_NEEDED, with the command `instead`; no is DECLINED. */
export async function confirm(
  io: Io,
  globals: Globals,
  question: string,
  instead = 'Add --yes to confirm without a prompt.',
): Promise<void> {
  if (globals.yes) return
  refuseWithoutTerminal(io, globals, question, instead)
  const { confirm: ask } = await import('@inquirer/prompts')
  // Broken between words, with room for the sign before it and the answer behind.
  const asked = wrapWords(question, Math.max(20, io.err.columns - 10)).join('\n')
  if (!(await answered(io, (on) => ask({ message: asked, default: false }, on))))
    throw new AppError('DECLINED', 'Declined. Nothing was signed.')
}

/** Asks for a secret without echo. */
export async function promptSecret(
  io: Io,
  globals: Globals,
  question: string,
  instead: string,
): Promise<string> {
  refuseWithoutTerminal(io, globals, question, instead, 'Input')
  const { password } = await import('@inquirer/prompts')
  return answered(io, (on) => password({ message: question, mask: true }, on))
}

/** Refuses to prompt without a terminal; `instead` is the flag to use. */
export function refuseWithoutTerminal(
  io: Io,
  globals: Globals,
  question: string,
  instead: string,
  what: 'Confirmation' | 'Input' = 'Confirmation',
): void {
  if (io.canAsk && globals.input) return
  const why = globals.input ? 'there is no terminal' : '--no-input is set'
  throw new AppError('PROMPT_NEEDED', `${what} needed, but ${why}: ${question}`, { hint: instead })
}

/** Asks yes or no and returns the answer. */
export async function promptYesNo(io: Io, question: string, otherwise: boolean): Promise<boolean> {
  const { confirm: ask } = await import('@inquirer/prompts')
  return answered(io, (on) => ask({ message: question, default: otherwise }, on))
}

/** Asks for one of several choices. */
export async function promptChoice<value extends string>(
  io: Io,
  question: string,
  choices: readonly { value: value; name: string }[],
): Promise<value> {
  const { select } = await import('@inquirer/prompts')
  return answered(io, (on) => select({ message: question, choices }, on))
}

/** Asks for any number of choices. */
export async function promptChoices(
  io: Io,
  question: string,
  names: readonly string[],
  required: boolean,
): Promise<string[]> {
  const { checkbox } = await import('@inquirer/prompts')
  const all = names.map((value) => ({ value, name: value }))
  return answered(io, (on) => checkbox({ message: question, choices: all, required }, on))
}

/** Asks for a line until `check` accepts it; `hidden` disables the echo. */
export async function promptLine(
  io: Io,
  question: string,
  {
    check,
    hidden = false,
    otherwise,
  }: { check: (text: string) => void; hidden?: boolean; otherwise?: string },
): Promise<string> {
  const { input, password } = await import('@inquirer/prompts')
  const validate = (text: string): true | string => {
    try {
      check(text.trim())
      return true
    } catch (error) {
      if (error instanceof AppError) return error.message
      throw error
    }
  }
  const given = await answered(io, (on) =>
    hidden
      ? password({ message: question, mask: true, validate }, on)
      : input({ message: question, validate, ...(otherwise !== undefined && { default: otherwise }) }, on),
  )
  return given.trim()
}

/** Runs a prompt. Keys typed before it are discarded; Ctrl-C and Ctrl-D are interruptions. */
const answered = <value>(io: Io, ask: (on: Asked) => Promise<value>): Promise<value> =>
  io.whileAsking ? io.whileAsking(() => asked(io, ask)) : asked(io, ask)

async function asked<value>(io: Io, ask: (on: Asked) => Promise<value>): Promise<value> {
  if (await io.discardTyped?.()) throw interrupted()
  const unread = new AbortController()
  // A prompt also stops reading once it has its answer.
  const watched = io.whenUnread?.(() => setImmediate(() => unread.abort()))
  try {
    return await ask({ signal: unread.signal, ...(io.drawOn && { output: io.drawOn }) })
  } catch (cause) {
    const isLeft = cause instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(cause.name)
    throw isLeft ? interrupted(cause) : cause
  } finally {
    watched?.()
  }
}

type Asked = { signal: AbortSignal; output?: NodeJS.WritableStream }

const interrupted = (cause?: Error): AppError =>
  new AppError('INTERRUPTED', 'Interrupted. Nothing was signed.', { cause })
