import { z } from 'zod'

/** The response header that names networks that did not answer and are left out, separated by commas (extension). */
export const missingHeader = 'x-sluice-missing'

/** The networks that a value lacks because they did not answer; omitted if complete. It is not a part of the body. */
export const Missing = z.array(z.string()).optional()

/** The header's content for a value; `undefined` if no network is missing. */
export function missingHeaderValue(value: object): string | undefined {
  const { missing } = value as { missing?: readonly string[] }
  return missing?.join(', ')
}

/** Parses the header's network names. */
export const parseMissingHeader = (header: string): string[] =>
  header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, 100)
