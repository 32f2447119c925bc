import { toFunctionSelector } from 'viem/utils'
import type { Address, Hex } from '../../../src/domain/address.ts'
import type { TestSandbox } from '../use-sandbox.ts'

/** Makes a contract revert in one function, for example `function balanceOf(address)`. All other calls run its own code, moved to another address. */
export async function refuses(
  { chain }: TestSandbox,
  chainId: number,
  contract: Address,
  signature: string,
): Promise<void> {
  const { rpc } = chain(chainId)
  const beside = `0x${contract.slice(2, -4)}dead` as Address
  const own = await rpc.request<Hex>('eth_getCode', [contract, 'latest'])
  await rpc.request('anvil_setCode', [beside, own])
  await rpc.request('anvil_setCode', [contract, but(toFunctionSelector(signature), beside)])
}

/** Bytecode that reverts for a selector, and delegates all other calls. */
function but(selector: Hex, beside: Address): Hex {
  // PUSH0 CALLDATALOAD, shift to the selector, PUSH4 and EQ, then jump to the end; else DELEGATECALL with all calldata and its result.
  const parts = (refused: string, gone: string) => [
    `5f3560e01c63${selector.slice(2)}1460${refused}57`,
    `365f5f375f5f365f73${beside.slice(2)}5af43d5f5f3e60${gone}573d5ffd`,
    '5b3d5ff3',
    '5b5f5ffd',
  ]
  const ends = parts('00', '00').map((part) => part.length / 2)
  const at = (count: number) =>
    ends
      .slice(0, count)
      .reduce((sum, length) => sum + length, 0)
      .toString(16)
      .padStart(2, '0')
  return `0x${parts(at(3), at(2)).join('').toLowerCase()}`
}
