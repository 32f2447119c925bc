import { encodeDeployData, maxUint256, parseAbi } from 'viem'
import { decodeAbiParameters, parseAbiParameters } from 'viem/utils'
import { type Address, type Hex, nativeAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Call } from './call.ts'
import { priceAgesCode } from './contracts/price-ages-bytecode.ts'
import { callAt, type Node } from './eth-call.ts'

const abi = parseAbi(['constructor(address[] oracles, address[] tokens)'])

/**
 * The read of the age, in seconds, of the price with which an Aave v3 oracle values a token; `undefined` if unknown, as for a fixed
 * price (sources: AaveOracle.getSourceOfAsset; AggregatorV3Interface.latestRoundData; bgd-labs/aave-capo and
 * bgd-labs/cl-synchronicity-price-adapter for the underlying feeds of adapters).
 */
export const priceAge = (oracle: Address, token: Address): Call => ({
  address: oracle,
  abi,
  functionName: 'constructor',
  args: [token],
  code: priceAgesCode,
})

/** The same for a feed itself. */
export const feedAge = (feed: Address): Call => priceAge(nativeAddress, feed)

/** How many ages one call reads: an adapter takes about 100,000 gas, and a node allows about 50 M a call. */
const maxAgesPerCall = 200

/**
 * How long an age is cached, in ms: a minute is little against the day that a price may be old. An unknown age is read again
 * sooner.
 */
const cacheMs = 60_000

const silentMs = 5_000

/** A cached age: when it was read, and until when it is valid. */
type CachedAge = { at: number; until: number; age: bigint | undefined }

const ageCache = new WeakMap<Node, Map<string, CachedAge>>()

/**
 * Answers such reads, each once a minute, at the latest or a given block. If a node does not answer, or does not run code without
 * an address, the last age is used and grows.
 */
export async function readPriceAges(
  node: Node,
  reads: readonly Call[],
  blockNumber?: bigint,
): Promise<readonly unknown[]> {
  const now = performance.now()
  const known = ageCache.get(node) ?? new Map<string, CachedAge>()
  ageCache.set(node, known)
  const asked = [...new Map(reads.map((one) => [nameOf(one), one]))].filter(
    ([name]) => !(now < (known.get(name)?.until ?? Number.NEGATIVE_INFINITY)),
  )
  const parts = Array.from({ length: Math.ceil(asked.length / maxAgesPerCall) }, (_, at) =>
    asked.slice(at * maxAgesPerCall, (at + 1) * maxAgesPerCall),
  )
  await Promise.all(
    parts.map(async (part) => {
      const questions = part.map(([, one]) => one)
      const ages = await agesIn(node, questions, blockNumber)
      for (const [at, [name]] of part.entries()) {
        const last = known.get(name) ?? { at: now, age: undefined }
        const until = now + (ages || last.age !== undefined ? cacheMs : silentMs)
        known.set(name, { ...(ages ? { at: now, age: ages[at] } : last), until })
      }
    }),
  )
  return reads.map((one) => agedBy(known.get(nameOf(one)), performance.now()))
}

const agedBy = (said: CachedAge | undefined, now: number): bigint | undefined =>
  said?.age === undefined ? undefined : said.age + BigInt(Math.floor((now - said.at) / 1000))

const nameOf = ({ address, args }: Call): string => `${address} ${args![0]}`

async function agesIn(
  node: Node,
  reads: readonly Call[],
  blockNumber?: bigint,
): Promise<(bigint | undefined)[] | undefined> {
  const args = [reads.map(({ address }) => address), reads.map((one) => one.args![0] as Address)] as const
  try {
    const data = encodeDeployData({ abi, bytecode: priceAgesCode, args })
    const answer = await callAt(node, { data }, blockNumber)
    return decoded(answer).map((age) => (age === maxUint256 ? undefined : age))
  } catch (error) {
    // The prices are read beside it and show whether the node is up.
    if (error instanceof AppError) return undefined
    throw error
  }
}

function decoded(answer: Hex): readonly bigint[] {
  try {
    return decodeAbiParameters(parseAbiParameters('uint256[]'), answer)[0]
  } catch {
    return []
  }
}
