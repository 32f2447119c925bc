import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import type { Planned } from '../../wallet/execution/carry-out.ts'
import { unknownTo } from '../../wallet/execution/foreign/unknown.ts'
import { isClosed, isOver } from '../../wallet/execution/run.ts'
import type { Ground } from '../../wallet/ground.ts'
import type { KeptPlan } from '../../wallet/plan/intent-json.ts'
import type { Cli } from '../cli.ts'
import type { SigningOptions } from '../options.ts'
import { confirm } from '../prompts.ts'
import { withReport } from './finish.ts'

/**
 * Before an operation of an earlier run goes on: where its wallet has sent transactions since it was planned that the journal does not know,
 * the journal may be an older copy, and the operation done already. A person is asked; without one it is JOURNAL_OUTDATED, and PARTIAL where
 * something of it is signed.
 */
export async function confirmOlderJournal(
  cli: Cli,
  ground: Ground,
  operation: Planned,
  { allowDuplicate, nonce }: Partial<Pick<SigningOptions, 'allowDuplicate' | 'nonce'>>,
): Promise<void> {
  const { id, state, wallet } = operation
  // Of a pinned nonce at most one transaction is ever mined.
  const isPinned = nonce !== undefined || (operation.plan as Partial<KeptPlan> | null)?.nonce != null
  if (allowDuplicate || isOver(operation) || isClosed(operation) || (isPinned && state === 'OPEN')) return
  const unknown = await unknownTo(ground, operation)
  if (!unknown) return
  const { name } = networkNamed(ground.catalog.networks, unknown.chainId)
  const many = unknown.count === 1 ? 'a transaction' : `${unknown.count} transactions`
  const what = `${wallet} has sent ${many} on ${name} that this journal does not know, since ${id} was planned. The journal may be an older copy, and the action done already`
  if (cli.io.canAsk && !cli.globals.yes) return confirm(cli.io, cli.globals, `${what}. Go on with it?`)
  const hint = `See what the wallet sent. If the action is not done: sluice action resume ${id} --allow-duplicate; if it is: sluice action abandon ${id}`
  const details = { operation: id, ...unknown }
  if (state === 'OPEN') throw new AppError('JOURNAL_OUTDATED', what, { details, hint })
  const partial = new AppError('PARTIAL', `A part is done, and the rest was not signed: ${what}`, {
    details: { ...details, cause: 'JOURNAL_OUTDATED' },
    hint,
  })
  throw withReport(partial, ground, operation)
}
