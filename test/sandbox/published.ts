import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Piece, publishedPackages } from './published-packages.ts'

/*
 * Takes the contracts that the sandbox deploys out of the published packages, which are too large to depend on, and writes them with their source.
 * It needs the package registry; the sandbox needs only the written files.
 * `npm run contracts:published`
 */

/** Where the written artifacts lie. */
export const publishedDir = join(import.meta.dirname, '../../src/sandbox/published')

/** The contract of Permit2 for calls: `approve` of IAllowanceTransfer, in `@uniswap/permit2-sdk` 1.4.0. */
const permit2Abi = [
  {
    type: 'function',
    name: 'approve',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'token', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'amount', type: 'uint160' },
      { name: 'expiration', type: 'uint48' },
    ],
    outputs: [],
  },
]

/** What a file was made by and holds: by another script or with another byte in it, it is made anew. */
export const madeBy = (made: object): string =>
  createHash('sha256')
    .update(readFileSync(import.meta.filename))
    .update(JSON.stringify(made))
    .digest('hex')

type Published = {
  abi: { type: string; name?: string }[]
  bytecode: string | { object: string }
  linkReferences?: object
}

/** Permit2 is published as its runtime code in a source; what deploys it copies and returns that. */
function permit2(source: string): Published {
  const code = /hex"([0-9a-f]+)"/.exec(source)?.[1]
  if (!code) throw new Error('Permit2 is not where it was')
  const length = (code.length / 2).toString(16).padStart(4, '0')
  return { abi: permit2Abi, bytecode: `0x61${length}80600a3d393df3${code}` }
}

function taken({ name, path, licence, uses }: Piece, from: object, text: string): string {
  const {
    abi,
    bytecode,
    linkReferences = {},
  } = name === 'Permit2' ? permit2(text) : (JSON.parse(text) as Published)
  const hex = typeof bytecode === 'string' ? bytecode : bytecode.object
  // Uniswap v2 omits the prefix.
  const code = hex.startsWith('0x') ? hex : `0x${hex}`
  // A contract with libraries has placeholders until it is linked.
  const links = Object.keys(linkReferences).length > 0 ? { linkReferences } : {}
  if (
    !/^0x([0-9a-f]{2})+$/i.test(
      'linkReferences' in links ? code.replaceAll(/__\$[0-9a-f]{34}\$__/g, '00'.repeat(20)) : code,
    )
  )
    throw new Error(`${path} has no bytecode`)
  const isUsed = (one: (typeof abi)[number]) =>
    uses === undefined || one.type === 'constructor' || (one.type === 'function' && uses.includes(one.name!))
  const made = { ...from, path, licence, abi: abi.filter(isUsed), bytecode: code, ...links }
  return `${JSON.stringify({ madeBy: madeBy(made), ...made })}\n`
}

if (import.meta.main) {
  mkdirSync(join(publishedDir, 'licences'), { recursive: true })
  for (const { pieces, terms, ...about } of publishedPackages) {
    const dir = mkdtempSync(join(tmpdir(), 'sluice-published-'))
    try {
      const packing = ['pack', `${about.name}@${about.version}`, '--json', '--loglevel=error']
      const said = execFileSync('npm', packing, { cwd: dir, maxBuffer: 1 << 28 }).toString()
      const packed = JSON.parse(said) as { filename: string; integrity: string }[]
      const { filename, integrity } = Object.values(packed)[0]!
      if (integrity !== about.integrity)
        throw new Error(`${about.name} is ${integrity}, not ${about.integrity}`)
      const paths = [...pieces.map(({ path }) => path), ...(terms ? [terms[0]] : [])]
      execFileSync('tar', ['-xzf', filename, ...paths.map((path) => `package/${path}`)], { cwd: dir })
      if (terms) copyFileSync(join(dir, 'package', terms[0]), join(publishedDir, 'licences', terms[1]))
      const { name, ...rest } = about
      for (const piece of pieces) {
        const text = readFileSync(join(dir, 'package', piece.path), 'utf8')
        writeFileSync(
          join(publishedDir, `${piece.name}.json`),
          taken(piece, { package: name, ...rest }, text),
        )
      }
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }
}
