import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalAccount } from 'viem'

import { type Hex, sameAddress } from '../domain/address.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import { type Network, networkNamed } from '../domain/network.ts'
import type { Rpc } from '../net/rpc.ts'
import type { Journal } from '../store/journal.ts'
import { exclusiveLock } from '../store/lock.ts'
import type { Leg, Operation, Step } from '../store/operation.ts'
import { arrivedOnChain } from './arrival.ts'
import { takeNonce } from './nonce.ts'
import { allowanceLeft, outcomeOf } from './outcome.ts'
import { signStep } from './sign.ts'
import { confirmationsOf, findOnChain, findStep, hintOf, isFinal, isLocal, ownerOfNonce } from './watch.ts'

/** Where execution stands, for whoever shows it. */
export type Progress =
  | { kind: 'signed' | 'sent' | 'included' | 'final' | 'gone'; step: Step; hash: Hex; blockNumber?: number }
  | { kind: 'waiting'; leg: Leg }
  | { kind: 'arrived'; leg: Leg; hash: Hex }

/** The places where tests kill the process. */
export type FaultPoint =
  | 'after_op'
  | 'after_nonce'
  | 'after_sign'
  | 'after_journal'
  | 'after_broadcast'
  | 'after_receipt'
  | 'after_final'
  | 'before_done'

/** All that execution needs from outside. */
export type Execution = {
  journal: Journal
  operationId: string
  signer: LocalAccount
  rpc: (chainId: number) => Rpc
  networks: readonly Network[]
  /** Where the lock files of the wallets are. */
  locks: string
  lockWaitMs?: number
  timeoutMs: number
  /** Blocks that make a transaction final, its own included; otherwise what the network says. */
  confirmations?: number
  /** Send, and do not follow: ends in PENDING as soon as something is on its way. */
  noWait?: boolean
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
  /** The transaction that brought the funds of a leg, as soon as the service knows it. Our own node is asked about it. */
  arrived?: (leg: Leg) => Promise<Hex | undefined>
  /** Called with what is left to sign of a leg, before its first signature in this run: guard it and simulate it there. */
  beforeLeg?: (leg: Leg, steps: readonly Step[]) => Promise<void>
  fault?: (point: FaultPoint) => void
}

/** What one run carries along. `until` is on the monotonic clock. */
type Run = Execution & { until: number }

/** Thrown inside a run when the time is over or the person interrupts; never leaves this file. */
const stopped = Symbol('stopped')

const current = ({ journal, operationId }: Run): Operation => {
  const operation = journal.find(operationId)
  if (!operation)
    throw new AppError('ACTION_NOT_FOUND', `There is no operation ${operationId} in the journal`)
  return operation
}

const isOver = ({ state }: Operation): boolean =>
  state === 'DONE' || state === 'CANCELLED' || state === 'FAILED'

const wasSigned = (run: Run): boolean =>
  current(run).steps.some(({ index }) => run.journal.attempts(run.operationId, index).length > 0)

/**
 * Signs, sends and follows the steps of an operation, in order, to the end; or goes on where an earlier run stopped.
 * What is signed is in the journal before anybody sees it, and after that only the chain says what happened to it.
 * Gives back the finished operation. Otherwise throws: below exit 20 nothing was ever signed, from 20 on something may
 * have been, and the same operation can be gone on with.
 */
export async function execute(execution: Execution): Promise<Operation> {
  const run: Run = { ...execution, until: performance.now() + execution.timeoutMs }
  run.fault?.('after_op')
  const operation = current(run)
  if (isOver(operation)) return outcomeOf(operation)
  if (operation.state === 'PARTIAL' || operation.state === 'ATTENTION')
    run.journal.settle(operation.id, 'EXECUTING', 'resumed')
  try {
    for (const leg of operation.legs) await executeLeg(run, leg)
    if (isOver(current(run))) return outcomeOf(current(run))
    run.fault?.('before_done')
    run.journal.settle(operation.id, 'DONE', 'all steps are final', 0)
    return current(run)
  } catch (error) {
    throw explain(run, error)
  }
}

/** What ended a run, as the error that tells truly whether something was signed. */
function explain(run: Run, error: unknown): unknown {
  const resume = `sluice action resume ${run.operationId}`
  const details = { operation: run.operationId }
  const signed = wasSigned(run)
  if (error === stopped && !signed)
    return new AppError('INTERRUPTED', 'Stopped before anything was signed', { details })
  if (error instanceof AppError && errorRow(error.code).exit >= 20 && error.code !== 'INTERRUPTED')
    return error
  if (!signed) return error
  const why = error instanceof Error ? error.message : 'something went wrong'
  const { steps } = current(run)
  const inTheAir = steps.some(
    ({ state }) => state === 'SIGNED' || state === 'BROADCAST' || state === 'INCLUDED',
  )
  if (error === stopped)
    return new AppError(
      'PENDING',
      inTheAir
        ? 'It is signed and on its way, and not final yet'
        : 'Some steps are final, and the rest is not signed yet',
      { details, hint: resume },
    )
  const retryable = error instanceof AppError && errorRow(error.code).retryable === true
  if (inTheAir || retryable || !(error instanceof AppError))
    return new AppError('PENDING', `Something is signed, and it could not be followed to its end: ${why}`, {
      details,
      cause: error,
      hint: resume,
    })
  run.journal.settle(run.operationId, 'PARTIAL', why, 21)
  return new AppError('PARTIAL', `A part is done, and the rest was not signed: ${why}`, {
    details: { ...details, cause: error.code },
    cause: error,
    hint: resume,
  })
}

/** Waits, unless the time is over or somebody interrupts. */
async function pause(run: Run, ms: number): Promise<void> {
  const left = run.until - performance.now()
  if (left <= 0 || run.signal?.aborted) throw stopped
  try {
    await sleep(Math.min(ms, left), undefined, run.signal ? { signal: run.signal } : {})
  } catch (error) {
    if (run.signal?.aborted) throw stopped
    throw error
  }
}

const unfinished = (run: Run, leg: Leg): Step[] =>
  current(run).steps.filter((step) => step.leg === leg.leg && step.state !== 'FINAL_OK')

const isUnsigned = ({ state }: Step): boolean => state === 'PLANNED' || state === 'RESERVED'

/** One leg under the lock of its wallet. Later legs wait first for what an earlier one sends. */
async function executeLeg(run: Run, leg: Leg): Promise<void> {
  const isDone = current(run).steps.some((step) => step.leg === leg.leg) && unfinished(run, leg).length === 0
  if (!isDone && leg.arrival && leg.arrival.hash === null) await awaitArrival(run, leg)
  if (unfinished(run, leg).length === 0) return
  const { wallet } = current(run)
  const lock = await exclusiveLock(
    `${run.locks}/${leg.chainId}-${wallet.toLowerCase()}.lock`,
    Math.min(run.lockWaitMs ?? 60_000, Math.max(0, run.until - performance.now())),
    run.signal,
  ).catch((error: unknown) => {
    throw run.signal?.aborted ? stopped : error
  })
  if (!lock) throw new AppError('WALLET_BUSY', `Another process signs with ${wallet} on chain ${leg.chainId}`)
  try {
    if (isOver(current(run))) return
    run.journal.releaseOthers(leg.chainId, wallet, run.operationId)
    let checked = false
    for (const { index } of unfinished(run, leg)) {
      const step = current(run).steps[index]!
      if (isUnsigned(step) && !checked) {
        checked = true
        await run.beforeLeg?.(leg, unfinished(run, leg).filter(isUnsigned))
      }
      await executeStep(run, index)
    }
  } finally {
    for (const step of unfinished(run, leg))
      if (step.state === 'RESERVED')
        run.journal.release(run.operationId, step.index, 'not signed in this run')
    lock.release()
  }
}

async function awaitArrival(run: Run, leg: Leg): Promise<void> {
  if (!leg.arrival) return
  run.onProgress?.({ kind: 'waiting', leg })
  const rpc = run.rpc(leg.chainId)
  for (let ms = isLocal(rpc) ? 25 : 2_000; ; ) {
    try {
      const hash = await run.arrived?.(leg)
      if (hash && arrivedOnChain(await findOnChain(rpc, hash), leg.arrival)) {
        run.journal.arrive(run.operationId, leg.leg, hash)
        run.onProgress?.({ kind: 'arrived', leg, hash })
        return
      }
    } catch (error) {
      if (!(error instanceof AppError) || errorRow(error.code).retryable !== true) throw error
    }
    await pause(run, ms)
  }
}

/** Takes one step from wherever it stands to final. */
async function executeStep(run: Run, index: number): Promise<void> {
  const { journal, operationId } = run
  const rpcOf = (step: Step) => run.rpc(step.transaction.chainId)
  const fresh = (): Step => current(run).steps[index]!
  let step = fresh()
  let sent = false
  while (isUnsigned(step)) {
    if (run.signal?.aborted) throw stopped
    const head = await takeNonce({
      journal,
      operationId,
      step,
      rpc: rpcOf(step),
    })
    step = fresh()
    if (!head) continue // The nonce that was reserved is used up: it was given back, and another one is taken.
    run.fault?.('after_nonce')
    const signed = await signStep(rpcOf(step), run.signer, step, head)
    run.fault?.('after_sign')
    if (run.signal?.aborted) throw stopped
    journal.sign(operationId, index, signed)
    run.fault?.('after_journal')
    step = fresh()
    run.onProgress?.({ kind: 'signed', step, hash: signed.hash })
    await broadcast(run, step)
    step = fresh()
    sent = true
  }
  if (sent && run.noWait) throw stopped
  await follow(run, index, sent)
}

/** Hands the newest attempt to the node. The answer is written down as a hint and decides nothing. */
async function broadcast(run: Run, step: Step): Promise<void> {
  const attempt = run.journal.attempts(run.operationId, step.index).at(-1)!
  let answer = 'accepted'
  try {
    await run.rpc(step.transaction.chainId).request('eth_sendRawTransaction', [attempt.raw])
  } catch (error) {
    answer = hintOf(error)
  }
  run.journal.sent(attempt.hash, answer)
  run.fault?.('after_broadcast')
  run.onProgress?.({ kind: 'sent', step, hash: attempt.hash })
}

/** Looks at the chain until the step is final, sending the same bytes again whenever nobody has them. */
async function follow(run: Run, index: number, sent: boolean): Promise<void> {
  const { journal, operationId } = run
  const step = () => current(run).steps[index]!
  const { chainId } = step().transaction
  const rpc = run.rpc(chainId)
  const depth = run.confirmations ?? networkNamed(run.networks, chainId).depth
  const local = isLocal(rpc)
  let wait = local ? 10 : 500
  let seenTwice = false
  let lastSend = sent ? performance.now() : Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      const attempts = journal.attempts(operationId, index)
      const found = await findStep(rpc, attempts)
      if (found) {
        const { ok, logs, ...inclusion } = found
        if (step().state === 'SIGNED') journal.sent(found.hash, 'found on chain')
        if (step().state === 'BROADCAST') {
          journal.move(operationId, index, 'INCLUDED', `block ${found.blockNumber}`, inclusion)
          run.onProgress?.({
            kind: 'included',
            step: step(),
            hash: found.hash,
            blockNumber: found.blockNumber,
          })
        }
        run.fault?.('after_receipt')
        if ((await confirmationsOf(rpc, found.blockNumber)) >= depth) {
          if (seenTwice) return finish(run, index, found)
          seenTwice = true
          continue
        }
        seenTwice = false
      } else {
        seenTwice = false
        if (step().state === 'INCLUDED') {
          journal.move(operationId, index, 'BROADCAST', 'a reorganisation took its block away')
          run.onProgress?.({ kind: 'gone', step: step(), hash: attempts.at(-1)!.hash })
          lastSend = Number.NEGATIVE_INFINITY
        }
        await checkOwner(run, step(), rpc, depth)
        if (performance.now() - lastSend > (local ? 1_000 : 15_000)) {
          lastSend = performance.now()
          await broadcast(run, step())
          continue
        }
      }
    } catch (error) {
      if (!(error instanceof AppError) || errorRow(error.code).exit >= 20 || error.code === 'BUG') throw error
      if (!error.code.startsWith('RPC_')) throw error
    }
    await pause(run, wait)
    wait = Math.min(wait * 1.3, local ? 100 : 5_000)
  }
}

/** Throws SUPERSEDED when a transaction that is not ours holds the nonce for good. */
async function checkOwner(
  run: Run,
  { wallet, nonce, fromBlock, index }: Step,
  rpc: Rpc,
  depth: number,
): Promise<void> {
  if (nonce === null) return
  const used = Number(await rpc.request<string>('eth_getTransactionCount', [wallet, 'latest']))
  if (used <= nonce) return
  const owner = await ownerOfNonce(rpc, wallet, nonce, fromBlock ?? 0)
  if (
    !owner ||
    run.journal.attempts(run.operationId, index).some(({ hash }) => sameAddress(hash, owner.hash))
  )
    return
  if (!(await isFinal(rpc, owner.blockNumber, depth))) return
  if (run.journal.find(run.operationId)?.steps[index]?.state === 'SIGNED')
    run.journal.sent(run.journal.attempts(run.operationId, index).at(-1)!.hash, 'nonce used by another')
  run.journal.move(run.operationId, index, 'SUPERSEDED', owner.hash)
  run.journal.settle(run.operationId, 'ATTENTION', `nonce ${nonce} was used by ${owner.hash}`, 23)
  throw new AppError(
    'SUPERSEDED',
    `Nonce ${nonce} of ${wallet} was used by another transaction, ${owner.hash}`,
    {
      details: { operation: run.operationId, hash: owner.hash, nonce },
    },
  )
}

async function finish(
  run: Run,
  index: number,
  found: NonNullable<Awaited<ReturnType<typeof findStep>>>,
): Promise<void> {
  const { journal, operationId } = run
  const { ok, logs, ...inclusion } = found
  journal.move(
    operationId,
    index,
    ok ? 'FINAL_OK' : 'FINAL_REVERTED',
    `block ${found.blockNumber}`,
    inclusion,
  )
  run.fault?.('after_final')
  const operation = current(run)
  const step = operation.steps[index]!
  run.onProgress?.({ kind: 'final', step, hash: found.hash, blockNumber: found.blockNumber })
  if (ok) return
  const left = await allowanceLeft(run.rpc(step.transaction.chainId), operation, step)
  journal.settle(operationId, 'FAILED', `step ${index} reverted`, 22, { allowance: left ?? null })
  throw new AppError(
    'REVERTED',
    `Step ${index + 1} of ${operation.steps.length} reverted on chain (${found.hash})${left ? `; ${left.spender} may still take ${left.amount} of ${left.token}` : ''}`,
    { details: { operation: operationId, hash: found.hash, index, allowance: left ?? null } },
  )
}
