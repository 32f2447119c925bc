import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { encodeDeployData } from 'viem/utils'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { testCache } from '../test-cache.ts'
import type { TestSandbox } from '../use-sandbox.ts'

const require = createRequire(import.meta.url)

type Artifact = { abi: never[]; bytecode: Hex }
type Output = { abi: never[]; evm: { bytecode: { object: string } } }

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(require.resolve(`${name}/package.json`), 'utf8')).version

/**
 * A test contract, named like its file. Compiling takes seconds, so a source is compiled once per machine: the artifact
 * is kept beside the genesis of the tests, under the hash of what it was made of.
 */
export function compiled(file: string): Artifact {
  const source = readFileSync(file, 'utf8')
  const made = [source, versionOf('solc'), versionOf('@openzeppelin/contracts'), JSON.stringify(settings)]
  const key = createHash('sha256').update(made.join('\0')).digest('hex')
  const kept = join(testCache(), `contract-${key}.json`)
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'))
  const artifact = compile(basename(file, '.sol'), source)
  mkdirSync(testCache(), { recursive: true, mode: 0o700 })
  // Two workers may compile the same source: each puts a whole file there.
  const own = `${kept}.${process.pid}`
  writeFileSync(own, JSON.stringify(artifact))
  renameSync(own, kept)
  return artifact
}

const settings = {
  evmVersion: 'cancun',
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}

function compile(name: string, content: string): Artifact {
  const input = { language: 'Solidity', sources: { [name]: { content } }, settings }
  const { contracts, errors } = JSON.parse(
    require('solc').compile(JSON.stringify(input), {
      import: (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') }),
    }),
  )
  if (!contracts?.[name]) throw new Error(JSON.stringify(errors))
  const { abi, evm } = contracts[name][name] as Output
  return { abi, bytecode: `0x${evm.bytecode.object}` }
}

/** Deploys a compiled contract and returns its address. */
export async function deployedFrom(
  sandbox: TestSandbox,
  chainId: number,
  file: string,
  args: readonly unknown[] = [],
): Promise<Address> {
  const data = encodeDeployData({ ...compiled(file), args } as never)
  const { rpc } = sandbox.chain(chainId)
  const hash = await rpc.request<Hex>('eth_sendTransaction', [
    { from: sandbox.user.address, data, gas: '0x989680' },
  ])
  for (;;) {
    const receipt = await rpc.request<{ contractAddress: Address } | null>('eth_getTransactionReceipt', [
      hash,
    ])
    if (receipt) return receipt.contractAddress
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Compiles and deploys a contract of this folder; returns its address. */
export const deployed = (
  sandbox: TestSandbox,
  chainId: number,
  name: 'BareVault' | 'KeepingVault' | 'LyingVault' | 'StingyVault' | 'Trap',
  args: readonly unknown[] = [],
): Promise<Address> => deployedFrom(sandbox, chainId, join(import.meta.dirname, `${name}.sol`), args)
