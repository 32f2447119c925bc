// The notices of the packages whose code is in the build: their licences want that a copy carries them.
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

/** The text for the modules of a build: a line for each package, `name version, licence`, then the texts, each with the packages that have it. */
export function notices(modules) {
  const packages = [...new Set(modules.flatMap(folderOf))].map((folder) => ({ folder, ...about(folder) }))
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
