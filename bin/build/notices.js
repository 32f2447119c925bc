// The notices of the packages whose code is in the build: their licences want that a copy carries them.
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * What is compiled into a package without its licence beside it, for one version of the package: another version needs another look. `file` is a
 * file of `bin/licences`: that of jq is COPYING of jqlang/jq at 725cd63, that of Oniguruma the notice of its release 6.9.8.
 */
export const compiledIn = {
  'jq-wasm 3.0.0-jq-1.8.2': [
    { line: 'jq 1.8.2 (in jq-wasm), MIT', file: 'jq.txt' },
    { line: 'Oniguruma (in jq), BSD-2-Clause', file: 'oniguruma.txt' },
  ],
}
const licences = fileURLToPath(new URL('licences/', import.meta.url))

/** The text for the modules of a build: a line for each package, `name version, licence`, then the texts, each with the packages that have it. */
export function notices(modules) {
  const packages = [...new Set(modules.flatMap(folderOf))].flatMap((folder) => [
    about(folder),
    ...partsOf(folder).map(({ line, file }) => ({
      line,
      text: readFileSync(join(licences, file), 'utf8').trim(),
    })),
  ])
  const lines = [...new Set(packages.map(({ line }) => line))].sort()
  const texts = Map.groupBy(packages, ({ text }) => text)
  const parts = [...texts]
    .map(([text, all]) => `${[...new Set(all.map(({ line }) => line))].sort().join('\n')}\n\n${text}`)
    .sort()
  return ['The program contains code of these packages:', lines.join('\n'), ...parts].join(
    `\n\n${'-'.repeat(80)}\n\n`,
  )
}

/** The folder of the package that a module is in, below the root; none for a module of ours or of a plugin. */
function folderOf(id) {
  const path = id.replace(/^\0/, '').split('?')[0].split(sep).join('/')
  const at = path.lastIndexOf('/node_modules/')
  if (at === -1) return []
  const [first, second] = path.slice(at + '/node_modules/'.length).split('/')
  return [`${path.slice(0, at)}/node_modules/${first.startsWith('@') ? `${first}/${second}` : first}`]
}

/** What is compiled into a package. A package with a binary that `compiledIn` does not name stops the build, because nobody knows its notices. */
export function partsOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const parts = compiledIn[`${name} ${version}`]
  const hasBinary = readdirSync(folder, { recursive: true }).some((path) => /\.wasm$/.test(path))
  if (parts || !hasBinary) return parts ?? []
  throw new Error(`${name} ${version} contains a binary: name in bin/notices.js what is compiled into it`)
}

function about(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const holder = typeof author === 'string' ? author : author?.name
  const text = files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n')
  const kind = typeof license === 'string' ? license : (license?.type ?? 'see its text')
  return {
    line: `${name} ${version}, ${kind}`,
    text:
      text || `The package has no text of its licence. It states: ${kind}${holder ? `, by ${holder}` : ''}.`,
  }
}
