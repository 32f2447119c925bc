import { randomBytes } from 'node:crypto'
import type { ServiceFault } from '../faults/world-faults.ts'
import type { LoopbackAnswer } from '../loopback-server.ts'

/**
 * Faults of the providers that take Bitcoin deposits. A lying provider reports a payout or refund with the hash of a
 * missing transaction.
 */
export const depositFaults = [
  'bitcoin-stuck',
  'bitcoin-refund',
  'bitcoin-lies',
  'bitcoin-refund-lies',
  'bitcoin-short',
] as const

/** A fault of the deposits of providers. */
export type BitcoinFault = ServiceFault<(typeof depositFaults)[number]>

/** Whether the provider only claims to have paid. */
export const isFalseReport = (fault: BitcoinFault | undefined): boolean =>
  fault?.kind === 'bitcoin-lies' || fault?.kind === 'bitcoin-refund-lies'

/** Returns a random hash, which no transaction has. */
export const randomHash = (): string => randomBytes(32).toString('hex')

/** A service that takes Bitcoin deposits. `settle` processes the paid ones. */
export type DepositService = {
  settle: () => Promise<void>
  answer: (request: {
    path: string
    query: URLSearchParams
    body: unknown
  }) => Promise<LoopbackAnswer | undefined>
}
