import type { Command } from 'commander'

import { unknownField } from './output.ts'

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

/** A shape, or each of those that it may be. */
const eachOf = (schema: Schema): Schema[] => schema.anyOf?.flatMap(eachOf) ?? [schema]

const fieldsOfRows = ({ properties }: Schema): string[] =>
  eachOf(properties?.items?.items ?? {}).flatMap((row) => Object.keys(row.properties ?? {}))
