import { z } from 'zod'

/** The header that goes with an answer from which networks are left out, as they do not answer: their names, with commas. It is ours. */
export const missingHeader = 'x-sluice-missing'

/** The same in a value; what lacks nothing does not have it. It is no part of a body. */
export const Missing = z.array(z.string()).optional()

/** The networks that a value lacks, as the header says them; `undefined` where it lacks none. */
export function missingIn(value: object): string | undefined {
  const { missing } = value as { missing?: readonly string[] }
  return missing?.join(', ')
}

/** The networks that a header names. */
export const namesIn = (header: string): string[] =>
  header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, 100)
