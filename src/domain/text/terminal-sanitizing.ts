/** Beyond ASCII: control characters, what has no width or is a tag, what separates lines, and what turns the direction of writing. */
const beyond = String.raw`\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}`

/**
 * Takes from a foreign string all that could move a cursor, change a colour or turn the direction of writing,
 * so that it can stand in a terminal or a log line.
 */
export const sanitizeText = (foreign: string): string =>
  foreign.replace(new RegExp(String.raw`[\u0000-\u001f${beyond}]`, 'gu'), '')

/** The same in a JSON text, where such a character becomes an escape and the value stays what it is. */
export const escapeJsonText = (json: string): string =>
  json.replace(new RegExp(`[${beyond}]`, 'gu'), (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

/** A colour, and the beginning or end of a link to a transaction or an address in an explorer. */
const painting = String.raw`\u001b\[[0-9;]*m|\u001b\]8;;(?:https:\/\/[a-z0-9.-]+\/(?:tx|address)\/0x[0-9a-fA-F]{40,64})?\u0007`

/**
 * What is about to be written, with nothing left that does more than colour it or link it to an explorer, and not even that where
 * nothing is painted: the last net under `plain`.
 */
export const sanitizeOutput = (text: string, isPainted: boolean): string =>
  text.replace(
    new RegExp(String.raw`(${painting})|[\u0000-\u0008\u000b-\u001f${beyond}]`, 'gu'),
    (_, paint?: string) => (isPainted ? (paint ?? '') : ''),
  )
