import { padHex } from 'viem/utils'
import { type Address, type Hex, nativeAddress } from '../src/domain/address.ts'
import { maxUint256 } from '../src/domain/amount.ts'
import type { Transaction } from '../src/domain/transaction-types.ts'
import { authoritySelectors } from '../src/guard/authority-granting-calls.ts'
import type { Intent, ServiceFee } from '../src/protocols/intent.ts'
import { built, type Choice, honestPlan } from '../test/support/plans/honest-plans.ts'
import {
  friend,
  messenger,
  type Plan,
  permit2,
  pool,
  router,
  router02,
  spokePool,
  thief,
  universalRouter,
  usdc,
  usdt,
  vault,
  weth,
} from '../test/support/plans/plan-fixtures.ts'
import { encoded } from '../test/support/plans/published-calls.ts'

type Random = () => number
/** Changes a plan; the result may be anything, and may by chance be an honest plan. */
export type Mutation = (transactions: Transaction[], random: Random, plan: Plan) => unknown[]

const below = (random: Random, count: number): number => Math.floor(random() * count)
const one = <value>(random: Random, among: readonly value[]): value => among[below(random, among.length)]!
const byte = (random: Random): string => below(random, 256).toString(16).padStart(2, '0')
const someBytes = (random: Random, count: number): string =>
  Array.from({ length: count }, () => byte(random)).join('')

/** Changes one transaction, usually the action. */
const any =
  (change: (transaction: Transaction, random: Random, plan: Plan) => object): Mutation =>
  (all, random, plan) => {
    const at = random() < 0.6 ? all.length - 1 : below(random, all.length)
    return all.map((transaction, i) => (i === at ? change(transaction, random, plan) : transaction))
  }
/** Changes the bytes of calldata, given as hex without `0x`. */
const inData = (change: (hex: string, random: Random) => string): Mutation =>
  any((transaction, random) => ({ ...transaction, data: `0x${change(transaction.data.slice(2), random)}` }))
/** Changes one word after the selector. */
const inWord = (change: (word: string, random: Random) => string): Mutation =>
  inData((hex, random) => {
    const words = Math.floor((hex.length - 8) / 64)
    if (words < 1) return `${hex}00`
    const at = 8 + 64 * below(random, words)
    return hex.slice(0, at) + change(hex.slice(at, at + 64), random) + hex.slice(at + 64)
  })
const asWord = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
const addressWord = (address: Address): string => address.slice(2).toLowerCase().padStart(64, '0')
const contracts = [
  pool,
  vault,
  router,
  router02,
  universalRouter,
  permit2,
  messenger,
  spokePool,
  usdc.address,
  usdt.address,
  weth.address,
] as const
/** An earlier change may have made an invalid address; then the thief's is used. */
const written = (address: string): Address =>
  /^0x[0-9a-f]{40}$/i.test(address) ? (address.toLowerCase() as Address) : thief
const approval = (token: Address, spender: string, amount: bigint): Transaction => ({
  to: token,
  data: encoded('erc20', 'approve', written(spender), amount),
  value: 0n,
  chainId: 31337,
})
const permit = (token: Address, spender: Address, amount: bigint, until: number): Transaction => ({
  to: permit2,
  data: encoded('permit2', 'approve', token, spender, amount, until),
  value: 0n,
  chainId: 31337,
})
const steal = (random: Random): Transaction => ({
  ...approval(usdc.address, thief, 0n),
  data: encoded('erc20', 'transfer', thief, BigInt(1 + below(random, 1e9))),
})
const around = (random: Random, data: Hex): Hex =>
  encoded('router', 'multicall', 1_800_000_000n, [data, ...(random() < 0.5 ? [data] : [])])

/** Changes of the fees that a swap call pays itself; everything else, including the approval, matches the changed fees. */
export const feeLies: readonly ((fees: readonly ServiceFee[]) => ServiceFee[])[] = [
  ([first, ...others]) => [{ ...first!, to: thief }, ...others],
  ([first, ...others]) => [{ ...first!, amount: first!.amount + 1n }, ...others],
  ([first, ...others]) => [{ ...first!, amount: first!.amount - 1n }, ...others],
  (fees) => [...fees, fees[0]!],
  (fees) => [...fees, { ...fees[0]!, to: thief, amount: 1n }],
  (fees) => fees.slice(1),
  (fees) => fees.slice(0, -1),
  () => [],
  (fees) => fees.toReversed(),
  // Paid by separate steps, instead of or in addition to the call.
  (fees) => fees.map(({ isInside: _, ...fee }) => fee),
  (fees) => [...fees, ...fees.map(({ isInside: _, ...fee }) => fee)],
]

/** All changes of plans, by name. */
export const mutations: Readonly<Record<string, Mutation>> = {
  'to-anybody': any((t, random) => ({ ...t, to: `0x${someBytes(random, 20)}` })),
  'to-another-contract': any((t, random) => ({ ...t, to: one(random, contracts) })),
  'to-wallet': any((t, _, { intent }) => ({ ...t, to: intent.wallet })),
  'to-friend': any((t) => ({ ...t, to: friend })),
  'to-nobody': any((t) => ({ ...t, to: `0x${'00'.repeat(19)}${'05'}` })),
  'to-miscased': any((t) => ({ ...t, to: t.to.toUpperCase().replace('0X', '0x') })),
  'to-shortened': any((t) => ({ ...t, to: t.to.slice(0, -2) })),
  'value-one': any((t) => ({ ...t, value: t.value + 1n })),
  'value-some': any((t, random) => ({ ...t, value: BigInt(`0x${someBytes(random, 8)}`) })),
  'value-negative': any((t) => ({ ...t, value: -1n - t.value })),
  'value-huge': any((t) => ({ ...t, value: 1n << 256n })),
  'chain-other': any((t, random) => ({ ...t, chainId: one(random, [1, 31338, 8453, 0, -31337, 31337.5]) })),
  'field-more': any((t, random) => ({
    ...t,
    [one(random, ['gas', 'nonce', 'type', 'accessList', 'authorizationList', 'blobs'])]: [],
  })),
  'field-less': any((t, random) =>
    Object.fromEntries(Object.entries(t).filter((_, i) => i !== below(random, 4))),
  ),
  'data-no-hex': any((t) => ({ ...t, data: `${t.data}zz` })),
  'data-half-byte': any((t) => ({ ...t, data: `${t.data}0` })),
  'data-empty': any((t) => ({ ...t, data: '0x' })),
  'flip-bit': inData((hex, random) => {
    const at = below(random, Math.max(1, hex.length))
    const flipped = (Number.parseInt(hex[at] ?? '0', 16) ^ (1 << below(random, 4))).toString(16)
    return hex.slice(0, at) + flipped + hex.slice(at + 1) + (hex.length === 0 ? '0' : '')
  }),
  'byte-changed': inData((hex, random) => {
    const at = 2 * below(random, Math.max(1, hex.length / 2))
    return hex.slice(0, at) + byte(random) + hex.slice(at + 2)
  }),
  'byte-more': inData((hex, random) => {
    const at = 2 * below(random, hex.length / 2 + 1)
    return hex.slice(0, at) + byte(random) + hex.slice(at)
  }),
  'byte-less': inData((hex, random) => {
    const at = 2 * below(random, Math.max(1, hex.length / 2))
    return hex.length === 0 ? '00' : hex.slice(0, at) + hex.slice(at + 2)
  }),
  'word-appended': inData((hex, random) => hex + (random() < 0.5 ? '00'.repeat(32) : someBytes(random, 32))),
  'byte-appended': inData((hex, random) => hex + byte(random)),
  'cut-off': inData((hex, random) =>
    hex.length === 0 ? '00' : hex.slice(0, 2 * below(random, hex.length / 2)),
  ),
  'word-zero': inWord(() => '00'.repeat(32)),
  'word-max': inWord(() => 'ff'.repeat(32)),
  'word-random': inWord((_, random) => someBytes(random, 32)),
  'word-dirty': inWord((word, random) => `${someBytes(random, 12)}${word.slice(24)}`),
  'word-one-more': inWord((word) => asWord(BigInt(`0x${word}`) + 1n)),
  'word-one-less': inWord((word) => asWord(BigInt(`0x${word}`) - 1n)),
  'word-doubled': inWord((word) => asWord(BigInt(`0x${word}`) * 2n)),
  'word-thief': inWord(() => addressWord(thief)),
  'word-contract': inWord((_, random) => addressWord(one(random, contracts))),
  'word-removed': inData((hex, random) => {
    const words = Math.floor((hex.length - 8) / 64)
    const at = 8 + 64 * below(random, Math.max(1, words))
    return hex.length < 72 ? `${hex}00` : hex.slice(0, at) + hex.slice(at + 64)
  }),
  'word-repeated': inData((hex, random) => {
    const words = Math.floor((hex.length - 8) / 64)
    const at = 8 + 64 * below(random, Math.max(1, words))
    return hex.length < 72 ? `${hex}00` : hex.slice(0, at + 64) + hex.slice(at)
  }),
  'words-swapped': inData((hex, random) => {
    const words = Math.floor((hex.length - 8) / 64)
    if (words < 2) return `${hex}00`
    const at = 8 + 64 * below(random, words - 1)
    return hex.slice(0, at) + hex.slice(at + 64, at + 128) + hex.slice(at, at + 64) + hex.slice(at + 128)
  }),
  'selector-random': inData((hex, random) => someBytes(random, 4) + hex.slice(8)),
  'selector-of-power': inData(
    (hex, random) => one(random, Object.keys(authoritySelectors)).slice(2) + hex.slice(8),
  ),
  'step-dropped': (all, random) => all.toSpliced(below(random, all.length), 1),
  'step-twice': (all, random) => {
    const at = below(random, all.length)
    return all.toSpliced(at, 0, all[at]!)
  },
  'steps-reversed': (all) => (all.length < 2 ? [] : all.toReversed()),
  'steps-of-five': (all) => [...all, ...all, ...all, ...all, ...all].slice(0, 5),
  'theft-before': (all, random) => [steal(random), ...all],
  'theft-after': (all, random) => [...all, steal(random)],
  'theft-instead': (all, random) => [...all.slice(0, -1), steal(random)],
  'approval-for-thief-before': (all, random) => [
    approval(one(random, [usdc, usdt, weth]).address, thief, maxUint256),
    ...all,
  ],
  'approval-unlimited': (all) => [approval(usdc.address, all.at(-1)!.to, maxUint256), all.at(-1)!],
  'approval-one-more': (all) =>
    all.map((t) =>
      /^0x095ea7b3[0-9a-f]{128}$/i.test(t.data)
        ? { ...t, data: `0x${t.data.slice(2, 74)}${asWord(BigInt(`0x${t.data.slice(74)}`) + 1n)}` }
        : { ...t, value: t.value + 1n },
    ),
  'permit-for-thief': (all, random) => [
    ...all.slice(0, -1),
    permit(one(random, [usdc, usdt, weth]).address, thief, BigInt(1 + below(random, 1e9)), 1_800_000_000),
    all.at(-1)!,
  ],
  'permit-changed': (all, random) =>
    all.map((t) => {
      if (!/^0x87517c45[0-9a-f]{256}$/i.test(t.data)) return t
      const at = 10 + 64 * one(random, [2, 3])
      const word = asWord(BigInt(`0x${t.data.slice(at, at + 64)}`) + BigInt(1 + below(random, 1e6)))
      return { ...t, data: `${t.data.slice(0, at)}${word}${t.data.slice(at + 64)}` as Hex }
    }),
  'approval-elsewhere': (all, random) => [
    approval(one(random, [usdc, usdt, weth]).address, one(random, contracts), BigInt(1 + below(random, 1e9))),
    all.at(-1)!,
  ],
  'hidden-approval': (all, random) => [
    ...all.slice(0, -1),
    { ...all.at(-1)!, data: around(random, encoded('erc20', 'approve', thief, maxUint256)) },
  ],
  'call-in-a-call': (all, random) => [
    ...all.slice(0, -1),
    { ...all.at(-1)!, data: around(random, all.at(-1)!.data) },
  ],
  'inside-fees': (all, random, plan) => {
    const { intent, choice } = plan as Plan & { choice: Choice }
    const fees = intent.kind === 'swap' ? intent.fees?.filter(({ isInside }) => isInside) : undefined
    if (!fees?.length) return all.map((t) => ({ ...t, value: t.value + 1n }))
    return built({ ...intent, fees: one(random, feeLies)(fees) } as Intent, choice)
  },
  'inside-fees-in-bps': (_, random, plan) => {
    const { intent, choice } = plan as Plan & { choice: Choice }
    const flags = choice.route.flags | one(random, [0x40n, 0x80n, 0xc0n])
    return built(intent, { ...choice, route: { ...choice.route, flags } })
  },
  'refund-of-order': (all, random, plan) => {
    // The ID is that of the changed order: only the order itself is wrong.
    const { intent, choice } = plan as Plan & { choice: Choice }
    if (!choice.relayed) return all
    const { order, requestId } = choice.relayed
    const [input] = order.inputs
    const change = one(random, [
      { recipient: thief },
      { currency: one(random, [thief, usdt.address, nativeAddress]) },
      { deadline: order.output.deadline - 1 },
      { currency: nativeAddress, extraData: padHex(one(random, [thief, router])) },
    ])
    const at = below(random, input!.refunds.length)
    const refunds = input!.refunds.map((refund, i) => (i === at ? { ...refund, ...change } : refund))
    return built(intent, {
      ...choice,
      relayed: { order: { ...order, inputs: [{ ...input!, refunds }] }, requestId },
    })
  },
  'action-of-another': (all, random) => [...all.slice(0, -1), honestPlan(random).transactions.at(-1)!],
  'plan-of-another': (_, random) => honestPlan(random).transactions,
  'mixed-with-another': (all, random) => {
    const other = honestPlan(random).transactions
    return [...all.slice(0, below(random, all.length + 1)), ...other.slice(below(random, other.length))]
  },
  'two-changes': (all, random, plan) => {
    const names = Object.keys(mutations).filter(
      (name) =>
        name !== 'two-changes' &&
        !name.startsWith('field') &&
        !name.startsWith('step') &&
        !name.startsWith('plan'),
    )
    const [a, b] = [one(random, names), one(random, names)]
    return mutations[b]!(mutations[a]!(all, random, plan) as Transaction[], random, plan)
  },
}
