import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseTransaction } from 'viem/utils'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { approve, transfer } from '../../src/chain/erc20.ts'
import type { Address } from '../../src/domain/address.ts'
import { readCommandLine } from '../../src/domain/command-line/read-command-line.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { encodeIntent } from '../../src/guard/intent-json.ts'
import { supply } from '../../src/protocols/aave-v3/encode.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import type { RecordedQuote } from '../../src/signing/intent-matches-command-line.ts'
import { privateKeySigner } from '../../src/signing/keystore/private-key-signer.ts'
import type { RecordedPlan } from '../../src/signing/recorded-plan-check.ts'
import { openSigningService } from '../../src/signing/signing-service.ts'
import type { LegJson, SigningService } from '../../src/signing/signing-service-protocol.ts'
import { encodeV3Swap } from '../../src/swaps/uniswap-v3/encode.ts'
import { catalog, friend, lending, pool, router, thief, usdc, usdt } from '../support/plans/plan-fixtures.ts'

const key = `0x${'17'.repeat(32)}` as const
const wallet = privateKeySigner(key).address
const chainId = 31337
const amount = 5_000_000n
const line = `transfer --network sandbox-one --token USDC --to ${friend} --amount 5`
const intent: Intent = { kind: 'transfer', wallet, token: usdc, recipient: friend, amount }
const pay = (to = friend, sum = amount): Transaction =>
  transfer({ chainId, token: usdc.address, to, amount: sum })
const json = ({ to, data, value, chainId: on }: Transaction) => ({
  to,
  data,
  value: value.toString(),
  chainId: on,
})
const leg = (what: Intent = intent, ...transactions: Transaction[]): LegJson => ({
  chainId,
  intent: encodeIntent(what),
  transactions: (transactions.length > 0 ? transactions : [pay()]).map(json),
})
const nothingVouched = { allow: [], allowTokens: [] }
const fees = { nonce: 7, gas: '60000', maxFeePerGas: '100', maxPriorityFeePerGas: '1' }
const code = (work: Promise<unknown>) =>
  work.then(() => undefined).catch((error: { code: string }) => error.code)

const swapIntent = (recipient: Address): Intent => ({
  kind: 'swap',
  wallet,
  provider: 'uniswap-v3',
  tokenIn: usdc,
  tokenOut: usdt,
  exact: 'in',
  amountIn: amount,
  amountOut: 4_900_000n,
  recipient,
  deadline: 1_900_000_000,
})
const swapTransactions = (recipient: Address): Transaction[] => [
  approve({ chainId, token: usdc.address, spender: router, amount }),
  encodeV3Swap({
    chainId,
    router,
    exact: 'in',
    path: { tokens: [usdc.address, usdt.address], fees: [500] },
    amountIn: amount,
    amountOut: 4_900_000n,
    recipient,
    deadline: 1_900_000_000,
  }),
]

let home: string
type Reads = {
  written?: RecordedPlan
  remembered?: RecordedQuote
  signed?: number
  say?: (line: string) => void
}
const deskFor = (
  argv: string,
  { written, remembered, signed, say = () => undefined }: Reads = {},
): SigningService =>
  openSigningService({
    line: readCommandLine(argv.split(' ')),
    written: async () => written,
    remembered: async () => remembered ?? null,
    walletNamed: () => undefined,
    isSigned: async (_, __, nonce) => nonce === signed,
    privateKey: key,
    catalog: async () => catalog,
    sandboxKey: async () => key,
    say,
    tell: () => undefined,
  })
/** A signing service with the key opened and a plan approved. */
const shown = async (
  argv: string,
  legs: readonly LegJson[],
  vouched: object = nothingVouched,
  reads: Reads = {},
) => {
  const desk = deskFor(argv, reads)
  await desk({ do: 'open', source: { kind: 'environment' } })
  await desk({ do: 'approve', wallet, legs, vouched: vouched as never, planHash: '', quoteId: null })
  return desk
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-desk-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

describe('the signer', () => {
  test('signs exactly the approved transaction', async () => {
    const desk = await shown(line, [leg()])
    const { raw } = await desk({ do: 'sign', wallet, transaction: { ...json(pay()), ...fees } })
    expect(parseTransaction(raw as `0x02${string}`)).toMatchObject({ nonce: 7, data: pay().data, chainId })
  })

  test.each([
    ['another receiver', json(pay(thief))],
    ['another amount', json(pay(friend, amount + 1n))],
    ['another contract', { ...json(pay()), to: pool }],
    ['another chain', { ...json(pay()), chainId: 1 }],
    ['a native value', { ...json(pay()), value: '1' }],
    ['an approval', json(approve({ chainId, token: usdc.address, spender: thief, amount }))],
    ['a native transfer', { to: thief, data: '0x' as const, value: '1', chainId }],
  ])('refuses a transaction that differs from the approved plan: %s', async (_, transaction) => {
    const desk = await shown(line, [leg()])
    expect(await code(desk({ do: 'sign', wallet, transaction: { ...transaction, ...fees } }))).toBe(
      'POLICY_TAMPER',
    )
  })

  test('signs nothing before a key is opened and a plan approved', async () => {
    const desk = deskFor(line)
    expect(await code(desk({ do: 'sign', wallet, transaction: { ...json(pay()), ...fees } }))).toBe(
      'KEY_SOURCE',
    )
    await desk({ do: 'open', source: { kind: 'environment' } })
    expect(await code(desk({ do: 'sign', wallet, transaction: { ...json(pay()), ...fees } }))).toBe(
      'POLICY_TAMPER',
    )
  })

  test('signs a transaction again with a higher fee, and not with another nonce', async () => {
    const desk = await shown(line, [leg()])
    const sign = (more: object) =>
      desk({ do: 'sign', wallet, transaction: { ...json(pay()), ...fees, ...more } })
    expect(await code(sign({}))).toBeUndefined()
    expect(await code(sign({ maxFeePerGas: '200' }))).toBeUndefined()
    expect(await code(sign({ nonce: 8 }))).toBe('POLICY_TAMPER')
    expect(await code(sign({ nonce: 999 }))).toBe('POLICY_TAMPER')
  })

  test('signs two calls of a plan with two nonces, and never both with the same nonce', async () => {
    const plan = swapTransactions(wallet)
    const desk = await shown('swap execute some-quote', [leg(swapIntent(wallet), ...plan)])
    const sign = (one: Transaction, nonce: number) =>
      code(desk({ do: 'sign', wallet, transaction: { ...json(one), ...fees, nonce } }))
    expect(await sign(plan[0]!, 7)).toBeUndefined()
    expect(await sign(plan[1]!, 7)).toBe('POLICY_TAMPER')
    expect(await sign(plan[1]!, 8)).toBeUndefined()
    expect(await sign(plan[0]!, 8)).toBe('POLICY_TAMPER')
  })

  test.each([
    ['refuses an excessive gas limit', { gas: '30000001' }, line, 'POLICY_FEE_CAP'],
    ['refuses an excessive fee', { maxFeePerGas: `${10_001n * 10n ** 9n}` }, line, 'POLICY_FEE_CAP'],
    [
      'refuses a fee above the typed --max-fee',
      { maxFeePerGas: '3000000001' },
      `${line} --max-fee 3`,
      'POLICY_FEE_CAP',
    ],
    [
      'accepts a fee equal to the typed --max-fee',
      { maxFeePerGas: '3000000000' },
      `${line} --max-fee 3`,
      undefined,
    ],
  ])('%s', async (_, more, argv, refusal) => {
    const desk = await shown(argv, [leg()])
    expect(await code(desk({ do: 'sign', wallet, transaction: { ...json(pay()), ...fees, ...more } }))).toBe(
      refusal,
    )
  })

  test('names the required --max-fee for an excessive fee, and not for an excessive gas limit', async () => {
    const said = async (more: object) => {
      const desk = await shown(line, [leg()])
      const transaction = { ...json(pay()), ...fees, ...more }
      return desk({ do: 'sign', wallet, transaction }).then(
        () => undefined,
        ({ hint }: { hint?: string }) => hint,
      )
    }
    expect(await said({ maxFeePerGas: `${10_001n * 10n ** 9n + 1n}` })).toMatch(/: --max-fee 10002$/)
    expect(await said({ gas: '30000001' })).not.toContain('--max-fee')
  })

  test('cancels only signed nonces', async () => {
    const nothing = { to: wallet, data: '0x' as const, value: '0', chainId, ...fees }
    const cancel = (desk: SigningService, nonce: number) =>
      code(desk({ do: 'sign', wallet, transaction: { ...nothing, nonce } }))
    const desk = await shown(line, [leg()], nothingVouched, { signed: 3 })
    expect(await cancel(desk, 7)).toBe('POLICY_TAMPER')
    await desk({ do: 'sign', wallet, transaction: { ...json(pay()), ...fees } })
    expect(await cancel(desk, 7)).toBeUndefined()
    expect(await cancel(desk, 3)).toBeUndefined()
    expect(await cancel(desk, 8)).toBe('POLICY_TAMPER')
  })

  test.each([
    ['that pays another recipient than its intent', leg(intent, pay(thief)), 'POLICY_RECIPIENT'],
    ['with another amount', leg(intent, pay(friend, amount * 2n)), 'POLICY_AMOUNT'],
    ['for another wallet', leg({ ...intent, wallet: thief }), 'POLICY_TAMPER'],
    [
      'with an unneeded approval',
      leg(intent, approve({ chainId, token: usdc.address, spender: thief, amount }), pay()),
      'POLICY_ALLOWANCE',
    ],
  ])('refuses a plan %s', async (_, bad, refusal) => {
    expect(await code(shown(line, [bad]))).toBe(refusal)
  })
})

describe('the signer with a typed command', () => {
  const other: Intent = { ...intent, recipient: thief } as Intent
  test.each([
    ['another receiver', line, leg(other, pay(thief)), nothingVouched],
    ['another amount', line.replace('--amount 5', '--amount 6'), leg(), nothingVouched],
    ['another raw amount', line.replace('--amount 5', '--amount-raw 5000001'), leg(), nothingVouched],
    ['no amount', line.replace(' --amount 5', ''), leg(), nothingVouched],
    ['a contract allowed only by the request', line, leg(), { ...nothingVouched, allow: [thief] }],
    ['a token allowed only by the request', line, leg(), { ...nothingVouched, allowTokens: [thief] }],
    [
      'a receiver typed as a contract',
      `${line} --allow-contract ${thief}`,
      leg(other, pay(thief)),
      nothingVouched,
    ],
    [
      'a contract typed as a token',
      `${line} --allow-token ${thief}`,
      leg(),
      { ...nothingVouched, allow: [thief] },
    ],
  ])('refuses a plan that does not match it: %s', async (_, argv, plan, vouched) => {
    expect(await code(shown(argv, [plan], vouched))).toBe('POLICY_TAMPER')
  })

  test.each([
    ['with a raw amount', line.replace('--amount 5', '--amount-raw=5000000')],
    ['with an amount and symbol', line.replace('--amount 5', '--amount=5USDC')],
    ['after global options', `--profile sandbox ${line}`],
    ['with a lower-case address', line.replace(friend, friend.toLowerCase())],
  ])('accepts another spelling: %s', async (_, argv) => {
    expect(await code(shown(argv, [leg()]))).toBeUndefined()
  })
})

describe('the signer with a command line that cannot be read', () => {
  test.each([
    ['an unknown flag', `${line} --recipient ${friend}`],
    ['a flag of another command', `${line} --claim`],
    ['a flag without its value', `${line} --max-fee`],
    ['a flag that is given twice', `${line} --amount 5`],
    ['an operand too many', `${line} ${friend}`],
    ['a missing flag', line.replace(` --to ${friend}`, '')],
  ])('opens no key: %s', async (_, argv) => {
    const opened = deskFor(argv)({ do: 'open', source: { kind: 'environment' } })
    expect(await code(opened)).toBe('POLICY_TAMPER')
  })
})

describe('the signer with a recorded plan', () => {
  const written = { transactions: [pay()], vouched: [] }
  test.each([
    'action submit plan.json',
    '--profile engine action resume some-id',
    'action cancel some-id --yes',
  ])('signs only the recorded plan with its recorded exemptions: %s', async (argv) => {
    expect(await code(shown(argv, [leg()], nothingVouched, { written }))).toBeUndefined()
    const other: Intent = { ...intent, recipient: thief } as Intent
    expect(await code(shown(argv, [leg(other, pay(thief))], nothingVouched, { written }))).toBe(
      'POLICY_TAMPER',
    )
    expect(await code(shown(argv, [leg()], nothingVouched))).toBe('POLICY_TAMPER')
    expect(await code(shown(argv, [leg()], { ...nothingVouched, allow: [thief] }, { written }))).toBe(
      'POLICY_TAMPER',
    )
    const vouched = { ...written, vouched: [thief] }
    expect(
      await code(shown(argv, [leg()], { ...nothingVouched, allow: [thief] }, { written: vouched })),
    ).toBeUndefined()
  })

  test('describes a step once, when it is signed and not when it is approved', async () => {
    const signed = approve({ chainId, token: usdc.address, spender: router, amount })
    const plan = swapTransactions(wallet)
    const said: string[] = []
    const desk = await shown('action resume some-id', [leg(swapIntent(wallet), ...plan)], nothingVouched, {
      written: { transactions: plan, vouched: [] },
      say: (line) => said.push(line),
    })
    expect(said).toEqual([])
    for (const gas of ['60000', '70000'])
      await desk({ do: 'sign', wallet, transaction: { ...json(signed), ...fees, gas } })
    expect(said).toEqual([expect.stringMatching(/^Allow /)])
  })
})

describe('the signer of a command', () => {
  const swapTo = (recipient: Address) => leg(swapIntent(recipient), ...swapTransactions(recipient))
  test.each([
    ['withdraw aave-lending --amount 5', leg(), 'POLICY_TAMPER'],
    ['wallet approvals revoke --all', leg(), 'POLICY_TAMPER'],
    ['action revoke some-id', leg(), 'POLICY_TAMPER'],
    ['deposit aave-lending --amount 5', leg(), 'POLICY_TAMPER'],
    ['swap execute some-quote', leg(), 'POLICY_TAMPER'],
    ['swap execute some-quote', swapTo(thief), 'POLICY_TAMPER'],
    ['swap execute some-quote', swapTo(wallet), undefined],
    [
      `swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 5`,
      swapTo(wallet),
      undefined,
    ],
    [
      `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 5`,
      swapTo(wallet),
      'POLICY_TAMPER',
    ],
    [
      `swap execute --from sandbox-one --token-in WETH --token-out USDT --amount-in 5`,
      swapTo(wallet),
      'POLICY_TAMPER',
    ],
    [
      `swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 6`,
      swapTo(wallet),
      'POLICY_TAMPER',
    ],
    [`swap execute some-quote --destination ${friend}`, swapTo(friend), undefined],
  ])('approves only plans for that command: %s', async (argv, plan, refusal) => {
    expect(await code(shown(argv, [plan]))).toBe(refusal)
  })

  test.each([
    ['deposit aave-usdc-sandbox-one --amount 5', undefined],
    ['deposit aave-usdc-sandbox-one --amount 5 --from sandbox-one', undefined],
    ['deposit aave-usdc-sandbox-one --amount 5.000001', 'POLICY_TAMPER'],
    ['deposit aave-usdc-sandbox-one --amount 5.000001 --from 31337', 'POLICY_TAMPER'],
    // From another chain the bridge deducts its fee.
    ['deposit aave-usdc-sandbox-one --amount 5.03 --from sandbox-two', undefined],
    ['deposit aave-usdc-sandbox-one --amount 5.04 --from sandbox-two', 'POLICY_TAMPER'],
    ['deposit aave-usdc-sandbox-one --amount 4.999999 --from sandbox-two', 'POLICY_TAMPER'],
  ])('checks the amount of a deposit: %s', async (argv, refusal) => {
    const what: Intent = { kind: 'deposit', wallet, strategy: lending, amount }
    const give = approve({ chainId, token: usdc.address, spender: pool, amount })
    const put = supply({ chainId, pool, asset: usdc.address, amount, onBehalfOf: wallet })
    expect(await code(shown(argv, [leg(what, give, put)]))).toBe(refusal)
  })

  const quote: RecordedQuote = {
    recipient: friend,
    chainIn: chainId,
    chainOut: chainId,
    tokenIn: usdc.address,
    tokenOut: usdt.address,
    exact: 'in',
    slippage: 0.02,
    amountIn: amount,
    amountOut: 4_950_000n,
    minAmountOut: 4_900_000n,
    maxAmountIn: null,
  }
  /** A quote without bounds: the slippage decides how far below its output the plan may be. */
  const bare = { ...quote, minAmountOut: null, slippage: null }
  const byName = 'swap execute some-quote'
  const byFlags =
    'swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 5 --destination'
  test.each([
    ['accepts a plan that matches the quote', quote, undefined],
    [
      'refuses a plan for another recipient than the quote, unless the flags name it',
      { ...quote, recipient: thief },
      'POLICY_TAMPER',
    ],
    ['refuses a larger input than quoted', { ...quote, amountIn: amount - 1n }, 'POLICY_TAMPER'],
    ['refuses a smaller minimum than quoted', { ...quote, minAmountOut: 4_900_001n }, 'POLICY_TAMPER'],
    ['refuses a minimum beyond the default slippage', { ...quote, slippage: null }, 'POLICY_TAMPER'],
    ['refuses another input token than quoted', { ...quote, tokenIn: usdt.address }, 'POLICY_TAMPER'],
    ['refuses another destination chain than quoted', { ...quote, chainOut: 31338 }, 'POLICY_TAMPER'],
    [
      'refuses an exact input for an exact-output quote',
      { ...quote, exact: 'out' as const },
      'POLICY_TAMPER',
    ],
    ['accepts an output within the default slippage', { ...bare, amountOut: 4_924_623n }, undefined],
    ['refuses an output beyond the default slippage', { ...bare, amountOut: 4_924_625n }, 'POLICY_TAMPER'],
    [
      'accepts an output within the requested slippage',
      { ...bare, amountOut: 4_949_494n, slippage: 0.01 },
      undefined,
    ],
    [
      'refuses an output beyond the requested slippage',
      { ...bare, amountOut: 4_909_821n, slippage: 0.002 },
      'POLICY_TAMPER',
    ],
  ])('with an earlier quote: %s', async (_, remembered, refusal) => {
    for (const argv of [byName, `${byFlags} ${friend}`]) {
      const other = argv === byName ? undefined : remembered.recipient === thief
      const signed = await code(shown(argv, [swapTo(friend)], nothingVouched, { remembered }))
      // Typed flags name the recipient; without them the quote does.
      expect(signed).toBe(other ? undefined : refusal)
    }
  })

  test.each([
    ['--slippage 1%', 4_949_494n, undefined],
    ['--slippage 20bps', 4_924_623n, 'POLICY_TAMPER'],
    ['--slippage=0.5%', 4_924_625n, 'POLICY_TAMPER'],
    ['--accept-min-out 4.9', 9_000_000n, undefined],
    ['--accept-min-out 4.900001', 4_900_000n, 'POLICY_TAMPER'],
    ['--accept-min-out 4.8', 4_900_000n, 'POLICY_TAMPER'],
  ])('limits the slippage to the typed option: %s', async (typed, amountOut, refusal) => {
    // The recorded quote has another slippage.
    const remembered = { ...bare, amountOut, slippage: typed.includes('20') ? 0.5 : 0.005 }
    const argv = `${byFlags} ${friend} ${typed}`
    expect(await code(shown(argv, [swapTo(friend)], nothingVouched, { remembered }))).toBe(refusal)
  })

  test.each([
    [line.replace('sandbox-one', 'sandbox-two'), leg()],
    ['swap execute --from sandbox-two --token-in USDC --token-out USDT --amount-in 5', swapTo(wallet)],
    [
      'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDT --amount-in 5',
      swapTo(wallet),
    ],
    ['deposit aave-lending --amount 5', swapTo(wallet)],
    ['deposit aave-lending --amount max', swapTo(wallet)],
  ])('refuses a plan for another chain or command than typed: %s', async (argv, plan) => {
    expect(await code(shown(argv, [plan]))).toBe('POLICY_TAMPER')
  })

  test('may revoke an allowance again after another approval, and pays only once', async () => {
    const argv = 'wallet approvals revoke --all'
    const end: Intent = { kind: 'revoke', wallet, token: usdc, spender: router }
    const nothing = approve({ chainId, token: usdc.address, spender: router, amount: 0n })
    const desk = await shown(argv, [leg(end, nothing)])
    const sign = (nonce: number) =>
      code(desk({ do: 'sign', wallet, transaction: { ...json(nothing), ...fees, nonce } }))
    expect(await sign(7)).toBeUndefined()
    expect(await sign(8)).toBe('POLICY_TAMPER')
    const again = { vouched: nothingVouched, planHash: '', quoteId: null }
    await desk({ do: 'approve', wallet, legs: [leg(end, nothing)], ...again })
    expect(await sign(8)).toBeUndefined()
    const paying = await shown(line, [leg()])
    await paying({ do: 'approve', wallet, legs: [leg()], ...again })
    const pays = (nonce: number) =>
      code(paying({ do: 'sign', wallet, transaction: { ...json(pay()), ...fees, nonce } }))
    expect(await pays(7)).toBeUndefined()
    expect(await pays(8)).toBe('POLICY_TAMPER')
  })

  test('opens only the sandbox key for demo', async () => {
    expect(await code(deskFor('demo')({ do: 'open', source: { kind: 'environment' } }))).toBe('POLICY_TAMPER')
  })

  test('reads the plan file after a double dash', async () => {
    const written = { transactions: [pay()], vouched: [] }
    expect(
      await code(shown('action submit --yes -- plan.json', [leg()], nothingVouched, { written })),
    ).toBeUndefined()
  })
})

test('the signer refuses a public key file, and opens a keystore only with its password', async () => {
  const desk = deskFor(line)
  const path = join(home, 'key')
  writeFileSync(path, `${key}\n`, { mode: 0o644 })
  expect(await code(desk({ do: 'open', source: { kind: 'key-file', path } }))).toBe('KEY_SOURCE')
  const made = await desk({ do: 'make', directory: home, name: 'main', password: 'secret' })
  const keystore = { kind: 'keystore', directory: home, name: 'main' } as const
  expect(await desk({ do: 'open', source: { ...keystore, password: 'secret' } })).toEqual({
    address: made.address,
  })
  expect(await code(desk({ do: 'open', source: { ...keystore, password: 'wrong' } }))).toBe('WRONG_PASSWORD')
})
