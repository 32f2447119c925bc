import { AppError } from '../../domain/errors.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import type { LegReads } from '../../planning/leg-simulation.ts'
import { isSignerNamed, type SignerIdentity } from '../../signing/signer.ts'
import { reopenContradicted } from '../../transactions/confirmation/reorganisations.ts'
import { reopenAbandoned } from '../../transactions/confirmation/reorganised-abandoned-operations.ts'
import { acquirePlanningLock, type PlanningLock } from '../../transactions/nonces/wallet-lock.ts'
import { refuseMissingNodes } from '../../transactions/operations/read-only-context.ts'
import type { Cli } from '../command-run-types.ts'
import { maxFee } from '../options/option-values.ts'
import type { SigningOptions } from '../options/signer-and-safety-options.ts'
import { executeAndReport } from './execute-and-report.ts'
import { requireOperation } from './find-operation.ts'
import { confirmOlderJournal } from './refuse-duplicates.ts'
import { replanLeg } from './replan-leg.ts'
import { refuseFailed } from './report-in-errors.ts'

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

/** The options of a command that resumes an operation. */
export type ResumeOptions = Partial<SigningOptions>

/** The gas price allowed beyond the plan, in wei. */
export const maxFeeOf = (options: ResumeOptions): bigint | undefined =>
  options.maxFee === undefined ? undefined : maxFee(options.maxFee)

/** Resumes an operation under the lock of its wallet. */
export async function resumeOperation(
  cli: Cli,
  id: string,
  options: ResumeOptions,
  replacement: ResumeChoices['replacement'],
): Promise<void> {
  const context = await cli.backend.context()
  const found = requireOperation(context, id)
  cli.program.noteOperation(found.id)
  refuseMissingNodes(context, found)
  await reopenContradicted(context, found.id)
  const isOpenAgain = await givenUpAgain(cli, context, found.id, replacement)
  const operation = requireOperation(context, found.id)
  if (!isOpenAgain) refuseFailed(operation)
  const maxFeePerGas = maxFeeOf(options)
  const identity = await ownerOf(cli, operation, options)
  const lock = await acquirePlanningLock(context, operation.wallet, {
    waitMs: Math.min(60_000, cli.globals.timeoutMs ?? 60_000),
    signal: cli.program.interrupt.signal,
  })
  try {
    const now = requireOperation(context, operation.id)
    const since = replacement === 'cancel' ? {} : await goesOn(cli, context, now, options, replacement)
    const going: ResumeChoices = {
      ...options,
      ...since,
      lock,
      ...(replacement && { replacement }),
      ...(maxFeePerGas !== undefined && { maxFeePerGas }),
    }
    await executeAndReport(cli, context, now, identity, going, replanLeg)
  } finally {
    lock.release()
  }
}

/**
 * Whether a reorganisation put a transaction of an abandoned operation back in the pool. A higher fee
 * would be a new signature, so `bump` does not count.
 */
async function givenUpAgain(
  cli: Cli,
  context: ExecutionContext,
  id: string,
  replacement: ResumeChoices['replacement'],
): Promise<boolean> {
  if (replacement === 'bump' || !(await reopenAbandoned(context, id, replacement))) return false
  cli.notice(
    `The action is closed, but a reorganisation removed one of its final transactions: that one is ${replacement ? 'cancelled' : 'followed until final'}, and no other step is signed.`,
  )
  return true
}

/** Checks for an old journal. If a chain of a later leg does not answer, a fee bump is still done, and nothing new is signed. */
async function goesOn(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  options: ResumeOptions,
  replacement: ResumeChoices['replacement'],
): Promise<Pick<ResumeChoices, 'wait' | 'onlyWaiting'>> {
  try {
    await confirmOlderJournal(cli, context, operation, options)
    return {}
  } catch (error) {
    const isOfNode = error instanceof AppError && error.code.startsWith('RPC_')
    if (replacement !== 'bump' || !isOfNode) throw error
    cli.notice(`${error.message}, so nothing but the higher fee of the pending transaction is signed.`)
    return { wait: false, onlyWaiting: true }
  }
}

/** The error for a missing signer: only the key of the operation's wallet helps. */
const nobodyFor = (wallet: string, error: unknown): unknown =>
  error instanceof AppError && error.code === 'KEY_REQUIRED' && error.details?.named === false
    ? new AppError('KEY_REQUIRED', `No signer given; this action belongs to ${wallet}`, {
        cause: error,
        details: error.details,
        next: advice`Sign with its keystore: ${sameWith({ '--wallet': wallet })} With its key: ${sameWith({ '--key-file': 'PATH' })} With its Ledger: ${sameWith({ '--ledger': true })}`,
      })
    : error

/** The signer of an operation: the given one, or the one with the key of its wallet. KEY_SOURCE for another wallet. */
export async function ownerOf(
  cli: Cli,
  { wallet }: JournalOperation,
  options: Partial<SigningOptions>,
): Promise<SignerIdentity> {
  const named = isSignerNamed(options)
  const first = await cli.backend
    .signerIdentity(named ? options : { passwordFile: options.passwordFile })
    .catch((error: unknown) => {
      throw nobodyFor(wallet, error)
    })
  const identity =
    first.address === wallet || named ? first : await cli.backend.signerIdentity({ ...options, wallet })
  if (identity.address === wallet) return identity
  throw new AppError(
    'KEY_SOURCE',
    `This action belongs to ${wallet}, but ${identity.label} is ${identity.address}`,
    {
      details: { owner: wallet },
      next: advice`Sign with its wallet: ${sameWith({ '--wallet': wallet })}`,
    },
  )
}

/** The choice that names the same wallet again; the default signer needs none. */
export function sameSigner({ source, label, address }: SignerIdentity): { wallet?: string } {
  if (source === 'keystore') return { wallet: label }
  return source === 'address' ? { wallet: address } : {}
}
