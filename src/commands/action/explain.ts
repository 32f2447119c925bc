import type { Command } from 'commander'
import { withTimeout } from '../../chain/rpc/timeouts.ts'
import { action, type Cli } from '../../cli/cli.ts'
import { checked, depthOf } from '../../cli/options/checked-values.ts'
import type { View } from '../../cli/output/output.ts'
import { swapTold } from '../../cli/signing-flow/swap-status.ts'
import { fields } from '../../cli/terminal/table.ts'
import { wrapped } from '../../cli/terminal/text-width.ts'
import type { World } from '../../cli/world.ts'
import { explain, type ServiceReport } from '../../diagnosis/explain.ts'
import type { Verdict } from '../../diagnosis/verdict.ts'
import { AppError } from '../../domain/errors.ts'
import { plain } from '../../domain/text.ts'
import { quoteIds, type StoredPlan } from '../../guard/intent-json.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import type { PlannedOperation } from '../../transactions/operations/start.ts'
import { readOnlyContext } from '../../transactions/read-only-context.ts'
import { withoutJournal } from './explain-from-service.ts'
import { isHash, ofHash } from './explain-transaction.ts'
import { inJournal } from './resume.ts'

/** `action explain`: one verdict about an action, for whoever has to decide what to do. */
export const addExplain = (command: Command, world: World): void =>
  void command
    .command('explain')
    .description(
      'Explain an action: what happened, where the funds are, whether a retry is safe, and what to do next. Signs nothing.',
    )
    .argument('<id>', 'action ID, quote ID, idempotency key or transaction hash')
    .option('--confirmations <depth>', 'finality: a number of blocks, safe or finalized', checked(depthOf))
    .addHelpText('after', '\nExample:\n  $ sluice action explain 0f8fad5b-d9cb-469f-a165-70867728950e')
    .action(action(world, explainOne))

async function explainOne(cli: Cli, id: string, options: { confirmations?: string }): Promise<void> {
  const depth = depthOf(options.confirmations)
  const ground = await cli.place.ground()
  const of = !inJournal(ground, id) && isHash(id) ? await ofHash(ground, id, depth) : { id }
  if ('verdict' in of) return cli.emit(of.verdict, verdictView)
  const operation = 'id' in of ? inJournal(ground, of.id) : undefined
  if (!operation)
    return cli.emit(await withoutJournal(cli, ground, id, 'silent' in of ? of.silent : []), verdictView)
  // Both are asked at once: whoever is silent costs his time only once.
  const told = toldOf(cli, operation)
  cli.emit(await explain(readOnlyContext(ground), operation, { told, depth }), verdictView)
}

/** The verdict about an action of the journal as evidence of it: also of a damaged journal, and `null` where nobody can be asked. */
export async function verdictFor(
  cli: Cli,
  ground: ExecutionContext,
  operation: PlannedOperation,
): Promise<Verdict | null> {
  try {
    return await explain(ground, operation, { told: toldOf(cli, operation), depth: undefined })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // Evidence is wanted most where things are not as they should be: the rest of it does not need an answer.
    return error.code === 'JOURNAL_UNREADABLE' ? (error.details as Verdict) : null
  }
}

/** What the service says of an action. One that does not answer says nothing, and is not waited for. */
async function toldOf(cli: Cli, { id, plan }: PlannedOperation): Promise<ServiceReport> {
  // The bridge of a deposit has a quote of its own.
  const quotes = plan ? quoteIds(plan as StoredPlan) : []
  const service = await cli.service()
  const [known, swap] = await Promise.all([
    asked(service.getAction({ id }), ({ status }) => `the service reports ${status}`),
    asked(swapTold(cli, quotes.length > 0 ? quotes : [id]), (swap) => `the swap is ${swap?.status}`),
  ])
  const texts = swap.answer ? [known.text, swap.text] : [known.text]
  return { text: texts.join(', '), delivered: swap.answer?.destinationTxHash ?? null }
}

async function asked<T>(
  work: Promise<T>,
  say: (answer: T) => string,
): Promise<{ answer: T | undefined; text: string }> {
  try {
    const answer = await withTimeout(work)
    return { answer, text: answer === undefined ? 'the service does not answer' : say(answer) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const isUnknown = error.code === 'ACTION_NOT_FOUND' || error.code === 'NOT_FOUND'
    return {
      answer: undefined,
      text: isUnknown ? 'unknown to the service' : `the service failed to answer: ${error.message}`,
    }
  }
}

const verdictView: View<Verdict> = ({ id, situation, verdict, funds, safeToRetry, next, evidence }, to) =>
  [
    `${to.paint.bold(situation)}  ${plain(verdict)}`,
    '',
    fields(
      [
        ['action', plain(id)],
        ['funds', plain(funds)],
        [
          'retry',
          safeToRetry
            ? to.paint.green('safe: nothing signed is still pending')
            : to.paint.yellow(
                'unsafe: a new request could pay twice, or is refused while this action is open',
              ),
        ],
        ...(next === null ? [] : ([['next', plain(next)]] as const)),
      ],
      to,
    ),
    '',
    ...evidence.map(({ source, text }) => wrapped([source, to.paint.dim(plain(text))], { column: 9 }, to)),
  ].join('\n')
