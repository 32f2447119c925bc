import { expect, test } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import { checkSignable, hashPlan, type Signable } from '../../src/guard/plan-hash.ts'
import { decodePlan, operationJson } from '../../src/planning/plan-format.ts'
import { type Proposal, planCore } from '../../src/planning/proposal-types.ts'
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
// biome-ignore lint/suspicious/noExplicitAny: a file is changed wherever a test likes.
type File = any
const read = (change: (file: File) => void = () => {}) => {
  const copy = JSON.parse(JSON.stringify(file())) as File
  change(copy)
  return decodePlan(JSON.stringify(copy), catalog)
}

test.each(Object.entries(honest))('%s goes into a file and comes out as it was', (_, plan) => {
  const one: Proposal = { ...proposal, legs: [{ chainId: 31337, ...plan }] }
  const back = decodePlan(JSON.stringify(file(one)), catalog)
  expect(hashPlan(planCore(back.proposal))).toBe(file(one).planHash)
  expect(back.proposal.legs[0]!.transactions).toHaveLength(plan.transactions.length)
  expect(loose(planCore(back.proposal))).toEqual(loose(planCore(one)))
})

test.each<[string, (file: File) => void]>([
  ['the wallet', (f) => (f.wallet = friend)],
  ['the nonce', (f) => (f.nonce = 8)],
  ['when it expires', (f) => (f.expiresAt = '2026-01-01T00:00:00.000Z')],
  ['a target', (f) => (f.steps[1].to = thief)],
  ['a value', (f) => (f.steps[1].value = '1')],
  ['calldata', (f) => (f.steps[0].data = f.steps[0].data.replace(/.$/, '1'))],
  ['a chain', (f) => (f.steps[0].chainId = 31338)],
  ['the order', (f) => f.steps.reverse()],
  ['a step less', (f) => f.steps.shift()],
  ['a step more', (f) => f.steps.push(f.steps[1])],
  ['the amount of the intent', (f) => (f.operation.legs[0].intent.amount = '100000001')],
  ['the wallet of the intent', (f) => (f.operation.legs[0].intent.wallet = thief)],
  ['the strategy of the intent', (f) => (f.operation.legs[0].intent.strategy = 'vault-usdc-sandbox-one')],
  ['the kind of the intent', (f) => (f.operation.legs[0].intent.kind = 'withdraw')],
  ['the chain of the leg', (f) => (f.operation.legs[0].chainId = 31338)],
  ['an arrival', (f) => (f.operation.legs[0].arrival = { token: thief, minimum: '1', recipient: thief })],
  ['the request', (f) => (f.operation.request.amount = '1')],
  ['the id', (f) => (f.operation.id = 'deposit-2')],
  ['the quote', (f) => (f.operation.quoteId = 'q')],
  ['whom it is said to be for', (f) => (f.operation.about.receiver = thief)],
  ['a leg that is not there', (f) => (f.steps[0].leg = 3)],
  ['the hash', (f) => (f.planHash = 'a'.repeat(64))],
])('a plan in which %s was changed is refused', (_, change) => {
  expect(refusal(() => read(change))).toBe('POLICY_TAMPER')
})

test.each<[string, string]>([
  ['nothing', ''],
  ['no JSON', '{'],
  ['something else', '{"a":1}'],
  ['a list', '[]'],
])('%s is no plan', (_, text) => {
  expect(refusal(() => decodePlan(text, catalog))).toBe('USAGE')
})

test.each<[string, (file: File) => void]>([
  ['a key that nobody knows', (f) => (f.operation.extra = 1)],
  ['an arrival with a key that nobody knows', (f) => (f.operation.legs[0].arrival = { token: thief })],
  ['another version', (f) => (f.operation.version = 2)],
  ['an amount that is a number', (f) => (f.steps[0].value = 0)],
  ['no nonce', (f) => (f.nonce = null)],
  ['no steps', (f) => (f.steps = [])],
  // It stands in commands that are pasted.
  ['an id that a shell would run', (f) => (f.operation.id = 'x;touch ran')],
  ['an id that is a flag', (f) => (f.operation.id = '--yes')],
])('%s is no plan of this program', (_, change) => {
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

test('each step of the approved plan may be signed, at its nonce', () => {
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
  ['a list of accesses', { accessList: [] }],
  ['a list of authorizations', { authorizationList: [] }],
  ['blobs', { blobs: [] }],
])('what is to be signed with %s is refused', (_, more) => {
  expect(refusal(() => checkSignable(core, hash, signable(0, more)))).toBe('POLICY_TAMPER')
})

test('a step of a plan that was not approved is refused', () => {
  expect(refusal(() => checkSignable({ ...core, id: 'other' }, hash, signable(0)))).toBe('POLICY_TAMPER')
})
