import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)
/** Where the sources and the committed artifacts of our own contracts are: what the sandbox deploys, and what calls of the engine bring along. */
export const sourceDir = join(import.meta.dirname, '../../src')
const places = [
  { dir: 'sandbox/contracts', evmVersion: 'cancun', fileOf: artifactFile },
  // Of the chains that are read, not every one has what came later.
  { dir: 'chain/contracts', evmVersion: 'paris', fileOf: codeFile },
]

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>>
}

type Compiled = { abi: unknown[]; bytecode: string }
type File = { file: string; text: string }

/** What the sandbox deploys of Across: as its package has it (`npm run artifacts`), licensed as `across-license.txt` beside it says. */
const published = ['Ethereum_SpokePool', 'ERC1967Proxy'] as const

function publishedFile(name: (typeof published)[number]): [path: string, text: string] {
  const taken = readFileSync(join(import.meta.dirname, '../protocols/artifacts', `${name}.json`), 'utf8')
  const { package: from, version, path, licence, abi, bytecode } = JSON.parse(taken)
  const source = `npm:${from}@${version} ${path}`
  return [`sandbox/contracts/${name}.json`, `${JSON.stringify({ source, licence, abi, bytecode })}\n`]
}

/** Compiles the contracts and gives the text of each artifact file, by its path in `src`. The same sources give the same bytes. */
export const compileContracts = (): Record<string, string> =>
  Object.fromEntries([
    ...published.map(publishedFile),
    ...places.flatMap(({ dir, evmVersion, fileOf }) =>
      Object.entries(compiledIn(join(sourceDir, dir), evmVersion)).map(([name, one]) => {
        const { file, text } = fileOf(name, one)
        return [`${dir}/${file}`, text] as [string, string]
      }),
    ),
  ])

function artifactFile(name: string, { abi, bytecode }: Compiled): File {
  return { file: `${name}.json`, text: `${JSON.stringify({ abi, bytecode })}\n` }
}

function codeFile(name: string, { bytecode }: Compiled): File {
  const kebab = name.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase()
  const constant = `${name[0]!.toLowerCase()}${name.slice(1)}Code`
  const text = `/** What deploys \`${name}.sol\`, as \`npm run contracts\` compiled it. */\nexport const ${constant} =\n  '${bytecode}'\n`
  return { file: `${kebab}-bytecode.ts`, text }
}

const sourcesIn = (dir: string): string[] =>
  readdirSync(dir)
    .filter((file) => file.endsWith('.sol'))
    .sort()

function compiledIn(dir: string, evmVersion: string): Record<string, Compiled> {
  const solc = require('solc')
  const names = sourcesIn(dir)
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      names.map((file) => [file, { content: readFileSync(join(dir, file), 'utf8') }]),
    ),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion,
      viaIR: true,
      metadata: { bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output: Output = JSON.parse(
    solc.compile(JSON.stringify(input), {
      import: (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') }),
    }),
  )
  const errors = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return Object.fromEntries(
    names.map((file) => {
      const name = file.replace('.sol', '')
      const { abi, evm } = output.contracts[file]![name]!
      return [name, { abi, bytecode: `0x${evm.bytecode.object}` }]
    }),
  )
}

/** What the artifacts were made of and what came out: the sources, how they are compiled, and the artifacts themselves. */
export const digestsFile = join(import.meta.dirname, 'contracts.json')

/** The same of what is there now. */
export function digests(): { sources: string; artifacts: string } {
  const of = (texts: readonly string[]) => {
    const hash = createHash('sha256')
    for (const text of texts) hash.update(text).update('\0')
    return hash.digest('hex')
  }
  const read = (file: string) => readFileSync(join(sourceDir, file), 'utf8')
  const files = places.flatMap(({ dir }) =>
    readdirSync(join(sourceDir, dir))
      .sort()
      .map((file) => `${dir}/${file}`),
  )
  const solc = readFileSync(require.resolve('solc/package.json'), 'utf8')
  const how = readFileSync(import.meta.filename, 'utf8')
  const isSource = (file: string) => file.endsWith('.sol')
  return {
    sources: of([...files.filter(isSource).map(read), JSON.parse(solc).version, how]),
    artifacts: of(files.filter((file) => !isSource(file)).map(read)),
  }
}

if (import.meta.main) {
  for (const [file, text] of Object.entries(compileContracts())) writeFileSync(join(sourceDir, file), text)
  writeFileSync(digestsFile, `${JSON.stringify(digests(), null, 2)}\n`)
}
