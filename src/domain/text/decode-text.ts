/** A text, or why the bytes are none. */
export type DecodedText = { text: string; fault?: undefined } | { text?: undefined; fault: string }

/**
 * The text in the bytes of a file that a person wrote, or why it is none. UTF-8 is read, and UTF-16 with a byte order mark, as Windows
 * programs write it; the mark is dropped. NUL characters and invalid bytes are faults: a secret must never be read as other characters than
 * its owner sees.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = encodingOf(bytes)
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return { fault: `it is not valid ${encoding.slice(0, 6).toUpperCase()} text; save it as UTF-8` }
  }
  return text.includes('\0')
    ? { fault: 'it contains NUL characters, as UTF-16 without a byte order mark does; save it as UTF-8' }
    : { text }
}

function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** A text without the one line end that editors and `echo` add; a secret may end with spaces. */
export const withoutLineEnd = (text: string): string => text.replace(/\r\n$|[\r\n]$/, '')
