import type { Action } from '../../api/action.ts'
import type { Cli } from '../../cli/cli.ts'
import { maxFee } from '../../cli/options/checked-values.ts'
import type { ExecutionOptions } from '../../cli/options/execution-options.ts'
import type { SigningOptions } from '../../cli/options/signing-options.ts'
import { finish, type Going, reportFor } from '../../cli/signing-flow/finish.ts'
import { confirmOlderJournal } from '../../cli/signing-flow/idempotency.ts'
import { noted, refuseOver } from '../../cli/signing-flow/journal-look.ts'
import { reportView } from '../../cli/views/report-view.ts'
import type { Report } from '../../diagnosis/report.ts'
import { revertCause } from '../../diagnosis/revert-cause.ts'
import { AppError } from '../../domain/errors.ts'
import { plain } from '../../domain/text.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import { isSignerNamed, type SignerIdentity } from '../../signing/signer.ts'
import type { PlannedOperation } from '../../transactions/operations/start.ts'
import { acquirePlanningLock } from '../../transactions/operations/wallet-lock.ts'
import { readOnlyContext, refuseMissingNodes } from '../../transactions/read-only-context.ts'
import { reopenAbandoned } from '../../transactions/reopen-abandoned.ts'
import { reopenContradicted } from '../../transactions/reorganisations.ts'
import { isFinished } from '../../transactions/run.ts'

/** What a command that goes on with an operation is told. */
export type GoOnOptions = Partial<SigningOptions> & Partial<ExecutionOptions>

/** What a unit of gas may cost beyond the plan of what is gone on with, in wei. */
export const liftedBy = (options: GoOnOptions): bigint | undefined =>
  options.maxFee === undefined ? undefined : maxFee(options.maxFee)

/** The operation of an id, a quote id or an idempotency key in the journal of this machine, if it holds one. */
export const inJournal = ({ journal }: ExecutionContext, id: string): PlannedOperation | undefined =>
  journal.find(id) ?? journal.findByIdempotencyKey(id)

/** What the journal knows, after a look whether what was final is on the chain still, and what was lost is lost. */
export async function looked(
  cli: Cli,
  ground: ExecutionContext,
  id: string,
): Promise<PlannedOperation | undefined> {
  const operation = inJournal(ground, id)
  const wrong = operation && (await reopenContradicted(ground, operation.id))
  if (!wrong) return operation
  // What was found may be final: then nothing is left to go on with.
  const now = journalled(ground, operation.id)
  const seen = wrong === 'found' ? await noted(cli, ground, now) : now
  const goOn = isFinished(seen) ? '' : ` To resume: sluice action resume ${operation.id}`
  cli.notice(
    wrong === 'found'
      ? `The transaction is on chain again, so its nonce is not lost.${goOn}`
      : `A deep reorganisation removed a final transaction from the chain.${goOn}`,
  )
  return seen
}

/** `action show` */
export async function show(cli: Cli, id: string): Promise<void> {
  const ground = readOnlyContext(await cli.place.ground())
  // What the service says of it is not what the journal says.
  const operation = cli.globals.raw ? undefined : await looked(cli, ground, id)
  if (!operation) return cli.emit(await (await cli.service()).getAction({ id }), anyView)
  const report = reportFor(ground, operation)
  const reasons = await Promise.all(
    operation.steps.map((step) =>
      step.state === 'FINAL_REVERTED' ? revertCause(ground.rpc(step.transaction.chainId), step) : null,
    ),
  )
  const transactions = report.transactions.map((tx, at) => ({ ...tx, error: reasons[at] ?? tx.error }))
  cli.emit({ ...report, transactions }, anyView)
}

/** What is known of an action, in words, whoever knows it. */
export const anyView = (one: Report | Action, to: Parameters<typeof reportView>[1]): string =>
  'assurance' in one
    ? reportView(one, to)
    : reportView(
        {
          ...one,
          assurance: '',
          idempotencyKey: '',
          destinationTxHash: null,
          amounts: (one.amounts ?? { in: null, out: null }) as Report['amounts'],
          transactions: one.transactions.map((tx) => ({ ...tx, kind: tx.kind ?? '-' })),
        } as never,
        to,
      )

/** The operation of an id, a quote id or an idempotency key in the journal of this machine; ACTION_NOT_FOUND otherwise. */
export function journalled(ground: ExecutionContext, id: string): PlannedOperation {
  const operation = inJournal(ground, id)
  if (operation) return operation
  throw new AppError('ACTION_NOT_FOUND', `No action "${plain(id)}" in the journal of this machine`)
}

/** `action resume` */
export const resume = (cli: Cli, id: string, options: GoOnOptions): Promise<void> =>
  goOn(cli, id, options, undefined)

/** Goes on with an operation under the turn of its wallet, by the key that it belongs to. */
export async function goOn(
  cli: Cli,
  id: string,
  options: GoOnOptions,
  replacement: Going['replacement'],
): Promise<void> {
  const ground = await cli.place.ground()
  const found = journalled(ground, id)
  refuseMissingNodes(ground, found)
  await reopenContradicted(ground, found.id)
  const isOpenAgain = await givenUpAgain(cli, ground, found.id, replacement)
  const operation = journalled(ground, found.id)
  if (!isOpenAgain) refuseOver(ground, operation)
  const maxFeePerGas = liftedBy(options)
  const who = await ownerOf(cli, operation, options)
  const turn = await acquirePlanningLock(ground, operation.wallet, {
    waitMs: options.lockWait === false ? 0 : Math.min(60_000, cli.globals.timeoutMs ?? 60_000),
    signal: cli.world.interrupt.signal,
  })
  try {
    const now = journalled(ground, operation.id)
    const since = replacement === 'cancel' ? {} : await goesOn(cli, ground, now, options, replacement)
    await finish(cli, ground, now, who, {
      ...options,
      ...since,
      turn,
      ...(replacement && { replacement }),
      ...(maxFeePerGas !== undefined && { maxFeePerGas }),
    })
  } finally {
    turn.release()
  }
}

/** Whether something of what was given up is on its way again, as it is in no block any more; a higher fee for it is a new signature, and not given. */
async function givenUpAgain(
  cli: Cli,
  ground: ExecutionContext,
  id: string,
  replacement: Going['replacement'],
): Promise<boolean> {
  if (replacement === 'bump' || !(await reopenAbandoned(ground, id, replacement))) return false
  cli.notice(
    `The action is closed, but a reorganisation removed one of its final transactions: that one is ${replacement ? 'cancelled' : 'followed until final'}, and no other step is signed.`,
  )
  return true
}

/**
 * Asks about an older journal. A chain of a later leg that does not answer is no reason not to make what waits dearer: then only that
 * is done, and nothing that is not signed yet.
 */
async function goesOn(
  cli: Cli,
  ground: ExecutionContext,
  operation: PlannedOperation,
  options: GoOnOptions,
  replacement: Going['replacement'],
): Promise<Pick<Going, 'wait' | 'onlyWaiting'>> {
  try {
    await confirmOlderJournal(cli, ground, operation, options)
    return {}
  } catch (error) {
    const isOfNode = error instanceof AppError && error.code.startsWith('RPC_')
    if (replacement !== 'bump' || !isOfNode) throw error
    cli.notice(`A network of the remaining steps does not answer, so only the pending transaction is resent.`)
    return { wait: false, onlyWaiting: true }
  }
}

/** That nobody is named who signs, of an operation that has its wallet already: only the key of that one helps, and no new one. */
const nobodyFor = (wallet: string, error: unknown): unknown =>
  error instanceof AppError && error.code === 'KEY_REQUIRED' && error.details?.named === false
    ? new AppError('KEY_REQUIRED', `No signer given; this action belongs to ${wallet}`, {
        cause: error,
        details: error.details,
        hint: `Sign with the key of ${wallet}: --wallet ${wallet}, --key-file PATH, or --ledger`,
      })
    : error

/** Who signs for an operation: whom the person names, or whoever has the key of its wallet; KEY_SOURCE when that is another one. */
export async function ownerOf(
  cli: Cli,
  { wallet }: PlannedOperation,
  options: Partial<SigningOptions>,
): Promise<SignerIdentity> {
  const named = isSignerNamed(options)
  const first = await cli.place
    .who(named ? options : { passwordFile: options.passwordFile })
    .catch((error: unknown) => {
      throw nobodyFor(wallet, error)
    })
  const who = first.address === wallet || named ? first : await cli.place.who({ ...options, wallet })
  if (who.address === wallet) return who
  throw new AppError('KEY_SOURCE', `This action belongs to ${wallet}, but ${who.label} is ${who.address}`, {
    details: { owner: wallet },
    hint: `Sign with its wallet: --wallet ${wallet}`,
  })
}
