/** What stands where the key was. */
const instead = '[API key]'

const escapedForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** One character of a key in every way that JSON and URLs write it, also JSON inside of JSON. Bounded: a run of backslashes is looked at once. */
function spelled(character: string): string {
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0')
  const itself = escapedForPattern(character)
  const inJson =
    character === '\\'
      ? [String.raw`\\{2,8}`]
      : '"/'.includes(character)
        ? [String.raw`\\{1,7}${itself}`]
        : []
  return `(?:${[...inJson, String.raw`\\{1,7}u00${hex}`, `%(?:25){0,3}${hex}`, itself].join('|')})`
}

/** So short a key is a part of many words that are none. */
const shortest = 8

/**
 * Makes what takes a key out of a text, however JSON or a URL may have spelled it and in either case: a deployment that
 * repeats what it was asked with must not have it printed. A key under eight characters goes only where it is a word by itself.
 */
export function hider(apiKey: string): (text: string) => string {
  const key = [...apiKey].map(spelled).join('')
  // What JSON or a URL writes before it as an escape ends in letters or digits, and is none of it.
  const begins = String.raw`(?:(?<![A-Za-z0-9\\])|(?<=\\(?:[bfnrt]|u[0-9a-f]{4})|%[0-9a-f]{2}))`
  const word = `${begins}${key}(?![A-Za-z0-9])`
  const pattern = new RegExp(apiKey.length < shortest ? word : key, 'gi')
  return (text) => text.replace(pattern, instead)
}
