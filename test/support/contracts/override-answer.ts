import type { Address, Hex } from '../../../src/domain/address.ts'
import { codeSaying } from '../../engine/catalog-checks/scripted-contract-code.ts'
import type { TestSandbox } from '../use-sandbox.ts'

/** Makes a contract return the given answer for some calldata. All other calls run its own code, moved to another address. */
export async function speaks(
  { chain }: TestSandbox,
  chainId: number,
  contract: Address,
  said: ReadonlyMap<Hex, Hex>,
): Promise<void> {
  const { rpc } = chain(chainId)
  const [own, speaker] = ['cafe', 'beef'].map((end) => `0x${contract.slice(2, -4)}${end}` as Address)
  const kept = await rpc.request<Hex>('eth_getCode', [own!, 'latest'])
  const code = kept === '0x' ? await rpc.request<Hex>('eth_getCode', [contract, 'latest']) : kept
  await rpc.request('anvil_setCode', [own!, code])
  await rpc.request('anvil_setCode', [speaker!, codeSaying(said)])
  const selectors = [...new Set([...said.keys()].map((data) => data.slice(2, 10)))]
  await rpc.request('anvil_setCode', [contract, front(selectors, own!, speaker!)])
}

/** Bytecode that calls `speaker` for some selectors, and delegates all other calls to `own`. */
function front(selectors: readonly string[], own: Address, speaker: Address): Hex {
  const at = (place: number) => place.toString(16).padStart(2, '0')
  // PUSH20 own, 14 bytes per selector, and a jump of 3 past the replacement of the target (POP, PUSH20).
  const other = 21 + 14 * selectors.length + 3
  const asked = other + 23
  const done = asked + 22
  return `0x${[
    `73${own.slice(2)}`,
    ...selectors.map((selector) => `5f3560e01c63${selector}1460${at(other)}57`),
    `60${at(asked)}56`,
    `5b5073${speaker.slice(2)}`,
    // CALLDATACOPY, DELEGATECALL with all calldata, and its result.
    `5b365f5f375f5f365f845af43d5f5f3e60${at(done)}573d5ffd`,
    '5b3d5ff3',
  ]
    .join('')
    .toLowerCase()}`
}
