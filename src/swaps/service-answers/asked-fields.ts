import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'

/** A field of an answer: what was asked for, and what the answer has; `undefined` if it has none. */
export type AskedField = readonly [
  wanted: string | number | bigint,
  found: string | number | bigint | undefined,
]

/** The longest value that is shown, in characters; an order id or a hash fits. */
const longestValue = 80

const shown = (value: AskedField[1]): string =>
  value === undefined ? 'nothing' : sanitizeText(String(value)).slice(0, longestValue)

/**
 * Compares the fields of an answer with the request: `undefined` if all are equal, else each field that differs, with what was asked for and
 * what was found. Hex values are compared in any letter case.
 */
export function differingFields(fields: Readonly<Record<string, AskedField>>): string | undefined {
  const texts = Object.entries(fields).flatMap(([name, [wanted, found]]) => {
    const [one, other] = [String(wanted), found === undefined ? '' : String(found)]
    const isHex = /^0x[0-9a-f]*$/i.test(one)
    const isSame = isHex ? one.toLowerCase() === other.toLowerCase() : one === other
    return isSame ? [] : [`${name} is ${shown(found)}, not ${shown(wanted)}`]
  })
  return texts.length > 0 ? texts.join('; ') : undefined
}
