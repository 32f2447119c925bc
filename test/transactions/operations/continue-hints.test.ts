import { describe, expect, test } from 'vitest'
import { refusedProposalHint } from '../../../src/domain/error-table.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { adviceText } from '../../../src/domain/text/next-step.ts'
import { continueAdvice } from '../../../src/transactions/outcome/continue-hints.ts'

const _hash = `0x${'ab'.repeat(32)}`
const [again, _giveUp] = ['sluice action resume one', 'sluice action abandon one']

describe('the hint after a policy error', () => {
  test.each([
    [
      'an assertion that does not hold',
      'POLICY_SIMULATION',
      { details: { assertion: 'USDC<=-5' } },
      'Once the condition holds',
    ],
    ['a changed plan', 'POLICY_TAMPER', {}, 'Once you know who changed it'],
    ['a price that has moved', 'POLICY_QUOTE_DRIFT', {}, 'Once this has changed'],
    [
      'a proposal that does not match the request',
      'POLICY_SHAPE',
      { next: refusedProposalHint },
      'Once this has changed',
    ],
    ['a limit', 'POLICY_FEE_CAP', {}, 'Once this is allowed'],
  ] as const)('names the condition for resuming, and the command to revoke: %s', (_, code, more, once) => {
    expect(adviceText(continueAdvice(new AppError(code, 'no', more), 'one'))).toBe(
      `${once}: ${again}; to stop instead: sluice action revoke one`,
    )
  })
})
