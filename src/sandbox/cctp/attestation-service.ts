import { setTimeout as sleep } from 'node:timers/promises'
import { sign } from 'viem/accounts'
import { hexToBigInt, keccak256 } from 'viem/utils'
import type { Address, Hex } from '../../domain/address.ts'
import { receiveMessage } from '../../swaps/cctp-v2/encode.ts'
import type { ServiceFault } from '../faults/world-faults.ts'
import { sendMined } from '../mined-transactions.ts'
import {
  type AttestationTerms,
  type BurnMessage,
  decodeMessage,
  fillMessage,
  overchargedMessage,
  zeroWord,
} from './message.ts'
import { type BridgeEnd, followBridgeEnd, type MessageLog, type SentMessage } from './message-log.ts'

/** Finality thresholds, with the attester's fee for each in basis points. */
export const speeds = { fast: { threshold: 1000, bps: 1n }, standard: { threshold: 2000, bps: 0n } } as const

/** A message and its attestation, which is missing while the message waits for finality. */
export type AttestedMessage = {
  sent: SentMessage
  sourceDomain: number
  decoded: BurnMessage
  message: Hex
  attestation?: Hex
  delayReason: string | null
}

/** Inputs of the attester. */
type AttesterOptions = {
  ends: readonly BridgeEnd[]
  /** Private key that signs messages; both transmitters must accept its address. */
  key: Hex
  /** An unlocked account that delivers attested messages to their destination. */
  relayer: Address
  /** Finality delay of a standard message, in milliseconds of real time. */
  standardDelayMs: number
  pollMs: number
  now: () => number
  /** The active fault of the bridge, if any. */
  fault?: () => ServiceFault<(typeof bridgeFaults)[number]> | undefined
  /** Whether a chain makes blocks: nothing is delivered to a chain that does not. */
  makesBlocks?: (chainId: number) => boolean
  /** Other work of each round; returns whether some of it is left. */
  beside?: () => Promise<boolean>
  /** Called at the begin of each round. */
  onRound?: () => void
}

/** Faults of a burn-and-mint bridge. */
export const bridgeFaults = ['bridge-stuck', 'bridge-undelivered', 'bridge-short'] as const

/** A running attester. */
export type Attester = {
  messages: (sourceDomain: number) => readonly AttestedMessage[]
  /** Runs a task while nothing is attested or relayed. */
  paused: <T>(work: () => Promise<T>) => Promise<T>
  /** Stops after the current round and after all tasks queued in `paused`. */
  stop: () => Promise<void>
}

// About a day of blocks. An older fast attestation must be requested again.
const expiresAfter = 7200n
const retryAfterMs = 5000

/**
 * While nothing is left to do, the interval is `times` as long, and `longTimes` after `after` rounds without a new block.
 */
const quiet = { times: 3, after: 30, longTimes: 5 }

/** Watches both ends for burns, attests final messages and delivers them. */
export function startAttester(options: AttesterOptions): Attester {
  const { ends, standardDelayMs, pollMs, now, fault = () => undefined, makesBlocks = () => true } = options
  const followers = ends.map((end) => followBridgeEnd(end, now))
  const known = new Map<Hex, AttestedMessage>()
  const failedAt = new Map<Hex, number>()
  const stopping = new AbortController()
  let ledgers: MessageLog[] = []

  const verdict = (
    sent: SentMessage,
    burn: BurnMessage,
    destination: MessageLog,
  ): AttestationTerms | undefined => {
    const { fast, standard } = speeds
    const fee = (burn.burn.amount * fast.bps + 9999n) / 10000n
    if (burn.minFinalityThreshold <= fast.threshold && burn.burn.maxFee >= fee)
      return {
        nonce: sent.nonce,
        finality: fast.threshold,
        fee,
        expirationBlock: destination.head + expiresAfter,
      }
    if (now() - sent.seenAt < standardDelayMs) return undefined
    return { nonce: sent.nonce, finality: standard.threshold, fee: 0n, expirationBlock: 0n }
  }

  /** Reads the signed terms back from a delivered message. */
  const delivered = (
    sent: SentMessage,
    destination: MessageLog | undefined,
  ): AttestationTerms | undefined => {
    const received = destination?.received.get(sent.nonce)
    if (!received) return undefined
    const word = (at: number) => hexToBigInt(`0x${received.body.slice(2 + at * 2, 2 + at * 2 + 64)}`)
    return { nonce: sent.nonce, finality: received.finality, fee: word(164), expirationBlock: word(196) }
  }

  const attest = async (sent: SentMessage, sourceDomain: number): Promise<void> => {
    const decoded = decodeMessage(sent.message)
    if (!decoded || known.get(sent.nonce)?.attestation) return
    const index = ends.findIndex(({ bridge }) => bridge.domain === decoded.destinationDomain)
    const destination = ledgers[index]
    if (!destination) return
    const slow =
      decoded.minFinalityThreshold <= speeds.fast.threshold &&
      decoded.burn.maxFee < (decoded.burn.amount * speeds.fast.bps + 9999n) / 10000n
    const delayReason = slow ? 'insufficient_fee' : null
    const wrong = fault()
    const said = delivered(sent, destination) ?? verdict(sent, decoded, destination)
    if (!said || wrong?.kind === 'bridge-stuck') {
      known.set(sent.nonce, { sent, sourceDomain, decoded, message: '0x', delayReason })
      return
    }
    const message =
      wrong?.kind === 'bridge-short'
        ? overchargedMessage(sent.message, said, wrong.amount)
        : fillMessage(sent.message, said)
    const attestation = await sign({ hash: keccak256(message), privateKey: options.key, to: 'hex' })
    const full = decodeMessage(message)!
    known.set(sent.nonce, { sent, sourceDomain, decoded: full, message, attestation, delayReason })
  }

  const relay = async ({ sent, decoded, message, attestation }: AttestedMessage): Promise<void> => {
    const index = ends.findIndex(({ bridge }) => bridge.domain === decoded.destinationDomain)
    if (!attestation || decoded.destinationCaller !== zeroWord) return
    if (ledgers[index]!.received.has(sent.nonce)) return
    if (now() - (failedAt.get(sent.nonce) ?? 0) < retryAfterMs) return
    const { rpc, bridge } = ends[index]!
    const { chainId, messageTransmitter: transmitter } = bridge
    if (fault()?.kind === 'bridge-undelivered' || !makesBlocks(chainId)) return
    failedAt.set(sent.nonce, now())
    const received = receiveMessage({ chainId, transmitter, message, attestation })
    await sendMined(rpc, options.relayer, received, 1_000_000)
    ledgers[index] = await followers[index]!()
  }

  /** Does one round; returns whether work is left for the next one. */
  const round = async (): Promise<boolean> => {
    options.onRound?.()
    ledgers = await Promise.all(followers.map((follow) => follow()))
    const alive = new Set(ledgers.flatMap(({ sent }) => sent.map(({ nonce }) => nonce)))
    for (const nonce of known.keys()) if (!alive.has(nonce)) forget(nonce)
    for (const [index, { sent }] of ledgers.entries())
      for (const one of sent) await attest(one, ends[index]!.bridge.domain)
    for (const one of known.values()) await relay(one)
    const isLeft = (await options.beside?.()) ?? false
    return isLeft || [...known.values()].some(isUndelivered)
  }

  const isUndelivered = ({ sent, decoded }: AttestedMessage): boolean => {
    const index = ends.findIndex(({ bridge }) => bridge.domain === decoded.destinationDomain)
    return index >= 0 && !ledgers[index]!.received.has(sent.nonce)
  }

  const forget = (nonce: Hex): void => {
    known.delete(nonce)
    failedAt.delete(nonce)
  }

  let turn: Promise<unknown> = Promise.resolve()
  const exclusively = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }

  const loop = (async () => {
    let [heads, unchanged] = ['', 0]
    while (!stopping.signal.aborted) {
      // If a node does not answer, the next round asks again; the daemon notices a dead node by itself.
      const isBusy = await exclusively(round).catch(() => false)
      const now = ledgers.map(({ head }) => head).join()
      unchanged = now === heads ? unchanged + 1 : 0
      heads = now
      const times = isBusy ? 1 : unchanged < quiet.after ? quiet.times : quiet.longTimes
      const ms = pollMs * times
      await sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()

  return {
    messages: (sourceDomain) => [...known.values()].filter((one) => one.sourceDomain === sourceDomain),
    paused: exclusively,
    stop: async () => {
      stopping.abort()
      await loop
      await turn
    },
  }
}
