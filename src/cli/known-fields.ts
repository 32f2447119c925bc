import type { Command } from 'commander'

import type { Globals } from './globals.ts'
import { onlyLists, unknownField } from './output.ts'

type Schema = {
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  items?: Schema
  anyOf?: Schema[]
}

/**
 * Refuses a field that no row of a list has, where there is no row to look at: what is mistyped is found on every day, and not only on one
 * with rows. What the command says that it prints is loaded for that alone.
 */
export async function refuseUnknownFields(command: Command, names: readonly string[]): Promise<void> {
  const [{ outputs }, { jsonSchema, wordsOf }] = await Promise.all([
    import('./schema/outputs.ts'),
    import('./schema/describe.ts'),
  ])
  const success = outputs[wordsOf(command)]?.success
  const known = success ? eachOf(jsonSchema(success)).flatMap(fieldsOfRows) : []
  for (const name of names) if (known.length > 0 && !known.includes(name)) throw unknownField(name, known)
}

/**
 * Refuses what cannot be printed of what a command gives, before it does anything: a table of one thing, and fields that it never has. The
 * answer is the options with what is known of the fields now: those that only some of what it gives has are no error of what has them not.
 */
export async function printable(command: Command, globals: Globals): Promise<Globals> {
  const { csv, json, fields } = globals
  if (!csv && !(json && fields)) return globals
  const [{ outputs }, { jsonSchema, wordsOf }] = await Promise.all([
    import('./schema/outputs.ts'),
    import('./schema/describe.ts'),
  ])
  const { success, plan, line } = outputs[wordsOf(command)] ?? {}
  const { dryRun } = command.opts<{ dryRun?: boolean }>()
  const given = (plan && dryRun ? plan : success) ?? line
  const shapes = given ? eachOf(jsonSchema(given)) : []
  if (shapes.length === 0 || shapes.some(({ properties }) => properties?.items !== undefined)) return globals
  if (csv) throw onlyLists()
  // What may have any other field, as a keystore, says itself which it has.
  if (shapes.some((one) => one.additionalProperties !== false)) return globals
  const known = [...new Set(shapes.flatMap(({ properties }) => Object.keys(properties ?? {})))]
  for (const name of fields ?? []) if (!known.includes(name)) throw unknownField(name, known)
  return { ...globals, fieldsKnown: true }
}

/** A shape, or each of those that it may be. */
const eachOf = (schema: Schema): Schema[] => schema.anyOf?.flatMap(eachOf) ?? [schema]

const fieldsOfRows = ({ properties }: Schema): string[] =>
  eachOf(properties?.items?.items ?? {}).flatMap((row) => Object.keys(row.properties ?? {}))
