import type { Abi } from 'viem'
import { parseAbi } from 'viem/utils'
import type { Call, Rounds } from '../chain/call.ts'
import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import type { Catalog } from '../protocols/catalog-types.ts'

/** How a pool is recognised: by what it answers about itself, and no wallet does. So the pools of unlisted exchanges are recognised, too. */
export type PoolShape = {
  abi: Abi
  getters: readonly Pick<Call, 'functionName' | 'args'>[]
  /** Whether these answers of an address, `undefined` for a refused one, are those of a pool. */
  isPool: (answers: readonly unknown[], address: Address) => boolean
  /** The getter of the contract of its exchange that made it or holds its tokens, by which the exchange is named. */
  madeBy?: string
}

const isAddress = (value: unknown): value is Address =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) && value !== nativeAddress

/** Whether two answers are two tokens. A wallet that answers everything alike names one twice. */
const areTwoTokens = ([one, other]: readonly unknown[]): boolean =>
  isAddress(one) && isAddress(other) && !sameAddress(one, other)

/** A pool of two tokens, as Uniswap v2 and v3 name them, and after them Solidly, Slipstream, Algebra and most other exchanges. */
export const pairPool: PoolShape = {
  abi: parseAbi([
    'function token0() view returns (address)',
    'function token1() view returns (address)',
    'function factory() view returns (address)',
  ]),
  getters: [{ functionName: 'token0' }, { functionName: 'token1' }],
  isPool: areTwoTokens,
  madeBy: 'factory',
}

/** The shapes of exchanges without a provider here: Curve (the index was `int128` in its first pools), and the pools of Trader Joe in bins. */
const otherShapes: readonly PoolShape[] = [
  ...[
    parseAbi(['function coins(uint256) view returns (address)']),
    parseAbi(['function coins(int128) view returns (address)']),
  ].map(
    (abi): PoolShape => ({
      abi,
      getters: [
        { functionName: 'coins', args: [0n] },
        { functionName: 'coins', args: [1n] },
      ],
      isPool: areTwoTokens,
    }),
  ),
  {
    abi: parseAbi([
      'function getTokenX() view returns (address)',
      'function getTokenY() view returns (address)',
    ]),
    getters: [{ functionName: 'getTokenX' }, { functionName: 'getTokenY' }],
    isPool: areTwoTokens,
  },
]

/** An exchange as a recipient check knows it. */
type Exchange = { title: string; pools: PoolShape | 'none'; contracts: { name: string } }

/** Reads which exchange an address is a pool of, in one round; `undefined` for any other address. */
export function* poolAt(
  exchanges: readonly Exchange[],
  { swaps }: Pick<Catalog, 'swaps'>,
  address: Address,
): Rounds<string | undefined> {
  const own = exchanges.flatMap(({ pools }) => (pools === 'none' ? [] : [pools]))
  const shapes = [...new Set([...own, ...otherShapes])]
  const queries = shapes.map(({ abi, getters, madeBy }) =>
    [...getters, ...(madeBy === undefined ? [] : [{ functionName: madeBy }])].map(
      (getter): Call => ({ address, abi, ...getter }),
    ),
  )
  const answers = yield queries.flat()
  for (const [at, shape] of shapes.entries()) {
    const first = queries.slice(0, at).flat().length
    const count = shape.getters.length
    if (!shape.isPool(answers.slice(first, first + count), address)) continue
    const maker = shape.madeBy === undefined ? undefined : answers[first + count]
    const known = exchanges.find(
      ({ pools, contracts: { name } }) =>
        pools === shape &&
        isAddress(maker) &&
        JSON.stringify(swaps[name] ?? [])
          .toLowerCase()
          .includes(maker.toLowerCase()),
    )
    return known ? known.title : 'an exchange'
  }
  return undefined
}
