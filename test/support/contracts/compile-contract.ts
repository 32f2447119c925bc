import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { encodeDeployData } from 'viem/utils'
import type { Address, Hex } from '../../../src/domain/address.ts'
import type { TestSandbox } from '../use-sandbox.ts'

const require = createRequire(import.meta.url)

type Compiled = { abi: never[]; evm: { bytecode: { object: string } } }

/** Compiles a test contract, named like its file. */
export function compiled(file: string): { abi: never[]; bytecode: Hex } {
  const name = basename(file, '.sol')
  const input = {
    language: 'Solidity',
    sources: { [name]: { content: readFileSync(file, 'utf8') } },
    settings: { evmVersion: 'cancun', outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const { contracts, errors } = JSON.parse(
    require('solc').compile(JSON.stringify(input), {
      import: (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') }),
    }),
  )
  if (!contracts?.[name]) throw new Error(JSON.stringify(errors))
  const { abi, evm } = contracts[name][name] as Compiled
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
