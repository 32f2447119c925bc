import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type DecodedText, decodeText } from '../domain/text/decode-text.ts'

/** The text of an open file or pipe, read to its end, or why it is no text; `undefined` above the limit in bytes. */
export function readOpenText(file: number, maxBytes: number): DecodedText | undefined {
  const buffer = Buffer.alloc(Math.min(maxBytes, fstatSync(file).size || maxBytes) + 1)
  let size = 0
  while (size < buffer.length) {
    const read = readSync(file, buffer, size, buffer.length - size, null)
    if (read === 0) break
    size += read
  }
  const decoded = size > maxBytes ? undefined : decodeText(buffer.subarray(0, size))
  // It may be a secret.
  buffer.fill(0)
  return decoded
}

/**
 * The text of a file that a person wrote, or of a pipe; `fault` says why it cannot be used. Throws the error of the system if it cannot be
 * opened or read.
 */
export function readTextFile(path: string, maxBytes: number): DecodedText {
  const file = openSync(path, 'r')
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() && !stats.isFIFO()) return { fault: 'it is not a file or pipe' }
    return readOpenText(file, maxBytes) ?? { fault: `it is larger than ${maxBytes} bytes` }
  } finally {
    closeSync(file)
  }
}
