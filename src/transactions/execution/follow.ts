import { inclusionOf } from '../../chain/finality/find-mined-transaction.ts'
import { sameAddress } from '../../domain/address.ts'
import { isInFlight } from '../../domain/step-state.ts'
import type { Attempt, Leg, Operation, Step } from '../../store/journal/operation-types.ts'
import { isCancelling, replacementDecision } from '../attempts/fee-bump.ts'
import { isSameUse, unnamedTransaction } from '../nonces/nonce-use.ts'
import { isObsolete } from '../steps/active-steps.ts'
import { isClosed } from '../steps/operation-state.ts'
import { isRefusedForGood, sendErrorOf } from '../steps/send-errors.ts'
import type { Act, Found, Look, May, MissingStep, Seen } from './state.ts'

/** What a rule about a step in flight needs to know. */
type Following = { op: Operation; leg: Leg; seen: Seen; look: Look; may: May; now: number; isLocal: boolean }

/** Follows the steps of a leg that are in flight until all are final. */
export function follow(op: Operation, leg: Leg, seen: Seen, may: May, now: number): Act {
  const steps = op.steps.filter((step) => step.leg === leg.leg && isInFlight(step))
  const isLocal = may.local.has(leg.chainId)
  const again = (after: number): Act => ({
    ...{ is: 'look', leg: leg.leg, after },
    steps: steps.map(({ index }) => index),
  })
  const { look } = seen
  // What a node told in its answer to a send.
  const told = steps.find(({ index, state }) => state !== 'INCLUDED' && seen.deep.has(index))
  if (told) return included(told, seen.deep.get(told.index)!)
  const isShown = ({ index }: Step) => look?.found.has(index) || look?.missing.has(index)
  // Nothing is decided by what a look before a failed one has shown.
  const isOld = seen.fault?.act.is === 'look' || (look !== null && look.at < seen.changedAt)
  if (look?.chainId !== leg.chainId || isOld || !steps.every(isShown))
    return again(seen.fault ? pauseMs(seen, isLocal) : 0)
  const about: Following = { op, leg, seen, look, may, now, isLocal }
  // An approval may be mined before its own cancellation, and must not enable what comes after it.
  const inOrder = may.replace === 'cancel' ? steps.toReversed() : steps
  const act = firstOf(inOrder, (step) => {
    const found = look.found.get(step.index)
    return found ? confirm(about, step, found) : search(about, step, look.missing.get(step.index)!)
  })
  if (act) return act === 'again' ? again(0) : act
  return patience(about, steps) ?? again(pauseMs(seen, isLocal))
}

/** An act, or another look at once; `undefined` if there is nothing to do but wait. */
type Wanted = Act | 'again' | undefined

function firstOf(steps: readonly Step[], of: (step: Step) => Wanted): Wanted {
  let isAgain = false
  for (const step of steps) {
    const act = of(step)
    if (act === 'again') isAgain = true
    else if (act) return act
  }
  return isAgain ? 'again' : undefined
}

/** The pause before the next look, in ms; it grows while nothing happens. */
const pauseMs = ({ looks }: Seen, isLocal: boolean): number =>
  Math.min((isLocal ? 2 : 500) * 1.3 ** Math.min(looks, 40), isLocal ? 100 : 5_000)

/** Whether two looks found the same transaction in the same block with the same result. */
const isSame = (one: Found, other: Found): boolean =>
  one.blockHash === other.blockHash && one.hash === other.hash && one.ok === other.ok

const included = ({ index }: Step, found: Found): Act => ({
  ...{ is: 'move', index, becomes: 'INCLUDED', why: `block ${found.blockNumber}` },
  inclusion: inclusionOf(found),
})

/** The step is in a canonical block: two equal looks that are deep enough, and all nodes, make it final. */
function confirm({ seen, look }: Following, step: Step, found: Found): Wanted {
  const { index, attempts, state } = step
  const at = `block ${found.blockNumber}`
  const inclusion = inclusionOf(found)
  if (state !== 'INCLUDED') return included(step, found)
  if (!found.deep) return undefined
  const before = seen.deepBefore.get(index)
  if (!before) return 'again'
  // If two looks differ, a pause comes before the next one.
  if (!isSame(before, found) || look.unlike.get(index) !== undefined) return undefined
  const isCancel = attempts.find(({ hash }) => hash === found.hash)?.kind === 'cancel'
  const becomes = isCancel ? 'CANCELLED' : found.ok ? 'FINAL_OK' : 'FINAL_REVERTED'
  return { is: 'move', index, becomes, why: `${at}, ${found.reached}`, inclusion, ref: found.reached }
}

/**
 * How long, in ms, a node behind a shared address may lack a block that another one there has shown; after that the
 * block counts as gone. A local address is rarely several nodes.
 */
const missingBlockMs = { far: 12_000, local: 500 }

/** How long, in ms, to wait before the same bytes are sent again. */
const resendMs = { far: 15_000, local: 1_000 }

/** The step is in no canonical block: records that, finds who used its nonce, replaces it as the person asked, or sends it again. */
function search(about: Following, step: Step, missing: MissingStep): Wanted {
  const { seen, look, may, now, isLocal } = about
  const { index, attempts } = step
  const place = isLocal ? 'local' : 'far'
  if (step.state === 'INCLUDED') {
    const since = seen.lacking.get(index)
    const isGone =
      missing.block === 'another' ||
      (missing.block === 'nothing' && since !== undefined && look.at - since > missingBlockMs[place])
    return isGone && may.send
      ? { is: 'move', index, becomes: 'BROADCAST', why: 'a reorganisation took its block away' }
      : undefined
  }
  if (missing.owner) return nonceUsed(about, step, missing)
  // Without `wallet` it was just sent to a node on this machine, which may not show it yet.
  if (!look.wallet || !may.send) return undefined
  const isLetGo = step.endedBefore
  const isAsked = may.replace !== undefined && !seen.replaced.has(index)
  // Only the cancellation is sent, never the transaction that it cancels: the person may have repeated it since.
  if (isLetGo && may.replace !== 'cancel' && !isCancelling(attempts))
    return { is: 'end', because: 'ended before', index }
  // Steps that wait behind another one are raised in their turn; all are cancelled at once.
  const isFirst = Math.min(...look.missing.keys()) === index
  if (isAsked && (isFirst || may.replace === 'cancel'))
    return { is: 'sign', index, kind: isLetGo ? 'cancel' : may.replace! }
  const sent = seen.sent.get(index)
  if (sent && (now - sent.at <= resendMs[place] || isHopeless(attempts))) return undefined
  // The newest attempt should be mined. Every third time the older ones are sent too, in case a node has forgotten them.
  return { is: 'send', steps: [{ index, all: ((sent?.times ?? 0) + 1) % 3 === 0 && !isLetGo }] }
}

/** Another transaction may have used the nonce of a step: that is decided by two equal looks at its final block. */
function nonceUsed({ op, seen, look }: Following, step: Step, { owner }: MissingStep): Wanted {
  const { index, attempts } = step
  const { use, deep } = owner!
  const hash = use.is === 'used' ? use.hash : null
  // Its own transaction is found by the next look.
  if (!deep || (hash && attempts.some((one) => sameAddress(one.hash, hash)))) return undefined
  const before = seen.ownersBefore.get(index)
  if (!before?.deep) return 'again'
  if (!isSameUse(before.use, use)) return undefined
  // The others are followed to their end first, unless they have lost their nonces too.
  const isLost = (one: Step) => look.missing.get(one.index)?.owner?.deep === true
  if (op.steps.some((one) => one.index !== index && isInFlight(one) && one.leg === step.leg && !isLost(one)))
    return undefined
  const by = hash ?? unnamedTransaction
  return isClosed(op) || isObsolete(op, step)
    ? { is: 'move', index, becomes: 'SUPERSEDED', why: by, ref: hash }
    : { is: 'supersede', index, owner: by, hash }
}

/** What is done by itself for the first step that no block has, while the others wait behind it. */
function patience({ op, leg, seen, look, may, now }: Following, steps: readonly Step[]): Act | undefined {
  const step = steps.find(({ index }) => look.missing.has(index))
  if (!may.send || !step || !look.missing.get(step.index)) return undefined
  const { index, attempts, role, state } = step
  if (isHopeless(attempts) && state !== 'INCLUDED') return { is: 'end', because: 'stopped' }
  if (
    state === 'INCLUDED' ||
    look.missing.get(index)!.owner ||
    !look.wallet ||
    isClosed(op) ||
    seen.isDeclined
  )
    return undefined
  const { timestamp, number } = look.wallet.head
  const deadline = role === 'action' ? may.deadlines.get(leg.leg) : undefined
  const isLate = deadline !== undefined && timestamp > deadline
  // Neither bump a transaction that may revert, nor cancel one that may still succeed.
  if (isLate && look.deadlineDispute) return undefined
  const since = seen.pending?.index === index ? seen.pending : undefined
  const waited = { ms: since ? now - since.at : 0, blocks: since ? Number(number) - since.block : 0 }
  const kind = replacementDecision(attempts, waited, may.bumpDelay, isLate)
  return kind === 'wait' ? undefined : { is: 'sign', index, kind }
}

/** Whether the nodes refused every attempt for good, so that none can be waiting in a pool. */
const isHopeless = (attempts: readonly Attempt[]): boolean =>
  attempts.length > 0 &&
  attempts.every((attempt) => {
    const refusal = sendErrorOf(attempt)
    return refusal !== undefined && isRefusedForGood(refusal)
  })
