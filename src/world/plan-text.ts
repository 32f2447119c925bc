import { readFileSync, statSync } from 'node:fs'

/** The most bytes of a plan that are read. */
const mostBytes = 32 * 1024 * 1024

/** The text of a plan in a file that can be read more than once; `undefined` where it is none, such as a pipe, or is larger than a plan is. Throws where it cannot be read. */
export function planTextIn(path: string): string | undefined {
  const stats = statSync(path)
  return stats.isFile() && stats.size <= mostBytes ? readFileSync(path, 'utf8') : undefined
}
