import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import { shellWord } from '../domain/text/shell-quoting.ts'

/** The packages that are installed beside the program, by the part of the program that needs them. */
export type Companion = 'sandbox' | 'ledger'

/** The root folder of the program: that of a clone, or of the installed package. */
const root = join(import.meta.dirname, '..', '..')

/** Whether the program runs in a clone, which has the contents of all companion packages. */
export const isClone = (): boolean => existsSync(join(root, 'src', 'app', 'process-entry.ts'))

const purposes: Record<Companion, string> = { sandbox: 'The sandbox', ledger: 'A Ledger' }

const nameOf = (companion: Companion): string => `@sluice-cli/${companion}`

const versionIn = (file: string): string => JSON.parse(readFileSync(file, 'utf8')).version

/** Returns the folder of an installed companion package of any version; undefined if none is installed. */
function foundFolder(companion: Companion): string | undefined {
  try {
    return dirname(createRequire(join(root, 'package.json')).resolve(`${nameOf(companion)}/package.json`))
  } catch {
    return undefined
  }
}

/**
 * Returns the folder of a companion package. Throws `code` with the command that installs it, if it is not installed or is not of
 * the program's version.
 */
export function companionFolder(companion: Companion, code: ErrorCode): string {
  const folder = foundFolder(companion)
  const [found, own] = [
    folder && versionIn(join(folder, 'package.json')),
    versionIn(join(root, 'package.json')),
  ]
  if (folder && found === own) return folder
  const name = nameOf(companion)
  throw new AppError(
    code,
    found
      ? `The package ${name} is version ${found}, and sluice is version ${own}`
      : `${purposes[companion]} needs the package ${name}, which is not installed`,
    { next: installCommand(companion) },
  )
}

/** Returns the command that installs a companion package where the program finds it: in a clone, `npm ci`. */
export function installCommand(companion: Companion): string {
  if (isClone()) return `cd ${shellWord(root)} && npm ci`
  const what = `${nameOf(companion)}@${versionIn(join(root, 'package.json'))}`
  // The package lies in node_modules/@sluice-cli/sluice; a project has a package.json there, and global packages have none.
  const project = join(root, '..', '..', '..')
  return existsSync(join(project, 'package.json'))
    ? `npm install --prefix ${shellWord(project)} ${shellWord(what)}`
    : `npm install --global ${shellWord(what)}`
}
