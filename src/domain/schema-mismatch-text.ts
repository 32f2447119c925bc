import type { z } from 'zod'
import { didYouMean } from './text/did-you-mean.ts'
import { sanitizeText } from './text/terminal-sanitizing.ts'

/** Names of value types in messages. */
const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  boolean: 'true or false',
}

/** Maximum number of problems in a message. */
const most = 3

/** Describes on one line where a document does not match its schema; of many problems the first few. `known` are the fields that an unknown one may mean. */
export function schemaMismatchText({ issues }: z.ZodError, known: readonly string[] = []): string {
  const [named, more] = [issues.slice(0, most).map((issue) => words(issue, known)), issues.length - most]
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function words(issue: z.core.$ZodIssue, known: readonly string[]): string {
  const at = sanitizeText(issue.path.join('.')) || 'it'
  if (/received undefined$/.test(issue.message)) return `${at} is missing`
  switch (issue.code) {
    case 'invalid_type':
      return `${at} is not ${kinds[issue.expected] ?? 'of the expected type'}`
    case 'invalid_value':
      return `${at} is not ${issue.values.map(String).join(' or ')}`
    case 'invalid_key': {
      const [why] = issue.issues
      return `${at}: ${sanitizeText(why?.message ?? issue.message)}`
    }
    case 'unrecognized_keys':
      return `unknown field ${issue.keys.map((key) => `"${sanitizeText(key)}"${didYouMean(key, known)}`).join(' and ')}${at === 'it' ? '' : ` in ${at}`}`
    default:
      // A custom message of the schema is for people; a default message of the library is not.
      return /^Invalid (string|input)\b/.test(issue.message)
        ? `${at} is malformed`
        : `${at}: ${sanitizeText(issue.message)}`
  }
}
