import { describe, expect, test } from 'vitest'
import { hasMovedFunds, supersededStep } from '../../src/diagnosis/facts/operation-conditions.ts'
import type { Facts, NonceOwner, OnChainFacts, StepFacts } from '../../src/diagnosis/facts/operation-facts.ts'
import {
  contradictionsText,
  isSettlementContradicted,
} from '../../src/diagnosis/messages/contradicted-settlements.ts'
import { unreturnedFeeText } from '../../src/diagnosis/messages/funds-text.ts'
import { retryRiskText } from '../../src/diagnosis/messages/retry-safety.ts'
import { gweiText } from '../../src/diagnosis/messages/shared-operation-phrases.ts'
import { deliveryRules } from '../../src/diagnosis/rules/awaited-deliveries.ts'
import { bitcoinVerdict } from '../../src/diagnosis/rules/bitcoin-deposits.ts'
import { finishedRules } from '../../src/diagnosis/rules/finished-operations.ts'
import type { Hex } from '../../src/domain/address.ts'
import { networkNamed, sandboxNetworks } from '../../src/domain/networks.ts'
import { statedByService, swapOutcomeError } from '../../src/domain/swap-outcome.ts'
import { sluice } from '../../src/domain/text/next-step.ts'
import type { Step } from '../../src/store/journal/operation-types.ts'
import { outcomeOf } from '../../src/transactions/outcome/outcome.ts'
import { payee, signer } from '../support/payments/payment-operation.ts'

const hash: Hex = `0x${'ab'.repeat(32)}`
const network = networkNamed(sandboxNetworks, 31337)
const transaction = { chainId: 31337, to: payee, data: '0x1234', value: 5n } as const
const stepOf = (state: Step['state'], more: Partial<Step> = {}): Step => ({
  index: 0,
  leg: 0,
  role: 'action',
  text: 'Pay',
  wallet: signer.address,
  transaction,
  nonce: 3,
  fromBlock: 1,
  state,
  inclusion: null,
  attempts: [],
  endedBefore: false,
  ...more,
})
const seenOf = (more: Partial<OnChainFacts>): OnChainFacts => ({
  reason: null,
  isOutOfGas: false,
  isGone: false,
  latest: 4,
  ...more,
})
const factsOf = (
  state: Step['state'],
  seen: Partial<OnChainFacts>,
  more: Partial<StepFacts & { step: Step }> = {},
): StepFacts => ({ step: stepOf(state), attempts: [], network, onChain: seenOf(seen), ...more })
const found = { hash, ok: true, isDeep: true, blockNumber: 7, confirmations: 1 }
const foundAs = (kind: 'run' | 'cancel', ok = true) =>
  ({ found: { ...found, ok, kind } }) as unknown as Partial<OnChainFacts>
const owner: NonceOwner = { hash, blockNumber: 7, isDeep: true }

describe('a final state in the journal', () => {
  test.each(['FINAL_REVERTED', 'CANCELLED', 'SUPERSEDED', 'FINAL_OK'] as const)(
    '%s is contradicted when its transaction is pending again or its block is missing',
    (state) => {
      const waits = { steps: [factsOf(state, { waiting: hash })] }
      expect(isSettlementContradicted(waits)).toBe(true)
      expect(contradictionsText(waits)).toBe(
        ` Its transaction ${hash} is pending again and can still be mined.`,
      )
      const inclusion = { blockNumber: 7 } as Step['inclusion']
      const lacks = { steps: [factsOf(state, { lacksBlock: true }, { step: stepOf(state, { inclusion }) })] }
      expect(isSettlementContradicted(lacks)).toBe(true)
      expect(contradictionsText(lacks)).toBe(
        ' The node of sandbox-one does not have block 7, which contained it.',
      )
      expect(isSettlementContradicted({ steps: [factsOf(state, {})] })).toBe(false)
    },
  )
})

describe('a transfer that takes longer than the usual maximum', () => {
  const host = 'service.example'
  const waiting = { isUnknown: false, isAttested: undefined, isMinted: false, unanswered: undefined }
  test.each<[string, Partial<NonNullable<Facts['bridge']>>, string]>([
    ['a burn without an attestation', { way: 'burn', isAttested: false }, 'BRIDGE_STUCK'],
    ['a burn whose service gives no answer', { way: 'burn', unanswered: host }, 'BRIDGE_WAITING'],
    [
      'an attested burn whose chain gives no answer',
      { way: 'burn', isAttested: true, isMinted: undefined, remedies: { canDeliver: true } },
      'BRIDGE_UNDELIVERED',
    ],
    ['an order that no chain shows', { way: 'solver' }, 'BRIDGE_STUCK'],
    ['an order whose service gives no answer', { way: 'solver', unanswered: host }, 'BRIDGE_WAITING'],
    ['an order whose chains give no answer', { way: 'solver', isMinted: undefined }, 'BRIDGE_WAITING'],
    ['a ramp that no chain shows', { way: 'desk' }, 'RAMP_STUCK'],
    ['a ramp whose chain gives no answer', { way: 'desk', isMinted: undefined }, 'RAMP_WAITING'],
  ])('%s', (_, state, situation) => {
    const bridge = {
      ...{ from: network, to: network, recipient: payee, burn: hash, delivered: undefined },
      ...{ since: { clock: 'chain', at: 0 }, usualMs: 60_000, ...waiting, ...state },
    }
    const now = { machine: 7_200_000, chain: 7_200_000 }
    const facts = { bridge, now, operation: { id: 'x', wallet: payee }, steps: [] } as unknown as Facts
    const rule = deliveryRules.find(({ is }) => is(facts))!
    expect(rule.situation).toBe(situation)
    const verdict = rule.verdict(facts)
    expect(verdict.includes('cannot be read now')).toBe(!situation.endsWith('STUCK'))
    expect(verdict.includes(host)).toBe('unanswered' in state)
  })
})

describe('the refund text about a service fee', () => {
  test.each([
    ['fee', 'FINAL_OK', / is not refunded\.$/],
    ['fee', 'RESERVED', /^$/],
    ['action', 'FINAL_OK', /^$/],
  ] as const)('for a step with role %s and state %s', (role, state, said) => {
    const facts = { steps: [factsOf(state, {}, { step: stepOf(state, { role }) })] } as unknown as Facts
    expect(unreturnedFeeText(facts)).toMatch(said)
  })
})

describe('whether an action moved funds', () => {
  const moved = (one: StepFacts) => hasMovedFunds({ steps: [one] } as unknown as Facts)

  test('is true only for a mined successful attempt that is no cancel, whatever the journal state', () => {
    expect(moved(factsOf('BROADCAST', foundAs('run')))).toBe(true)
    expect(moved(factsOf('SUPERSEDED', foundAs('run')))).toBe(true)
    expect(moved(factsOf('BROADCAST', foundAs('cancel')))).toBe(false)
    expect(moved(factsOf('BROADCAST', foundAs('run', false)))).toBe(false)
  })
})

describe('a step that lost its nonce to another transaction', () => {
  const lost = factsOf('SUPERSEDED', { owner })
  const later = (state: Step['state'], leg = 0) =>
    factsOf(state, {}, { step: stepOf(state, { index: 1, leg }) })

  test('counts as superseded unless a later step of its leg is final', () => {
    expect(supersededStep({ steps: [lost] })).toBe(lost)
    expect(supersededStep({ steps: [lost, later('PLANNED')] })).toBe(lost)
    expect(supersededStep({ steps: [lost, later('FINAL_OK', 1)] })).toBe(lost)
    expect(supersededStep({ steps: [lost, later('FINAL_OK')] })).toBeUndefined()
  })

  test('makes a retry unsafe even when another step is in focus', () => {
    const fee = factsOf('SUPERSEDED', { owner }, { step: stepOf('SUPERSEDED', { index: 1, role: 'fee' }) })
    const facts = { operation: { id: 'one' }, chains: new Map(), steps: [lost, fee], focus: fee }
    expect(retryRiskText(facts as unknown as Facts)).toMatchObject({ next: sluice('action explain', hash) })
  })

  test('counts as superseded only when the other transaction is mined or the journal says so', () => {
    const waits = { ...owner, blockNumber: null }
    expect(supersededStep({ steps: [factsOf('BROADCAST', { owner: waits })] })).toBeUndefined()
    expect(supersededStep({ steps: [factsOf('SUPERSEDED', { owner: waits })] })).toBeDefined()
  })
})

describe('a failure without a known cause', () => {
  const failed = {
    id: 'failed-1',
    state: 'FAILED',
    exit: 25,
    result: null,
    steps: [stepOf('FINAL_OK')],
    legs: [],
  }
  const swap = { originTxHash: hash, destinationTxHash: hash, provider: 'thorchain' }
  const deposit = {
    address: 'bc1q',
    memo: null,
    amount: '1000',
    paid: '1000',
    confirmations: 3,
    until: '',
    delivery: null,
    note: null,
  }

  test('is ACTION_FAILED in every error, with or without a destination, and never short or reverted', () => {
    expect(() => outcomeOf(failed as never)).toThrow(
      expect.objectContaining({
        code: 'ACTION_FAILED',
        message: expect.stringContaining('does not state the cause'),
      }),
    )
    for (const destinationTxHash of [hash, null]) {
      const hints = { over: sluice('action explain', 'x'), open: sluice('action resume', 'x') }
      const error = swapOutcomeError({ ...swap, destinationTxHash, status: 'failed' } as never, {
        details: {},
        hints,
      })
      expect(error).toMatchObject({ code: 'ACTION_FAILED', message: 'The swap failed' })
    }
  })

  test('is explained as FAILED, of the journal and of a swap from Bitcoin', () => {
    const facts = {
      operation: failed,
      steps: [factsOf('FINAL_OK', {})],
      bridge: undefined,
    } as unknown as Facts
    expect(finishedRules.find(({ is }) => is(facts))?.situation).toBe('FAILED')
    const verdict = bitcoinVerdict('id', { ...swap, status: 'failed', deposit } as never)
    expect(verdict).toMatchObject({
      situation: 'FAILED',
      verdict: 'The swap failed; the cause is not known here.',
    })
    expect(JSON.stringify(verdict)).not.toMatch(/less than|delivered/)
  })

  test('is ARRIVED_SHORT only with the evidence of a payout below the minimum', () => {
    const hints = { over: sluice('action explain', 'x'), open: sluice('action resume', 'x') }
    const short = { ...swap, status: 'failed', arrivedShort: true as const }
    expect(swapOutcomeError(short, { details: {}, hints })).toMatchObject({ code: 'ARRIVED_SHORT' })
    expect(bitcoinVerdict('id', { ...short, deposit } as never).situation).toBe('BRIDGE_SHORT')
    expect(statedByService(short)).toEqual({ ...swap, status: 'reported', reported: 'failed' })
  })
})

test.each([
  [74n, '0.000000074 gwei'],
  [2_000_000_728n, '2.000000728 gwei'],
  [0n, '0 gwei'],
])('a gas price of %d wei is %s, without an exponent', (wei, text) => expect(gweiText(wei)).toBe(text))
