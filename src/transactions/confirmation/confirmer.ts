import { type ChainClient, isLocal } from '../../chain/chain-client.ts'
import { confirmationDepth, findUnlikeNode, type RequiredDepth } from '../../chain/finality/finality.ts'
import {
  findAttempt,
  inclusionOf,
  isInclusionBlock,
  type MinedTransaction,
} from '../../chain/finality/find-mined-transaction.ts'
import { nodeBeforeTime } from '../../chain/finality/node-before-time.ts'
import { quorumTimeoutFor } from '../../chain/finality/quorum.ts'
import { readFromFreshest } from '../../chain/freshest-node.ts'
import { newestHeight, readHead, readHeader } from '../../chain/head.ts'
import { readNonceCount } from '../../chain/nonce-count.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { Attempt, Step } from '../../store/journal/operation-types.ts'
import { endedWithoutEffect } from '../../store/journal/replan-and-reopen-writes.ts'
import { broadcast } from '../broadcaster.ts'
import { clearNonceConflict, resolveNonceConflict } from '../nonces/nonce-conflict.ts'
import {
  defaultBumpDelay,
  inSendingOrder,
  isCancelling,
  replacementDecision,
} from '../replacement/fee-bump.ts'
import { feeCapError, replaceTransaction } from '../replacement/replacer.ts'
import {
  currentOperation,
  isClosed,
  isNodeFailure,
  pause,
  type Run,
  runStopped,
  stepAt,
} from '../run-state.ts'
import { isRefusedForGood, needsImmediateBump, sendErrorOf } from '../send-errors.ts'
import { finishStep } from '../steps/finish-step.ts'

/** Since when (monotonic) the node lacks the block that contained the step; `undefined` if the last look found it. */
type MissingBlock = { lackingSince: number | undefined }

/**
 * How long, in ms, a node behind a shared address may lack a block that another one there has shown; after that the
 * block counts as gone. A local address is rarely several nodes.
 */
const missingBlockMs = { far: 12_000, local: 500 }

/**
 * Whether the block that contained a step left the chain: another block is at its height, or its transaction list lacks the step,
 * as with an invented receipt. Nodes that share an address may not have the block or its receipts yet, which proves nothing.
 */
async function isBlockGone(
  { clock }: Pick<Run, 'clock'>,
  { inclusion }: Step,
  rpc: ChainClient,
  watch: MissingBlock,
): Promise<boolean> {
  if (!inclusion) return true
  const now = await readHeader(rpc, inclusion.blockNumber)
  if (now) {
    watch.lackingSince = undefined
    return !isInclusionBlock(now, inclusion)
  }
  watch.lackingSince ??= clock.now()
  return clock.now() - watch.lackingSince > missingBlockMs[isLocal(rpc) ? 'local' : 'far']
}

/**
 * Refuses to resend or bump a step that ended without effect (reverted or cancelled) and whose block a reorganisation
 * removed, because the person may have repeated the request since. Only its cancellation may be sent or bumped.
 * Returns whether it is such a step.
 */
function refuseIneffective({ journal, operationId, replacement }: Run, index: number): boolean {
  if (!endedWithoutEffect(journal.events(operationId), index)) return false
  if (replacement === 'cancel' || isCancelling(journal.attempts(operationId, index))) return true
  throw new AppError(
    'PENDING',
    `Step ${index + 1} of ${operationId} had ended without effect, but is in no block now: the node is behind, or a reorganisation removed it from the chain. Because the request may have been repeated since, the step is not sent again; until it is mined or cancelled, its wallet can send nothing else`,
    { details: { operation: operationId, index }, hint: `sluice action cancel ${operationId} --yes` },
  )
}

/**
 * Returns the other operation of this journal that holds the nonce the chain expects next, below that of the step;
 * until it is mined, the step waits.
 */
async function precedingOperation(
  { journal, operationId }: Run,
  { nonce, wallet, transaction: { chainId } }: Step,
  rpc: ChainClient,
  mined?: number,
): Promise<{ operation: string; nonce: number } | undefined> {
  const latest = mined ?? (await readNonceCount(rpc, wallet))
  if (nonce === null || latest >= nonce) return undefined
  const operation = journal.nonceHolder(chainId, wallet, latest)?.operation
  return operation === undefined || operation === operationId ? undefined : { operation, nonce: latest }
}

/** The state of `confirmStep` between two looks. Times are monotonic. */
type ConfirmationState = {
  lastSend: number
  since: number
  sinceBlock: number
  sends: number
  /** Since when the node lacks the block that contained the step; `undefined` if the last look found it. */
  lackingSince: number | undefined
  /** The signer declined a replacement; do not ask again in this run. */
  refused: boolean
}

/** How long, in ms, a local node may not yet show a transaction that it just accepted. */
const localVisibleMs = 25

/** A look at a step that was started during the look at the previous step. */
export type PendingLook = Promise<MinedTransaction | undefined>

/**
 * Options of following a step. `onMined` is called when a look finds it mined and deep enough, before the second
 * look; `begun` are the looks already started, the earliest first.
 */
export type LookOptions = { onMined?: () => void; begun?: readonly PendingLook[] }

/** Starts a look at a step in the background. */
export function startLook(run: Run, index: number): PendingLook {
  const step = stepAt(run, index)
  const attempts = run.journal.attempts(run.operationId, index)
  const mined = attempts.map(({ hash }) => run.minedAtBroadcast.get(hash)).find((one) => one !== undefined)
  const found = findAttempt(run.rpc(step.transaction.chainId), step, attempts, mined?.blockNumber)
  found.catch(() => undefined) // Awaited in `confirmStep`.
  return found
}

/** Follows a step until it is final. Resends the same bytes if no node has them, and bumps the fee if it waits too long. */
export async function confirmStep(
  run: Run,
  index: number,
  sent: boolean,
  { onMined, begun = [] }: LookOptions = {},
): Promise<void> {
  const { journal, operationId } = run
  const { chainId } = stepAt(run, index).transaction
  const rpc = readFromFreshest(run.rpc(chainId))
  const local = isLocal(rpc)
  const now = run.clock.now()
  const watch: ConfirmationState = {
    lastSend: sent ? now : Number.NEGATIVE_INFINITY,
    since: now,
    sinceBlock: -1,
    sends: 0,
    lackingSince: undefined,
    refused: false,
  }
  let wait = local ? 2 : 500
  let isFirst = true
  const looks = [...begun]
  /**
   * The block in which the last look found the step, and its result if it is deep enough: then a second look follows.
   */
  let deepBefore = takeTold(run, index)
  let seenAt = deepBefore?.blockNumber
  if (deepBefore) {
    noteInclusion(run, index, deepBefore)
    onMined?.()
  }
  for (;;) {
    try {
      const look = looks.shift()
      // A look started earlier that found nothing may be outdated.
      if (look && !(await look)) continue
      const attempts = journal.attempts(operationId, index)
      // If the step may be missing, its wallet's nonce count is read at the same time. A failure of that read is
      // ignored here, because `handleMissing` reads it again.
      const isAwaited = !look && seenAt === undefined && !(isFirst && sent)
      const counting = isAwaited ? readNonceCount(rpc, stepAt(run, index).wallet) : undefined
      // During the second look, all nodes are asked whether they show the same.
      const comparing = deepBefore && unlikeNode(run, rpc, chainId, deepBefore)
      const refreshing = look ? undefined : rpc.refresh()
      for (const one of [counting, comparing, refreshing]) one?.catch(() => undefined)
      isFirst = false
      const found = await (look ?? findAttempt(rpc, stepAt(run, index), attempts, seenAt))
      await refreshing
      seenAt = found?.blockNumber
      if (found) {
        watch.lackingSince = undefined
        run.precedingNonce = undefined
        clearNonceConflict(run, stepAt(run, index))
        noteInclusion(run, index, found)
        const { deep, reached, missing } = await depthOf(run, rpc, chainId, found)
        if (missing > 0) await run.mineBlocks?.(chainId, missing)
        const before = deepBefore
        deepBefore = deep ? found : undefined
        if (deep && before && isSameEnd(before, found)) {
          run.disagreement = await comparing
          if (!run.disagreement)
            return await finishStep(run, index, found, reached, (other) => confirmStep(run, other, false))
        } else if (deep) {
          if (run.signal?.aborted) throw runStopped
          onMined?.()
          // If two looks differ, wait before the next one.
          if (!before) continue
        }
      } else {
        deepBefore = undefined
        run.disagreement = undefined
        const isJustSent = local && sent && run.clock.now() - now < localVisibleMs
        if (!isJustSent) await handleMissing(run, index, rpc, watch, await counting?.catch(() => undefined))
        if (stepAt(run, index).state === 'SUPERSEDED') return
        // Neither time nor the same bytes help: the user needs the node's words now.
        if (isHopeless(journal.attempts(operationId, index))) throw runStopped
      }
    } catch (error) {
      if (!isNodeFailure(error)) throw error
    }
    // With `noWait`, one look and one resend are enough.
    if (run.noWait) throw runStopped
    await pause(run, wait)
    wait = Math.min(wait * 1.3, local ? 100 : 5_000)
  }
}

/** Whether the nodes refused every attempt for good, so that none can be waiting in a pool. */
const isHopeless = (attempts: readonly Attempt[]): boolean =>
  attempts.length > 0 &&
  attempts.every((attempt) => {
    const refusal = sendErrorOf(attempt)
    return refusal !== undefined && isRefusedForGood(refusal)
  })

function noteInclusion(run: Run, index: number, found: MinedTransaction): void {
  const { journal, operationId } = run
  const inclusion = inclusionOf(found)
  if (stepAt(run, index).state === 'SIGNED') journal.recordSent(inclusion.hash, 'found on chain')
  if (stepAt(run, index).state === 'BROADCAST') {
    journal.moveStep(operationId, index, 'INCLUDED', `block ${inclusion.blockNumber}`, inclusion)
    const { hash, blockNumber } = inclusion
    run.onProgress?.({ kind: 'included', step: stepAt(run, index), hash, blockNumber })
  }
  run.fault?.('after_receipt')
}

/** Takes the node's answer to sending the step, as the first of two looks. */
function takeTold(run: Run, index: number): MinedTransaction | undefined {
  const mined = run.journal
    .attempts(run.operationId, index)
    .flatMap(({ hash }) => run.minedAtBroadcast.get(hash) ?? [])
  for (const { hash } of mined) run.minedAtBroadcast.delete(hash)
  return mined[0]
}

/** Whether two looks found the same transaction in the same block with the same result. */
const isSameEnd = (one: MinedTransaction, other: MinedTransaction): boolean =>
  one.blockHash === other.blockHash && one.hash === other.hash && one.ok === other.ok

/** Returns the depth of the step's block, by the head that the look has read. */
const depthOf = (run: Run, rpc: ChainClient, chainId: number, { blockNumber, head }: MinedTransaction) => {
  const { wanted, usual } = requiredFor(run, chainId)
  return confirmationDepth(rpc, blockNumber, wanted, usual, head)
}

/** Returns a node that contradicts a look, if any. */
const unlikeNode = (run: Run, rpc: ChainClient, chainId: number, found: MinedTransaction) =>
  findUnlikeNode(rpc, { ...found, by: rpc.host }, requiredFor(run, chainId), quorumTimeoutFor(run.timeoutMs))

const requiredFor = (run: Run, chainId: number): RequiredDepth => {
  const { depth } = networkNamed(run.networks, chainId)
  return { wanted: run.depth ?? depth, usual: depth }
}

/**
 * Handles a step that is in no canonical block: records that, looks for the user of its nonce, resends it, or bumps
 * its fee. `mined` is the wallet's nonce count from the look.
 */
async function handleMissing(
  run: Run,
  index: number,
  rpc: ChainClient,
  watch: ConfirmationState,
  mined: number | undefined,
): Promise<void> {
  const { journal, operationId } = run
  if (stepAt(run, index).state === 'INCLUDED') {
    if (!(await isBlockGone(run, stepAt(run, index), rpc, watch))) return
    journal.moveStep(operationId, index, 'BROADCAST', 'a reorganisation took its block away')
    const hash = journal.attempts(operationId, index).at(-1)!.hash
    run.onProgress?.({ kind: 'gone', step: stepAt(run, index), hash })
    watch.lastSend = Number.NEGATIVE_INFINITY
  }
  const follow = (later: number) => confirmStep(run, later, false)
  if (await resolveNonceConflict(run, index, rpc, { follow, mined })) return
  const isLetGo = refuseIneffective(run, index)
  if (run.replacement && !run.replacedSteps.has(index)) {
    const head = await readHead(rpc, stepAt(run, index).transaction.chainId)
    // Only the cancellation is bumped, never the transaction that it cancels.
    const what = isLetGo ? 'cancel' : run.replacement
    if (!(await replaceTransaction(run, index, what, head))) throw await feeCapError(run, index, what, head)
    run.replacedSteps.add(index)
    return restartBumpDelay(run, watch, Number(head.number))
  }
  if (run.clock.now() - watch.lastSend > (isLocal(rpc) ? 1_000 : 15_000)) {
    watch.lastSend = run.clock.now()
    // The newest attempt should be mined. Every third time the older ones are resent too, in case a node has
    // forgotten them.
    await broadcast(run, index, ++watch.sends % 3 === 0 && !isLetGo)
    run.precedingNonce = await precedingOperation(run, stepAt(run, index), rpc, mined)
    return
  }
  await bumpOrCancel(run, index, rpc, watch)
}

async function bumpOrCancel(
  run: Run,
  index: number,
  rpc: ChainClient,
  watch: ConfirmationState,
): Promise<void> {
  if (isClosed(currentOperation(run))) return
  const step = stepAt(run, index)
  if (watch.sinceBlock < 0) watch.sinceBlock = await newestHeight(rpc)
  const { chainId } = step.transaction
  const head = await readHead(rpc, chainId)
  const leg = currentOperation(run).legs.find((one) => one.leg === step.leg)!
  const deadline = step.role === 'action' ? run.deadlineOf?.(leg) : undefined
  const isLate = deadline !== undefined && head.timestamp > deadline
  const { headMaxAgeMs: maxAgeMs } = networkNamed(run.networks, chainId)
  const against =
    isLate && (await nodeBeforeTime(rpc, { chainId, time: deadline }, { now: run.clock.wall(), maxAgeMs }))
  run.deadlineDispute = against ? { host: against, by: rpc.host } : undefined
  // Neither bump a transaction that may revert, nor cancel one that may still succeed.
  if (against) return
  const waited = { ms: run.clock.now() - watch.since, blocks: Number(head.number) - watch.sinceBlock }
  const attempts = run.journal.attempts(run.operationId, index)
  const what = replacementDecision(attempts, waited, run.bumpDelay ?? defaultBumpDelay, isLate)
  if (what === 'wait' || watch.refused) return
  try {
    const replaced = await replaceTransaction(run, index, what, head)
    // If the fee cap leaves no acceptable price, report it instead of waiting silently.
    if (!replaced && needsImmediateBump(inSendingOrder(attempts)[0]))
      throw await feeCapError(run, index, what, head)
  } catch (error) {
    // Keep following the earlier attempt, which is already sent: a device may be unattended, or a policy unreadable.
    if (!(error instanceof AppError) || !['KEY_SOURCE', 'DECLINED', 'CONFIG_INVALID'].includes(error.code))
      throw error
    watch.refused = true
  }
  restartBumpDelay(run, watch, Number(head.number))
}

function restartBumpDelay(run: Run, watch: ConfirmationState, block: number): void {
  watch.lastSend = run.clock.now()
  watch.since = watch.lastSend
  watch.sinceBlock = block
}
