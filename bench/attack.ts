import { AppError } from '../src/domain/errors.ts'
import type { Transaction } from '../src/domain/transaction-types.ts'
import { checkLeg, type LegToCheck } from '../src/guard/calldata-against-intent.ts'
import { checkSignable, hashPlan, type PlanCore, type Signable } from '../src/guard/plan-hash.ts'
import { type Choice, honestPlan, isHonest } from '../test/support/plans/honest-plans.ts'
import { catalog, type Plan } from '../test/support/plans/plan-fixtures.ts'
import { mutations } from './mutations.ts'
import { seeded } from './seeded.ts'

/** Judges a plan: the guard, or a deliberately broken one. `honest` is the plan before its changes. */
export type Judge = {
  leg: (question: LegToCheck, honest: readonly Transaction[]) => void
  signed: typeof checkSignable
}

const guard: Judge = { leg: (question) => void checkLeg(question), signed: checkSignable }

/** Shows the guard the honest value of some fields instead of the changed one. */
const blindTo =
  (see: (given: Transaction, honest: Transaction) => Partial<Transaction>): Judge['leg'] =>
  (question, honest) =>
    guard.leg(
      {
        ...question,
        transactions: question.transactions.map((given, at) => {
          const from = honest.length - question.transactions.length + at
          return honest[from] ? { ...given, ...see(given, honest[from]) } : given
        }),
      },
      honest,
    )
const isApproval = ({ data }: Transaction): boolean =>
  typeof data === 'string' && data.startsWith('0x095ea7b3')

/** Guards without one check, by the name of that check. */
export const sabotages: Readonly<Record<string, Judge>> = {
  'skip-G1': {
    ...guard,
    leg: (question, honest) =>
      guard.leg(
        {
          ...question,
          transactions: question.transactions.map(({ to, data, value, chainId }) => ({
            to,
            data,
            value,
            chainId,
          })),
        },
        honest,
      ),
  },
  'skip-G2': { ...guard, leg: blindTo((_, { chainId }) => ({ chainId })) },
  'skip-G3': {
    ...guard,
    leg: (question, honest) =>
      guard.leg({ ...question, transactions: question.transactions.slice(-honest.length) }, honest),
  },
  'skip-G4': {
    ...guard,
    leg: blindTo((given, honest) =>
      isApproval(given) && isApproval(honest) ? { to: honest.to, data: honest.data } : {},
    ),
  },
  'skip-G5': { ...guard, leg: blindTo((_, { to }) => ({ to })) },
  'skip-G6': {
    ...guard,
    leg: blindTo((given, { data }) =>
      typeof given.data === 'string' && given.data.startsWith(data) ? { data } : {},
    ),
  },
  'skip-G7': {
    ...guard,
    leg: blindTo((given, { data }) =>
      String(given.data).slice(0, 10) === data.slice(0, 10) ? { data } : {},
    ),
  },
  'skip-G8': { ...guard, leg: blindTo((_, { value }) => ({ value })) },
  'skip-fee': {
    ...guard,
    leg: (question, honest) => {
      const { intent, transactions } = question
      const isCharged = 'fees' in intent && transactions.length > 0
      guard.leg(
        isCharged ? { ...question, transactions: [...transactions.slice(0, -1), honest.at(-1)!] } : question,
        honest,
      )
    },
  },
  'skip-G12': { ...guard, signed: () => {} },
}

/** One cell: the change of an honest plan, and the error in the verdict. */
export type AttackCell = { cell: number; kind: string; passed: boolean; wrong: string | undefined }

const passes = (work: () => void): boolean => {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith('POLICY_')) return false
    throw error
  }
}

const kinds = Object.keys(mutations)

/**
 * Judges one plan: a quarter of the cells are honest, the others have one of many changes. An error is an honest plan
 * that is refused, a changed plan that passes although it is not byte for byte an honest one, or an exception that is no refusal.
 */
export function attackCell(cell: number, seed: number, { leg, signed }: Judge = guard): AttackCell {
  const random = seeded(seed * 1_000_003 + cell)
  const plan = honestPlan(random)
  const said = (kind: string, passed: boolean, wrong?: string): AttackCell => ({ cell, kind, passed, wrong })
  const judged = (transactions: readonly Transaction[]) =>
    passes(() => leg({ intent: plan.intent, chainId: 31337, transactions, catalog }, plan.transactions))
  const way = random()
  try {
    if (way < 0.25) {
      const passed = judged(plan.transactions)
      return said('honest', passed, passed ? undefined : 'an honest plan is refused')
    }
    if (way < 0.32) return signing(plan, random, signed, said)
    const kind = kinds[Math.floor(random() * kinds.length)]!
    const changed = mutations[kind]!([...plan.transactions], random, plan) as Transaction[]
    const passed = judged(changed)
    const honest = isHonest(plan, changed)
    if (passed && !honest) return said(kind, passed, 'a changed plan passes')
    return said(kind, passed, honest && !passed ? 'a plan that is honest by chance is refused' : undefined)
  } catch (error) {
    return said('error', false, `no refusal, but ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The transaction for the signer: a step of the approved plan, or a changed one. */
function signing(
  plan: Plan & { choice: Choice },
  random: () => number,
  signed: Judge['signed'],
  said: (kind: string, passed: boolean, wrong?: string) => AttackCell,
): AttackCell {
  const { intent, transactions } = plan
  const core: PlanCore = {
    id: 'a',
    kind: intent.kind,
    wallet: intent.wallet,
    nonce: 5,
    request: {},
    quoteId: null,
    expiresAt: null,
    about: {},
    legs: [{ chainId: 31337, intent: { kind: intent.kind }, arrival: null, transactions }],
  }
  const at = Math.floor(random() * transactions.length)
  const step: Signable = {
    type: 'eip1559',
    ...transactions[at]!,
    nonce: 5 + at,
    gas: 1n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
  }
  if (random() < 0.3) {
    const passed = passes(() => signed(core, hashPlan(core), step))
    return said('signed-honest', passed, passed ? undefined : 'an approved step is refused')
  }
  const changes: Record<string, () => [PlanCore, unknown]> = {
    'signed-nonce': () => [core, { ...step, nonce: step.nonce + 1 }],
    'signed-type': () => [core, { ...step, type: 'eip7702' }],
    'signed-field': () => [core, { ...step, authorizationList: [] }],
    'signed-value': () => [core, { ...step, value: step.value + 1n }],
    'signed-to': () => [core, { ...step, to: intent.wallet }],
    'signed-data': () => [core, { ...step, data: `${step.data}00` }],
    'signed-other-plan': () => [
      {
        ...core,
        legs: [
          { ...core.legs[0]!, transactions: transactions.map((one) => ({ ...one, value: one.value + 1n })) },
        ],
      },
      { ...step, value: step.value + 1n },
    ],
    'signed-other-wallet': () => [{ ...core, wallet: transactions[0]!.to }, step],
  }
  const names = Object.keys(changes)
  const kind = names[Math.floor(random() * names.length)]!
  const [given, signable] = changes[kind]!()
  const passed = passes(() => signed(given, hashPlan(core), signable as Signable))
  return said(kind, passed, passed ? 'something that was not approved would be signed' : undefined)
}
