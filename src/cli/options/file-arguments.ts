import { createReadStream } from 'node:fs'
import { AppError } from '../../domain/errors.ts'
import { listing } from '../../domain/shell-quoting.ts'
import { plain } from '../../domain/text.ts'
import type { World } from '../world.ts'

/** The most that is read of a file or of standard input, in bytes: plans, policies and evidence are far smaller. */
const mostBytes = 32 * 1024 * 1024

/** The text of a file that was named on the line, `-` for standard input. Throws USAGE where it cannot be read, or has no end. */
export async function textOf(file: string, { stdin }: Pick<World, 'stdin'>): Promise<string> {
  if (file === '-') return stdin()
  try {
    return await textIn(createReadStream(file), plain(file))
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('USAGE', `Cannot read ${plain(file)}`, { cause, hint: listing(file) })
  }
}

/** Reads a stream as text; USAGE above the size limit. */
export async function textIn(input: AsyncIterable<Buffer>, name: string): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    size += chunk.length
    if (size > mostBytes)
      throw new AppError('USAGE', `${name} is larger than ${mostBytes / 1024 / 1024} MiB`, {
        hint: 'Check that this is the right file.',
      })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
