import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { plain } from '../domain/text.ts'
import { type AllowanceLeft, allowancesLeft } from '../wallet/allowances-left.ts'
import { begin, carryOut, type Planned } from '../wallet/carry-out.ts'
import type { Ground } from '../wallet/ground.ts'
import { type Checked, checkProposal, type Proposal } from '../wallet/plan.ts'
import { planJson } from '../wallet/plan-json.ts'
import { withReceived } from '../wallet/received.ts'
import { type Report, reportOf } from '../wallet/report.ts'
import type { Progress } from '../wallet/run.ts'
import { type Turn, takeTurn } from '../wallet/turn.ts'
import { abandon, refuseConflict } from '../wallet/unfinished.ts'
import type { Who } from '../wallet/who.ts'
import type { Cli } from './cli.ts'
import { address, idempotencyKey, type SigningOptions } from './options.ts'
import { confirm } from './prompts.ts'
import { planView, progressLine, reportView } from './report-view.ts'

const halfAnHour = 30 * 60_000

/** Something that signs: the request that an idempotency key stands for, and how the service is asked for the transactions. */
export type Undertaking = {
  title: string
  /** What the command asks for, as plain JSON: equal requests are equal JSON. */
  request: Record<string, unknown>
  propose: (wallet: Who['address']) => Promise<Omit<Proposal, 'request' | 'wallet'>>
}

/**
 * Carries out one command that signs, from the request to the last receipt: who, plan, guard, simulation, question,
 * journal, signatures, chain. The same idempotency key goes on with, or repeats the answer of, the same operation.
 */
export async function operate(cli: Cli, options: SigningOptions, undertaking: Undertaking): Promise<void> {
  const key = idempotencyKey(options.idempotencyKey)
  if (key === undefined && !cli.io.canAsk && !options.dryRun)
    cli.notice(cli.io.err.paint.dim('without --idempotency-key, running this again pays again'))
  const who = await cli.place.who(options)
  const ground = await cli.place.ground()
  const limits = {
    waitMs: Math.min(60_000, cli.globals.timeoutMs ?? halfAnHour),
    signal: cli.world.interrupt.signal,
  }
  // Whoever thinks about a question must not hold up the others.
  const turn = options.dryRun || !cli.globals.yes ? undefined : await takeTurn(ground, who.address, limits)
  try {
    await undertake(cli, options, undertaking, { key, who, ground, turn })
  } finally {
    turn?.release()
  }
}

async function undertake(
  cli: Cli,
  options: SigningOptions,
  { title, request: asked, propose }: Undertaking,
  { key, who, ground, turn }: { key: string | undefined; who: Who; ground: Ground; turn: Turn | undefined },
): Promise<void> {
  const allow = (options.allowContract ?? []).map((text) => address(text, '--allow-contract'))
  const request = { ...asked, wallet: who.address }
  const earlier = key === undefined ? undefined : ground.journal.findByKey(key, request)
  const fresh = earlier !== undefined && isUnsigned(ground, earlier)
  if (earlier && !fresh && !options.dryRun) return finish(cli, ground, earlier, who, options, turn)
  const proposal: Proposal = { ...(await propose(who.address)), request, wallet: who.address }
  const checked = await checkProposal(ground, proposal, allow)
  refuseConflict(ground, checked)
  if (options.dryRun) return showPlan(cli, ground, checked)
  if (who.source === 'address') await who.unlock()
  if (!cli.globals.quiet && !cli.globals.yes)
    cli.io.err.write(`${planView(planJson(checked, ground, null), title, who.label, cli.io.err)}\n`)
  await confirm(cli.io, cli.globals, `${title}?`)
  const account = await who.unlock()
  if (account.address !== who.address)
    throw new AppError(
      'KEY_SOURCE',
      `${who.label} holds the key of ${account.address}, not of ${who.address}`,
    )
  const operation = planned(ground, checked, key ?? proposal.id, fresh ? earlier : undefined)
  await finish(cli, ground, operation, { ...who, unlock: async () => account }, options, turn)
}

/** Nothing of it was ever signed: its plan may be old, and a new one is as good. */
const isUnsigned = ({ journal }: Ground, { id, state, steps }: Planned): boolean =>
  state === 'OPEN' && steps.every(({ index }) => journal.attempts(id, index).length === 0)

/** The operation of a plan in the journal. An earlier one under the same key that was never signed makes way; the very same one goes on. */
function planned(ground: Ground, checked: Checked, key: string, unsigned: Planned | undefined): Planned {
  const known = ground.journal.find(checked.proposal.id)
  if (known && known.id === unsigned?.id) return known
  if (known)
    throw new AppError(
      'IDEMPOTENCY_KEY_REUSED',
      `${known.id} was started before, under the key ${known.idemKey}`,
      {
        details: { operation: known.id },
        hint: `sluice action show ${known.id}`,
      },
    )
  if (unsigned) abandon(ground, unsigned)
  return begin(ground, checked, key)
}

async function showPlan(cli: Cli, ground: Ground, checked: Checked): Promise<void> {
  const { wallet, legs } = checked.proposal
  const nonce = Number(
    await ground.rpc(legs[0]!.chainId).request<string>('eth_getTransactionCount', [wallet, 'latest']),
  )
  cli.emit(planJson(checked, ground, nonce), (plan, to) =>
    planView(plan, 'Nothing is signed by a dry run', null, to),
  )
}

/** Goes on with an operation of the journal to its end, and reports it. A finished one is only reported again. */
export async function finish(
  cli: Cli,
  ground: Ground,
  operation: Planned,
  who: Who,
  options: Pick<SigningOptions, 'wait'>,
  turn?: Turn,
): Promise<void> {
  const followed =
    operation.state === 'DONE'
      ? { done: operation, moved: false }
      : await follow(cli, ground, operation, who, options, turn)
  const report = await withReceived(ground, followed.done, reportFor(ground, followed.done))
  cli.emit({ ...report, replayed: !followed.moved }, reportView)
  if (followed.moved)
    for (const left of await allowancesLeft(ground, followed.done)) cli.notice(leftLine(left))
}

/** What a contract may still take, as a notice. */
export const leftLine = ({ network, spender, amount }: AllowanceLeft): string =>
  `${spender} may still take ${amount.formatted} ${plain(amount.symbol)} on ${network}; a next action through it uses that first`

/** The report of an operation, with the hashes of what is signed and not in a block yet. */
export const reportFor = ({ journal, catalog }: Ground, operation: Planned): Report =>
  reportOf(
    operation,
    catalog.networks,
    (step) => journal.attempts(operation.id, step.index).at(-1)?.hash ?? null,
  )

async function follow(
  cli: Cli,
  ground: Ground,
  operation: Planned,
  who: Who,
  options: Pick<SigningOptions, 'wait'>,
  turn?: Turn,
): Promise<{ done: Planned; moved: boolean }> {
  let moved = false
  const teller = await cli.teller()
  const service = await cli.service()
  const account = await who.unlock()
  const tell = (progress: Progress) => {
    moved = true
    // What a bridge takes its time for is not the wallet's business.
    if (progress.kind === 'waiting') turn?.release()
    const { line, moving } = progressLine(progress, operation, ground.catalog.networks, cli.io.err)
    if (line !== null) teller.say(line)
    if (moving !== null) teller.doing(moving)
    if (progress.kind === 'sent')
      void service
        .ingest({ actionId: operation.id, event: 'SIGNED', txHash: progress.hash })
        .catch(() => undefined)
  }
  if (operation.state === 'OPEN') cli.notice(cli.io.err.paint.dim(`action ${operation.id}`))
  try {
    const done = await cli.world.interrupt.critical(() =>
      carryOut(ground, operation, {
        account,
        timeoutMs: cli.globals.timeoutMs ?? halfAnHour,
        signal: cli.world.interrupt.signal,
        ...(!options.wait && { noWait: true }),
        onProgress: tell,
        delivered: async (quoteId) =>
          ((await service.swapStatus({ id: quoteId })).destinationTxHash as Hex | null) ?? undefined,
      }),
    )
    return { done, moved }
  } catch (error) {
    throw withReport(error, ground, operation)
  } finally {
    teller.done()
  }
}

/** After a signature, the error carries the whole report, so that a script has what a success would have given. */
function withReport(error: unknown, ground: Ground, { id }: Planned): unknown {
  const now = ground.journal.find(id)
  if (!(error instanceof AppError) || !now) return error
  const details = { id, ...error.details, action: reportFor(ground, now) }
  return new AppError(error.code, error.message, {
    details,
    cause: error.cause,
    ...(error.hint !== undefined && { hint: error.hint }),
  })
}
