import { AppError } from '../domain/errors.ts'
import type { Globals } from './globals.ts'
import type { Io } from './io.ts'

/** Asks yes or no. `--yes` answers; where nobody can answer, it is PROMPT_NEEDED; no is DECLINED. */
export async function confirm(io: Io, globals: Globals, question: string): Promise<void> {
  if (globals.yes) return
  if (!io.canAsk || !globals.input)
    throw new AppError('PROMPT_NEEDED', `Nobody is here to answer: ${question}`, {
      hint: 'Add --yes to go ahead without being asked.',
    })
  const { confirm: ask } = await import('@inquirer/prompts')
  if (!(await answered(ask({ message: question, default: false }, drawnOn(io)))))
    throw new AppError('DECLINED', 'Declined. Nothing was signed.')
}

/** Asks for a secret without showing it. */
export async function secret(io: Io, globals: Globals, question: string, instead: string): Promise<string> {
  if (!io.canAsk || !globals.input)
    throw new AppError('PROMPT_NEEDED', `Nobody is here to answer: ${question}`, { hint: instead })
  const { password } = await import('@inquirer/prompts')
  return answered(password({ message: question, mask: true }, drawnOn(io)))
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
