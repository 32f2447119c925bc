import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { CheckedPlan } from '../../planning/check-proposal.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import { operationIdPattern, type Proposal } from '../../planning/proposal.ts'
import { findForeignTransactions } from '../../transactions/nonces/nonce-conflict.ts'
import { hasSignature, isClosed, isFinished } from '../../transactions/steps/operation-state.ts'
import type { Cli } from '../command-run-types.ts'
import type { SigningOptions } from '../options/signer-and-safety-options.ts'
import { confirm } from '../prompts.ts'

/** Refuses an action ID from the service that cannot be used as an operand. */
export function refuseName(id: string): void {
  if (operationIdPattern.test(id)) return
  const shown = sanitizeText(id)
  throw new AppError(
    'SERVICE_BAD_RESPONSE',
    `The service returned the invalid action ID "${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown}": an ID has 1-128 letters, digits and . _ : -, and starts with a letter or a digit`,
    { details: { at: ['id'] } },
  )
}

/** The error for an action ID that is already the idempotency key of another operation. */
export const duplicateNameError = (id: string, { id: other }: Pick<JournalOperation, 'id'>): AppError =>
  new AppError(
    'SERVICE_BAD_RESPONSE',
    `The service returned the action ID ${id}, which is already the idempotency key of ${other}`,
    {
      details: { at: ['id'], operation: other },
      next: sluice('action show', other),
    },
  )

/**
 * Before an earlier operation is resumed: if its wallet has since sent transactions that the journal
 * does not know, the journal may be an old copy and the operation may be done. Asks the person; without
 * a terminal JOURNAL_OUTDATED, or PARTIAL if something is signed.
 */
export async function confirmOlderJournal(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
  { allowDuplicate, nonce }: Partial<Pick<SigningOptions, 'allowDuplicate' | 'nonce'>>,
): Promise<void> {
  const { id, state, wallet } = operation
  // Of a pinned nonce at most one transaction is ever mined.
  const isPinned = nonce !== undefined || (operation.plan as Partial<StoredPlan> | null)?.nonce != null
  if (allowDuplicate || isFinished(operation) || isClosed(operation) || (isPinned && state === 'OPEN')) return
  const unknown = await findForeignTransactions(context, operation)
  if (!unknown) return
  const { name } = networkNamed(context.catalog.networks, unknown.chainId)
  const many = unknown.count === 1 ? 'a transaction' : `${unknown.count} transactions`
  const what = `Since ${id} was planned, ${wallet} has sent ${many} on ${name} that this journal does not know. The journal may be an old copy, and the action may already be done`
  if (cli.io.canAsk && !cli.globals.yes) return confirm(cli.io, cli.globals, `${what}. Resume it?`)
  const hint = advice`Check on chain what the wallet sent. If the action is not done: ${sluice('action resume', id, { '--allow-duplicate': true })}; if it is: ${sluice('action abandon', id)}`
  const details = { operation: id, ...unknown }
  if (state === 'OPEN') throw new AppError('JOURNAL_OUTDATED', what, { details, next: hint })
  throw new AppError('PARTIAL', `The action is partly done; the remaining steps are unsigned. ${what}`, {
    details: { ...details, cause: 'JOURNAL_OUTDATED' },
    next: hint,
  })
}

/** The effect of running a command twice. A withdrawal, claim, revocation or delivery pays nobody else. */
const twice: Readonly<Record<string, { does: string; would: string }>> = {
  withdraw: { does: 'withdraws again', would: 'would withdraw again' },
  claim: { does: 'may pay for its gas twice', would: 'may pay for its gas twice' },
  revoke: { does: 'may pay for its gas twice', would: 'may pay for its gas twice' },
  deliver: { does: 'may pay for its gas twice', would: 'may pay for its gas twice' },
}

/**
 * Requires an idempotency key or a pinned nonce without a terminal, because a script that is run twice
 * would pay twice. The sandbox only warns, and --allow-duplicate skips the check.
 */
export function requireIdempotency(
  { io, backend }: Cli,
  options: SigningOptions,
  { command, claim }: Record<string, unknown>,
): void {
  const isOnce = options.idempotencyKey !== undefined || options.nonce !== undefined
  if (isOnce || options.dryRun || options.allowDuplicate || io.canAsk) return
  const { would } = twiceOf(command, claim)
  if (backend.kind === 'sandbox') return
  throw new AppError(
    'IDEMPOTENCY_KEY_REQUIRED',
    `There is no terminal, and re-running this command ${would}: it needs an idempotency key or a pinned nonce`,
  )
}

const twiceOf = (command: unknown, claim: unknown) =>
  twice[claim === true ? 'claim' : String(command)] ?? { does: 'pays again', would: 'would pay again' }

/** The warning of the sandbox for a request without a key, once nothing refuses it any more. */
export function warnNoKey(
  { io, backend, notice }: Cli,
  options: SigningOptions,
  { command, claim }: Record<string, unknown>,
): void {
  const isOnce = options.idempotencyKey !== undefined || options.nonce !== undefined
  if (isOnce || options.allowDuplicate || io.canAsk || backend.kind !== 'sandbox') return
  const { does } = twiceOf(command, claim)
  notice(io.err.paint.dim(`warning: no --idempotency-key; re-running this command ${does}`))
}

/** IDEMPOTENCY_KEY_REUSED where a key was used for something else than this, by whatever wallet. */
export function refuseReusedKey(
  { journal }: ExecutionContext,
  key: string,
  request: Record<string, unknown>,
): void {
  const earlier = journal.findByIdempotencyKey(key)
  if (earlier) journal.findForRequest(key, { ...request, wallet: earlier.wallet })
}

/**
 * Warns that a key cannot prevent a duplicate: this machine has never signed for a wallet that has sent
 * transactions, so another machine may have used the key.
 */
export function warnNewJournal(
  cli: Cli,
  { journal, catalog }: ExecutionContext,
  { proposal: { wallet, nonce, legs }, simulation }: Pick<CheckedPlan, 'proposal' | 'simulation'>,
): void {
  const chainId = legs[0]?.chainId
  if (nonce !== null || chainId === undefined || !simulation || simulation.nonce === 0) return
  if (journal.nextNonce(chainId, wallet) > 0) return
  const { name } = networkNamed(catalog.networks, chainId)
  cli.notice(
    advice`This machine has not signed for this wallet on ${name} before, so it cannot know whether another machine used this key. Keep SLUICE_HOME between runs, or pin the nonce: ${sameWith({ '--nonce': `${name}=${simulation.nonce}` })}`,
  )
}

/** The error for an operation that exists under another key or with other parameters. */
export const startedBeforeError = (operation: JournalOperation): AppError => {
  const { id, idemKey } = operation
  return new AppError(
    'IDEMPOTENCY_KEY_REUSED',
    `${id} was already started ${idemKey === id ? 'with other parameters' : `under the key ${idemKey}`}`,
    {
      details: { operation: id },
      next:
        isClosed(operation) || isFinished(operation)
          ? sluice('action show', id)
          : advice`To resume it: ${sluice('action resume', id)}`,
    },
  )
}

/** How long an identical request counts as a possible duplicate, in ms. */
const recent = 10 * 60_000

/**
 * Asks for confirmation if the same request completed a moment ago or is still in progress. Without a
 * terminal, names the operation in progress.
 */
export async function confirmRepeat(
  cli: Cli,
  { journal }: ExecutionContext,
  request: { wallet: Proposal['wallet'] },
): Promise<void> {
  const { wallet } = request
  const wanted = canonicalJson(request)
  const isSame = (operation: JournalOperation) => canonicalJson(operation.request) === wanted
  const open = journal
    .list({ wallet, states: ['OPEN', 'EXECUTING', 'PARTIAL', 'ATTENTION'], limit: 1_000 })
    .find((operation) => isSame(operation) && hasSignature(operation))
  const isAsked = cli.io.canAsk && !cli.globals.yes
  if (open) {
    const what = advice`The same request is already in progress. To resume it: ${sluice('action resume', open.id)}`
    if (!isAsked) return cli.notice(what)
    return confirm(cli.io, cli.globals, `${cli.line(what)}. Start it a second time?`)
  }
  if (!isAsked) return
  const now = cli.program.now()
  const same = journal
    .list({ wallet, states: ['DONE'], limit: 20 })
    .find((operation) => now - operation.updated < recent && isSame(operation))
  if (!same) return
  const ago = spanText(now - same.updated)
  await confirm(cli.io, cli.globals, `The same request completed ${ago} ago (${same.id}). Do it again?`)
}
