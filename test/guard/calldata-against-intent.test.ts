import fc from 'fast-check'
import { toFunctionSelector } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { approve } from '../../src/chain/erc20.ts'
import type { Hex } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { authoritySelectors } from '../../src/guard/authority-granting-calls.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { noExemptions } from '../../src/guard/user-limits-and-exemptions.ts'
import type { Catalog } from '../../src/protocols/catalog-types.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import { cctpV2Contracts } from '../../src/swaps/cctp-v2/constants-schema.ts'
import { withContracts } from '../../src/swaps/swap-contracts.ts'
import { withoutProviders } from '../support/changed-catalogs.ts'
import { lies } from '../support/plans/false-plans.ts'
import { moreLies } from '../support/plans/false-plans-by-published-abi.ts'
import {
  catalog,
  coin,
  honest,
  lending,
  type Plan,
  pool,
  thief,
  usdc,
  usdt,
  wallet,
} from '../support/plans/plan-fixtures.ts'

const check = ({ intent, transactions }: Plan) => checkLeg({ intent, transactions, chainId: 31337, catalog })
const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
  return 'passed'
}
const plans = Object.entries(honest) as [string, Plan][]

describe('the guard', () => {
  it.each(plans)('accepts %s and describes its steps', (_, plan) => {
    const steps = check(plan)
    expect(steps.map(({ transaction }) => transaction)).toEqual(plan.transactions)
    expect(steps.at(-1)!.role).toBe('action')
    for (const { text, call } of steps) expect([text.length > 0, call.name.length > 0]).toEqual([true, true])
  })

  it('names the roles of the steps', () => {
    expect(check(honest['a deposit after a reset of the allowance']).map(({ role }) => role)).toEqual([
      'approve-reset',
      'approve',
      'action',
    ])
  })

  it.each([...lies, ...moreLies])('refuses %s in %s', (_, from, change, code) => {
    const { intent, transactions } = honest[from]
    const lied = change([...transactions]) as Transaction[]
    expect(refusal(() => check({ intent, transactions: lied }))).toBe(code)
  })

  it('is tested with at least 250 false plans and 12 error codes', () => {
    const all = [...lies, ...moreLies]
    expect(all.length).toBeGreaterThanOrEqual(250)
    expect(new Set(all.map(([, , , code]) => code)).size).toBeGreaterThanOrEqual(12)
  })

  it('refuses a strategy that is not in its catalogue or has other constants than there', () => {
    const plan = honest['a deposit into Aave']
    const intent = { ...plan.intent, strategy: { ...lending, id: 'Aave-USDC-nowhere' } }
    expect(refusal(() => check({ ...plan, intent }))).toBe('POLICY_CONTRACT_NOT_ALLOWED')
    const swapped = { ...lending, constants: { ...lending.constants, pool: thief } }
    const stolen = plan.transactions.map((transaction) => ({ ...transaction, to: thief }))
    expect(
      refusal(() =>
        check({ intent: { ...plan.intent, strategy: swapped as never }, transactions: [stolen[1]!] }),
      ),
    ).toBe('POLICY_CONTRACT_NOT_ALLOWED')
  })

  it('accepts a revocation for the receipt token of a strategy that the catalogue does not list as a token', () => {
    const receipt = { ...lending.receipt, address: thief, symbol: 'held' }
    const strategies = catalog.strategies.map((entry) =>
      entry.id === lending.id ? { ...entry, receipt } : entry,
    )
    const question = {
      intent: { kind: 'revoke', wallet, token: receipt, spender: pool } as const,
      transactions: [approve({ chainId: 31337, token: receipt.address, spender: pool, amount: 0n })],
      chainId: 31337,
    }
    expect(checkLeg({ ...question, catalog: { ...catalog, strategies } })).toHaveLength(1)
    expect(refusal(() => checkLeg({ ...question, catalog }))).toBe('POLICY_CONTRACT_NOT_ALLOWED')
  })

  it('suggests --allow-token for an unknown token, and no exemption for a replaced contract', () => {
    const plan = honest['a deposit into Aave']
    const hintOf = (asked: Plan): string | undefined => {
      try {
        check(asked)
      } catch (error) {
        return (error as AppError).hint
      }
      return undefined
    }
    const stolen = plan.transactions.map((transaction) => ({ ...transaction, to: thief })).slice(-1)
    expect(hintOf({ ...plan, transactions: stolen })).toMatch(
      /replaced the contract .*Do not sign the transaction with another tool/,
    )
    const nameless = { ...usdc, address: thief }
    const sent = honest['a transfer of a token']
    expect(hintOf({ ...sent, intent: { ...sent.intent, token: nameless } as never })).toBe(
      `If you know this token: --allow-token ${thief}`,
    )
  })

  const deposit = honest['a deposit into Aave']
  const sending = honest['a transfer of a token']
  const swapping = honest['a swap']
  const bridging = honest['a transfer to another chain']
  const zero = `0x${'00'.repeat(20)}` as const
  const elsewhere = { ...usdc, chainId: 1 }
  const stranger = { ...usdc, address: thief }
  const wrong: [string, Plan, Partial<Catalog>, string][] = [
    [
      'a transfer of a token of another chain',
      { ...sending, intent: { ...sending.intent, token: { ...coin, chainId: 1 } } },
      {},
      'POLICY_CHAIN',
    ],
    [
      'a transfer of an unknown token',
      { ...sending, intent: { ...sending.intent, token: stranger } },
      {},
      'POLICY_CONTRACT_NOT_ALLOWED',
    ],
    [
      'a transfer to the zero address',
      { ...sending, intent: { ...sending.intent, recipient: zero } },
      {},
      'POLICY_RECIPIENT',
    ],
    [
      "a swap whose recipient is the router's own placeholder",
      { ...swapping, intent: { ...swapping.intent, recipient: `0x${'00'.repeat(19)}02` } as never },
      {},
      'POLICY_RECIPIENT',
    ],
    [
      'a transfer to its own token',
      { ...sending, intent: { ...sending.intent, recipient: sending.intent.token.address } },
      {},
      'POLICY_RECIPIENT',
    ],
    [
      'a strategy of another chain',
      { ...deposit, intent: { ...deposit.intent, strategy: { ...lending, chainId: 1 } } },
      {},
      'POLICY_CHAIN',
    ],
    [
      'a strategy with another asset than in the catalogue',
      { ...deposit, intent: { ...deposit.intent, strategy: { ...lending, asset: usdt } } },
      {},
      'POLICY_TOKEN_METADATA',
    ],
    [
      'a swap of a token of another chain',
      { ...swapping, intent: { ...swapping.intent, tokenIn: elsewhere } as Intent },
      { tokens: [...catalog.tokens, elsewhere] },
      'POLICY_CHAIN',
    ],
    [
      'a swap with a provider that the chain does not have',
      swapping,
      withoutProviders(catalog, 'uniswap-v3'),
      'POLICY_CONTRACT_NOT_ALLOWED',
    ],
    [
      'a bridge transfer from a chain without that bridge',
      bridging,
      withContracts(catalog, cctpV2Contracts, (rows) => rows.slice(1)),
      'POLICY_CONTRACT_NOT_ALLOWED',
    ],
    [
      'a bridge transfer to a chain without that bridge',
      bridging,
      withContracts(catalog, cctpV2Contracts, (rows) => rows.slice(0, 1)),
      'POLICY_CONTRACT_NOT_ALLOWED',
    ],
    [
      'a bridge transfer of a token that the bridge does not accept',
      { ...bridging, intent: { ...bridging.intent, tokenIn: usdt } },
      {},
      'POLICY_QUOTE_DRIFT',
    ],
    [
      'a bridge transfer into a token that the bridge does not deliver',
      { ...bridging, intent: { ...bridging.intent, tokenOut: { ...usdt, chainId: 31338 } } },
      { tokens: [...catalog.tokens, { ...usdt, chainId: 31338 }] },
      'POLICY_QUOTE_DRIFT',
    ],
  ]
  it.each(wrong)('refuses %s', (_, { intent, transactions }, more, code) => {
    const known = { ...catalog, ...more }
    expect(refusal(() => checkLeg({ intent, transactions, chainId: 31337, catalog: known }))).toBe(code)
  })

  it('refuses a token whose decimals differ from the catalogue', () => {
    const plan = honest['a transfer of a token']
    const intent = { ...plan.intent, token: { ...usdc, decimals: 18 } }
    expect(refusal(() => check({ ...plan, intent }))).toBe('POLICY_TOKEN_METADATA')
  })

  it('accepts a contract that the user allows, and still checks its calldata', () => {
    const { intent } = honest['a deposit into Aave']
    const at = (to: `0x${string}`) =>
      honest['a deposit with the allowance already there'].transactions.map((transaction) => ({
        ...transaction,
        to,
      }))
    const ask = (to: `0x${string}`, amount: bigint) =>
      checkLeg({
        intent: { ...intent, amount },
        transactions: at(to),
        chainId: 31337,
        catalog,
        vouched: { ...noExemptions, allow: [thief] },
      })
    expect(refusal(() => ask(thief, intent.amount))).toBe('passed')
    expect(refusal(() => ask(thief, 1n))).toBe('POLICY_AMOUNT')
    expect(refusal(() => ask(wallet, intent.amount))).toBe('POLICY_SHAPE')
    expect(refusal(() => ask(pool, intent.amount))).toBe('passed')
  })

  it('lists at least 25 authority selectors, each with its matching signature', () => {
    const known = Object.entries(authoritySelectors)
    expect(known.length).toBeGreaterThanOrEqual(25)
    for (const [selector, signature] of known)
      expect(toFunctionSelector(`function ${signature}`)).toBe(selector)
  })

  it.each(Object.entries(authoritySelectors).filter(([selector]) => selector !== '0x095ea7b3'))(
    'refuses %s, %s, in every step',
    (selector) => {
      const plan = honest['a deposit into Aave']
      for (const index of [0, 1]) {
        const transactions = plan.transactions.map((transaction, i) =>
          i === index
            ? { ...transaction, data: `${selector}${transaction.data.slice(10)}` as Hex }
            : transaction,
        )
        expect(refusal(() => check({ ...plan, transactions }))).toBe('POLICY_AUTHORITY')
      }
    },
  )

  it('refuses the plan of every other intent', () => {
    for (const [asked, { intent }] of plans)
      for (const [given, { transactions }] of plans) {
        const same = JSON.stringify(intent, (_, v: unknown) => (typeof v === 'bigint' ? `${v}` : v))
        const other = JSON.stringify(honest[given as keyof typeof honest].intent, (_, v: unknown) =>
          typeof v === 'bigint' ? `${v}` : v,
        )
        if (same === other) continue
        expect([asked, given, refusal(() => check({ intent, transactions }))]).not.toContain('passed')
      }
  })
})

describe('one changed byte of calldata', () => {
  /** Whether a change only tightens a limit: a higher minimum, a lower maximum or an earlier deadline. */
  const better = (before: Record<string, string>, after: Record<string, string>): boolean =>
    Object.entries(before).every(([name, value]) => {
      const now = after[name]!
      if (name === 'amountOutMinimum') return BigInt(now) >= BigInt(value)
      if (name === 'deadline' || name === 'maxFee' || name === 'amountInMaximum')
        return BigInt(now) <= BigInt(value)
      return now === value
    })

  it.each(plans)('in %s is refused, unless it only tightens a limit', (_, plan) => {
    const honestCall = check(plan).at(-1)!.call.args
    const where = plan.transactions.flatMap(({ data }, index) =>
      Array.from({ length: (data.length - 2) / 2 }, (_, byte) => [index, byte] as const),
    )
    if (where.length === 0) return
    fc.assert(
      fc.property(fc.constantFrom(...where), fc.integer({ min: 1, max: 255 }), ([index, byte], flip) => {
        const transactions = plan.transactions.map((transaction, i) => {
          if (i !== index) return transaction
          const bytes = Buffer.from(transaction.data.slice(2), 'hex')
          bytes[byte]! ^= flip
          return { ...transaction, data: `0x${bytes.toString('hex')}` as Hex }
        })
        let args: Record<string, string>
        try {
          args = check({ ...plan, transactions }).at(-1)!.call.args
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
          return
        }
        expect(better(honestCall, args)).toBe(true)
      }),
      { numRuns: 400 },
    )
  })
})
