import { expect, test } from 'vitest'
import { policyRuleHelp } from '../../src/commands/policy.ts'
import { Policy, parsePolicy } from '../../src/guard/policy/policy-file.ts'

test('policyRuleHelp has every policy rule with a valid example', () => {
  expect(policyRuleHelp.map(([rule]) => rule).toSorted()).toEqual(Object.keys(Policy.shape).toSorted())
  for (const [rule, example] of policyRuleHelp)
    expect(() => parsePolicy(`{"${rule}": ${example}}`, 'policy.json')).not.toThrow()
})

test('parsePolicy names the invalid rule, the expected format, and policy check --help', () => {
  for (const [text, says] of [
    [
      '{"perTransaction": {"USDC": "50"}}',
      /perTransaction\.USDC: expected NETWORK:SYMBOL or NETWORK:ADDRESS/,
    ],
    ['{"maxPerTx": "50"}', /unknown field "maxPerTx"/],
  ] as const) {
    const refused = expect.objectContaining({
      message: expect.stringMatching(says),
      hint: expect.stringContaining('sluice policy check --help'),
    })
    expect(() => parsePolicy(text, 'policy.json')).toThrow(refused)
  }
})
