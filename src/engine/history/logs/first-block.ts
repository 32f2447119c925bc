import type { Chain } from '../../../chain/network-client.ts'
import { type Address, nativeAddress } from '../../../domain/address.ts'
import type { Market } from '../../../protocols/market-adapter.ts'
import type { EngineStore } from '../../../store/engine/store.ts'
import { writeInBackground } from '../../best-effort-write.ts'
import { undefinedIfRefused } from '../../undefined-if-unread.ts'

/** The number of blocks in one exchange. */
const probesPerBatch = 16n

/**
 * Finds the first block after `without` in which a condition holds that holds at `end`, in a few exchanges. `holds` checks it for some
 * blocks, oldest first. Once true, the condition stays true.
 */
export async function firstBlockWhere(
  holds: (blocks: readonly bigint[]) => Promise<readonly boolean[]>,
  without: bigint,
  end: bigint,
): Promise<bigint> {
  let [before, first] = [without, end]
  while (first - before > 1n) {
    const between = first - before
    const step = between <= probesPerBatch ? 1n : between / probesPerBatch
    const numbers: bigint[] = []
    for (let at = before + step; at < first; at += step) numbers.push(at)
    const has = await holds(numbers)
    const found = has.indexOf(true)
    if (found !== 0) before = numbers.at(found === -1 ? -1 : found - 1)!
    if (found !== -1) first = numbers[found]!
  }
  return first
}

/** A contract older than a market: its asset, or the wrapped coin if the asset is the native coin; `undefined` if none is known. */
export const olderContract = ({ entry }: Market, { network, wrapped }: Chain): Address | undefined =>
  entry.asset.address === nativeAddress ? (wrapped ?? network.multicall3) : entry.asset.address

/**
 * Finds the block in which a contract was deployed, in a few exchanges, and stores it; `undefined` if the node has no old states. `older`
 * is a contract deployed earlier (the asset): if the node has no code for it either, it has no old states.
 */
export async function deploymentBlock(
  store: EngineStore,
  chain: Chain,
  address: Address,
  older: Address,
  head: bigint,
): Promise<bigint | undefined> {
  const { chainId } = chain.network
  const name = `first-block ${address.toLowerCase()}`
  const known = await store.fact(chainId, name)
  if (known !== undefined) return BigInt(known)
  const found = await undefinedIfRefused(findDeployment(chain, address, older, head))
  if (found !== undefined && found + BigInt(chain.network.depth) <= head)
    await writeInBackground(store.storeFact(chainId, name, found.toString()))
  return found
}

async function findDeployment(
  chain: Chain,
  address: Address,
  older: Address,
  head: bigint,
): Promise<bigint | undefined> {
  if (!(await hasCodeAt(chain, address, [head]))[0]) return undefined
  const first = await firstBlockWhere((blocks) => hasCodeAt(chain, address, blocks), -1n, head)
  if (first === 0n) return 0n
  return (await hasCodeAt(chain, older, [first - 1n]))[0] ? first : undefined
}

/** Whether an address had code in each of some blocks. */
export async function hasCodeAt(
  { rpc }: Chain,
  address: Address,
  blocks: readonly bigint[],
): Promise<boolean[]> {
  const codes = await rpc.batch(
    blocks.map((number) => ['eth_getCode', [address, `0x${number.toString(16)}`]]),
  )
  return codes.map((code) => typeof code === 'string' && code.length > 2)
}
