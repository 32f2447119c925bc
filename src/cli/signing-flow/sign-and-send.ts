import { AppError } from '../../domain/errors.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import type { CheckedPlan } from '../../planning/check-proposal.ts'
import type { ReferenceQuote } from '../../planning/compare-with-own-engine.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { planJson } from '../../planning/plan-json.ts'
import type { ServiceProposal } from '../../planning/proposal.ts'
import type { TokenUsdPrice } from '../../planning/usd-value.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { acquirePlanningLock, type PlanningLock } from '../../transactions/nonces/wallet-lock.ts'
import { dropUnsigned } from '../../transactions/operations/abandon-operation.ts'
import {
  refuseAllowanceConflict,
  settleOpenOrders,
} from '../../transactions/operations/allowance-conflict.ts'
import { recordOperation, replaceUnsignedPlan } from '../../transactions/operations/record-operation.ts'
import { hasSignature, isFinished } from '../../transactions/steps/operation-state.ts'
import type { Cli } from '../command-run-types.ts'
import { idempotencyKey } from '../options/option-values.ts'
import { halfAnHour, noncesOf } from '../options/sending-and-waiting-options.ts'
import type { SigningOptions } from '../options/signer-and-safety-options.ts'
import { planView } from '../views/plan-view.ts'
import { confirmPlan } from './confirm-plan.ts'
import { executeAndReport } from './execute-and-report.ts'
import { refuseExpiredQuote } from './quotes/quote-expiry.ts'
import {
  confirmOlderJournal,
  confirmRepeat,
  duplicateNameError,
  refuseReusedKey,
  requireIdempotency,
  startedBeforeError,
  warnNewJournal,
  warnNoKey,
} from './refuse-duplicates.ts'
import { replanLeg } from './replan-leg.ts'
import { requestOffer } from './request-checked-offer.ts'
import type { ResumeChoices } from './resume-operation.ts'
import { refuseChangedTerms } from './user-terms-from-flags.ts'

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
 * Runs one command that signs: signer, proposal, guard, simulation, question, journal, signatures,
 * chain, report. The same idempotency key resumes the same operation or repeats its result.
 */
export async function signAndSend(
  cli: Cli,
  options: SigningOptions,
  undertaking: SigningRequest,
): Promise<void> {
  const key = idempotencyKey(options.idempotencyKey)
  requireIdempotency(cli, options, undertaking.request)
  // The nonces are validated here; their chains when the first chain is known.
  noncesOf(options.nonce, (await cli.backend.catalog()).networks, undefined)
  // A key of another request is refused whoever the signer is.
  if (key !== undefined) refuseReusedKey(await cli.backend.context(), key, undertaking.request)
  const context = await cli.backend.context()
  const identity = await cli.backend.signerIdentity(options).catch((error: unknown) => {
    const signed = key === undefined || options.dryRun ? undefined : context.journal.findByIdempotencyKey(key)
    return identityWithoutKey(signed, ofWallet(error, undertaking.wallet, options))
  })
  const limits = {
    waitMs: Math.min(60_000, cli.globals.timeoutMs ?? halfAnHour),
    signal: cli.program.interrupt.signal,
  }
  // A question must not hold the lock of the wallet.
  const lock =
    options.dryRun || !cli.globals.yes
      ? undefined
      : await acquirePlanningLock(context, identity.address, limits)
  try {
    await planAndSend(cli, options, undertaking, { key, identity, context, lock, limits })
  } finally {
    lock?.release()
  }
}

/** Names the wallet of a plan in the error that no signer was given, or that a dry run needs only an address. */
function ofWallet(error: unknown, wallet: SigningRequest['wallet'], { dryRun }: SigningOptions): unknown {
  if (!(error instanceof AppError) || error.code !== 'KEY_REQUIRED') return error
  if (wallet !== undefined)
    return new AppError('KEY_REQUIRED', `${error.message}. The plan is for ${wallet}`, {
      cause: error,
      details: { ...error.details, wallet },
      next: advice`Sign with its wallet, by its name: ${sameWith({ '--wallet': 'NAME' })} With its key file: ${sameWith({ '--key-file': 'PATH' })} With a Ledger: ${sameWith({ '--ledger': true })}. To see the names: ${sluice('wallet list')}`,
    })
  if (!dryRun || error.details?.named !== false) return error
  return new AppError('KEY_REQUIRED', 'No wallet given', {
    cause: error,
    details: error.details,
    next: advice`A dry run needs only an address: ${sameWith({ '--wallet': 'ADDR' })} To create a wallet: ${sluice('wallet new', 'NAME')}`,
  })
}

type Circumstances = {
  key: string | undefined
  identity: SignerIdentity
  context: ExecutionContext
  lock: PlanningLock | undefined
  limits: { waitMs: number; signal: AbortSignal }
}

async function planAndSend(
  cli: Cli,
  options: SigningOptions,
  asked: SigningRequest,
  { key, identity, context, lock, limits }: Circumstances,
): Promise<void> {
  const { title, wallet, propose, reference, chainId, replaces } = asked
  refuseOtherWallet(identity, wallet)
  const request = { ...asked.request, wallet: identity.address }
  const earlier = key === undefined ? undefined : context.journal.findForRequest(key, request)
  if (earlier && !options.dryRun) {
    const isBegun = !isNeverSigned(earlier)
    if (isBegun) cli.program.noteOperation(earlier.id)
    await confirmOlderJournal(cli, context, earlier, options)
    if (isBegun) return executeUnchanged(cli, context, earlier, identity, { ...options, lock })
  }
  const asking = { propose, request, ...(reference && { reference }), ...(wallet && { wallet }) }
  const { proposal, checked, known } = await requestOffer(
    cli,
    options,
    { ...asking, ...(chainId && { chainId }) },
    { identity, context },
  )
  await settleOpenOrders(context, identity.address)
  const revoked = revokedOrder(asked)
  refuseAllowanceConflict(context, checked, replaces?.id ?? revoked)
  const planned = () => {
    const prices = [...known, ...(asked.prices?.() ?? [])]
    return planJson(checked, context, identity, cli.line, prices)
  }
  if (options.dryRun)
    return cli.emit(planned(), (value, to) => planView(value, `${title} (dry run, nothing is signed)`, to))
  if (identity.source === 'address') await identity.unlock()
  const instead = replaces && sluice('action revoke', replaces.id, { '--yes': true })
  await confirmPlan(cli, planned, title, instead)
  if (key === undefined) await confirmRepeat(cli, context, request)
  if (key !== undefined) warnNewJournal(cli, context, checked)
  refuseExpiredQuote(proposal, cli.program.now(), { isFixed: wallet !== undefined })
  const account = await identity.unlock()
  warnNoKey(cli, options, asked.request)
  const signer = signerWith(identity, account)
  const mine = lock ?? (await acquirePlanningLock(context, identity.address, limits))
  try {
    // Check the key and the allowances again: another process may have used the wallet during the question.
    const now = key === undefined ? undefined : context.journal.findForRequest(key, request)
    if (now && !isNeverSigned(now))
      return await executeUnchanged(cli, context, now, signer, { ...options, lock: mine })
    await replaces?.close()
    refuseAllowanceConflict(context, checked, revoked)
    const begun = recorded(context, checked, key ?? proposal.id, now)
    const { firstLeg } = checked
    await executeUnchanged(cli, context, begun, signer, { ...options, lock: mine, firstLeg })
  } finally {
    mine.release()
  }
}

/** Refuses a signer that is not the wallet of the plan. */
function refuseOtherWallet({ label, address }: SignerIdentity, wallet: SigningRequest['wallet']): void {
  if (wallet !== undefined && wallet !== address)
    throw new AppError('KEY_SOURCE', `This plan is for ${wallet}, but ${label} is ${address}`, {
      next: advice`Sign with its wallet: ${sameWith({ '--wallet': wallet })}`,
    })
}

/** The operation whose order a request revokes: an order holds its allowance against all but its own revocation. */
const revokedOrder = ({ request }: SigningRequest): string | undefined =>
  request.command === 'revoke' && typeof request.of === 'string' ? request.of : undefined

/** The signer with its opened account; KEY_SOURCE if that has another address. */
function signerWith(
  identity: SignerIdentity,
  account: Awaited<ReturnType<SignerIdentity['unlock']>>,
): SignerIdentity {
  if (account.address !== identity.address)
    throw new AppError(
      'KEY_SOURCE',
      `${identity.label} has the key of ${account.address}, not of ${identity.address}`,
    )
  return { ...identity, unlock: async () => account }
}

const executeUnchanged = (
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  identity: SignerIdentity,
  going: SigningOptions & ResumeChoices,
) => {
  refuseChangedTerms(cli, operation, going)
  return executeAndReport(cli, context, operation, identity, going, replanLeg)
}

/** Nothing of it was ever signed: its plan may be old, and a new one is as good. */
const isNeverSigned = (operation: JournalOperation): boolean =>
  operation.state === 'OPEN' && !hasSignature(operation)

/**
 * Records the operation of a plan. An earlier one with the same key and no signature is replaced; the
 * same operation is resumed.
 */
function recorded(
  context: ExecutionContext,
  checked: CheckedPlan,
  key: string,
  unsigned: JournalOperation | undefined,
): JournalOperation {
  const { id } = checked.proposal
  const known = context.journal.find(id)
  const keyed = context.journal.findByIdempotencyKey(id)
  if (keyed && keyed.id !== id) throw duplicateNameError(id, keyed)
  if (known && known.id === unsigned?.id) return replaceUnsignedPlan(context, checked, known)
  if (known) throw startedBeforeError(known)
  return (unsigned && dropUnsigned(context, unsigned.id)) ?? recordOperation(context, checked, key)
}

/**
 * The wallet of an operation that has nothing left to sign, where no signer is given (KEY_REQUIRED): it is followed, or its result is
 * repeated. Any signature, such as a raised fee, throws the error. Throws it at once for another operation or error.
 */
function identityWithoutKey(operation: JournalOperation | undefined, error: unknown): SignerIdentity {
  const isMissing =
    error instanceof AppError && error.code === 'KEY_REQUIRED' && error.details?.named === false
  if (!isMissing || !operation || !(isFinished(operation) || !operation.steps.some(isUnsigned))) throw error
  const address = operation.wallet
  const signTransaction = async () => {
    throw error
  }
  return { address, label: address, source: 'address', unlock: async () => ({ address, signTransaction }) }
}
