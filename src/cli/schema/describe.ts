import type { Argument, Command, Option } from 'commander'
import { z } from 'zod'

import { AppError } from '../../domain/errors.ts'
import { repeatable } from '../checked.ts'
import { globalOptions } from '../globals.ts'
import { Failure } from './common.ts'
import { endsOf } from './ends.ts'
import { environmentOf, type Variables } from './environment.ts'
import { outputs } from './outputs.ts'
import type { CommandSchema } from './self.ts'
import { kindOf } from './types.ts'

/** The words of a command, such as `strategies list`. */
export const wordsOf = (command: Command): string =>
  command.parent?.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name()

/** Every command that does something, in the order of the help: groups are only their commands. */
export const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

/** Whether a command can sign: it takes what says who does, or plays with the account of the sandbox. */
export const signs = (command: Command): boolean =>
  wordsOf(command) === 'demo' ||
  command.options.some(({ helpGroupHeading }) => helpGroupHeading === 'Signer:')

/** Everything that a program needs to know of a command, off the tree of commands and the table of outputs. */
export function describe(command: Command, variables: Variables): CommandSchema {
  const words = wordsOf(command)
  const output = outputs[words]
  if (!output) throw new AppError('BUG', `Nobody has said what ${words} prints`)
  return {
    command: words,
    description: command.description(),
    usage: `sluice ${words} ${command.usage()}`.trim(),
    signs: signs(command),
    arguments: command.registeredArguments.map((one) => argumentOf(words, one)),
    flags: command.options.map((one) => flagOf(one)),
    environment: environmentOf(variables, output.stands, signs(command)),
    output: {
      success: output.success && jsonSchema(output.success),
      plan: output.plan ? jsonSchema(output.plan) : null,
      line: output.line ? jsonSchema(output.line) : null,
      failure: jsonSchema(Failure),
    },
    exitCodes: endsOf(output.stands),
    examples: examplesOf(command),
  }
}

/** A shape as JSON Schema 2020-12. A union of objects says that it is an object, too. */
export function jsonSchema(shape: z.ZodType): Record<string, unknown> {
  const made = z.toJSONSchema(shape, { target: 'draft-2020-12' }) as Record<string, unknown>
  return made.type === undefined && made.anyOf ? { ...made, type: 'object' } : made
}

function argumentOf(words: string, argument: Argument): CommandSchema['arguments'][number] {
  const { description, variadic, required, argChoices } = argument
  const name = argument.name()
  const kind = known(name, `${words} <${name}>`, argChoices)
  return { name, ...kind, description, required, repeatable: variadic }
}

function flagOf(option: Option): CommandSchema['flags'][number] {
  const { long, short, description, argChoices, mandatory, defaultValue, helpGroupHeading } = option
  const takes = option.required ? 'required' : option.optional ? 'optional' : 'none'
  const name = long ?? short ?? ''
  const kind = takes === 'none' ? toggle : known(placeholderOf(option), name, argChoices)
  return {
    name,
    short: short ?? null,
    value: takes,
    placeholder: placeholderOf(option) || null,
    ...kind,
    description,
    required: mandatory,
    repeatable: repeatable(option),
    default: defaultValue === undefined || defaultValue === true ? null : String(defaultValue),
    group: isGlobal(option) ? 'Global' : (helpGroupHeading?.replace(/:$/, '') ?? 'Options'),
  }
}

const isGlobal = ({ flags }: Option): boolean => globalOptions.some(([known]) => known === flags)

/** The word in the usage line that stands for the value of a flag. */
export const placeholderOf = ({ flags }: Option): string => /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? ''

const toggle = { type: 'boolean', about: 'yes, where it is given', choices: null }

/** What stands for a value, in words. */
function known(placeholder: string, where: string, choices: readonly string[] | undefined) {
  const kind = kindOf(placeholder, where, choices)
  if (!kind) throw new AppError('BUG', `Nobody has said what <${placeholder}> of ${where} is`)
  const [type, about, schema] = kind
  return { type, about, choices: schema instanceof z.ZodEnum ? schema.options.map(String) : null }
}

/** The lines of a help text that can be typed. */
export const examplesOf = (command: Command): string[] => {
  const said: string[] = []
  // Its types do not say so, but a command tells whoever adds to its help when that is asked for.
  const told = command as unknown as { emit: (event: string, how: object) => unknown }
  told.emit('afterHelp', { error: false, command, write: (text: string) => void said.push(text) })
  return said
    .join('')
    .split('\n')
    .flatMap((line) => /^\s*\$ (.+)$/.exec(line)?.[1] ?? [])
}
