import { describe, expect, test } from 'vitest'
import { AppError, refusedProposalHint } from '../../../src/domain/errors.ts'
import { continueHint } from '../../../src/transactions/operations/continue-hints.ts'

const _hash = `0x${'ab'.repeat(32)}`
const [again, _giveUp] = ['sluice action resume one', 'sluice action abandon one']

describe('how to go on after a rule said no', () => {
  test.each([
    ['a condition', 'POLICY_SIMULATION', { details: { assertion: 'USDC<=-5' } }, 'Once that holds'],
    ['what somebody changed', 'POLICY_TAMPER', {}, 'Once you know who changed it'],
    ['a price that has moved', 'POLICY_QUOTE_DRIFT', {}, 'Once that has changed'],
    ['a plan that was not asked for', 'POLICY_SHAPE', { hint: refusedProposalHint }, 'Once that has changed'],
    ['a limit', 'POLICY_FEE_CAP', {}, 'Once that is allowed'],
  ] as const)('says what has to be so first: %s', (_, code, more, once) => {
    expect(continueHint(new AppError(code, 'no', more), 'one')).toBe(
      `${once}: ${again}; to go no further: sluice action revoke one`,
    )
  })
})
