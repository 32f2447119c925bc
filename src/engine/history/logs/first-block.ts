import type { Chain } from '../../../chain/chain.ts'
import { type Address, nativeAddress } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Market } from '../../../protocols/market.ts'
import type { EngineStore } from '../../../store/engine/store.ts'
import { writeInBackground } from '../../background-writes.ts'

/** So many blocks are asked about in one exchange. */
const probesPerBatch = 16n

/**
 * The first block after `without` in which something is so that is so at `end`, in a few exchanges; `holds` says of which of some blocks it
 * is, oldest first. What began stays.
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

/** A contract that was there before a market: its asset, or what wraps that where it is the coin itself; `undefined` where none is known. */
export const olderContract = ({ entry }: Market, { network, wrapped }: Chain): Address | undefined =>
  entry.asset.address === nativeAddress ? (wrapped ?? network.multicall3) : entry.asset.address

/**
 * The block in which a contract got its code, found in a few exchanges and kept; `undefined` where the node has no old states. `older` is a contract
 * that was there before (its asset): a node that knows nothing of that either does not know the past, whatever it answers.
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
  const found = await findDeployment(chain, address, older, head).catch((error: unknown) => {
    // Every node says in words of its own that it keeps no old states.
    if (error instanceof AppError && error.code === 'RPC_ERROR') return undefined
    throw error
  })
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

/** In which blocks there was code at an address. */
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
