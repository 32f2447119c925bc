/**
 * Non-ASCII characters to remove: controls, zero-width characters, tags, line separators and changes of the writing
 * direction.
 */
const beyond = String.raw`\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}`

/**
 * Removes everything from a foreign string that could move a cursor, change a colour or turn the writing direction,
 * so that it is safe in a terminal or a log line.
 */
export const sanitizeText = (foreign: string): string =>
  foreign.replace(new RegExp(String.raw`[\u0000-\u001f${beyond}]`, 'gu'), '')

/** Escapes such characters in a JSON text, so that its value stays the same. */
export const escapeJsonText = (json: string): string =>
  json.replace(new RegExp(`[${beyond}]`, 'gu'), (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

/** A colour, or the beginning or end of a link to a transaction or an address in an explorer. */
const painting = String.raw`\u001b\[[0-9;]*m|\u001b\]8;;(?:https:\/\/[a-z0-9.-]+\/(?:tx|address)\/0x[0-9a-fA-F]{40,64})?\u0007`

/**
 * Removes everything from output but colours and explorer links, and these too if output is not painted. It is a
 * second check behind `plain`.
 */
export const sanitizeOutput = (text: string, isPainted: boolean): string =>
  text.replace(
    new RegExp(String.raw`(${painting})|[\u0000-\u0008\u000b-\u001f${beyond}]`, 'gu'),
    (_, paint?: string) => (isPainted ? (paint ?? '') : ''),
  )
