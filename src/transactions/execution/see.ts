import { AppError } from '../../domain/errors.ts'
import { watchDelivery } from '../bridge/delivery-watch.ts'
import { isNodeFailure } from '../run.ts'
import { isDeclined } from './after-fault.ts'
import type { Act, Event, Found, Look, Seen } from './state.ts'

/** What a run has seen at its start. */
export const nothingSeen = (now: number): Seen => ({
  isCompared: false,
  isResumed: false,
  locked: null,
  isApproved: false,
  view: null,
  check: null,
  gas: new Map(),
  refusals: 0,
  reserved: new Set(),
  signature: null,
  isPipelining: false,
  unsent: new Set(),
  sent: new Map(),
  look: null,
  deep: new Map(),
  deepBefore: new Map(),
  ownersBefore: new Map(),
  looks: 0,
  changedAt: now,
  pending: null,
  lacking: new Map(),
  replaced: new Set(),
  isDeclined: false,
  doneAt: null,
  delivery: null,
  fault: null,
  ending: null,
  left: undefined,
  superseded: null,
})

/** Acts after which what failed before is still the cause of the end. */
const keepFault: readonly Act['is'][] = ['send', 'release', 'discard', 'settle', 'lock']

/** What a run has seen after one more event. */
export function see(before: Seen, event: Event, now: number): Seen {
  const isKept = event.is === 'sent' || (event.is === 'done' && keepFault.includes(event.act.is))
  const seen: Seen = {
    ...before,
    looks: event.is === 'looked' ? before.looks + 1 : 0,
    fault: isKept ? before.fault : null,
  }
  switch (event.is) {
    case 'done':
      return afterDone(seen, event, now)
    case 'delivery':
      return { ...seen, delivery: watchDelivery(seen.delivery, event.look, now) }
    case 'viewed':
      return { ...seen, view: event.view }
    case 'checked':
      return { ...seen, check: event.check, gas: new Map([...seen.gas, ...event.gas]) }
    case 'signed':
      return { ...seen, signature: event }
    case 'sent':
      return afterSending(seen, event, now)
    case 'looked':
      return afterLook(seen, event.look)
    case 'failed':
      return afterFailure(seen, before.looks, event)
  }
}

function afterDone(seen: Seen, { act, tookMs, left }: Extract<Event, { is: 'done' }>, now: number): Seen {
  switch (act.is) {
    case 'compare':
      return { ...seen, isCompared: true }
    case 'resume':
      return { ...seen, isResumed: true }
    case 'lock':
      return { ...seen, locked: act.chainId, look: null, view: null, doneAt: null, changedAt: now }
    case 'arrive':
      return { ...seen, delivery: null }
    case 'approve':
      // A person needs time to confirm on a device, during which fees and prices change.
      return { ...seen, isApproved: true, ...(tookMs > localSigningMs && { view: null, check: null }) }
    case 'reserve':
      return { ...seen, reserved: plus(seen.reserved, act.index) }
    case 'release':
      return { ...seen, reserved: minus(seen.reserved, act.index) }
    case 'discard':
      return { ...seen, signature: null, view: null }
    case 'record':
      return afterRecord(seen, now)
    case 'move':
      return afterMove(seen, act, now)
    case 'supersede':
      return { ...seen, superseded: act }
    case 'settle':
      return { ...seen, ending: act.end, left }
    default:
      return seen
  }
}

/** A local key signs within this time, in ms, including the node's gas and fee answers. */
export const localSigningMs = 1_000

function afterRecord(seen: Seen, now: number): Seen {
  const { index, attempt } = seen.signature!
  const { view } = seen
  const counts = view && { ...view.view.counts, pending: attempt.nonce + 1 }
  return {
    ...seen,
    signature: null,
    refusals: 0,
    unsent: plus(seen.unsent, index),
    changedAt: now,
    // What waits at a higher fee waits anew.
    pending: attempt.kind === 'run' ? seen.pending : null,
    replaced: attempt.kind === 'run' ? seen.replaced : plus(seen.replaced, index),
    isPipelining: attempt.kind === 'run' ? seen.check?.isTogether === true : seen.isPipelining,
    // A node counts bytes as pending as soon as it has them.
    view: view && counts && { ...view, view: { ...view.view, counts } },
  }
}

function afterMove(seen: Seen, { index, becomes }: Extract<Act, { is: 'move' }>, now: number): Seen {
  if (becomes === 'FINAL_OK') return { ...seen, doneAt: now, view: null }
  // It is sent again at once.
  if (becomes === 'BROADCAST')
    return { ...seen, sent: without(seen.sent, index), lacking: without(seen.lacking, index) }
  return seen
}

function afterSending(seen: Seen, { steps, told }: Extract<Event, { is: 'sent' }>, now: number): Seen {
  const sent = new Map(seen.sent)
  for (const index of steps) sent.set(index, { at: now, times: (sent.get(index)?.times ?? 0) + 1 })
  const unsent = new Set([...seen.unsent].filter((index) => !steps.includes(index)))
  return { ...seen, sent, unsent, deep: new Map([...seen.deep, ...told]), changedAt: now }
}

function afterLook(seen: Seen, look: Look): Seen {
  const deep = new Map<number, Found>()
  for (const [index, found] of look.found) if (found.deep) deep.set(index, found)
  const lacking = new Map(
    [...look.missing].flatMap(([index, { block }]) =>
      block === 'nothing' ? [[index, seen.lacking.get(index) ?? look.at] as const] : [],
    ),
  )
  const owners = [...(seen.look?.missing ?? [])].flatMap(([index, { owner }]) =>
    owner ? [[index, owner] as const] : [],
  )
  const first = [...look.missing.keys()].sort((one, other) => one - other)[0]
  const isWaiting = first !== undefined && look.wallet !== undefined
  const isSame = seen.pending !== null && seen.pending.index === first
  return {
    ...seen,
    look,
    deep,
    deepBefore: seen.deep,
    ownersBefore: new Map(owners),
    lacking,
    view: null,
    pending: isSame
      ? seen.pending
      : isWaiting
        ? { index: first, at: look.at, block: Number(look.wallet!.head.number) }
        : null,
  }
}

function afterFailure(seen: Seen, looks: number, { act, error }: Extract<Event, { is: 'failed' }>): Seen {
  const next: Seen = { ...seen, fault: { act, error }, looks: looks + 1, isPipelining: false }
  switch (act.is) {
    case 'check':
      return { ...next, view: null }
    case 'reserve': {
      const isOld = error instanceof AppError && error.code === 'RPC_INCONSISTENT'
      return { ...next, view: null, refusals: isOld ? seen.refusals + 1 : seen.refusals }
    }
    case 'send':
      // It is in the journal, so the next run sends it.
      return { ...next, unsent: new Set() }
    case 'record':
      return { ...next, signature: null, view: null }
    case 'sign':
      // Others may use the nonce before it is tried again, so it is reserved anew.
      if (act.kind === 'run') return { ...next, view: null, reserved: minus(seen.reserved, act.index) }
      return {
        ...next,
        look: null,
        pending: isNodeFailure(error) ? seen.pending : null,
        isDeclined: seen.isDeclined || isDeclined(error),
      }
    default:
      return next
  }
}

const plus = <T>(all: ReadonlySet<T>, one: T): ReadonlySet<T> => new Set([...all, one])
const minus = <T>(all: ReadonlySet<T>, one: T): ReadonlySet<T> =>
  new Set([...all].filter((other) => other !== one))
const without = <K, V>(all: ReadonlyMap<K, V>, one: K): ReadonlyMap<K, V> =>
  new Map([...all].filter(([key]) => key !== one))
