import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)
/** Where the sources and the committed artifacts of the sandbox's own contracts are. */
export const contractsDir = join(import.meta.dirname, '../../src/sandbox/contracts')

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>>
}

/** Compiles the contracts and gives the text of each artifact file, by file name. The same sources give the same bytes. */
export function compileContracts(): Record<string, string> {
  const solc = require('solc')
  const names = readdirSync(contractsDir)
    .filter((file) => file.endsWith('.sol'))
    .sort()
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      names.map((file) => [file, { content: readFileSync(join(contractsDir, file), 'utf8') }]),
    ),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
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
      return [`${name}.json`, `${JSON.stringify({ abi, bytecode: `0x${evm.bytecode.object}` })}\n`]
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
  const read = (file: string) => readFileSync(join(contractsDir, file), 'utf8')
  const files = readdirSync(contractsDir).sort()
  const solc = readFileSync(require.resolve('solc/package.json'), 'utf8')
  const how = readFileSync(import.meta.filename, 'utf8')
  return {
    sources: of([...files.filter((file) => file.endsWith('.sol')).map(read), JSON.parse(solc).version, how]),
    artifacts: of(files.filter((file) => file.endsWith('.json')).map(read)),
  }
}

if (import.meta.main) {
  for (const [file, text] of Object.entries(compileContracts())) writeFileSync(join(contractsDir, file), text)
  writeFileSync(digestsFile, `${JSON.stringify(digests(), null, 2)}\n`)
}
