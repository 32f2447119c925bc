import type { Argument, Command, Option } from 'commander'
import { z } from 'zod'
import type { PrintingName } from '../../domain/command-line/commands.ts'
import { AppError } from '../../domain/errors.ts'
import { leavesOf, placeholderOf, wordsOf } from '../options/command-tree-queries.ts'
import { repeatable } from '../options/option-values.ts'
import { jsonSchema, kindOf } from './describe-command.ts'
import { outputs } from './outputs.ts'

/** A command as a tool for other programs: its input object, its output, and its command line. */
export type Tool = {
  name: string
  description: string
  input: z.ZodObject
  output: Record<string, unknown>
  line: (input: Readonly<Record<string, unknown>>) => { argv: string[]; stdin: string }
}

type Offer = readonly [name: string, command: PrintingName, plans?: 'plan']

/** The commands offered as tools: those that only read, and plans. */
const offers: readonly Offer[] = [
  ['strategies_list', 'strategies list'],
  ['strategies_show', 'strategies show'],
  ['strategies_analytics', 'strategies analytics'],
  ['yield_recommend', 'yield recommend'],
  ['wallet_show', 'wallet show'],
  ['history', 'history'],
  ['swap_quote', 'swap quote'],
  ['swap_status', 'swap status'],
  ['action_list', 'action list'],
  ['action_show', 'action show'],
  ['action_explain', 'action explain'],
  ['deposit_plan', 'deposit', 'plan'],
  ['withdraw_plan', 'withdraw', 'plan'],
  ['swap_plan', 'swap execute', 'plan'],
  ['transfer_plan', 'transfer', 'plan'],
  ['policy_check', 'policy check'],
]

/** Every tool, off the tree of commands. */
export const toolsOf = (root: Command): Tool[] => {
  const commands = new Map(leavesOf(root).map((one) => [wordsOf(one), one]))
  return offers.map((offer) => toolOf(offer, commands.get(offer[1])))
}

function toolOf([name, words, plans]: Offer, command: Command | undefined): Tool {
  const output = outputs[words]?.[plans ?? 'success']
  if (!command || !output) throw new AppError('BUG', `There is nothing to offer as ${name}`)
  const flags = command.options.filter((one) => isOffered(one)).map(flagField)
  const places = command.registeredArguments.map((one) => placeField(words, one))
  const fields = [...places, ...flags]
  return {
    name,
    description: `${inWords(plans ? firstOf(command.description()) : command.description())}${plans ? ' This tool only plans and signs nothing. A person signs the plan with: sluice action submit.' : ''}`,
    input: z.strictObject(Object.fromEntries(fields.map((one) => [one.name, one.schema]))),
    output: jsonSchema(output),
    line: (input) => ({
      // Operands come before the flags, so that none is taken for the value of a flag.
      argv: [
        ...words.split(' '),
        ...fields.flatMap(({ name, words: toWords }) =>
          input[name] === undefined ? [] : toWords(input[name]),
        ),
        ...(plans ? ['--dry-run'] : []),
        '--json',
        '--quiet',
        '--no-input',
      ],
      stdin: typeof input.plan === 'object' ? JSON.stringify(input.plan) : '',
    }),
  }
}

/** The description of a plan, without the sentences about signing. */
const firstOf = (description: string): string => description.split(/(?<=\.) /)[0]!

/** Rewrites a text about the command line for a tool: flags become field names, exit codes are removed. */
const inWords = (text: string): string =>
  text
    .replace(/; exits with \d+ if a rule is not met/, '; refused if a rule is not met')
    .replace(/--([a-z][a-z-]*)/g, (_flag, name: string) => camel(name))

/** A field of the input, and the words on the command line that it becomes. */
type Field = { name: string; schema: z.ZodType; words: (value: unknown) => string[] }

/** Nothing that signs, that reads a file, that follows something for long or that is about the terminal. */
function isOffered({ long, helpGroupHeading: group, flags, hidden }: Option): boolean {
  if (long === '--wallet') return true
  if (hidden || ['--json', '--yes', '--raw', '--watch', '--interval', '--plot'].includes(long ?? ''))
    return false
  return (group === undefined || group === 'Safety:') && !/<(file|path)>/.test(flags)
}

function flagField(option: Option): Field {
  const { long = '', description, required, optional, argChoices, mandatory } = option
  const value = required || optional ? valueFor(placeholderOf(option), long, argChoices) : z.literal(true)
  const one = optional ? z.union([z.literal(true), value]) : value
  const many = repeatable(option) ? z.array(one).min(1).max(20) : one
  const schema = many.describe(
    long === '--wallet' ? 'an address, or the name of a keystore' : inWords(description),
  )
  return {
    name: camel(long.slice(2)),
    schema: mandatory ? schema : schema.optional(),
    words: (given) => [given].flat().map((item) => (item === true ? long : `${long}=${String(item)}`)),
  }
}

function placeField(words: string, argument: Argument): Field {
  const name = argument.name()
  if (name === 'plan')
    return {
      name,
      schema: z.record(z.string(), z.unknown()).describe('a plan, as returned by one of the plan tools'),
      words: () => ['-'],
    }
  const schema = valueFor(name, `${words} <${name}>`, argument.argChoices)
    .refine((value) => !String(value).startsWith('-'), 'must not begin with a dash')
    .describe(inWords(argument.description))
  return {
    name: camel(name),
    schema: argument.required ? schema : schema.optional(),
    words: (given) => [String(given)],
  }
}

/** A name or an address, never a path: a tool must not read files. */
const wallet = z
  .string()
  .regex(
    /^(0x[0-9a-fA-F]{40}|[A-Za-z0-9_-][A-Za-z0-9._-]{0,63})$/,
    'must be an address or the name of a keystore',
  )

function valueFor(placeholder: string, where: string, choices: readonly string[] | undefined): z.ZodType {
  const kind = kindOf(placeholder, where, choices)
  if (!kind) throw new AppError('BUG', `The kind of <${placeholder}> of ${where} is not defined`)
  const [type, , schema] = kind
  if (type === 'wallet' || where === '--wallet') return wallet
  return type === 'number' ? z.int().min(0).max(1_000_000) : schema
}

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
