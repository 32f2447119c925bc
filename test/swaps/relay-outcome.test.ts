import { numberToHex, padHex, toEventSelector } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { erc20Abi } from '../../src/chain/erc20.ts'
import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import type { Token } from '../../src/domain/token.ts'
import { findOrderOutcome } from '../../src/swaps/relay/order-outcome.ts'
import { paidAmountsIn } from '../../src/swaps/relay/payments.ts'
import { friend, solver, thief, usdc, usdcThere, usdt, wallet } from '../support/plans/plan-fixtures.ts'

const transferTopic = toEventSelector(erc20Abi.find(({ name }) => name === 'Transfer')!)
const id = padHex('0x77')
const least = 990_000n

describe('a Relay payment', () => {
  const token = usdcThere.address
  const moved = (from: Address, to: Address, amount: bigint, at = token) => ({
    address: at,
    topics: [transferTopic, padHex(from), padHex(to)],
    data: numberToHex(amount, { size: 32 }),
  })
  const by = {
    ok: true,
    call: { from: solver, to: token, input: `0xa9059cbb${id.slice(2)}` as Hex, value: 0n },
  }
  const way = { chainId: 31338, token, to: wallet, extraData: padHex(friend) }
  const paidBy = (change: object, over: object = {}) =>
    paidAmountsIn({ ...by, logs: [moved(solver, wallet, 5n)], ...change }, id, { ...way, ...over }, solver)
  const paid = (...args: Parameters<typeof paidBy>) => paidBy(...args).amount

  test('counts transfers of its token to its recipient, with the order ID at the end of the calldata', () => {
    expect(paid({})).toBe(5n)
    expect(paid({ logs: [moved(solver, wallet, 5n), moved(thief, wallet, 2n)] })).toBe(7n)
    expect(paid({ ok: false })).toBe(0n)
    expect(paid({ call: { ...by.call, input: `0x${id.slice(2)}00` } })).toBe(0n)
    expect(paid({ logs: [moved(solver, thief, 5n)] })).toBe(0n)
    expect(paid({ logs: [moved(solver, wallet, 5n, usdt.address)] })).toBe(0n)
    // A transfer from an account to itself costs nothing.
    expect(paid({ logs: [moved(wallet, wallet, 5n)] })).toBe(0n)
  })

  test('in the native coin counts by its value, or by the event of the order contract', () => {
    const coins = { token: nativeAddress }
    const sent = { from: solver, to: wallet, input: id, value: 9n }
    expect(paid({ call: sent }, coins)).toBe(9n)
    expect(paid({ call: { ...sent, to: thief } }, coins)).toBe(0n)
    expect(paid({ call: { ...sent, input: `0x00${id.slice(2)}` } }, coins)).toBe(0n)
    const said = (address: Address, to: Address) => ({
      address,
      topics: [toEventSelector('event SolverNativeTransfer(address to, uint256 amount)')],
      data: `${padHex(to)}${numberToHex(4n, { size: 32 }).slice(2)}`,
    })
    expect(paid({ logs: [said(friend, wallet)] }, coins)).toBe(4n)
    expect(paid({ logs: [said(friend, thief)] }, coins)).toBe(0n)
    expect(paid({ logs: [said(thief, wallet)] }, coins)).toBe(0n)
    // Any caller of that contract can make it emit the event.
    const byThief = { from: thief, to: friend, input: id, value: 4n }
    expect(paidBy({ call: byThief, logs: [said(friend, wallet)] }, coins)).toEqual({
      amount: 4n,
      bySolver: 0n,
    })
    expect(paidBy({ call: { ...sent, from: thief } }, coins)).toEqual({ amount: 9n, bySolver: 0n })
  })

  test('is attributed to the solver as the sender of the transaction or the source of the token', () => {
    const logs = [moved(solver, wallet, 5n), moved(thief, wallet, 2n)]
    const strangers = { call: { ...by.call, from: thief } }
    expect(paidBy({ logs })).toEqual({ amount: 7n, bySolver: 7n })
    expect(paidBy({ ...strangers, logs })).toEqual({ amount: 7n, bySolver: 5n })
    expect(paidBy({ ...strangers, logs: logs.slice(1) })).toEqual({ amount: 2n, bySolver: 0n })
  })
})

describe('outcome of a Relay order', () => {
  const back = { minimum: 0n, deadline: 1_900_000_000, extraData: padHex(friend) }
  const order = {
    depositor: wallet,
    token: usdc.address,
    amount: 1_000_000n,
    id,
    terms: {
      requestId: padHex('0x0e'),
      salt: 5n,
      minimum: least,
      expected: 1_000_000n,
      deadline: 1_900_000_000,
      extraData: padHex(friend),
      refunds: [
        { ...back, chainId: 31337n, recipient: wallet, currency: usdc.address },
        { ...back, chainId: 31338n, recipient: friend, currency: usdcThere.address },
      ],
    },
  }
  const arrival = { chainId: 31338, token: usdcThere.address, recipient: friend }
  type Sent = { from?: Address; payer?: Address; to?: Address; token?: Token; amount?: bigint }
  /** A payment for the order, a million units by default; the sender pays unless `payer` is set. */
  const pays = ({
    from = solver,
    payer = from,
    to = friend,
    token = usdcThere,
    amount = 1_000_000n,
  }: Sent) => ({
    ok: true,
    call: { from, to: token.address, input: `0xa9059cbb${id.slice(2)}` as Hex, value: 0n },
    logs: [
      {
        address: token.address,
        topics: [transferTopic, padHex(payer), padHex(to)],
        data: numberToHex(amount, { size: 32 }),
      },
    ],
    token,
  })
  type Sought = { of?: typeof order; isAll?: boolean; isHidden?: (at: number) => boolean }
  /** Outcome of an order whose recipients received these payments, oldest first. */
  const outcome = (
    payments: readonly ReturnType<typeof pays>[],
    { of = order, isAll = true, isHidden = () => false }: Sought = {},
  ) => {
    const all = payments.map((one, at) => ({ ...one, hash: numberToHex(at + 1, { size: 32 }), at }))
    const there = (chainId: number) => all.filter(({ token: { chainId: on } }) => on === chainId)
    const chains = {
      transaction: async (chainId: number, hash: Hex) =>
        there(chainId).find((one) => one.hash === hash && !isHidden(one.at)),
      transfers: async ({ chainId }: { chainId: number }) => ({
        logs: there(chainId).map(({ hash, logs }) => ({ transactionHash: hash, topics: logs[0]!.topics })),
        isAll,
      }),
    }
    return findOrderOutcome({ order: of, solver, arrival }, chains, async () => undefined, [])
  }
  const endOf = async (payments: readonly ReturnType<typeof pays>[], of = order) => {
    const { delivered, returned } = await outcome(payments, { of })
    return delivered ? { delivered: delivered.amount } : returned ? { returned: returned.amount } : 'open'
  }
  const strangers = {
    'on the destination chain': pays({ from: thief, amount: 1n }),
    'on the destination chain with the tokens of the wallet': pays({
      from: thief,
      payer: wallet,
      amount: 1n,
    }),
    'on the origin chain': pays({ from: thief, token: usdc, to: wallet, amount: 1n }),
  }
  const noneThere = { ...order, terms: { ...order.terms, refunds: order.terms.refunds.slice(0, 1) } }

  test.each(Object.entries(strangers))(
    "ignores a stranger's payment %s, before or after the solver's",
    async (_, unit) => {
      for (const of of [order, noneThere]) {
        expect(await endOf([unit], of)).toBe('open')
        const ends = [
          [pays({}), { delivered: 1_000_000n }],
          [pays({ token: usdc, to: wallet, amount: 7n }), { returned: 7n }],
          [pays({ amount: 8n }), of === order ? { returned: 8n } : { delivered: 8n }],
        ] as const
        for (const [end, said] of ends)
          for (const payments of [
            [unit, end],
            [end, unit],
            [unit, unit, end],
          ])
            expect(await endOf(payments, of)).toEqual(said)
      }
    },
  )

  test('is a delivery when one payment reaches the minimum, from any sender, but not when only a sum does', async () => {
    expect(await endOf([pays({ from: thief, amount: least })])).toEqual({ delivered: least })
    const halves = [pays({ from: thief, amount: least / 2n }), pays({ from: thief, amount: least / 2n })]
    expect(await endOf(halves)).toBe('open')
    // An earlier return does not hide the delivery.
    const back = pays({ token: usdc, to: wallet, amount: 7n })
    expect(await endOf([back, pays({ amount: least })])).toEqual({ delivered: least })
    expect(await endOf([pays({ amount: 3n }), pays({ amount: least })])).toEqual({ delivered: least })
  })

  test('counts a transfer from the solver in a transaction of another sender', async () => {
    expect(await endOf([pays({ from: thief, payer: solver, amount: 8n })])).toEqual({ returned: 8n })
  })

  test('is incomplete when the search was cut off or a transaction is missing', async () => {
    const dust = (units: number) => Array.from({ length: units }, () => pays({ from: thief, amount: 1n }))
    expect(await outcome(dust(40))).toMatchObject({ isAll: true })
    expect(await outcome(dust(41))).toMatchObject({ isAll: false })
    expect(await outcome([], { isAll: false })).toMatchObject({ isAll: false })
    expect(await outcome(dust(2), { isHidden: (at) => at === 1 })).toMatchObject({ isAll: false })
  })

  test("is found among 100 payments of strangers, as the solver's transfers are read first", async () => {
    const dust = Array.from({ length: 100 }, () => pays({ from: thief, amount: 1n }))
    for (const payments of [
      [...dust, pays({})],
      [pays({}), ...dust],
    ])
      expect(await endOf(payments)).toEqual({ delivered: 1_000_000n })
  })

  test('asks the API only when no chain shows a payment, and counts its answer only if a chain confirms it', async () => {
    const hash = padHex('0x77')
    const asked: Hex[] = []
    const ask = async () => {
      asked.push(hash)
      return { word: 'success', text: 'success', hashes: [hash] }
    }
    const chains = (paid: ReturnType<typeof pays>, isFound: boolean) => ({
      transaction: async (chainId: number) => (chainId === paid.token.chainId ? paid : undefined),
      transfers: async ({ chainId }: { chainId: number }) => ({
        logs:
          isFound && chainId === paid.token.chainId
            ? [{ transactionHash: hash, topics: paid.logs[0]!.topics }]
            : [],
        isAll: true,
      }),
    })
    const told = (paid: ReturnType<typeof pays>, isFound: boolean) =>
      findOrderOutcome({ order, solver, arrival }, chains(paid, isFound), ask, [])
    expect((await told(pays({}), true)).delivered?.amount).toBe(1_000_000n)
    expect(asked).toEqual([])
    expect((await told(pays({}), false)).delivered?.amount).toBe(1_000_000n)
    const { delivered, returned, said } = await told(pays({ from: thief, amount: 1n }), false)
    expect({ delivered, returned, word: said?.word }).toEqual({ word: 'success' })
    expect(asked).toHaveLength(2)
  })
})
