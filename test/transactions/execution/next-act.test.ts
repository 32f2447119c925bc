import { describe, expect, test } from 'vitest'
import { AppError } from '../../../src/domain/errors.ts'
import type { Attempt, Inclusion, Leg, Operation, Step } from '../../../src/store/journal/operation-types.ts'
import { nextAct } from '../../../src/transactions/execution/next-act.ts'
import { nothingSeen, see } from '../../../src/transactions/execution/see.ts'
import type { Act, Found, Look, May, MissingStep, Seen } from '../../../src/transactions/execution/state.ts'
import { payee, signer } from '../../support/payments/payment-operation.ts'

// The next act of a run as a function: no chain, no journal, no clock.

const now = 1_000_000
const chainId = 8453
const transaction = { chainId, to: payee, data: '0x01', value: 1n } as const
const hashOf = (byte: string) => `0x${byte.repeat(32)}` as const

const attempt = (kind: Attempt['kind'] = 'run', more: Partial<Attempt> = {}): Attempt => ({
  ...{ hash: hashOf(kind === 'run' ? 'a1' : kind === 'bump' ? 'b1' : 'c1'), raw: '0x02', kind, nonce: 5 },
  ...{ transaction, gas: 50_000n, maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, created: 1, sends: 1 },
  lastAnswer: { is: 'accepted', words: '' },
  ...more,
})
const inclusion: Inclusion = {
  ...{ hash: hashOf('a1'), blockNumber: 100, blockHash: hashOf('bb'), gasUsed: 21_000n, gasPrice: 1n },
}
const step = (state: Step['state'], more: Partial<Step> = {}): Step => ({
  ...{ index: 0, leg: 0, role: 'action', text: 'Pay', wallet: signer.address, transaction, state },
  nonce: state === 'PLANNED' ? null : 5,
  fromBlock: null,
  inclusion: /^(INCLUDED|FINAL|CANCELLED)/.test(state) ? inclusion : null,
  attempts: state === 'PLANNED' || state === 'RESERVED' ? [] : [attempt()],
  endedBefore: false,
  ...more,
})
const legOf = (leg: number, more: Partial<Leg> = {}): Leg => ({ leg, chainId, arrival: null, ...more })
const operation = (steps: Step[], more: Partial<Operation> = {}): Operation => ({
  ...{ id: 'pay', idemKey: 'key-of-pay', requestHash: '', request: null, plan: null, kind: 'transfer' },
  ...{ wallet: signer.address, exit: null, result: null, created: 1, updated: 1, legs: [legOf(0)] },
  state: steps.some(({ attempts }) => attempts.length > 0) ? 'EXECUTING' : 'OPEN',
  steps: steps.map((one, index) => ({ ...one, index })),
  ...more,
})
const may = (more: Partial<May> = {}): May => ({
  ...{ sign: true, send: true, close: false, replace: undefined, wait: true, pipeline: false },
  ...{ bumpDelay: { ms: 30_000, blocks: 3 }, local: new Set<number>(), deadlines: new Map<number, number>() },
  ...{ isAborted: false, until: now + 60_000 },
  ...more,
})
const seen = (more: Partial<Seen> = {}): Seen => ({
  ...nothingSeen(now - 10_000),
  ...{ isCompared: true, locked: chainId, isApproved: true, changedAt: now - 5_000 },
  ...more,
})
const head = (number = 110, timestamp = 1_000) => ({ number: BigInt(number), timestamp }) as never
const view = (index = 0, ageMs = 100, more: Partial<NonNullable<Seen['view']>> = {}): Seen['view'] => ({
  ...{ index, at: now - ageMs, isAgain: false },
  view: { head: head(), counts: { latest: 5, pending: 5 } } as never,
  ...more,
})
const check = (index = 0, more: Partial<NonNullable<Seen['check']>> = {}): Seen['check'] => ({
  ...{ leg: 0, index, at: now - 100, block: 110, isTogether: false },
  ...more,
})
const found = (more: Partial<Found> = {}): Found => ({
  ...{ ...inclusion, ok: true, logs: [], head: 110, deep: true, reached: 'depth 3', missing: 0 },
  ...more,
})
const missing = (more: Partial<MissingStep> = {}): MissingStep => ({
  block: undefined,
  owner: undefined,
  ...more,
})
const look = (
  shown: Partial<Record<'found' | 'missing', readonly (readonly [number, never])[]>> = {},
  more: Partial<Look> = {},
): Look => ({
  ...{ chainId, at: now - 100, unlike: new Map(), deadlineDispute: undefined },
  ...{ found: new Map(shown.found), missing: new Map(shown.missing) },
  wallet: { head: head(), count: 5 },
  ...more,
})
const looked = (one: Found, more: Partial<Look> = {}) => look({ found: [[0, one as never]] }, more)
const lost = (one: MissingStep = missing(), more: Partial<Look> = {}) =>
  look({ missing: [[0, one as never]] }, more)
const justSent = { sent: new Map([[0, { at: now - 1_000, times: 1 }]]) }
const owner = (deep = true) => ({ use: { is: 'used', hash: hashOf('f0'), at: 90 }, deep }) as const
const own = { use: { is: 'used', hash: hashOf('a1'), at: 90 }, deep: true } as const
const failure = (act: Act, code: string, details?: Record<string, unknown>) => ({
  act: act as never,
  error: new AppError(code as never, 'it failed', details && { details }),
})
const looking = { is: 'look', leg: 0, steps: [0], after: 0 } as const
const raising = { is: 'sign', index: 0, kind: 'bump' } as const
const onlyRecords = { sign: false, send: false, wait: false }

type Row = [what: string, op: Operation, seen: Seen, may: May, act: object]

const planned = operation([step('PLANNED')])
const reserved = operation([step('RESERVED')])
const sent = operation([step('BROADCAST')])
const included = operation([step('INCLUDED')])
const ready = { view: view(), check: check(), reserved: new Set([0]) }
const waiting = { ...justSent, look: lost() }
const deadlines = new Map([[0, 900]])

const rows: Row[] = [
  [
    'compares the journal with the chains first',
    planned,
    seen({ isCompared: false }),
    may(),
    { is: 'compare' },
  ],
  ['takes the lock of the wallet', planned, seen({ locked: null }), may(), { is: 'lock', chainId }],
  ['reads the wallet before a signature', planned, seen(), may(), { is: 'view', index: 0, after: 0 }],
  [
    'checks a leg on the block of that view',
    planned,
    seen({ view: view() }),
    may(),
    { is: 'check', block: 110 },
  ],
  [
    'shows the signer the whole rest before a nonce is taken',
    planned,
    seen({ ...ready, isApproved: false }),
    may(),
    { is: 'approve' },
  ],
  ['reserves a nonce', planned, seen(ready), may(), { is: 'reserve', index: 0 }],
  ['signs with the reserved nonce', reserved, seen(ready), may(), { is: 'sign', kind: 'run' }],
  [
    'releases a nonce that a dead process reserved',
    reserved,
    seen({ ...ready, reserved: new Set() }),
    may(),
    { is: 'release', index: 0 },
  ],
  [
    'reads an old view again',
    planned,
    seen({ ...ready, view: view(0, 4_000) }),
    may(),
    { is: 'view', isAgain: true },
  ],
  [
    'takes an old view that was read again: a slow node must not stop a run',
    planned,
    seen({ ...ready, view: view(0, 4_000, { isAgain: true }) }),
    may(),
    { is: 'reserve' },
  ],
  [
    'checks again after a while',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen({ ...ready, view: view(1), check: check(0, { at: now - 31_000 }) }),
    may(),
    { is: 'check', index: 1 },
  ],
  [
    'checks again after some blocks',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen({ ...ready, view: view(1), check: check(0, { block: 107 }) }),
    may(),
    { is: 'check', index: 1 },
  ],
  [
    'keeps a check that is young',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen({ ...ready, view: view(1) }),
    may(),
    { is: 'reserve', index: 1 },
  ],
  [
    'signs nothing after the deadline',
    planned,
    seen(ready),
    may({ deadlines }),
    { is: 'end', because: 'expired' },
  ],
  [
    'is partly done if the deadline passes between two steps',
    operation([step('FINAL_OK', { role: 'approve' }), step('PLANNED')]),
    seen({ ...ready, view: view(1) }),
    may({ deadlines }),
    { is: 'settle', state: 'PARTIAL', exit: 21 },
  ],
  [
    'pays a fee after the deadline of its action',
    operation([step('FINAL_OK'), step('PLANNED', { role: 'fee' })]),
    seen({ ...ready, view: view(1) }),
    may({ deadlines }),
    { is: 'reserve', index: 1 },
  ],
  [
    'records a signature',
    reserved,
    seen({ ...ready, signature: { index: 0, attempt: attempt() } }),
    may({ until: now - 1 }),
    { is: 'record' },
  ],
  [
    'discards a signature after an interrupt',
    reserved,
    seen({ ...ready, signature: { index: 0, attempt: attempt() } }),
    may({ isAborted: true }),
    { is: 'discard' },
  ],
  [
    'records a cancellation even then',
    sent,
    seen({ signature: { index: 0, attempt: attempt('cancel') } }),
    may({ isAborted: true }),
    { is: 'record' },
  ],
  [
    'sends what is in the journal before it ends',
    operation([step('SIGNED')]),
    seen({ unsent: new Set([0]) }),
    may({ isAborted: true }),
    { is: 'send', steps: [{ index: 0, all: false }] },
  ],
  [
    'releases its own nonce before it ends',
    reserved,
    seen(ready),
    may({ isAborted: true }),
    { is: 'release' },
  ],
  ['ends at its time limit', planned, seen(), may({ until: now }), { is: 'end', because: 'stopped' }],
  [
    'does not wait if it may not',
    sent,
    seen(justSent),
    may({ wait: false }),
    { is: 'end', because: 'stopped' },
  ],
  ['looks at what is in flight', sent, seen(justSent), may(), { is: 'look', steps: [0], after: 0 }],
  [
    'looks again after a send',
    sent,
    seen({ ...justSent, look: lost(missing(), { at: now - 6_000 }) }),
    may(),
    { is: 'look', after: 0 },
  ],
  [
    'records the block of a step',
    sent,
    seen({ look: looked(found()) }),
    may(),
    { is: 'move', becomes: 'INCLUDED' },
  ],
  [
    'waits for depth',
    included,
    seen({ look: looked(found({ deep: false })) }),
    may(),
    { is: 'look', after: 500 },
  ],
  [
    'takes the second look at once',
    included,
    seen({ look: looked(found()) }),
    may(),
    { is: 'look', after: 0 },
  ],
  [
    'ends a step by two equal looks',
    included,
    seen({ look: looked(found()), deepBefore: new Map([[0, found()]]) }),
    may(),
    { is: 'move', becomes: 'FINAL_OK', ref: 'depth 3' },
  ],
  ...(
    [
      ['another block', { blockHash: hashOf('dd') }],
      ['another result', { ok: false }],
      ['another transaction', { hash: hashOf('ee') }],
    ] as const
  ).map(
    ([what, other]): Row => [
      `not by two looks with ${what}`,
      included,
      seen({ look: looked(found()), deepBefore: new Map([[0, found(other)]]) }),
      may(),
      { is: 'look', after: 500 },
    ],
  ),
  [
    'not while a node shows something else',
    included,
    seen({
      look: looked(found(), { unlike: new Map([[0, { host: 'x' } as never]]) }),
      deepBefore: new Map([[0, found()]]),
    }),
    may(),
    { is: 'look', after: 500 },
  ],
  [
    'records a revert',
    included,
    seen({ look: looked(found({ ok: false })), deepBefore: new Map([[0, found({ ok: false })]]) }),
    may(),
    { is: 'move', becomes: 'FINAL_REVERTED' },
  ],
  [
    'records a cancellation',
    operation([step('INCLUDED', { attempts: [attempt(), attempt('cancel')] })]),
    seen({
      look: looked(found({ hash: hashOf('c1') })),
      deepBefore: new Map([[0, found({ hash: hashOf('c1') })]]),
    }),
    may(),
    { is: 'move', becomes: 'CANCELLED' },
  ],
  [
    'gives up a block that is replaced',
    included,
    seen({ look: lost(missing({ block: 'another' })) }),
    may(),
    { is: 'move', becomes: 'BROADCAST' },
  ],
  [
    'keeps a block that is there',
    included,
    seen({ look: lost(missing({ block: 'kept' })) }),
    may(),
    { is: 'look' },
  ],
  [
    'keeps an absent block for a while',
    included,
    seen({ look: lost(missing({ block: 'nothing' })), lacking: new Map([[0, now - 11_000]]) }),
    may(),
    { is: 'look' },
  ],
  [
    'gives up an absent block after it',
    included,
    seen({ look: lost(missing({ block: 'nothing' })), lacking: new Map([[0, now - 12_200]]) }),
    may(),
    { is: 'move', becomes: 'BROADCAST' },
  ],
  ['sends again what an earlier run has sent', sent, seen({ look: lost() }), may(), { is: 'send' }],
  [
    'sends again after a while',
    sent,
    seen({ sent: new Map([[0, { at: now - 15_001, times: 1 }]]), look: lost() }),
    may(),
    { is: 'send', steps: [{ index: 0, all: false }] },
  ],
  [
    'sends all attempts every third time',
    sent,
    seen({ sent: new Map([[0, { at: now - 15_001, times: 2 }]]), look: lost() }),
    may(),
    { is: 'send', steps: [{ index: 0, all: true }] },
  ],
  ['waits for a block', sent, seen({ ...waiting, looks: 3 }), may(), { is: 'look', after: 500 * 1.3 ** 3 }],
  [
    'raises the fee after time and blocks',
    sent,
    seen({ ...waiting, pending: { index: 0, at: now - 30_000, block: 107 } }),
    may(),
    { is: 'sign', kind: 'bump' },
  ],
  [
    'not by time alone',
    sent,
    seen({ ...waiting, pending: { index: 0, at: now - 90_000, block: 108 } }),
    may(),
    { is: 'look' },
  ],
  [
    'not by blocks alone',
    sent,
    seen({ ...waiting, pending: { index: 0, at: now - 29_000, block: 50 } }),
    may(),
    { is: 'look' },
  ],
  [
    'cancels an action whose deadline has passed',
    sent,
    seen(waiting),
    may({ deadlines }),
    { is: 'sign', kind: 'cancel' },
  ],
  [
    'not while a node is before it',
    sent,
    seen({ ...justSent, look: lost(missing(), { deadlineDispute: { host: 'x', by: 'y' } }) }),
    may({ deadlines }),
    { is: 'look' },
  ],
  [
    'not an approval',
    operation([step('BROADCAST', { role: 'approve' }), step('PLANNED')]),
    seen(waiting),
    may({ deadlines }),
    { is: 'look' },
  ],
  [
    'asks a signer that declined no more',
    sent,
    seen({ ...waiting, isDeclined: true, pending: { index: 0, at: now - 90_000, block: 1 } }),
    may(),
    { is: 'look' },
  ],
  [
    'raises on request, once',
    sent,
    seen({ look: lost() }),
    may({ replace: 'bump' }),
    { is: 'sign', kind: 'bump' },
  ],
  [
    'cancels on request',
    sent,
    seen({ look: lost() }),
    may({ replace: 'cancel' }),
    { is: 'sign', kind: 'cancel' },
  ],
  [
    'cancels the highest nonce first',
    operation([step('BROADCAST'), step('BROADCAST', { nonce: 6 })]),
    seen({ look: look({ missing: [0, 1].map((at) => [at, missing() as never] as const) }) }),
    may({ replace: 'cancel' }),
    { is: 'sign', index: 1, kind: 'cancel' },
  ],
  [
    'sends a step that had ended before no more',
    operation([step('BROADCAST', { endedBefore: true })]),
    seen({ look: lost() }),
    may(),
    { is: 'end', because: 'ended before' },
  ],
  [
    'nor raises or cancels it because a higher fee is asked for',
    operation([step('BROADCAST', { endedBefore: true })]),
    seen({ look: lost() }),
    may({ replace: 'bump' }),
    { is: 'end', because: 'ended before' },
  ],
  [
    'sends only the cancellation of a step that had ended before, every time',
    operation([step('BROADCAST', { endedBefore: true, attempts: [attempt(), attempt('cancel')] })]),
    seen({ sent: new Map([[0, { at: now - 15_001, times: 2 }]]), look: lost() }),
    may(),
    { is: 'send', steps: [{ index: 0, all: false }] },
  ],
  [
    'raises a step that waits behind another one in its turn',
    operation([step('BROADCAST'), step('BROADCAST', { nonce: 6 })]),
    seen({
      ...{ sent: new Map([0, 1].map((at) => [at, { at: now - 1_000, times: 1 }] as const)) },
      ...{ look: look({ missing: [0, 1].map((at) => [at, missing() as never] as const) }) },
      replaced: new Set([0]),
    }),
    may({ replace: 'bump' }),
    { is: 'look' },
  ],
  [
    'only cancels it',
    operation([step('BROADCAST', { endedBefore: true })]),
    seen({ look: lost() }),
    may({ replace: 'cancel' }),
    { is: 'sign', kind: 'cancel' },
  ],
  [
    'stops if every node refuses for good',
    operation([
      step('BROADCAST', { attempts: [attempt('run', { lastAnswer: { is: 'dear', words: 'too dear' } })] }),
    ]),
    seen(waiting),
    may(),
    { is: 'end', because: 'stopped' },
  ],
  [
    'also if the look comes so late that it would send again',
    operation([
      step('BROADCAST', { attempts: [attempt('run', { lastAnswer: { is: 'dear', words: 'too dear' } })] }),
    ]),
    seen({ sent: new Map([[0, { at: now - 20_000, times: 1 }]]), look: lost() }),
    may(),
    { is: 'end', because: 'stopped' },
  ],
  [
    'looks twice at who used a nonce',
    sent,
    seen({ look: lost(missing({ owner: owner() })) }),
    may(),
    { is: 'look', after: 0 },
  ],
  [
    'loses a nonce by two equal looks at a final block',
    sent,
    seen({ look: lost(missing({ owner: owner() })), ownersBefore: new Map([[0, owner()]]) }),
    may(),
    { is: 'supersede', index: 0, hash: hashOf('f0') },
  ],
  [
    'without an error in an operation that was abandoned',
    operation([step('BROADCAST')], { state: 'CANCELLED', exit: 21 }),
    seen({ look: lost(missing({ owner: owner() })), ownersBefore: new Map([[0, owner()]]) }),
    may(),
    { is: 'move', becomes: 'SUPERSEDED' },
  ],
  [
    'not to its own transaction',
    sent,
    seen({
      look: lost(missing({ owner: own })),
      ownersBefore: new Map([[0, own]]),
    }),
    may(),
    { is: 'look', after: 500 },
  ],
  [
    'raises no fee once its nonce is used',
    sent,
    seen({
      ...{ ...justSent, look: lost(missing({ owner: owner(false) })) },
      pending: { index: 0, at: now - 90_000, block: 1 },
    }),
    may(),
    { is: 'look', after: 500 },
  ],
  [
    'follows a mined step although every node refused it before',
    operation([
      step('INCLUDED', { attempts: [attempt('run', { lastAnswer: { is: 'dear', words: 'too dear' } })] }),
    ]),
    seen({ look: lost(missing({ block: 'kept' })) }),
    may(),
    { is: 'look' },
  ],
  [
    'not before it is final',
    sent,
    seen({ look: lost(missing({ owner: owner(false) })), ownersBefore: new Map([[0, owner()]]) }),
    may(),
    { is: 'look', after: 500 },
  ],
  [
    'not while a later step may be mined',
    operation([step('BROADCAST'), step('BROADCAST', { nonce: 6 })]),
    seen({
      ...{ sent: new Map([0, 1].map((at) => [at, { at: now - 1_000, times: 1 }] as const)) },
      look: look({
        missing: [
          [0, missing({ owner: owner() }) as never],
          [1, missing() as never],
        ],
      }),
      ownersBefore: new Map([[0, owner()]]),
    }),
    may(),
    { is: 'look' },
  ],
  [
    'but a step on another chain holds no such loss back',
    operation([step('BROADCAST'), step('BROADCAST', { leg: 1 })], { legs: [legOf(0), legOf(1)] }),
    seen({ look: lost(missing({ owner: owner() })), ownersBefore: new Map([[0, owner()]]) }),
    may(),
    { is: 'supersede', index: 0, hash: hashOf('f0') },
  ],
  [
    'is done when all steps are final',
    operation([step('FINAL_OK')]),
    seen(),
    may(),
    { is: 'settle', state: 'DONE' },
  ],
  [
    'fails by a revert',
    operation([step('FINAL_REVERTED')]),
    seen(),
    may(),
    { is: 'settle', state: 'FAILED', exit: 22 },
  ],
  [
    'ends by a cancellation',
    operation([step('CANCELLED'), step('PLANNED')]),
    seen(),
    may({ replace: 'cancel' }),
    { is: 'settle', state: 'CANCELLED', exit: 24 },
  ],
  [
    'does not mind an approval without effect once its action is done',
    operation([step('FINAL_REVERTED', { role: 'approve' }), step('FINAL_OK')]),
    seen(),
    may(),
    { is: 'settle', state: 'DONE' },
  ],
  [
    'follows what is in flight before a revert is told',
    operation([step('FINAL_REVERTED'), step('BROADCAST', { nonce: 6 })]),
    seen(),
    may(),
    { is: 'look', steps: [1] },
  ],
  [
    'so does a later run, if the step was mined before its cancellation',
    operation([step('FINAL_OK', { attempts: [attempt(), attempt('cancel')] }), step('PLANNED')]),
    seen(),
    may(),
    { is: 'settle', state: 'PARTIAL', exit: 21, end: { because: 'mined before its cancellation' } },
  ],
  [
    'the rest is signed once the person goes on with it',
    operation([step('FINAL_OK', { attempts: [attempt(), attempt('cancel')] }), step('PLANNED')]),
    seen({ isResumed: true }),
    may(),
    { is: 'view', index: 1 },
  ],
  [
    'or if the step was raised after its cancellation',
    operation([
      step('FINAL_OK', { attempts: [attempt(), attempt('cancel'), attempt('bump')] }),
      step('PLANNED'),
    ]),
    seen(),
    may(),
    { is: 'view', index: 1 },
  ],
  [
    'the rest is closed by who gives up',
    operation([step('FINAL_OK', { attempts: [attempt(), attempt('cancel')] }), step('PLANNED')]),
    seen(),
    may({ close: true, sign: false }),
    { is: 'settle', state: 'CANCELLED', exit: 21 },
  ],
  [
    'a cancellation ends at the first unsigned step',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen(),
    may({ replace: 'cancel' }),
    { is: 'settle', state: 'PARTIAL', exit: 21, end: { because: 'mined before its cancellation' } },
  ],
  [
    'ends at the first unsigned step if it may sign none',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen(),
    may({ sign: false }),
    { is: 'end', because: 'stopped' },
  ],
  [
    'resumes what was partly done',
    operation([step('FINAL_OK'), step('PLANNED')], { state: 'PARTIAL' }),
    seen(),
    may(),
    { is: 'resume' },
  ],
  [
    'an end stays',
    operation([step('FINAL_OK')], { state: 'DONE' }),
    seen(),
    may(),
    { is: 'end', because: 'over' },
  ],
  [
    'follows what an abandoned operation has in flight',
    operation([step('BROADCAST')], { state: 'CANCELLED', exit: 21 }),
    seen({ look: lost(), ...justSent, pending: { index: 0, at: now - 90_000, block: 1 } }),
    may(),
    { is: 'look' },
  ],
  [
    'gives the lock back while it waits for a delivery',
    operation([step('FINAL_OK')], {
      legs: [legOf(0), legOf(1, { arrival: { token: payee, minimum: 1n, recipient: payee, hash: null } })],
    }),
    seen(),
    may(),
    { is: 'lock', chainId: null },
  ],
  [
    'waits for no delivery of a step that it may not sign',
    operation([step('FINAL_OK'), step('PLANNED', { leg: 1 })], {
      legs: [legOf(0), legOf(1, { arrival: { token: payee, minimum: 1n, recipient: payee, hash: null } })],
    }),
    seen({ locked: null }),
    may({ sign: false }),
    { is: 'end', because: 'stopped' },
  ],
  [
    'closes an operation without signatures',
    planned,
    seen(),
    may({ sign: false, send: false, wait: false, close: true }),
    { is: 'settle', state: 'DROPPED' },
  ],
  [
    'closes the rest of one with signatures',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen(),
    may({ sign: false, send: false, wait: false, close: true }),
    { is: 'settle', state: 'CANCELLED', exit: 21 },
  ],
  [
    'sends nothing when it only records',
    sent,
    seen({ look: lost() }),
    may({ sign: false, send: false, wait: false }),
    { is: 'end', because: 'stopped' },
  ],
  [
    'reads again after another process has recorded a higher block',
    planned,
    seen({ fault: failure({ is: 'reserve', index: 0 }, 'RPC_INCONSISTENT'), refusals: 1, check: check() }),
    may(),
    { is: 'view', isAgain: true },
  ],
  [
    'but once only',
    planned,
    seen({ fault: failure({ is: 'reserve', index: 0 }, 'RPC_INCONSISTENT'), refusals: 2, check: check() }),
    may(),
    { is: 'end', because: 'failed' },
  ],
  [
    'tries a step again that would fail right after the one before',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen({
      fault: failure({ is: 'sign', index: 1, kind: 'run' }, 'SIMULATION_REVERTED'),
      doneAt: now - 1_000,
    }),
    may(),
    { is: 'view', index: 1, after: 1_000 },
  ],
  [
    'and is partly done after a while',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen({
      fault: failure({ is: 'sign', index: 1, kind: 'run' }, 'SIMULATION_REVERTED'),
      doneAt: now - 13_000,
    }),
    may(),
    { is: 'settle', state: 'PARTIAL' },
  ],
  [
    'goes on after a node that did not answer',
    sent,
    seen({ ...waiting, fault: failure(looking, 'RPC_UNREACHABLE') }),
    may(),
    { is: 'look' },
  ],
  [
    'sends what is in the journal before it ends by an error',
    operation([step('SIGNED'), step('PLANNED')]),
    seen({
      unsent: new Set([0]),
      fault: failure({ is: 'sign', index: 1, kind: 'run' }, 'DECLINED'),
    }),
    may(),
    { is: 'send', steps: [{ index: 0, all: false }] },
  ],
  [
    'sends what a pipeline holds before the wallet is read again',
    operation([step('SIGNED'), step('PLANNED')]),
    seen({ isPipelining: true, unsent: new Set([0]), check: check(0, { isTogether: true }) }),
    may({ pipeline: true }),
    { is: 'send' },
  ],
  [
    'raises on request before it ends without waiting',
    sent,
    seen(waiting),
    may({ replace: 'bump', wait: false }),
    { is: 'sign', kind: 'bump' },
  ],
  [
    'discards a signature for an operation that was abandoned meanwhile',
    operation([step('RESERVED')], { state: 'DROPPED', exit: 130 }),
    seen({ signature: { index: 0, attempt: attempt() } }),
    may(),
    { is: 'discard' },
  ],
  [
    'keeps a block that is replaced when it only records',
    included,
    seen({ look: lost(missing({ block: 'another' })) }),
    may(onlyRecords),
    { is: 'end', because: 'stopped' },
  ],
  [
    'tells that a node did not answer when it only records',
    sent,
    seen({ fault: failure(looking, 'RPC_UNREACHABLE') }),
    may(onlyRecords),
    { is: 'end', because: 'failed' },
  ],
  [
    'does not wait for a node that did not answer if it may not',
    sent,
    seen({ fault: failure(looking, 'RPC_UNREACHABLE') }),
    may({ wait: false }),
    { is: 'end', because: 'stopped' },
  ],
  [
    'is stopped by an interrupt while it waits for the lock',
    planned,
    seen({ locked: null, fault: failure({ is: 'lock', chainId }, 'INTERRUPTED') }),
    may({ isAborted: true }),
    { is: 'end', because: 'stopped' },
  ],
  [
    'follows its own transaction that the node lacks when the next nonce is reserved',
    operation([step('BROADCAST'), step('PLANNED')]),
    seen({ ...justSent, fault: failure({ is: 'reserve', index: 1 }, 'FOREIGN_PENDING', { pending: 5 }) }),
    may(),
    { is: 'look' },
  ],
  [
    'but not that of another',
    operation([step('BROADCAST'), step('PLANNED')]),
    seen({ ...justSent, fault: failure({ is: 'reserve', index: 1 }, 'FOREIGN_PENDING', { pending: 4 }) }),
    may(),
    { is: 'end', because: 'failed' },
  ],
  [
    'tries no step again without time for it',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen({
      fault: failure({ is: 'sign', index: 1, kind: 'run' }, 'SIMULATION_REVERTED'),
      doneAt: now - 1_000,
    }),
    may({ until: now + 500 }),
    { is: 'settle', state: 'PARTIAL' },
  ],
  [
    'tells that a requested higher fee was declined',
    sent,
    seen({ fault: failure(raising, 'DECLINED') }),
    may({ replace: 'bump' }),
    { is: 'end', because: 'failed' },
  ],
  ['follows on if its own was', sent, seen({ fault: failure(raising, 'DECLINED') }), may(), { is: 'look' }],
  ['follows on above the fee cap', sent, seen({ fault: failure(raising, 'PENDING') }), may(), { is: 'look' }],
  [
    'unless the nodes refused it as too cheap',
    operation([
      step('BROADCAST', {
        attempts: [attempt('run', { lastAnswer: { is: 'cheap', words: 'underpriced' }, sends: 2 })],
      }),
    ]),
    seen({ fault: failure(raising, 'PENDING') }),
    may(),
    { is: 'end', because: 'failed' },
  ],
  [
    'is partly done if a pinned nonce is used',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen({ fault: failure({ is: 'reserve', index: 1 }, 'NONCE_USED') }),
    may(),
    { is: 'settle', state: 'PARTIAL' },
  ],
  [
    'is not partly done by what may pass',
    operation([step('FINAL_OK'), step('PLANNED')]),
    seen({ fault: failure({ is: 'view', index: 1, isAgain: false, after: 0 }, 'RPC_UNREACHABLE') }),
    may(),
    { is: 'end', because: 'failed' },
  ],
  [
    'nor while something is in flight',
    operation([step('BROADCAST'), step('PLANNED')]),
    seen({ fault: failure({ is: 'reserve', index: 1 }, 'POLICY_FEE_CAP') }),
    may(),
    { is: 'end', because: 'failed' },
  ],
  [
    'pauses after a failed look, although the look before asks for another at once',
    included,
    seen({
      ...{ look: looked(found()), looks: 1 },
      fault: failure(looking, 'RPC_UNREACHABLE'),
    }),
    may(),
    { is: 'look', after: 650 },
  ],
  [
    'raises no fee by a look that is older than a failed one',
    sent,
    seen({
      ...{ ...waiting, pending: { index: 0, at: now - 30_000, block: 107 } },
      fault: failure(looking, 'RPC_UNREACHABLE'),
    }),
    may(),
    { is: 'look' },
  ],
  [
    'records what a last look has found before it stops',
    included,
    seen({ look: looked(found()), deepBefore: new Map([[0, found()]]) }),
    may({ until: now - 1 }),
    { is: 'move', becomes: 'FINAL_OK' },
  ],
  [
    'settles what is final before it stops',
    operation([step('FINAL_OK')]),
    seen(),
    may({ isAborted: true }),
    { is: 'settle', state: 'DONE' },
  ],
  [
    'begins nothing else then',
    sent,
    seen({ look: lost() }),
    may({ until: now - 1 }),
    { is: 'end', because: 'stopped' },
  ],
]

describe('the next act of a run', () => {
  test.each(rows)('%s', (_, op, what, permissions, act) => {
    expect(nextAct(op, what, permissions, now)).toMatchObject(act)
  })

  test('the same signature is never asked for twice: after it is recorded, it is sent', () => {
    const signed = see(seen(ready), { is: 'signed', index: 0, attempt: attempt() }, now)
    expect(nextAct(reserved, signed, may(), now)).toEqual({ is: 'record' })
    const recorded = see(signed, { is: 'done', act: { is: 'record' }, tookMs: 0 }, now)
    expect(recorded.signature).toBeNull()
    expect(nextAct(operation([step('SIGNED')]), recorded, may(), now)).toMatchObject({ is: 'send' })
  })

  test('a send that failed ends the run: what it held is in the journal', () => {
    const act = { is: 'send', steps: [{ index: 0, all: false }] } as const
    const error = new AppError('BUG', 'the bytes differ')
    const failing = see(seen({ unsent: new Set([0]) }), { is: 'failed', act, error }, now)
    expect(nextAct(sent, failing, may(), now)).toEqual({ is: 'end', because: 'failed' })
  })

  test('the pauses between looks that show nothing new grow', () => {
    const again = see(seen({ ...justSent, looks: 1 }), { is: 'looked', look: lost() }, now)
    expect(nextAct(sent, again, may(), now)).toMatchObject({ is: 'look', after: 500 * 1.3 ** 2 })
  })

  test('after a slow approval the wallet is read and the leg is checked again', () => {
    const approved = (tookMs: number) =>
      see(seen({ ...ready, isApproved: false }), { is: 'done', act: { is: 'approve' }, tookMs }, now)
    expect(nextAct(planned, approved(900), may(), now)).toMatchObject({ is: 'reserve' })
    expect(nextAct(planned, approved(1_100), may(), now)).toMatchObject({ is: 'view' })
    expect(approved(1_100).check).toBeNull()
  })

  test('a view that was refused once for one step may be read again for the next', () => {
    const signed = seen({ refusals: 1, signature: { index: 0, attempt: attempt() } })
    expect(see(signed, { is: 'done', act: { is: 'record' }, tookMs: 0 }, now).refusals).toBe(0)
  })

  test('what was final on one chain is no reason to try again on another', () => {
    const act = { is: 'lock', chainId: 1 } as const
    const locked = see(seen({ doneAt: now - 100 }), { is: 'done', act, tookMs: 0 }, now)
    const second = operation([step('FINAL_OK'), step('PLANNED', { leg: 1 })], { legs: [legOf(0), legOf(1)] })
    const failing = {
      ...locked,
      fault: failure({ is: 'check', leg: 1, index: 1 } as never, 'SIMULATION_REVERTED'),
    }
    expect(nextAct(second, failing, may(), now)).toMatchObject({ is: 'settle', state: 'PARTIAL' })
  })

  test('an answer to a send is the first of two looks', () => {
    const told = see(seen(), { is: 'sent', steps: [0], told: new Map([[0, found()]]) }, now)
    expect(nextAct(sent, told, may(), now)).toMatchObject({ is: 'move', becomes: 'INCLUDED' })
    expect(nextAct(included, told, may(), now)).toMatchObject({ is: 'look', after: 0 })
    const confirmed = see(told, { is: 'looked', look: looked(found(), { at: now }) }, now)
    expect(nextAct(included, confirmed, may(), now)).toMatchObject({ is: 'move', becomes: 'FINAL_OK' })
  })
})
