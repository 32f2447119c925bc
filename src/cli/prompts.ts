import { AppError } from '../domain/errors.ts'
import type { Globals } from './globals.ts'
import type { Io } from './terminal/io.ts'
import { broken } from './terminal/wrap.ts'

/** Asks yes or no. `--yes` answers; where nobody can answer, it is PROMPT_NEEDED, with what to type `instead`; no is DECLINED. */
export async function confirm(
  io: Io,
  globals: Globals,
  question: string,
  instead = 'Add --yes to go ahead without being asked.',
): Promise<void> {
  if (globals.yes) return
  refuseUnasked(io, globals, question, instead)
  const { confirm: ask } = await import('@inquirer/prompts')
  // Broken between words, with room for the sign before it and the answer behind.
  const asked = broken(question, Math.max(20, io.err.columns - 10)).join('\n')
  if (!(await answered(ask({ message: asked, default: false }, drawnOn(io)))))
    throw new AppError('DECLINED', 'Declined. Nothing was signed.')
}

/** Asks for a secret without showing it. */
export async function secret(io: Io, globals: Globals, question: string, instead: string): Promise<string> {
  if (!io.canAsk || !globals.input)
    throw new AppError('PROMPT_NEEDED', `Nobody is here to answer: ${question}`, { hint: instead })
  const { password } = await import('@inquirer/prompts')
  return answered(password({ message: question, mask: true }, drawnOn(io)))
}

/** Refuses to ask where nobody can answer; `instead` is what to type there. */
export function refuseUnasked(io: Io, globals: Globals, question: string, instead: string): void {
  if (!io.canAsk || !globals.input)
    throw new AppError('PROMPT_NEEDED', `Nobody is here to answer: ${question}`, { hint: instead })
}

/** Asks yes or no, and either is an answer. */
export async function agreed(io: Io, question: string, otherwise: boolean): Promise<boolean> {
  const { confirm: ask } = await import('@inquirer/prompts')
  return answered(ask({ message: question, default: otherwise }, drawnOn(io)))
}

/** Asks for one of several, each with what it means. */
export async function choice<value extends string>(
  io: Io,
  question: string,
  choices: readonly { value: value; name: string }[],
): Promise<value> {
  const { select } = await import('@inquirer/prompts')
  return answered(select({ message: question, choices }, drawnOn(io)))
}

/** Asks for any number of several. */
export async function choices(
  io: Io,
  question: string,
  names: readonly string[],
  required: boolean,
): Promise<string[]> {
  const { checkbox } = await import('@inquirer/prompts')
  const all = names.map((value) => ({ value, name: value }))
  return answered(checkbox({ message: question, choices: all, required }, drawnOn(io)))
}

/** Asks for a line until `check` takes it; `hidden` is not shown while it is typed. */
export async function line(
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
  const asked = hidden
    ? password({ message: question, mask: true, validate }, drawnOn(io))
    : input(
        { message: question, validate, ...(otherwise !== undefined && { default: otherwise }) },
        drawnOn(io),
      )
  return (await answered(asked)).trim()
}

/** Ctrl-C at a question is an interruption, not an answer. */
async function answered<value>(asked: Promise<value>): Promise<value> {
  try {
    return await asked
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'ExitPromptError')
      throw new AppError('INTERRUPTED', 'Interrupted. Nothing was signed.', { cause })
    throw cause
  }
}

const drawnOn = ({ drawOn }: Io) => (drawOn ? { output: drawOn } : {})
