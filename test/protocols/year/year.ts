import type { Address } from '../../../src/domain/address.ts'
import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import { word } from '../../support/engine.ts'
import { calldata, type TestSandbox } from '../../support/use-sandbox.ts'

/** The chain of all of them. */
export const chainId = 31337
/** How amounts and indices are scaled. */
export const ether = 10n ** 18n
export const ray = 10n ** 27n
/** Spans of time, in seconds. */
export const day = 86_400
export const year = 365 * day

/**
 * A market over a year, as its own contracts have it. While time passes others keep its rate what it was: borrowers pay back so much that
 * as much of it is lent out as before, relays pay the fees that were given out.
 */
export type Year = {
  entry: StrategyEntry
  /** What may be put in, in whole units of the asset, from and to. */
  amounts: readonly [least: number, most: number]
  /** After so many days of touches its rate is stated: one that is known by its growth is that of a week. */
  settles: number
  /** The most days between two touches over which its rate holds. */
  apart: number
  /** When it ends, in Unix seconds, where that is before a year is over. */
  ends?: number
  /** Whether what is withdrawn waits in a queue, and is claimed. */
  queued?: true
  /** Time passes, and then it is touched. */
  pass: (seconds: number) => Promise<void>
  /** What one unit is worth, by the protocol's own word, in as many digits as it gives. */
  index: () => Promise<bigint>
  /** What the wallet has there, to the wei, by the protocol's own word. */
  worth: () => Promise<bigint>
  /** What must be nothing in the end. */
  left: () => Promise<bigint>
  /** What something has become after so many seconds without a touch at a rate that is stated, as the protocol reckons. */
  over: (before: number, apy: number, seconds: number) => number
  /** A growth over some time as the rate that the protocol states for it. */
  aYear: (growth: number, seconds: number) => number
}

/** A growth as a yearly rate that compounds. */
export const compounded = (growth: number, seconds: number) => growth ** (year / seconds) - 1
/** What grows at every time alike. */
export const evenly = (before: number, apy: number, seconds: number) => before * (1 + apy) ** (seconds / year)

/** What a test does by hand on the chain of a sandbox. */
export const handOn = (sandbox: TestSandbox) => {
  const { rpc } = sandbox.chain(chainId)
  const send = async (
    from: Address,
    to: Address,
    signature: string,
    args: readonly unknown[] = [],
    value = 0n,
  ) => {
    const { status } = await sandbox.sendAs(chainId, from, { to, data: calldata(signature, args), value })
    if (status !== '0x1') throw new Error(`${signature} reverted`)
  }
  const ask = async (to: Address, signature: string, args: readonly unknown[] = [], at = 0) =>
    word(await sandbox.call(chainId, to, signature, args), at)
  return { rpc, send, ask, later: (seconds: number) => rpc.request('evm_increaseTime', [seconds]) }
}

/** By how much is lent out more than the part that it was at first, and from now on is meant to be. */
export const kept = (part?: bigint) => {
  let wanted = part
  return (borrowed: bigint, all: bigint): bigint => {
    wanted ??= (borrowed * ray) / all
    return borrowed - (wanted * all) / ray
  }
}
