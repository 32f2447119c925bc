import type { Command } from 'commander'

import type { Globals } from './globals.ts'
import { onlyLists, unknownField } from './output.ts'

type Schema = { properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] }

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

/** Refuses what cannot be printed of what a command gives, before it does anything: a table of one thing, and fields that it does not have. */
export async function refuseUnprintable(
  command: Command,
  { csv, json, fields }: Pick<Globals, 'csv' | 'json' | 'fields'>,
): Promise<void> {
  if (!csv && !(json && fields)) return
  const [{ outputs }, { jsonSchema, wordsOf }] = await Promise.all([
    import('./schema/outputs.ts'),
    import('./schema/describe.ts'),
  ])
  const { success, plan } = outputs[wordsOf(command)] ?? {}
  const shapes = [success, plan].flatMap((one) => (one ? eachOf(jsonSchema(one)) : []))
  if (shapes.length === 0 || shapes.some(({ properties }) => properties?.items !== undefined)) return
  if (csv) throw onlyLists()
  const known = shapes.flatMap(({ properties }) => Object.keys(properties ?? {}))
  for (const name of fields ?? [])
    if (known.length > 0 && !known.includes(name)) throw unknownField(name, known)
}

/** A shape, or each of those that it may be. */
const eachOf = (schema: Schema): Schema[] => schema.anyOf?.flatMap(eachOf) ?? [schema]

const fieldsOfRows = ({ properties }: Schema): string[] =>
  eachOf(properties?.items?.items ?? {}).flatMap((row) => Object.keys(row.properties ?? {}))
