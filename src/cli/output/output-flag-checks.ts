import type { Command } from 'commander'
import { wordsOf } from '../options/command-tree-queries.ts'
import type { Globals } from '../options/global-options.ts'
import { jsonSchema } from '../schema/describe-command.ts'
import { type Output, outputs } from '../schema/outputs.ts'
import { pickedFields } from './field-names.ts'
import { onlyListsError } from './output.ts'

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
  const rows = shapes.flatMap(rowFields)
  return [
    ...new Set(rows.length > 0 ? rows : shapes.flatMap(({ properties }) => Object.keys(properties ?? {}))),
  ]
}

/** The fields that the rows of a list have by the schema of its output, so that a field is known on a day without rows, too. */
export function fieldsOfRows(command: Command): string[] {
  const success = outputs[wordsOf(command)]?.success
  return success ? eachOf(jsonSchema(success)).flatMap(rowFields) : []
}

/**
 * Refuses, before the command does anything, `--csv` for an output without a table and `--fields` that its output never has. `knownFields` in the
 * answer are the fields that the output may have; one that only some outputs have is `null` in the others.
 */
export function printable(command: Command, globals: Globals): Globals {
  const { csv, json, fields } = globals
  if (!csv && !(json && fields)) return globals
  const { success, plan, line, hasRows }: Partial<Output> = outputs[wordsOf(command)] ?? {}
  const { dryRun } = command.opts<{ dryRun?: boolean }>()
  const given = (plan && dryRun ? plan : success) ?? line
  const shapes = given ? eachOf(jsonSchema(given)) : []
  if (shapes.length === 0 || shapes.some(({ properties }) => properties?.items !== undefined)) return globals
  if (csv && !hasRows) throw onlyListsError()
  // An object with any fields, such as a keystore, is checked when it is printed.
  if (csv || shapes.some((one) => one.additionalProperties !== false)) return globals
  const known = [...new Set(shapes.flatMap(({ properties }) => Object.keys(properties ?? {})))]
  pickedFields({}, fields ?? [], known)
  return { ...globals, knownFields: known }
}

/** A shape, or each of those that it may be. */
const eachOf = (schema: Schema): Schema[] => schema.anyOf?.flatMap(eachOf) ?? [schema]

const rowFields = ({ properties }: Schema): string[] =>
  eachOf(properties?.items?.items ?? {}).flatMap((row) => Object.keys(row.properties ?? {}))
