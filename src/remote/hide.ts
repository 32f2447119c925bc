/** What stands where the key was. */
const instead = '[API key]'

const escapedForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A character of a key, or a run of backslashes, in every way that JSON and URLs write it, also JSON inside of JSON. All is bounded, so that no text takes long. */
function spelled(part: string): string {
  const hex = part.charCodeAt(0).toString(16).padStart(2, '0')
  const coded = String.raw`\\{1,7}u00${hex}|%(?:25){0,3}${hex}`
  if (part.startsWith('\\'))
    return String.raw`(?:\\{${part.length},${part.length * 8}}|(?:${coded}){${part.length}})`
  const itself = escapedForPattern(part)
  return `(?:${'"/'.includes(part) ? String.raw`\\{1,7}${itself}|` : ''}${coded}|${itself})`
}

/** So short a key is a part of many words that are none. */
const shortest = 8

/**
 * Makes what takes a key out of a text, however JSON or a URL may have spelled it and in either case: a deployment that
 * repeats what it was asked with must not have it printed. A key under eight characters goes only where it is a word by itself.
 */
export function hider(apiKey: string): (text: string) => string {
  const key = apiKey.match(/\\+|./g)!.map(spelled).join('')
  // What JSON or a URL writes before it as an escape ends in letters or digits, and is none of it.
  const begins = String.raw`(?:(?<![A-Za-z0-9\\])|(?<=\\(?:[bfnrt]|u[0-9a-f]{4})|%[0-9a-f]{2}))`
  const word = `${begins}${key}(?![A-Za-z0-9])`
  const pattern = new RegExp(apiKey.length < shortest ? word : key, 'gi')
  return (text) => text.replace(pattern, instead)
}
