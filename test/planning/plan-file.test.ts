import { expect, test } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import { checkSignable, hashPlan, type Signable } from '../../src/guard/plan-hash.ts'
import { decodePlan, operationJson } from '../../src/planning/plan-format.ts'
import { type Proposal, planCore } from '../../src/planning/proposal.ts'
import { catalog, friend, honest, thief, wallet } from '../support/plans/plan-fixtures.ts'

const about = {
  type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
  strategyId: null,
  strategySlug: null,
  receiver: wallet,
  amounts: { in: null, out: null },
}
const { intent, transactions } = honest['a deposit into Aave']
const proposal: Proposal = {
  id: 'deposit-1',
  kind: 'deposit',
  request: { command: 'deposit', amount: '100000000' },
  wallet,
  nonce: 7,
  legs: [{ chainId: 31337, intent, transactions }],
  about,
  quoteId: null,
  expiresAt: null,
}
const core = planCore(proposal)
const hash = hashPlan(core)
const file = (of: Proposal = proposal) => ({
  planHash: hashPlan(planCore(of)),
  wallet: of.wallet,
  nonce: of.nonce,
  expiresAt: of.expiresAt,
  steps: of.legs.flatMap((leg, at) =>
    leg.transactions.map(({ to, data, value, chainId }) => ({
      leg: at,
      to,
      data,
      value: `${value}`,
      chainId,
    })),
  ),
  operation: operationJson(of),
})
const loose = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}` : v)).toLowerCase())
const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
  return 'passed'
}
// biome-ignore lint/suspicious/noExplicitAny: the tests change arbitrary fields of the file.
type File = any
const read = (change: (file: File) => void = () => {}) => {
  const copy = JSON.parse(JSON.stringify(file())) as File
  change(copy)
  return decodePlan(JSON.stringify(copy), catalog)
}

test.each(Object.entries(honest))(
  '%s is unchanged after it is written to a plan file and read back',
  (_, plan) => {
    const one: Proposal = { ...proposal, legs: [{ chainId: 31337, ...plan }] }
    const back = decodePlan(JSON.stringify(file(one)), catalog)
    expect(hashPlan(planCore(back.proposal))).toBe(file(one).planHash)
    expect(back.proposal.legs[0]!.transactions).toHaveLength(plan.transactions.length)
    expect(loose(planCore(back.proposal))).toEqual(loose(planCore(one)))
  },
)

test.each<[string, (file: File) => void]>([
  ['the wallet', (f) => (f.wallet = friend)],
  ['the nonce', (f) => (f.nonce = 8)],
  ['the expiry', (f) => (f.expiresAt = '2026-01-01T00:00:00.000Z')],
  ['the target of a step', (f) => (f.steps[1].to = thief)],
  ['the value of a step', (f) => (f.steps[1].value = '1')],
  ['the calldata of a step', (f) => (f.steps[0].data = f.steps[0].data.replace(/.$/, '1'))],
  ['the chain of a step', (f) => (f.steps[0].chainId = 31338)],
  ['the order of steps', (f) => f.steps.reverse()],
  ['the first step (removed)', (f) => f.steps.shift()],
  ['the last step (repeated)', (f) => f.steps.push(f.steps[1])],
  ['the amount of the intent', (f) => (f.operation.legs[0].intent.amount = '100000001')],
  ['the wallet of the intent', (f) => (f.operation.legs[0].intent.wallet = thief)],
  ['the strategy of the intent', (f) => (f.operation.legs[0].intent.strategy = 'vault-usdc-sandbox-one')],
  ['the kind of the intent', (f) => (f.operation.legs[0].intent.kind = 'withdraw')],
  ['the chain of the leg', (f) => (f.operation.legs[0].chainId = 31338)],
  [
    'the arrival of a leg',
    (f) => (f.operation.legs[0].arrival = { token: thief, minimum: '1', recipient: thief }),
  ],
  ['the request', (f) => (f.operation.request.amount = '1')],
  ['the id', (f) => (f.operation.id = 'deposit-2')],
  ['the quote', (f) => (f.operation.quoteId = 'q')],
  ['the stated receiver', (f) => (f.operation.about.receiver = thief)],
  ['the leg number of a step', (f) => (f.steps[0].leg = 3)],
  ['the hash', (f) => (f.planHash = 'a'.repeat(64))],
])('a plan file is refused after a change of %s', (_, change) => {
  expect(refusal(() => read(change))).toBe('POLICY_TAMPER')
})

test.each<[string, string]>([
  ['an empty text', ''],
  ['invalid JSON', '{'],
  ['another object', '{"a":1}'],
  ['a list', '[]'],
])('%s is refused as an invalid plan', (_, text) => {
  expect(refusal(() => decodePlan(text, catalog))).toBe('USAGE')
})

test.each<[string, (file: File) => void]>([
  ['an unknown key', (f) => (f.operation.extra = 1)],
  ['an incomplete arrival', (f) => (f.operation.legs[0].arrival = { token: thief })],
  ['another version', (f) => (f.operation.version = 2)],
  ['an amount that is a number', (f) => (f.steps[0].value = 0)],
  ['a null nonce', (f) => (f.nonce = null)],
  ['no steps', (f) => (f.steps = [])],
  // The id appears in commands that users paste into a shell.
  ['an id with shell syntax', (f) => (f.operation.id = 'x;touch ran')],
  ['an id that is a flag', (f) => (f.operation.id = '--yes')],
])('%s makes the plan file invalid', (_, change) => {
  expect(refusal(() => read(change))).toBe('USAGE')
})

const signable = (at: number, more: object = {}): Signable => ({
  type: 'eip1559',
  ...transactions[at]!,
  nonce: 7 + at,
  gas: 100_000n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
  ...more,
})

test('each step of the approved plan may be signed at its nonce, or at any nonce if none is pinned', () => {
  for (const at of [0, 1]) expect(refusal(() => checkSignable(core, hash, signable(at)))).toBe('passed')
  const free = { ...core, nonce: null }
  expect(refusal(() => checkSignable(free, hashPlan(free), signable(0, { nonce: 99 })))).toBe('passed')
})

test.each<[string, object]>([
  ['another target', { to: thief }],
  ['another value', { value: 1n }],
  ['other calldata', { data: '0x' }],
  ['another chain', { chainId: 1 }],
  ['another nonce', { nonce: 8 }],
  ['no nonce', { nonce: undefined }],
  ['another type', { type: 'legacy' }],
  ['an access list', { accessList: [] }],
  ['an authorization list', { authorizationList: [] }],
  ['blobs', { blobs: [] }],
])('a transaction with %s is not signed', (_, more) => {
  expect(refusal(() => checkSignable(core, hash, signable(0, more)))).toBe('POLICY_TAMPER')
})

test('a step of a plan with another hash is not signed', () => {
  expect(refusal(() => checkSignable({ ...core, id: 'other' }, hash, signable(0)))).toBe('POLICY_TAMPER')
})
