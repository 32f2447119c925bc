import { type Client, encodeDeployData, maxUint256, parseAbi } from 'viem'
import { call } from 'viem/actions'
import { decodeAbiParameters, parseAbiParameters } from 'viem/utils'
import { type Address, type Hex, nativeAddress } from '../domain/address.ts'
import { priceAgesCode } from './contracts/price-ages.ts'
import type { Answer, Read } from './reading.ts'
import { transportFaultOf } from './rpc/errors.ts'

const abi = parseAbi(['constructor(address[] oracles, address[] tokens)'])

/**
 * How long ago, in seconds, that was renewed by which an oracle of Aave v3 prices a token; `undefined` where nobody says it, as of a price
 * that is fixed (sources: AaveOracle.getSourceOfAsset; AggregatorV3Interface.latestRoundData; bgd-labs/aave-capo and
 * bgd-labs/cl-synchronicity-price-adapter for what adapters call the feeds that they stand on).
 */
export const priceAge = (oracle: Address, token: Address): Read => ({
  address: oracle,
  abi,
  functionName: 'constructor',
  args: [token],
  code: priceAgesCode,
})

/** The same of a feed itself. */
export const feedAge = (feed: Address): Read => priceAge(nativeAddress, feed)

/** How many ages one call asks: an adapter takes about 100,000 gas, and a node gives a call about 50 M. */
const mostAges = 200

/** For how long an age is good, in ms: a minute is nothing beside the day that a price may be old. Who never said one is asked again sooner. */
const keepMs = 60_000
const silentMs = 5_000

/** When an age was said, and until when nobody is asked again. */
type Kept = { at: number; until: number; age: bigint | undefined }
const kept = new WeakMap<Client, Map<string, Kept>>()

/**
 * Answers such reads, each once a minute, at the latest block or the one given. A node that does not answer, or does not run code that is nowhere,
 * says nothing: then that holds which was said last, and grows older.
 */
export async function readPriceAges(
  client: Client,
  reads: readonly Read[],
  blockNumber?: bigint,
): Promise<readonly Answer[]> {
  const now = performance.now()
  const known = kept.get(client) ?? new Map<string, Kept>()
  kept.set(client, known)
  const asked = [...new Map(reads.map((one) => [nameOf(one), one]))].filter(
    ([name]) => !(now < (known.get(name)?.until ?? Number.NEGATIVE_INFINITY)),
  )
  const parts = Array.from({ length: Math.ceil(asked.length / mostAges) }, (_, at) =>
    asked.slice(at * mostAges, (at + 1) * mostAges),
  )
  await Promise.all(
    parts.map(async (part) => {
      const questions = part.map(([, one]) => one)
      const ages = await agesIn(client, questions, blockNumber)
      for (const [at, [name]] of part.entries()) {
        const last = known.get(name) ?? { at: now, age: undefined }
        const until = now + (ages || last.age !== undefined ? keepMs : silentMs)
        known.set(name, { ...(ages ? { at: now, age: ages[at] } : last), until })
      }
    }),
  )
  return reads.map((one) => olderBy(known.get(nameOf(one)), performance.now()))
}

const olderBy = (said: Kept | undefined, now: number): bigint | undefined =>
  said?.age === undefined ? undefined : said.age + BigInt(Math.floor((now - said.at) / 1000))

const nameOf = ({ address, args }: Read): string => `${address} ${args![0]}`

async function agesIn(
  client: Client,
  reads: readonly Read[],
  blockNumber?: bigint,
): Promise<(bigint | undefined)[] | undefined> {
  const args = [reads.map(({ address }) => address), reads.map((one) => one.args![0] as Address)] as const
  try {
    const { data: answer = '0x' } = await call(client, {
      data: encodeDeployData({ abi, bytecode: priceAgesCode, args }),
      ...(blockNumber !== undefined && { blockNumber }),
    })
    return decoded(answer).map((age) => (age === maxUint256 ? undefined : age))
  } catch (error) {
    // What they are worth is read beside, and tells whether the node is there.
    if (transportFaultOf(error)) return undefined
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
