import type { Address } from '../../../src/domain/address.ts'
import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import { word } from '../../support/engine.ts'
import { calldata, type TestSandbox } from '../../support/use-sandbox.ts'

/** The chain of every year. */
export const chainId = 31337
/** The scales of amounts and indices. */
export const ether = 10n ** 18n
export const ray = 10n ** 27n
/** Time spans, in seconds. */
export const day = 86_400
export const year = 365 * day

/**
 * A market over a year, with its own contracts. `pass` keeps the rate constant: borrowers repay so that the utilization stays the same, and
 * relays pay the fees that were distributed.
 */
export type Year = {
  entry: StrategyEntry
  /** The range of the deposit, in whole units of the asset. */
  amounts: readonly [least: number, most: number]
  /** Days of touches before the rate is read: a rate that is known by growth needs a week. */
  settles: number
  /** The maximum number of days between two touches for which the rate holds. */
  apart: number
  /** When the market ends, in Unix seconds, if it ends within the year. */
  ends?: number
  /** Whether withdrawals wait in a queue and are claimed. */
  queued?: true
  /** Lets time pass, then touches the market. */
  pass: (seconds: number) => Promise<void>
  /** The value of one unit, from the protocol, in its own precision. */
  index: () => Promise<bigint>
  /** The position of the wallet, to the wei, from the protocol. */
  worth: () => Promise<bigint>
  /** The remaining units, which must be zero at the end. */
  left: () => Promise<bigint>
  /** The value after this many seconds without a touch at a stated rate, by the protocol's own accrual. */
  over: (before: number, apy: number, seconds: number) => number
  /** Converts a growth over some time to a rate in the protocol's convention. */
  aYear: (growth: number, seconds: number) => number
}

/** Converts a growth to a compounded yearly rate. */
export const compounded = (growth: number, seconds: number) => growth ** (year / seconds) - 1
/** The value after this many seconds of compounding at a yearly rate. */
export const evenly = (before: number, apy: number, seconds: number) => before * (1 + apy) ** (seconds / year)

/** Sends and reads directly on the sandbox chain. */
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

/** Returns a function for the amount borrowed above the target share, which is `part` or the share of its first call. */
export const kept = (part?: bigint) => {
  let wanted = part
  return (borrowed: bigint, all: bigint): bigint => {
    wanted ??= (borrowed * ray) / all
    return borrowed - (wanted * all) / ray
  }
}
