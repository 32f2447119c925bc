import { AppError } from '../domain/errors.ts'
import { type Advice, advice, sameWith } from '../domain/text/next-step.ts'
import type { Globals } from './options/global-options.ts'
import type { Io } from './terminal/io-types.ts'
import { wrapWords } from './terminal/text-wrap.ts'

/** Asks yes or no. `--yes` answers yes; without a terminal it is PROMPT_NEEDED, with the command `instead`; no is DECLINED. */
export async function confirm(
  io: Io,
  globals: Globals,
  question: string,
  instead: Advice = sameWith({ '--yes': true }),
): Promise<void> {
  if (globals.yes) return
  refuseWithoutTerminal(io, globals, question, instead)
  // Broken between words, with room for the sign before it and the answer behind.
  const asked = wrapWords(question, Math.max(20, io.err.columns - 10)).join('\n')
  if (!(await promptYesNo(io, asked, false)))
    throw new AppError('DECLINED', 'Declined', { nothing: 'signed' })
}

/** The other ways to give a password. */
export const passwordElsewhere = advice`Set SLUICE_PASSWORD, or name a file: ${sameWith({ '--password-file': 'PATH' })}`

/** Asks for a secret without echo. */
export async function promptSecret(
  io: Io,
  globals: Globals,
  question: string,
  instead: Advice,
): Promise<string> {
  refuseWithoutTerminal(io, globals, question, instead, 'Input')
  return answered(io, {
    plain: (read) => read(`${question} `, { hidden: true }),
    drawn: async (on) => {
      // Taken by name, here and below: the build then has no other prompts.
      const { password } = await import('@inquirer/prompts')
      return password({ message: question, mask: true }, on)
    },
  })
}

/** Refuses to prompt without a terminal; `instead` is what to run instead. */
export function refuseWithoutTerminal(
  io: Io,
  globals: Globals,
  question: string,
  instead: Advice,
  what: 'Confirmation' | 'Input' = 'Confirmation',
): void {
  if (io.canAsk && globals.input) return
  const why = globals.input ? 'there is no terminal' : '--no-input is set'
  throw new AppError('PROMPT_NEEDED', `${what} needed, but ${why}: ${question}`, { next: instead })
}

/** Asks yes or no and returns the answer. */
export async function promptYesNo(io: Io, question: string, otherwise: boolean): Promise<boolean> {
  return answered(io, {
    plain: async (read) => {
      const typed = (await read(`${question} (${otherwise ? 'Y/n' : 'y/N'}) `)).trim()
      return typed === '' ? otherwise : /^y(es)?$/i.test(typed)
    },
    drawn: async (on) => {
      const { confirm } = await import('@inquirer/prompts')
      return confirm({ message: question, default: otherwise }, on)
    },
  })
}

/** Asks for one of several choices. */
export async function promptChoice<value extends string>(
  io: Io,
  question: string,
  choices: readonly { value: value; name: string }[],
): Promise<value> {
  return answered(io, {
    plain: async (read) => {
      const [one] = await chosen(io, read, question, choices, { least: 1, most: 1 })
      return one!
    },
    drawn: async (on) => {
      const { select } = await import('@inquirer/prompts')
      return select({ message: question, choices }, on)
    },
  })
}

/** Asks for any number of choices. */
export async function promptChoices(
  io: Io,
  question: string,
  names: readonly string[],
  required: boolean,
): Promise<string[]> {
  const all = names.map((value) => ({ value, name: value }))
  return answered(io, {
    plain: (read) => chosen(io, read, question, all, { least: required ? 1 : 0, most: all.length }),
    drawn: async (on) => {
      const { checkbox } = await import('@inquirer/prompts')
      return checkbox({ message: question, choices: all, required }, on)
    },
  })
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
  const validate = (text: string): true | string => {
    try {
      check(text.trim())
      return true
    } catch (error) {
      if (error instanceof AppError) return error.message
      throw error
    }
  }
  const given = await answered(io, {
    plain: async (read) => {
      for (;;) {
        const shown = otherwise === undefined ? `${question} ` : `${question} (${otherwise}) `
        const typed = await read(shown, { hidden })
        const text = typed.trim() === '' && otherwise !== undefined ? otherwise : typed
        const verdict = validate(text)
        if (verdict === true) return text
        io.err.write(`${verdict}\n`)
      }
    },
    drawn: async (on) => {
      const { input, password } = await import('@inquirer/prompts')
      return hidden
        ? password({ message: question, mask: true, validate }, on)
        : input({ message: question, validate, ...(otherwise !== undefined && { default: otherwise }) }, on)
    },
  })
  return given.trim()
}

type ReadLine = (question: string, how?: { hidden: boolean }) => Promise<string>

/** What the typed numbers choose of a numbered list, asked again until they fit. */
async function chosen<value>(
  io: Io,
  read: ReadLine,
  question: string,
  choices: readonly { value: value; name: string }[],
  { least, most }: { least: number; most: number },
): Promise<value[]> {
  const list = choices.map(({ name }, at) => `  ${at + 1}  ${name}\n`).join('')
  io.err.write(`${question}\n${list}`)
  const range = choices.length === 1 ? '1' : `1-${choices.length}`
  for (;;) {
    const typed = await read(most === 1 ? `Number (${range}): ` : `Numbers (${range}, with commas): `)
    const words = typed.split(/[\s,]+/).filter((word) => word !== '')
    const found = [...new Set(words)].map((word) => choices[Number(word) - 1])
    const isWhole = found.every((one) => one !== undefined)
    if (isWhole && found.length >= least && found.length <= most) return found.map((one) => one!.value)
  }
}

/** A question in two forms: drawn by a library, and in plain lines for a terminal that obeys no control sequences. */
type Question<value> = {
  drawn: (on: Asked) => Promise<value>
  plain: (read: ReadLine) => Promise<value>
}

/** Runs a prompt. Keys typed before it are discarded; Ctrl-C and Ctrl-D are interruptions. */
const answered = <value>(io: Io, ask: Question<value>): Promise<value> =>
  io.whileAsking ? io.whileAsking(() => asked(io, ask)) : asked(io, ask)

async function asked<value>(io: Io, { drawn, plain }: Question<value>): Promise<value> {
  if (await io.discardTyped?.()) throw interrupted()
  const { plainLine } = io
  if (plainLine)
    return plain(async (question, how = { hidden: false }) => {
      io.err.write(question)
      const line = await plainLine(how)
      if (line === undefined) throw interrupted()
      return line
    })
  const unread = new AbortController()
  // A prompt also stops reading once it has its answer.
  const watched = io.whenUnread?.(() => setImmediate(() => unread.abort()))
  try {
    return await drawn({ signal: unread.signal, ...(io.drawOn && { output: io.drawOn }) })
  } catch (cause) {
    const isLeft = cause instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(cause.name)
    throw isLeft ? interrupted(cause) : cause
  } finally {
    watched?.()
  }
}

type Asked = { signal: AbortSignal; output?: NodeJS.WritableStream }

const interrupted = (cause?: Error): AppError =>
  new AppError('INTERRUPTED', 'Interrupted', { nothing: 'signed', cause })
