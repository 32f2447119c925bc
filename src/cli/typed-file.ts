import { readFileSync } from 'node:fs'

import { AppError } from '../domain/errors.ts'
import { listing } from '../domain/shell.ts'
import { plain } from '../domain/text.ts'
import type { World } from './world.ts'

/** The text of a file that was named on the line, `-` for standard input. Throws USAGE where it cannot be read. */
export async function textOf(file: string, { stdin }: Pick<World, 'stdin'>): Promise<string> {
  if (file === '-') return stdin()
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new AppError('USAGE', `${plain(file)} cannot be read`, { cause, hint: listing(file) })
  }
}
