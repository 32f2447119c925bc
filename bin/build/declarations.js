// Out of the declarations that a compiler made of each source, one text with those that an index exports and all that they name.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Declarations without their comments and texts. */
const codeOf = (text) => text.replace(/\/\*\*[\s\S]*?\*\/|'[^'\n]*'|`[^`]*`/g, '')
const commentOf = (text) => /^\/\*\*[\s\S]*?\*\/\n/.exec(text)?.[0] ?? ''

/**
 * The text of a file of declarations that stands alone. What another package would have to explain is taken from `probe`,
 * declarations in which the constant `NAME` has all of the type `NAME`.
 */
export function bundled(index, probe) {
  const files = new Map()
  const fileAt = (path) => {
    if (!files.has(path)) files.set(path, parsed(path))
    return files.get(path)
  }
  const taken = new Map()
  const take = (path, name, kind) => {
    const { declared, imports } = fileAt(path)
    const key = `${kind} ${name}`
    if (!declared.has(key)) return imports.has(name) && take(imports.get(name), name, kind)
    const before = taken.get(key)
    if (before && before.path !== path) throw new Error(`${name} is in ${before.path} and in ${path}`)
    if (before) return
    const isWritten = kind === 'type' && /\bz\./.test(codeOf(declared.get(key)))
    const text = isWritten ? written(declared.get(key), fileAt(probe), name) : declared.get(key)
    taken.set(key, { path, name, text })
    for (const [, isOf, word] of codeOf(text).matchAll(/\b(typeof )?([A-Za-z]\w*)\b(?!\??:)/g))
      take(isWritten ? probe : path, word, isOf ? 'value' : 'type')
  }
  const { exported } = fileAt(index)
  for (const name of exported) for (const kind of ['type', 'value']) take(index, name, kind)
  const texts = [...taken.values()].map(({ name, text }) =>
    exported.has(name) ? text.replace(/^(?=type |declare )/m, 'export ') : text,
  )
  // A class is both. Without the last line, all of such a file counts as exported.
  return [...new Set(texts), 'export {};', ''].join('\n')
}

function written(text, { declared }, name) {
  const found = declared.get(`value ${name}`)
  if (!found) throw new Error(`${name} names another package, and is not written out`)
  return commentOf(text) + found.replace(`declare const ${name}:`, `type ${name} =`)
}

/** What a file declares, each with its comment and without its `export`, by kind and name; the files of its other names; what it exports. */
function parsed(path) {
  const declared = new Map()
  const imports = new Map()
  const exported = new Set()
  const from = (names, file) => {
    if (file.startsWith('.'))
      for (const name of names) imports.set(name, join(dirname(path), file.replace(/\.ts$/, '.d.ts')))
  }
  const text = readFileSync(path, 'utf8').replace(
    /\bimport\("([^"]+)"\)\.(\w+)/g,
    (_all, file, name) => from([name], file) ?? name,
  )
  for (const part of text.split(/(?<!\*\/)\n(?=\/\*\*|export |import |type |declare )/)) {
    const [, list, file] = /^(?:import|export) (?:type )?\{([^}]*)\}(?: from '([^']+)')?;/m.exec(part) ?? []
    const names = list?.split(',').map((name) => name.trim().replace(/^type /, '')) ?? []
    if (file) from(names, file)
    else for (const name of names) exported.add(name)
    const [, isExported, kind, name] =
      /^(export )?(?:declare )?(type|const|function|class) (\w+)/m.exec(part) ?? []
    if (isExported) exported.add(name)
    const bare = part.replace(/^export (?=type |declare )/m, '').trimEnd()
    if (kind === 'type' || kind === 'class') declared.set(`type ${name}`, bare)
    if (kind && kind !== 'type') declared.set(`value ${name}`, bare)
  }
  return { declared, imports, exported }
}
