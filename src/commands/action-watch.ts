import { type Action, isFinalStatus } from '../api/action.ts'
import type { Cli } from '../cli/cli.ts'
import { duration } from '../cli/globals.ts'
import { reportFor } from '../cli/operate/finish.ts'
import { observe } from '../cli/watching.ts'
import { Hash, type Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { shellOperand } from '../domain/shell.ts'
import { ifAnswered } from '../wallet/chain/within.ts'
import type { Planned } from '../wallet/execution/carry-out.ts'
import { isAwaiting } from '../wallet/execution/delivery.ts'
import { outcomeOf } from '../wallet/execution/outcome.ts'
import { isShort } from '../wallet/execution/result.ts'
import { takeTurn, whileIdle } from '../wallet/execution/turn.ts'
import { settled } from '../wallet/execution/unfinished.ts'
import type { Ground } from '../wallet/ground.ts'
import type { KeptPlan } from '../wallet/plan/intent-json.ts'
import type { Report } from '../wallet/record/report.ts'
import { anyView, inJournal, journalled, looked } from './action-run.ts'

/** `action watch` */
export async function watch(cli: Cli, ids: string[], options: { interval: string }): Promise<void> {
  const intervalMs = duration(options.interval)
  const ends = await Promise.all(
    ids.map((id) =>
      observe(cli, () => watched(cli, id), {
        isOver: ({ status }) => isFinalStatus(status),
        view: anyView,
        intervalMs,
        again: `sluice action watch --timeout 1h ${shellOperand(id)}`,
      }),
    ),
  )
  const refunded = ends.find(({ status }) => status.toUpperCase() === 'REFUNDED')
  if (refunded)
    throw new AppError('REFUNDED', `Action ${refunded.id} ended in a refund`, {
      details: { id: refunded.id },
      hint: `sluice action explain ${shellOperand(refunded.id)}`,
    })
  const ground = await cli.place.ground()
  const short = ends.map(({ id }) => inJournal(ground, id)).find((one) => one !== undefined && isShort(one))
  if (short) outcomeOf(short)
  const failed = ends.find(({ status }) => status.toUpperCase() === 'FAILED')
  if (failed)
    throw new AppError('ACTION_FAILED', `Action ${failed.id} failed`, {
      details: { id: failed.id },
      hint: `sluice action explain ${shellOperand(failed.id)}`,
    })
}

/** What the journal knows, moved on by what the service sees on the chain; an operation of another machine is the service's alone. */
async function watched(cli: Cli, id: string): Promise<Report | Action> {
  const ground = await cli.place.ground()
  const operation = await looked(cli, ground, id)
  if (!operation) return (await cli.service()).getAction({ id })
  const report = reportFor(ground, operation)
  if (isFinalStatus(report.status)) return report
  const { status, finishedAt, transactions } = await (await cli.service()).getAction({ id: operation.id })
  if (!isFinalStatus(status) && !isAwaiting(operation)) return report
  const now = await noted(cli, ground, operation)
  const known = reportFor(ground, now)
  // What a service says of a bridge is not taken for its end: the chain of the other end says what came.
  if (isFinalStatus(known.status) || isAwaiting(now) || !isFinalStatus(status)) return known
  const seen = known.transactions.map((tx, at) => {
    const { hash, status, blockNumber, gasUsed } = transactions[at] ?? tx
    return { ...tx, hash: hash ?? tx.hash, status: status ?? tx.status, blockNumber, gasUsed }
  })
  return { ...known, status, finishedAt, transactions: seen }
}

/** How long a look waits for the turn of a wallet, in ms: whoever has it for longer is at work with it, and writes by himself what he sees. */
const turnMs = 1_000

/**
 * An operation of the journal, moved on by what the chains show of it: in the turn of its wallet, and while nobody signs with that. As
 * it stands in the journal where somebody is at work with it, or where a chain does not answer.
 */
async function noted(cli: Cli, ground: Ground, { id, wallet, legs }: Planned): Promise<Planned> {
  const told = await deliveryTold(cli, journalled(ground, id))
  const chains = legs.map(({ chainId }) => chainId)
  const note = async () => {
    const turn = await takeTurn(ground, wallet, { waitMs: turnMs, signal: cli.world.interrupt.signal })
    try {
      return await whileIdle(ground, wallet, chains, () => settled(ground, journalled(ground, id), told))
    } finally {
      turn.release()
    }
  }
  const now = await ifAnswered(note()).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'WALLET_BUSY') return undefined
    throw error
  })
  return now ?? journalled(ground, id)
}

/** The transaction that the service names as the delivery of a bridge; `null` where it names none, or fails: then only the chain is asked. */
async function deliveryTold(cli: Cli, operation: Planned): Promise<Hex | null> {
  const { quoteId } = operation.plan as KeptPlan
  if (quoteId === null || !isAwaiting(operation)) return null
  try {
    const { destinationTxHash } = await (await cli.service()).swapStatus({ id: quoteId })
    return Hash.safeParse(destinationTxHash).data ?? null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
