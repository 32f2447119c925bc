import { z } from 'zod'
import { fields, listOf, maybe } from './common.ts'

const value = {
  type: z.string(),
  about: z.string(),
  description: z.string(),
  choices: maybe(z.array(z.string())),
  required: z.boolean(),
  repeatable: z.boolean(),
}

/** An argument of a command. */
const ArgumentShape = fields({ name: z.string(), ...value })

/** A flag of a command. `value` is whether it takes one; `type` is `boolean` where it takes none. */
const FlagShape = fields({
  name: z.string(),
  short: maybe(z.string()),
  value: z.enum(['none', 'optional', 'required']),
  placeholder: maybe(z.string()),
  ...value,
  default: maybe(z.string()),
  group: z.string(),
})

const Schema = z.record(z.string(), z.unknown())

/** `sluice schema COMMAND`: all that a program needs to know of a command. */
export const CommandSchema = fields({
  command: z.string(),
  description: z.string(),
  usage: z.string(),
  signs: z.boolean(),
  arguments: z.array(ArgumentShape),
  flags: z.array(FlagShape),
  environment: z.array(fields({ name: z.string(), meaning: z.string() })),
  output: fields({
    success: maybe(Schema),
    plan: maybe(Schema).describe('with --dry-run'),
    line: maybe(Schema).describe('of each line, if the command follows something'),
    failure: Schema,
  }),
  exitCodes: z.array(fields({ code: z.int(), meaning: z.string() })),
  examples: z.array(z.string()),
})
export type CommandSchema = z.output<typeof CommandSchema>

/** `sluice schema` without a command, or of a group: the list of commands. */
export const CommandList = listOf(
  fields({ command: z.string(), description: z.string(), signs: z.boolean() }),
)
