import type { ExecutionContext, PlannedOperation } from '../../planning/context.ts'
import type { ReferenceQuote } from '../../planning/own-price.ts'
import type { CheckedPlan } from '../../planning/plan.ts'
import type { ServiceProposal } from '../../planning/proposal.ts'
import type { ReplannableLeg } from '../../planning/replan.ts'
import type { Price } from '../../planning/usd-value.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import type { PlanningLock } from '../../transactions/operations/wallet-lock.ts'
import type { ExecutionOptions } from '../options/execution-options.ts'
import type { Cli } from '../world.ts'

/** Something that signs: the request that an idempotency key stands for, and how the service is asked for the transactions. */
export type SigningRequest = {
  title: string
  /** What the command asks for, as plain JSON: equal requests are equal JSON. */
  request: Record<string, unknown>
  /** Whose plan it is, when it was made before: nobody else signs it. */
  wallet?: SignerIdentity['address']
  propose: (wallet: SignerIdentity['address']) => Promise<ServiceProposal>
  /** The operation that is given up for this: once all is checked and agreed to, just before anything is signed. */
  replaces?: { id: string; close: () => Promise<unknown> }
  /** What a unit of its tokens costs by the word of the service, once it was proposed: for what the chain does not price. */
  prices?: () => readonly Price[]
  /** What our own engine says about the same request, where a service that is not ours answers. */
  reference?: (wallet: SignerIdentity['address']) => Promise<ReferenceQuote | undefined>
}

/** How an operation is gone on with: its options, what it is replaced by when it waits, what a unit of gas may cost beyond its plan. */
export type ResumeChoices = Partial<ExecutionOptions> & {
  replacement?: 'bump' | 'cancel'
  onlyWaiting?: boolean
  lock?: PlanningLock | undefined
  maxFeePerGas?: bigint
}

/** Executes an operation to its end, without a report; `moved` tells whether anything happened in this run. */
export type Execute = (
  cli: Cli,
  context: ExecutionContext,
  operation: PlannedOperation,
  identity: SignerIdentity,
  going: ResumeChoices,
) => Promise<{ done: PlannedOperation; moved: boolean }>

/** Plans the unsigned leg of an operation again; `undefined` without one. `least` is a lower output that the person accepts. */
export type Replan = (
  cli: Cli,
  context: ExecutionContext,
  operation: PlannedOperation,
  least: bigint | null,
) => Promise<{ open: ReplannableLeg; checked: CheckedPlan } | undefined>
