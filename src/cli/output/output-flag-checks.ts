import type { Command } from 'commander'
import { wordsOf } from '../options/command-tree-queries.ts'
import type { Globals } from '../options/global-options.ts'
import { jsonSchema } from '../schema/describe-command.ts'
import { outputs } from '../schema/outputs.ts'
import { onlyListsError, unknownFieldError } from './output.ts'

type Schema = {
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  items?: Schema
  anyOf?: Schema[]
}

/** The fields that `--fields` takes for a command, by its words; none if its output is not known. */
export function fieldsOf(words: string): string[] {
  const { success, line } = outputs[words] ?? {}
  const given = success ?? line
  if (!given) return []
  const shapes = eachOf(jsonSchema(given))
  const rows = shapes.flatMap(fieldsOfRows)
  return [
    ...new Set(rows.length > 0 ? rows : shapes.flatMap(({ properties }) => Object.keys(properties ?? {}))),
  ]
}

/** Refuses a field that no row of an empty list could have, so that a misspelt field is an error on every day. */
export function refuseUnknownFields(command: Command, names: readonly string[]): void {
  const success = outputs[wordsOf(command)]?.success
  const known = success ? eachOf(jsonSchema(success)).flatMap(fieldsOfRows) : []
  for (const name of names)
    if (known.length > 0 && !known.includes(name)) throw unknownFieldError(name, known)
}

/**
 * Refuses, before the command does anything, `--csv` for one object and `--fields` that its output never has. `fieldsKnown` in the
 * answer says that each field is one of its output; a field that only some outputs have is `null` in the others.
 */
export function printable(command: Command, globals: Globals): Globals {
  const { csv, json, fields } = globals
  if (!csv && !(json && fields)) return globals
  const { success, plan, line } = outputs[wordsOf(command)] ?? {}
  const { dryRun } = command.opts<{ dryRun?: boolean }>()
  const given = (plan && dryRun ? plan : success) ?? line
  const shapes = given ? eachOf(jsonSchema(given)) : []
  if (shapes.length === 0 || shapes.some(({ properties }) => properties?.items !== undefined)) return globals
  if (csv) throw onlyListsError()
  // An object with any fields, such as a keystore, is checked when it is printed.
  if (shapes.some((one) => one.additionalProperties !== false)) return globals
  const known = [...new Set(shapes.flatMap(({ properties }) => Object.keys(properties ?? {})))]
  for (const name of fields ?? []) if (!known.includes(name)) throw unknownFieldError(name, known)
  return { ...globals, fieldsKnown: true }
}

/** A shape, or each of those that it may be. */
const eachOf = (schema: Schema): Schema[] => schema.anyOf?.flatMap(eachOf) ?? [schema]

const fieldsOfRows = ({ properties }: Schema): string[] =>
  eachOf(properties?.items?.items ?? {}).flatMap((row) => Object.keys(row.properties ?? {}))
