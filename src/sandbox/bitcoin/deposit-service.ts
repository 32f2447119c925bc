import { randomBytes } from 'node:crypto'
import type { ServiceFault } from '../faults/world-faults.ts'
import type { Answer } from '../loopback-server.ts'

/** How the deposits of providers can go wrong; who lies says that it paid, out or back, by a transaction that is not there. */
export const depositFaults = [
  'bitcoin-stuck',
  'bitcoin-refund',
  'bitcoin-lies',
  'bitcoin-refund-lies',
  'bitcoin-short',
] as const

/** A fault of the deposits of providers. */
export type BitcoinFault = ServiceFault<(typeof depositFaults)[number]>

/** Whether a fault is that the provider only says that it paid. */
export const isLying = (fault: BitcoinFault | undefined): boolean =>
  fault?.kind === 'bitcoin-lies' || fault?.kind === 'bitcoin-refund-lies'

/** The hash of a transaction that is not there. */
export const noHash = (): string => randomBytes(32).toString('hex')

/** A service that takes deposits. `settle` carries on with what was paid. */
export type DepositService = {
  settle: () => Promise<void>
  answer: (request: { path: string; query: URLSearchParams; body: unknown }) => Promise<Answer | undefined>
}
