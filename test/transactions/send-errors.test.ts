import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import type { Journal } from '../../src/store/journal/journal-interface.ts'
import type { Attempt } from '../../src/store/journal/operation-types.ts'
import { sendAnswerText } from '../../src/store/journal/send-answer.ts'
import { replacementFees } from '../../src/transactions/attempts/fee-bump.ts'
import type { Execution } from '../../src/transactions/run.ts'
import { broadcastAnswer, isAccepted, needsImmediateBump } from '../../src/transactions/steps/send-errors.ts'
import type { Chain } from '../support/anvil.ts'
import { attemptsOf } from '../support/attempts-of.ts'
import { type FaultyRpc, type Rule, startFaultyRpc } from '../support/nodes/faulty-rpc.ts'
import { oneCoin, planPayments, run } from '../support/payments/payment-operation.ts'
import { paidOn, useChain, useHome } from '../support/use-journal-and-chain.ts'

let chain: Chain
let node: FaultyRpc
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})
useChain((made) => {
  chain = made
})
beforeEach(async () => {
  node = await startFaultyRpc(chain.url)
})
afterEach(async () => {
  await node.stop()
})

const gwei = 10n ** 9n
const send = 'eth_sendRawTransaction'
/** A mempool that refuses tips below `value` gwei, behind a node that suggests one gwei. */
const floor = (value: number, act: Rule['act'] = 'error-floor'): Rule[] => [
  { method: send, act, value, always: true },
  { method: 'eth_maxPriorityFeePerGas', act: 'high-tip', value: 1, always: true },
]
const goOn = (id: string, more: Partial<Execution> = {}) =>
  run(journal, home, node.url, id, more).catch((error: unknown) => error as AppError)
const paid = () => paidOn(chain)
const tips = (id: string) =>
  attemptsOf(journal, id, 0).map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas)

describe('a transaction that the mempool refuses as underpriced', () => {
  it('is replaced at once with the fee that the node demands, and pays once', async () => {
    const before = await paid()
    node.rules = floor(25)
    planPayments(journal, 'named')
    expect(await goOn('named')).toMatchObject({ state: 'DONE' })
    expect(tips('named')).toMatchObject([expect.any(BigInt), 25n * gwei])
    expect(new Set(attemptsOf(journal, 'named', 0).map(({ nonce }) => nonce)).size).toBe(1)
    expect((await paid()) - before).toBe(oneCoin)
  })

  it.each([
    ['bump', 'DONE', 1n],
    ['cancel', 'CANCELLED', 0n],
  ] as const)(
    'is not replaced above the fee cap; the hint names a --max-fee that suffices (%s)',
    async (replacement, ends, coins) => {
      const before = await paid()
      node.rules = floor(25)
      planPayments(journal, replacement)
      const low: Partial<Execution> = { feeCap: (_, __, ___, lifted) => lifted ?? 5n * gwei }
      const refused = await goOn(replacement, low)
      expect(refused).toMatchObject({
        code: 'PENDING',
        message: expect.stringMatching(
          /the plan or --max-fee allows; the node refused .*: transaction under.* 25000000000$/,
        ),
        hint: expect.stringMatching(/^sluice action speed-up (bump|cancel) --max-fee \d+(\.\d+)?$/),
      })
      const [, enough] = /--max-fee (\S+)/.exec((refused as AppError).hint!)!
      expect(await goOn(replacement, { ...low, replacement })).toMatchObject({ code: 'PENDING' })
      expect(tips(replacement)).toHaveLength(1)
      const lifted = { feeCap: () => BigInt(Math.round(Number(enough) * 1e9)) }
      const ended = await goOn(replacement, { ...lifted, replacement })
      expect((ended as { state?: string }).state ?? (ended as AppError).code).toBe(ends)
      expect(tips(replacement)[1]).toBe(25n * gwei)
      expect((await paid()) - before).toBe(coins * oneCoin)
    },
  )

  it('is replaced at doubled fees within the cap when the node names no minimum', async () => {
    node.rules = floor(1_000, 'error-floor-silent')
    planPayments(journal, 'silent')
    const cap = 4n * gwei
    const refused = await goOn('silent', { feeCap: () => cap, timeoutMs: 8_000 })
    expect(refused).toMatchObject({
      code: 'PENDING',
      message: expect.stringMatching(/refused .*: transaction underpriced$/),
    })
    const paying = tips('silent')
    expect(paying.length).toBeGreaterThan(1)
    expect(paying[1]).toBe(2n * paying[0]!)
    expect(attemptsOf(journal, 'silent', 0).every(({ maxFeePerGas }) => maxFeePerGas <= cap)).toBe(true)
    node.rules = []
    expect(await goOn('silent')).toMatchObject({ state: 'DONE' })
  })
})

it.each([
  ['error-funds', 'insufficient funds for gas * price + value'],
  ['error-fee-cap', 'tx fee (1.05 ether) exceeds the configured cap (1.00 ether)'],
  ['error-gas-cap', 'transaction gas limit too high (cap: 16777216, tx: 20000000)'],
  ['error-nonce-low', 'nonce too low'],
] as const)('a pending transaction reports why the node refused it (%s)', async (act, words) => {
  node.rules = [{ method: send, act, always: true }]
  planPayments(journal, act)
  const refused = await goOn(act, { noWait: true })
  expect(refused).toMatchObject({
    code: 'PENDING',
    message: `The transaction is signed but not final yet; the node refused it when it was sent: ${words}`,
    hint: act.endsWith('-cap') ? `sluice action cancel ${act} --yes` : `sluice action resume ${act}`,
    details: { refused: words },
  })
  node.rules = []
  expect(await goOn(act)).toMatchObject({ state: 'DONE' })
})

it('a transaction whose only answer was none is not said to be sent', async () => {
  node.rules = [{ method: send, act: 'drop-request', always: true }]
  planPayments(journal, 'unheard')
  expect(await goOn('unheard', { noWait: true })).toMatchObject({
    code: 'PENDING',
    message: 'The transaction is signed, but no node has confirmed yet that it accepted it',
  })
  expect(attemptsOf(journal, 'unheard', 0)).toMatchObject([{ lastAnswer: { is: 'unknown' } }])
  node.rules = []
  expect(await goOn('unheard')).toMatchObject({ state: 'DONE' })
})

it.each([
  ['accepted', true],
  ['known', true],
  ['inferred', true],
  ['unknown', false],
  ['cheap', false],
  ['refused', false],
] as const)('an attempt whose last answer is %s counts as accepted: %s', (is, accepted) => {
  expect(isAccepted({ lastAnswer: { is, words: 'words' } })).toBe(accepted)
})

it.each([
  ['inferred', 'found on chain', 'found on chain'],
  ['refused', 'no', 'refused: no'],
  ['accepted', '', 'accepted'],
] as const)('the answer %s with the words "%s" is told as "%s"', (is, words, told) => {
  expect(sendAnswerText({ is, words })).toBe(told)
})

describe('the error message of a node', () => {
  const hint = (message: string) =>
    broadcastAnswer(new AppError('RPC_ERROR', 'it failed', { details: { message } }), attempt)
  const attempt = { maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: gwei }
  it.each([
    ['transaction underpriced: gas tip cap 1000000000, minimum needed 25000000000', 25n, 25n],
    ['transaction gas price below minimum: gas tip cap 1000000000, minimum needed 25000000000', 25n, 25n],
    ['transaction underpriced: tip needed 3000000000, tip permitted 1000000000', 3n, 3n],
    ['transaction underpriced: tip needed 25 gwei, tip permitted 1 gwei', 25n, 25n],
    [
      'transaction underpriced: address 0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC have gas tip cap (1000000000) < pool gas tip cap (470000000000)',
      470n,
      470n,
    ],
    ['FeeTooLow, EffectivePriorityFeePerGas too low 1000000000 < 2000000000, BaseFee: 7', 2n, 2n],
    ['the minimum accepted gas price for transactions is: 16000000000', 16n, 0n],
    [
      'max fee per gas less than block base fee: address 0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC, maxFeePerGas: 3000000000 baseFee: 7000000000',
      7n,
      0n,
    ],
  ])('gives the fees that it demands: %s', (words, fee, tip) => {
    expect(hint(words).demands).toEqual({
      maxFeePerGas: fee * gwei,
      maxPriorityFeePerGas: tip * gwei,
    })
  })

  it.each([
    'transaction underpriced',
    'FeeTooLowToCompete',
    'Gas price below configured minimum gas price',
    'replacement transaction underpriced',
    'insufficient funds for gas * price + value: balance 1, tx cost 99000000000000000, minimum needed 1',
    'transaction gas limit too high (cap: 16777216, tx: 20000000)',
  ])('gives no fees: %s', (words) => {
    expect(hint(words).demands).toBeUndefined()
  })

  it.each([
    ['transaction underpriced', 1, false],
    ['transaction underpriced', 2, true],
    ['transaction underpriced: tip needed 25 gwei, tip permitted 1 gwei', 1, true],
    ['max fee per gas less than block base fee: maxFeePerGas: 3000000000 baseFee: 7000000000', 2, false],
    ['replacement transaction underpriced', 2, false],
  ])('decides whether to replace without waiting: %s, sent %i times', (words, sends, is) => {
    const sent = { ...attempt, sends, lastAnswer: hint(words) } as Attempt
    expect(needsImmediateBump(sent)).toBe(is)
  })

  it('keeps at most 300 characters; a transaction that the node has is known', () => {
    expect(hint(`underpriced ${'x'.repeat(6_000_000)}`).words).toHaveLength(300)
    for (const words of [
      'already known',
      'known transaction: 0x12 (nonce 4)',
      'AlreadyKnown',
      'Known transaction',
      'transaction already imported',
    ])
      expect(hint(words)).toEqual({ is: 'known', words: '' })
  })
})

it('a zero tip is raised by one wei', () => {
  const none = { maxFeePerGas: 8n, maxPriorityFeePerGas: 0n }
  expect(replacementFees([none], { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n }, undefined)).toEqual({
    maxFeePerGas: 9n,
    maxPriorityFeePerGas: 1n,
  })
})

it('a zero tip that was refused as underpriced rises to one gwei', () => {
  const none = {
    maxFeePerGas: 60n * gwei,
    maxPriorityFeePerGas: 0n,
    lastAnswer: { is: 'cheap', words: 'transaction underpriced' } as const,
  }
  const next = replacementFees([none], { maxFeePerGas: gwei, maxPriorityFeePerGas: 0n }, undefined)
  expect(next!.maxPriorityFeePerGas).toBe(gwei)
  expect(next!.maxFeePerGas).toBe(120n * gwei)
})

it.each(['99999999999999999999999', '2100000000000000'])(
  'an implausible minimum of %s wei per gas is ignored',
  (number) => {
    const message = `transaction fee too low: minimum fee is ${number} wei`
    const fees = { maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: gwei }
    const lastAnswer = broadcastAnswer(new AppError('RPC_ERROR', 'it failed', { details: { message } }), fees)
    expect(lastAnswer.demands?.maxFeePerGas).toBe(BigInt(number))
    const attempt = { ...fees, lastAnswer }
    const market = { maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: gwei }
    expect(replacementFees([attempt], market, 10n * gwei)).toEqual({
      maxFeePerGas: 6n * gwei,
      maxPriorityFeePerGas: 2n * gwei,
    })
  },
)

it.each([
  'nonce already in use',
  'a transaction with the same nonce already exists',
  'unknown transaction type',
])('a refusal for another reason does not count as known: %s', (words) => {
  const error = new AppError('RPC_ERROR', 'it failed', { details: { message: words } })
  expect(broadcastAnswer(error, { maxFeePerGas: gwei, maxPriorityFeePerGas: 0n }).is).not.toBe('known')
})

it('a zero tip rises at most to a quarter of the fee cap', () => {
  const lastAnswer = { is: 'cheap', words: 'transaction underpriced' } as const
  const none = { maxFeePerGas: gwei / 25n, maxPriorityFeePerGas: 0n, lastAnswer }
  const next = replacementFees(
    [none],
    { maxFeePerGas: gwei / 50n, maxPriorityFeePerGas: 0n },
    (9n * gwei) / 10n,
  )
  expect(next!.maxPriorityFeePerGas).toBe((9n * gwei) / 40n)
})
