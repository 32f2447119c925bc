import type { Address } from '../src/domain/address.ts'
import type { SimChain } from '../test/support/simulated/chain.ts'
import type { NodeKind } from '../test/support/simulated/node.ts'
import type { SimulatedTime } from '../test/support/simulated/time.ts'
import {
  type Lie,
  type Lying,
  laggingView,
  lies,
  lyingView,
  type SimView,
  waitingNonce,
} from '../test/support/simulated/views.ts'

/** One endpoint of the chain of a cell. */
export type SimEndpoint = {
  kind: NodeKind
  host: string
  view: () => SimView
  isSilent: () => boolean
  isLying: () => boolean
  /** Whether it must answer, because the other endpoint lies and nobody else could tell. */
  isNeeded: () => boolean
}

/** The chain, and the random numbers for its endpoints, which do not change those of the rest of the cell. */
type Surroundings = {
  chain: SimChain
  time: SimulatedTime
  kind: NodeKind
  host: string
  wallet: Address
  random: () => number
  isWild: () => boolean
  /** The most endpoints. */
  most: number
  tell: (what: string) => void
}

const never = () => false

/** How long the other endpoint still answers everything after a lie, in ms: answers may be under way. */
const afterLieMs = 30_000

/**
 * The endpoints of a cell: one, or a faithful one and an odd one in any order. The odd one may lag for ever, serve no pending
 * count, and for a time be silent or lie.
 */
export function simulatedEndpoints(surroundings: Surroundings): SimEndpoint[] {
  const { chain, kind, host, random, most } = surroundings
  const view = () => chain
  const faithful = { kind, host, view, isSilent: never, isLying: never, isNeeded: never }
  if (random() < 0.5 || most === 1) return [faithful]
  const odd = oddEndpoint(surroundings)
  const needed: SimEndpoint = { ...faithful, isNeeded: () => odd.wasLyingWithin(afterLieMs) }
  return random() < 0.5 ? [odd.endpoint, needed] : [needed, odd.endpoint]
}

function oddEndpoint(surroundings: Surroundings) {
  const { chain, time, kind, host, random, isWild, tell, wallet } = surroundings
  const below = (most: number) => Math.floor(random() * most)
  const lag = random() < 0.3 ? 1 + below(5) : 0
  let silentUntil = 0
  let lying: Lying | undefined
  let liedUntil = Number.NEGATIVE_INFINITY
  const isSilent = () => isWild() && time.now() < silentUntil
  const isLying = () => isWild() && time.now() < liedUntil
  const beSilent = () => {
    silentUntil = time.now() + below(60_000)
    tell('the odd endpoint is silent')
  }
  const lie = (chosen: Lie, from: number, nonce: number) => {
    lying = { lie: chosen, from, wallet, nonce, more: [2, 6, 1_000][below(3)]! }
    liedUntil = time.now() + 5_000 + below(90_000)
    tell(`the odd endpoint shows ${chosen} from ${from} on`)
  }
  /** Lies as soon as there is something to lie about. */
  const mayLie = (chosen: Lie, tries: number) => {
    if (!isWild() || isLying() || tries === 0) return
    const nonce = waitingNonce(chain, wallet)
    const isOfPool = /^(early|invented|used)/.test(chosen)
    if (isOfPool && nonce === undefined) return time.at(time.now() + 500, () => mayLie(chosen, tries - 1))
    lie(chosen, Math.max(1, chain.blocks.length - 1 - below(isOfPool ? 3 : 10)), nonce ?? 0)
  }
  const isQuiet = random() < 0.3
  for (let left = 1 + below(4); left > 0; left--)
    time.at(below([10_000, 60_000, 120_000][below(3)]!), () => {
      if (!isWild() || isSilent()) return
      if (isQuiet) beSilent()
      else mayLie(lies[below(lies.length)]!, 120)
    })
  const endpoint: SimEndpoint = {
    kind: {
      ...kind,
      knowsOwners: random() < 0.5,
      sendsSync: random() < 0.5,
      lacksPending: random() < 0.3,
    },
    host: host.startsWith('127.') ? '127.0.0.1:8546' : 'other.example',
    view: () => (isLying() && lying ? lyingView(chain, lying) : laggingView(chain, lag)),
    isSilent,
    isLying,
    isNeeded: never,
  }
  return { endpoint, wasLyingWithin: (ms: number) => isWild() && time.now() < liedUntil + ms }
}
