import { sameAddress } from '../domain/address.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import { networkNamed } from '../domain/network.ts'
import type { Rpc } from '../net/rpc.ts'
import type { Step } from '../store/operation.ts'
import { takeNonce } from './nonce.ts'
import { allowanceLeft } from './outcome.ts'
import { current, isUnsigned, pause, type Run, stopped } from './run.ts'
import { signStep } from './sign.ts'
import { confirmationsOf, type Found, findStep, hintOf, isFinal, isLocal, ownerOfNonce } from './watch.ts'

/** Takes one step from wherever it stands to final. */
export async function executeStep(run: Run, index: number): Promise<void> {
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

async function finish(run: Run, index: number, found: Found): Promise<void> {
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
