import type { CheckedPlan } from '../../planning/check-proposal.ts'
import type { ReferenceQuote } from '../../planning/compare-with-own-engine.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import type { LegReads } from '../../planning/leg-simulation.ts'
import type { ReplannableLeg, ServiceProposal } from '../../planning/proposal-types.ts'
import type { TokenUsdPrice } from '../../planning/usd-value.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import type { PlanningLock } from '../../transactions/nonces/wallet-lock.ts'
import type { Cli } from '../command-run-types.ts'
import type { SigningOptions } from '../options/signer-and-safety-options.ts'

/** A request to sign: its identity for an idempotency key, and how its transactions are proposed. */
export type SigningRequest = {
  title: string
  /** The request as plain JSON; equal requests have equal JSON. */
  request: Record<string, unknown>
  /** The wallet of a plan that was made before; no other wallet may sign it. */
  wallet?: SignerIdentity['address']
  propose: (wallet: SignerIdentity['address']) => Promise<ServiceProposal>
  /** The chain of its first transaction, as far as the request tells: it is read while the service is asked. */
  chainId?: number | null
  /** The operation to close for this one, after all checks and the confirmation, just before anything is signed. */
  replaces?: { id: string; close: () => Promise<unknown> }
  /** Token prices according to the service, once there is a proposal; for tokens that the chain does not price. */
  prices?: () => readonly TokenUsdPrice[]
  /** The result of the local engine for the same request, if a remote service answers. */
  reference?: (wallet: SignerIdentity['address']) => Promise<ReferenceQuote | undefined>
}

/**
 * How an operation is executed: its options, a replacement of its pending transaction, the wallet's
 * lock, and a gas price allowed beyond its plan.
 */
export type ResumeChoices = Partial<SigningOptions> & {
  replacement?: 'bump' | 'cancel'
  onlyWaiting?: boolean
  lock?: PlanningLock | undefined
  maxFeePerGas?: bigint
  /** What a plan made in this process has read of the chain for its first leg. */
  firstLeg?: LegReads | null
}

/** Plans the unsigned leg of an operation again; `undefined` without one. `least` is a lower output that the person accepts. */
export type Replan = (
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  least: bigint | null,
) => Promise<{ open: ReplannableLeg; checked: CheckedPlan } | undefined>
