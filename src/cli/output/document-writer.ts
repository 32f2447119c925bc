import { escapeJsonText, sanitizeOutput } from '../../domain/text/terminal-sanitizing.ts'
import type { Io, Stream } from '../terminal/io-types.ts'
import { wrapText } from '../terminal/text-wrap.ts'

/** What `--jq` or `--template` makes of one document: the text for stdout with its line breaks, and what the expression says aside. */
export type Shaped = { text: string; aside?: string }

/** The shape of `--jq` or `--template`. One that works beside the program answers later, in the order of the documents. */
export type Shape = (json: string, to: Stream) => Shaped | Promise<Shaped>

/** A shape with the documents that it still works at, and its end. */
export type Shaping = { shape: Shape; pending: Promise<void>[]; end: () => void }

/**
 * Encodes a value as one JSON document. A `bigint` becomes text, and characters that a terminal would
 * act on are escaped; the value is the same.
 */
export const toJson = (value: unknown, pretty: boolean): string =>
  escapeJsonText(
    JSON.stringify(
      value,
      (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item),
      pretty ? 2 : undefined,
    ),
  )

/** A text for people as it goes to a stream: the last net under every foreign string. */
export const sanitizedFor = (text: string, { paint }: Stream): string => sanitizeOutput(text, paint.level > 0)

/** How a document is written: shaped by `--jq` or `--template`; on one line where several follow each other. */
type How = { shaping?: Shaping | undefined; isLine?: boolean }

/** Writes one document to stdout: as JSON, or as `--jq` or `--template` shapes it. */
export function writeDocument(
  { out, err }: Pick<Io, 'out' | 'err'>,
  value: unknown,
  { shaping, isLine = false }: How = {},
): void {
  const put = ({ text, aside }: Shaped) => {
    if (aside) err.write(`${sanitizedFor(aside, err)}\n`)
    if (text !== '') out.write(text)
  }
  if (!shaping) {
    put({ text: `${toJson(value, out.isTerminal && !isLine)}\n` })
    return
  }
  const shaped = shaping.shape(toJson(value, false), out)
  if (!(shaped instanceof Promise)) {
    put(shaped)
    return
  }
  const written = shaped.then(put)
  // Awaited by `written`; a failure must not count as unhandled until then.
  written.catch(() => undefined)
  shaping.pending.push(written)
}

/** Waits until all documents are written that a shape still works at; throws the first failure. */
export async function written({ shaping }: How): Promise<void> {
  await Promise.all(shaping?.pending.splice(0) ?? [])
}

/** A text for people as a stream gets it: sanitized, and wrapped between words on a terminal. */
export const fittedFor = (text: string, to: Stream): string => wrapText(sanitizedFor(text, to), to)

/** Writes a text for people to stdout, with a line break. */
export const writeText = ({ out }: Pick<Io, 'out'>, text: string): void =>
  out.write(`${fittedFor(text, out)}\n`)

/** Writes to stdout what is passed on byte by byte, such as a CSV text or the body of a response. */
export const writeBytes = ({ out }: Pick<Io, 'out'>, text: string): void => out.write(text)
