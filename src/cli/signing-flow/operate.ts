import { AppError, saysUnsigned } from '../../domain/errors.ts'
import { shellWord } from '../../domain/shell-quoting.ts'
import type { ExecutionContext, PlannedOperation } from '../../planning/context.ts'
import type { CheckedPlan } from '../../planning/plan.ts'
import { planJson } from '../../planning/plan-output.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { restartOperation, startOperation } from '../../transactions/operations/start.ts'
import { dropUnsigned, refuseAllowanceConflict } from '../../transactions/operations/unfinished.ts'
import { acquirePlanningLock, type PlanningLock } from '../../transactions/operations/wallet-lock.ts'
import { halfAnHour, noncesOf } from '../options/execution-options.ts'
import { idempotencyKey, type SigningOptions } from '../options/signing-options.ts'
import { shown } from '../output/output.ts'
import { confirm } from '../prompts.ts'
import { planQuestion, planView } from '../views/plan-view.ts'
import type { Cli } from '../world.ts'
import { planAgain } from './current-plan.ts'
import { finish, follow } from './finish.ts'
import {
  confirmAgain,
  confirmOlderJournal,
  namedTwice,
  refuseExpired,
  refuseReused,
  requireOnce,
  startedBefore,
  tellNewJournal,
} from './idempotency.ts'
import { offered } from './offer.ts'
import { orRevoke } from './revoke-on-failure.ts'
import { refuseOtherTerms } from './terms.ts'
import type { Going, Undertaking } from './undertaking.ts'

/**
 * Carries out one command that signs, from the request to the last receipt: who, plan, guard, simulation, question,
 * journal, signatures, chain. The same idempotency key goes on with, or repeats the answer of, the same operation.
 */
export async function operate(cli: Cli, options: SigningOptions, undertaking: Undertaking): Promise<void> {
  const key = idempotencyKey(options.idempotencyKey)
  requireOnce(cli, options, undertaking.request)
  // What a nonce is for is looked at where it is known which chain comes first.
  noncesOf(options.nonce, (await cli.place.catalog()).networks, undefined)
  // A key of another request is that, whoever signs.
  if (key !== undefined) refuseReused(await cli.place.ground(), key, undertaking.request)
  const who = await cli.place.who(options)
  const ground = await cli.place.ground()
  const limits = {
    waitMs: options.lockWait === false ? 0 : Math.min(60_000, cli.globals.timeoutMs ?? halfAnHour),
    signal: cli.world.interrupt.signal,
  }
  // Whoever thinks about a question must not hold up the others.
  const turn =
    options.dryRun || !cli.globals.yes ? undefined : await acquirePlanningLock(ground, who.address, limits)
  try {
    await undertake(cli, options, undertaking, { key, who, ground, turn, limits })
  } finally {
    turn?.release()
  }
}

/** The flags that name who signs, and where, on another command line. */
const namedHere = ({ again = '' }: SignerIdentity, { profile }: Cli['globals']): string =>
  [again, profile === undefined ? '' : `--profile ${shellWord(profile)}`].filter(Boolean).join(' ')

type Circumstances = {
  key: string | undefined
  who: SignerIdentity
  ground: ExecutionContext
  turn: PlanningLock | undefined
  limits: { waitMs: number; signal: AbortSignal }
}

async function undertake(
  cli: Cli,
  options: SigningOptions,
  { title, request: asked, wallet, propose, givesUp, opinion, prices }: Undertaking,
  { key, who, ground, turn, limits }: Circumstances,
): Promise<void> {
  if (wallet !== undefined && wallet !== who.address)
    throw new AppError('KEY_SOURCE', `This plan is for ${wallet}, but ${who.label} is ${who.address}`, {
      hint: `Sign with its wallet: --wallet ${wallet}`,
    })
  const request = { ...asked, wallet: who.address }
  const earlier = key === undefined ? undefined : ground.journal.findForRequest(key, request)
  const fresh = earlier !== undefined && isUnsigned(ground, earlier)
  if (earlier && !options.dryRun) {
    await confirmOlderJournal(cli, ground, earlier, options)
    if (!fresh) return goOnOrRevoke(cli, ground, earlier, who, { ...options, turn })
  }
  const asking = { propose, request, ...(opinion && { opinion }), ...(wallet && { wallet }) }
  const { proposal, checked, known } = await offered(cli, options, asking, { who, ground })
  refuseAllowanceConflict(ground, checked, givesUp?.id)
  const plan = planJson(checked, ground, { ...who, again: namedHere(who, cli.globals) }, [
    ...known,
    ...(prices?.() ?? []),
  ])
  if (options.dryRun)
    return cli.emit(plan, (value, to) => planView(value, `${title} (dry run, nothing is signed)`, to))
  if (who.source === 'address') await who.unlock()
  if (!cli.globals.quiet && !cli.globals.yes)
    cli.io.err.write(`${shown(planView(plan, title, cli.io.err), cli.io.err)}\n\n`)
  const instead = givesUp && `sluice action revoke ${givesUp.id} --yes`
  await confirm(cli.io, cli.globals, planQuestion(plan, title), instead)
  if (key === undefined) await confirmAgain(cli, ground, request)
  if (key !== undefined) tellNewJournal(cli, ground, checked)
  refuseExpired(proposal, cli.world.now())
  const account = await who.unlock()
  if (account.address !== who.address)
    throw new AppError('KEY_SOURCE', `${who.label} has the key of ${account.address}, not of ${who.address}`)
  const signer = { ...who, unlock: async () => account }
  const mine = turn ?? (await acquirePlanningLock(ground, who.address, limits))
  try {
    // Others may have been at work while the question stood: the key and the allowances are looked at once more.
    const now = key === undefined ? undefined : ground.journal.findForRequest(key, request)
    if (now && !isUnsigned(ground, now))
      return await goOnOrRevoke(cli, ground, now, signer, { ...options, turn: mine })
    await givesUp?.close()
    try {
      refuseAllowanceConflict(ground, checked)
      const begun = planned(ground, checked, key ?? proposal.id, now)
      await goOnOrRevoke(cli, ground, begun, signer, { ...options, turn: mine })
    } catch (error) {
      throw givesUp ? afterGivingUp(error, givesUp.id) : error
    }
  } finally {
    mine.release()
  }
}

/** A failure after another operation was given up for this one, which nobody must think is as it was. */
const afterGivingUp = (error: unknown, id: string): unknown =>
  error instanceof AppError && saysUnsigned(error.code)
    ? new AppError(error.code, error.message, {
        cause: error,
        details: { ...error.details, givenUp: id },
        ...(error.hint !== undefined && { hint: error.hint }),
      })
    : error

const goOnOrRevoke = (
  cli: Cli,
  ground: ExecutionContext,
  operation: PlannedOperation,
  who: SignerIdentity,
  going: SigningOptions & Going,
) => {
  refuseOtherTerms(cli, operation, going)
  return orRevoke(cli, ground, operation, who, going, {
    work: () => finish(cli, ground, operation, who, going, planAgain),
    follow,
  })
}

/** Nothing of it was ever signed: its plan may be old, and a new one is as good. */
const isUnsigned = ({ journal }: ExecutionContext, { id, state, steps }: PlannedOperation): boolean =>
  state === 'OPEN' && steps.every(({ index }) => journal.attempts(id, index).length === 0)

/** The operation of a plan in the journal. An earlier one under the same key that was never signed makes way; the very same one goes on. */
function planned(
  ground: ExecutionContext,
  checked: CheckedPlan,
  key: string,
  unsigned: PlannedOperation | undefined,
): PlannedOperation {
  const { id } = checked.proposal
  const known = ground.journal.find(id)
  const keyed = ground.journal.findByIdempotencyKey(id)
  if (keyed && keyed.id !== id) throw namedTwice(id, keyed)
  if (known && known.id === unsigned?.id) return restartOperation(ground, checked, known)
  if (known) throw startedBefore(known)
  return (unsigned && dropUnsigned(ground, unsigned.id)) ?? startOperation(ground, checked, key)
}
