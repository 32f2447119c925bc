// The manifests of the commands as a file of the build, and what each of them was made of.
import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The file, and the names of the commands whose manifests depend on a source, `*` for all of them. None where this Node does not run the sources. */
export async function writeManifests(root, { imports, modules }) {
  const { commands } = await source(root, 'commands/index').catch(() => ({ commands: [] }))
  if (commands.length === 0) return { output: [], namesOf: () => [] }
  const { commandManifests, helpPages } = await source(root, 'app/help-and-completion-manifests')
  const manifests = await commandManifests()
  const named = (id) => relative(root, id).split(sep).join('/')
  const reached = (name) => {
    const found = new Set([join(root, 'src', `${name}.ts`)])
    for (const id of found) for (const next of imports.get(id) ?? []) found.add(next)
    return new Set([...found].map(named))
  }
  // What shows them, and what no command is without.
  const all = new Set([
    ...modules.map(named),
    ...['app/prebuilt-help-and-completion', 'app/main', 'cli/help/command-manifest'].flatMap((name) => [
      ...reached(name),
    ]),
  ])
  const each = commands.map(({ name }) => [name, reached(fileOf(root, name))])
  return {
    output: [
      { fileName: 'command-manifests', code: manifests },
      { fileName: 'help-pages', code: helpPages(manifests) },
    ],
    namesOf: (path) =>
      all.has(path) ? ['*'] : each.filter(([, paths]) => paths.has(path)).map(([name]) => name),
  }
}

/** A command is a file, or a folder with a file of the same name. */
const fileOf = (root, name) =>
  existsSync(join(root, 'src', 'commands', `${name}.ts`)) ? `commands/${name}` : `commands/${name}/${name}`

const source = (root, name) => import(pathToFileURL(join(root, 'src', `${name}.ts`)))
