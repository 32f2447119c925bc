import { privateKeyToAccount } from 'viem/accounts'
import type { Address, Hex } from '../src/domain/address.ts'
import type { Network } from '../src/domain/networks.ts'
import type { TransactionSigner } from '../src/signing/signer.ts'
import { openJournal } from '../src/store/journal/journal.ts'
import type { Journal } from '../src/store/journal/journal-interface.ts'
import { testKey } from '../test/support/anvil.ts'
import {
  pendingNonce,
  type SimBlock,
  type SimChain,
  simulatedChain,
} from '../test/support/simulated/chain.ts'
import { genesisTime, type NodeKind } from '../test/support/simulated/node.ts'
import { type SimulatedTime, simulatedTime } from '../test/support/simulated/time.ts'
import { seeded } from './seeded.ts'
import { type SimEndpoint, simulatedEndpoints } from './sim-endpoints.ts'

/** The surroundings of a cell: a chain that mines by itself, virtual time, one journal, and the scheduled events. */
export type World = {
  random: () => number
  pick: <T>(all: readonly T[]) => T
  below: (most: number) => number
  time: SimulatedTime
  chain: SimChain
  kind: NodeKind
  endpoints: readonly SimEndpoint[]
  /** Random numbers for what only cells with two endpoints have. */
  oddly: () => number
  network: Network
  signer: TransactionSigner
  journal: Journal
  wall: () => number
  /** Events and faults happen while it is wild. */
  isWild: boolean
  /** The number of foreign transactions of the wallet. */
  foreign: number
  /** When a foreign transaction arrived, and when one of ours was signed, by hash. */
  since: Map<Hex, number>
  /** The operations that somebody has asked to cancel. */
  cancelled: Set<string>
  /** The number of lost journals. */
  lost: number
  told: string[]
}

/** The journal of an otherwise empty machine. */
export const newJournal = ({ wall }: World): Journal => openJournal(':memory:', wall)

/** The common prefix of all payees of all cells. */
export const payees = '0x5a5a'

/** The payee of a step of an operation, used by no other step. */
export const payeeOf = (operation: number, step: number): Address =>
  `${payees}${'0'.repeat(34)}${operation}${step}`

const account = privateKeyToAccount(testKey)
const signed = new Map<string, Hex>()

/** A real key that never signs the same transaction twice. */
const signer: TransactionSigner = {
  address: account.address,
  signTransaction: async (transaction) => {
    const { chainId, nonce, to, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
    const id = [chainId, nonce, to, transaction.data, transaction.value, gas, maxFeePerGas].join()
    const name = `${id},${maxPriorityFeePerGas}`
    const raw = signed.get(name) ?? (await account.signTransaction(transaction))
    if (signed.size < 50_000) signed.set(name, raw)
    return raw
  },
}

/** Makes the world of a cell: its chain, its endpoints, and the times of its events. */
export function simulatedWorld(seed: number, cell: number, mostEndpoints = 2): World {
  const random = seeded(seed * 1_000_003 + cell)
  const below = (most: number) => Math.floor(random() * most)
  const pick = <T>(all: readonly T[]): T => all[below(all.length)]!
  const time = simulatedTime()
  const depth = pick([1, 1, 2, 3, 5])
  const isLocal = depth === 1 && random() < 0.5
  const native = { symbol: 'ETH', decimals: 18 }
  let jumped = 0
  const oddly = seeded(seed * 1_000_003 + cell + 500_000_000)
  const wall = () => 1_000 * genesisTime + jumped + Math.floor(time.now())
  const world: World = {
    random,
    below,
    pick,
    time,
    chain: simulatedChain(),
    kind: {
      chainId: 31337,
      finalizedLag: pick([null, 5, 8]),
      knowsOwners: random() < 0.5,
      sendsSync: random() < 0.5,
      lacksPending: false,
      payees,
    },
    endpoints: [],
    oddly,
    network: { name: 'simulated', chainId: 31337, native, depth, testnet: true, explorer: null },
    signer,
    journal: openJournal(':memory:', wall),
    lost: 0,
    since: new Map(),
    cancelled: new Set(),
    wall,
    isWild: true,
    foreign: 0,
    told: [],
  }
  world.endpoints = simulatedEndpoints({
    chain: world.chain,
    time,
    kind: world.kind,
    host: isLocal ? '127.0.0.1:8545' : 'node.example',
    wallet: signer.address,
    random: oddly,
    most: mostEndpoints,
    isWild: () => world.isWild,
    tell: (what) => world.told.push(`${Math.round(time.now())} ms: ${what}`),
  })
  if (world.endpoints.some(({ kind }) => kind.lacksPending) && oddly() < 0.5)
    time.at(oddly() * 3_000, () => waitingStranger(world))
  const everyMs = isLocal ? 400 : 2_000 + below(10_000)
  const makeBlocks = () => {
    world.chain.mine(time.now())
    time.at(time.now() + everyMs, makeBlocks)
  }
  for (let made = 0; made < 10; made++) world.chain.mine(0)
  makeBlocks()
  for (let left = below(7); left > 0; left--) {
    const [name, happens] = pick(happenings)
    time.at(below(pick([10_000, 60_000])), () => {
      if (!world.isWild) return
      world.told.push(`${Math.round(time.now())} ms: ${name}`)
      happens(world, (by) => {
        jumped += by
      })
    })
  }
  return world
}

type Happening = readonly [name: string, happens: (world: World, jump: (by: number) => void) => void]

/** The maximum depth of a reorganisation that keeps final blocks; with foreign transactions, finality is the only proof. */
const deepest = ({ kind, network, foreign }: World): number =>
  foreign === 0 ? 4 : Math.min(4, network.depth <= 1 ? 0 : (kind.finalizedLag ?? network.depth - 1))

const happenings: readonly Happening[] = [
  ['a reorganisation', reorganise],
  ['a reorganisation', reorganise],
  [
    'the pool forgets',
    ({ chain }) => {
      for (const { hash, signature } of chain.pool()) if (signature) chain.drop(hash)
    },
  ],
  ['a stranger pays with the wallet', stranger],
  [
    'gas is dear',
    (world) => {
      const { weather } = world.chain
      weather.baseFee *= BigInt(world.pick([2, 5, 20]))
      world.time.at(world.time.now() + world.below(90_000), () => {
        weather.baseFee = 10n ** 9n
      })
    },
  ],
  [
    'payments fail for a while',
    (world) => {
      world.chain.weather.fails = true
      world.time.at(world.time.now() + world.below(40_000), () => {
        world.chain.weather.fails = false
      })
    },
  ],
  ['the clock on the wall jumps', (world, jump) => jump(world.pick([-3_600_000, -10_000, 3_600_000]))],
]

function reorganise(world: World): void {
  const depth = 1 + world.below(4)
  if (depth > deepest(world)) return
  world.chain.reorganise(depth, world.pick(['lost', 'waiting', 'again']), world.time.now())
}

/** Another program with the same key: it uses the next free nonce, or replaces a pending transaction. */
function stranger(world: World): void {
  const next = pendingNonce(world.chain, account.address)
  const nonce = world.random() < 0.5 ? next : Math.max(0, next - 1)
  sendAsStranger(world, nonce, world.endpoints.length > 1 && world.oddly() < 0.5)
  if (world.random() < 0.3) world.chain.mine(world.time.now())
}

/** A transaction of another program that is too cheap to be mined for a while. */
function waitingStranger(world: World): void {
  const { chain, time, oddly } = world
  sendAsStranger(world, pendingNonce(chain, account.address), true)
  chain.weather.baseFee = 2n * 10n ** 9n
  time.at(time.now() + 20_000 + oddly() * 60_000, () => {
    chain.weather.baseFee = 10n ** 9n
  })
}

/** Sends as another program; a cheap transaction is replaced by whoever does not see it. */
function sendAsStranger(world: World, nonce: number, isCheap: boolean): void {
  const { chain, time } = world
  world.foreign++
  const waiting = chain.pool().find((one) => one.nonce === nonce)
  const hash: Hex = `0x${'f0'.repeat(30)}${world.foreign.toString(16).padStart(4, '0')}`
  world.since.set(hash, time.now())
  chain.receive({
    hash,
    from: account.address,
    to: `0x${'99'.repeat(20)}`,
    data: '0x',
    value: 1n,
    nonce,
    gas: 21_000n,
    maxFeePerGas: isCheap ? 15n * 10n ** 8n : 2n * (waiting?.maxFeePerGas ?? 100n * 10n ** 9n),
    maxPriorityFeePerGas: isCheap ? 5n * 10n ** 7n : 2n * (waiting?.maxPriorityFeePerGas ?? 10n ** 9n),
  })
}

/** Whether a block is on the chain or was until recently, so that an earlier read of it was correct. */
export const stoodLately = ({ chain, time }: World, block: SimBlock): boolean =>
  chain.isOn(block) || (block.gone !== undefined && time.now() - block.gone.at <= 60_000)
