import { createReadStream } from 'node:fs'
import { AppError } from '../../domain/errors.ts'
import { decodeText } from '../../domain/text/decode-text.ts'
import { listFileCommand } from '../../domain/text/shell-quoting.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { CommandContext } from '../program-context-types.ts'

/** The most that is read of a file or of standard input, in bytes: plans, policies and evidence are far smaller. */
const mostBytes = 32 * 1024 * 1024

/** The text of a file that was named on the line, `-` for standard input. Throws USAGE where it cannot be read, or has no end. */
export async function textOf(file: string, { stdin }: Pick<CommandContext, 'stdin'>): Promise<string> {
  if (file === '-') return stdin()
  try {
    return await textIn(createReadStream(file), sanitizeText(file))
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const why = reasons[(cause as NodeJS.ErrnoException).code ?? '']
    throw new AppError('USAGE', `Cannot read ${sanitizeText(file)}${why === undefined ? '' : `: ${why}`}`, {
      cause,
      next: listFileCommand(file),
    })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
}

/** Reads a stream as text; USAGE above the size limit, and for bytes that are no text. */
export async function textIn(input: AsyncIterable<Buffer>, name: string): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    size += chunk.length
    if (size > mostBytes)
      throw new AppError('USAGE', `${name} is larger than ${mostBytes / 1024 / 1024} MiB`, {
        next: 'Check that this is the right file.',
      })
    chunks.push(chunk)
  }
  const { text, fault } = decodeText(Buffer.concat(chunks))
  if (text === undefined)
    throw new AppError('USAGE', `${name} cannot be read as text: ${fault}`, {
      next: 'Check that this is the right file.',
    })
  return text
}
