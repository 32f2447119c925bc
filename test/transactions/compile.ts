import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { encodeDeployData } from 'viem/utils'
import type { Address, Hex } from '../../src/domain/address.ts'
import type { TestSandbox } from '../support/sandbox.ts'

const require = createRequire(import.meta.url)

type Compiled = { abi: never[]; evm: { bytecode: { object: string } } }

/** Compiles one of the contracts of these tests and puts it on a chain; gives its address. */
export async function deployed(
  sandbox: TestSandbox,
  chainId: number,
  name: 'BareVault' | 'KeepingVault' | 'LyingVault' | 'StingyVault' | 'Trap',
  args: readonly unknown[] = [],
): Promise<Address> {
  const content = readFileSync(join(import.meta.dirname, 'contracts', `${name}.sol`), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [name]: { content } },
    settings: { evmVersion: 'cancun', outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const { contracts } = JSON.parse(require('solc').compile(JSON.stringify(input)))
  const { abi, evm } = contracts[name][name] as Compiled
  const data = encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args } as never)
  const { rpc } = sandbox.chain(chainId)
  const hash = await rpc.request<Hex>('eth_sendTransaction', [
    { from: sandbox.user.address, data, gas: '0x4c4b40' },
  ])
  for (;;) {
    const receipt = await rpc.request<{ contractAddress: Address } | null>('eth_getTransactionReceipt', [
      hash,
    ])
    if (receipt) return receipt.contractAddress
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
