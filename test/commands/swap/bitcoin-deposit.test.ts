import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { knownCatalog } from '../../../src/app/profiles/catalog-of-configured-networks.ts'
import { directories } from '../../../src/app/profiles/directories.ts'
import type { Stream } from '../../../src/cli/terminal/io-types.ts'
import { qrCode } from '../../../src/commands/swap/bitcoin-deposit.ts'
import { serveLoopback } from '../../../src/sandbox/loopback-server.ts'
import { engineOn } from '../../support/engine.ts'
import { documentation } from '../../support/matches-schema.ts'
import { serveTo, type TestServer } from '../../support/services/serve-in-process.ts'
import { type Document, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
/** Commands with a second THORChain node. */
const withSecond = useCommands(sandbox, {
  catalog: () => {
    const { bitcoin, ...rest } = sandbox.world.catalog()
    const secondThornode = bitcoin!.thornode!.replace('127.0.0.1', 'localhost')
    return { ...rest, bitcoin: { ...bitcoin!, secondThornode } }
  },
})
/** Commands with a THORChain node that the test serves. */
let otherNode = ''
const withOther = useCommands(sandbox, {
  catalog: () => {
    const { bitcoin, ...rest } = sandbox.world.catalog()
    return { ...rest, bitcoin: { ...bitcoin!, thornode: otherNode } }
  },
})
const documented = documentation(run)
const chainId = 31337
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const flags = `--from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund ${refund}`
const usdc = () => sandbox.balanceOf(chainId, sandbox.token(chainId, 'USDC').address, sandbox.user.address)

/** Requests a quote of a provider, and returns the swap with its payment details. */
async function quoted(provider: string, more = flags) {
  const { exit, json, err } = await run(`swap quote ${more} --provider ${provider} --json`)
  expect(exit, err).toBe(0)
  const shown = await run(`swap execute ${json.id} --no-wait --json`)
  expect(shown.exit, shown.err).toBe(20)
  expect(shown.json.error.code).toBe('PENDING')
  return shown.json.error.details
}

/** Pays a deposit like a Bitcoin wallet; returns the transaction ID. */
const paid = async ({ deposit }: Document, amount = '0.01', more: readonly string[] = []) => {
  const memo = deposit.memo === null ? [] : ['--memo', deposit.memo]
  const { exit, json, err } = await run([
    'sandbox',
    'pay-bitcoin',
    deposit.address,
    amount,
    ...memo,
    ...more,
    '--json',
  ])
  expect(exit, `${err}${JSON.stringify(json)}`).toBe(0)
  return json.txid as string
}

describe.each(['near-intents', 'thorchain'])('a swap from Bitcoin through %s', (provider) => {
  test('is quoted, paid, followed and delivered, and its quote signs nothing', async () => {
    const before = await usdc()
    const shown = await signsNothing(() => quoted(provider))
    expect(shown).toMatchObject({
      status: 'pending',
      provider,
      originTxHash: null,
      destinationAddress: sandbox.user.address,
      refundAddress: refund,
      deposit: { amount: { raw: '1000000', formatted: '0.01' }, confirmations: null },
    })
    const hash = await paid(shown)
    const { exit, json, err } = await run(`swap execute ${shown.id} --json`)
    expect(exit, err).toBe(0)
    expect(json).toMatchObject({
      status: 'fulfilled',
      originTxHash: hash,
      deposit: {
        ...{ delivery: 'verified', confirmations: 1, paid: { raw: '1000000' }, note: null },
        ...{ address: null, memo: null, uri: null },
      },
    })
    expect(err).not.toContain(shown.deposit.address)
    const got = (await usdc()) - before
    expect(got).toBeGreaterThanOrEqual(BigInt(json.amounts.least.raw))
    const status = await run(`swap status ${shown.id} --btc-tx ${hash} --json`)
    expect(status.json).toMatchObject({
      status: 'fulfilled',
      originTxHash: hash,
      deposit: { delivery: 'verified' },
    })
    await documented(`swap status ${shown.id} --json`, status)
    for (const again of [`swap execute ${shown.id} --json`, `swap execute ${shown.id} --dry-run --json`])
      await documented(again, await run(again))
  })

  test('exits 25 with REFUNDED when the provider refunds the payment', async () => {
    const shown = await quoted(provider)
    await run('sandbox fault bitcoin-refund')
    await paid(shown)
    const { exit, json } = await run(`swap execute ${shown.id} --json`)
    expect({ exit, code: json.error.code }).toEqual({ exit: 25, code: 'REFUNDED' })
    expect(json.error.details).toMatchObject({ status: 'refunded' })
    expect((await run(`swap status ${shown.id} --watch --json`)).exit).toBe(25)
  })

  test('exits 25 with ARRIVED_SHORT when less than the minimum arrives', async () => {
    const shown = await quoted(provider)
    await run('sandbox fault bitcoin-short 3')
    await paid(shown)
    const { exit, json } = await run(`swap execute ${shown.id} --json`)
    expect({ exit, code: json.error.code }).toEqual({ exit: 25, code: 'ARRIVED_SHORT' })
    expect(json.error.details).toMatchObject({
      status: 'failed',
      deposit: {
        delivery: 'verified',
        note: expect.stringMatching(/^Only .* USDC arrived; the promised minimum is/),
      },
    })
    expect((await run(`action explain ${shown.id} --json`)).json).toMatchObject({
      situation: 'BRIDGE_SHORT',
      verdict: expect.stringMatching(/less than the minimum. Only .* USDC arrived; the promised minimum is/),
    })
  })

  test('exits 20 while the provider does not process the payment, and completes after that', async () => {
    const shown = await quoted(provider)
    await run('sandbox fault bitcoin-stuck')
    const hash = await paid(shown)
    const { exit, json } = await run(`swap execute ${shown.id} --json --timeout 3s`)
    expect({ exit, code: json.error.code }).toEqual({ exit: 20, code: 'PENDING' })
    expect(json.error.details).toMatchObject({ status: 'processing', originTxHash: hash })
    expect((await run(`action explain ${shown.id} --json`)).json).toMatchObject({
      situation: 'BRIDGE_WAITING',
      funds: `0.01 BTC was paid to ${shown.deposit.address} on Bitcoin.`,
      safeToRetry: false,
      next: `sluice swap status ${shown.id} --watch`,
    })
    await run('sandbox fault clear')
    expect((await run(`swap execute ${shown.id} --json`)).exit).toBe(0)
  })

  test.each([
    ['bitcoin-lies', 'the node of its chain does not show that transaction'],
    ['bitcoin-refund-lies', 'Bitcoin does not show it yet'],
  ])('exits 20 while no chain confirms the end that the provider reports (%s)', async (fault, note) => {
    const before = await usdc()
    const shown = await quoted(provider)
    await run(`sandbox fault ${fault}`)
    await paid(shown)
    const { exit, json } = await run(`swap execute ${shown.id} --json --timeout 1s`)
    expect({ exit, status: json.error.details.status }).toEqual({ exit: 20, status: 'processing' })
    expect(json.error.details.deposit.note).toContain(note)
    expect(await usdc()).toBe(before)
    expect((await run(`action explain ${shown.id} --json`)).json.situation).toBe('BRIDGE_WAITING')
    const later = 90 * 60_000
    expect((await run(`action explain ${shown.id} --json`, { later })).json).toMatchObject({
      situation: 'BRIDGE_STUCK',
      verdict: expect.stringMatching(
        new RegExp(
          `${note}. It was paid 9[01] minutes ago; the usual maximum is 60 minutes. Ask ${provider} with`,
        ),
      ),
      safeToRetry: false,
    })
    await run('sandbox fault clear')
    expect((await run(`swap execute ${shown.id} --json`)).exit).toBe(0)
    expect(await usdc()).toBeGreaterThan(before)
  })

  test('expires when the deposit is not paid in time', async () => {
    const shown = await quoted(provider)
    const later = 5 * 3_600_000
    expect((await run(`swap status ${shown.id} --json`)).json.status).toBe('pending')
    expect((await run(`swap status ${shown.id} --json`, { later })).json.status).toBe('expired')
    const { exit, json } = await run(`swap execute ${shown.id} --json`, { later })
    expect({ exit, code: json.error.code }).toEqual({ exit: 4, code: 'QUOTE_EXPIRED' })
    expect(json.error.hint).toContain(`If you paid it: sluice swap status ${shown.id} --watch`)
  })

  test('never shows payment details again once it is paid: pending, finished and expired', async () => {
    const shown = await quoted(provider)
    await run('sandbox fault bitcoin-unmined')
    const hash = await paid(shown)
    const { address, memo } = shown.deposit
    const isNotPayable = ({ out, err }: { out: string; err: string }) => {
      for (const text of [out, err])
        for (const payable of [address, memo ?? address, 'bitcoin:', 'exactly', '▀'])
          expect(text).not.toContain(payable)
    }
    const waiting = await run(`swap execute ${shown.id} --no-wait --yes`)
    isNotPayable(waiting)
    expect(waiting.exit).toBe(20)
    expect(waiting.err).toMatch(new RegExp(`paid +0.01 BTC by ${hash}`))
    expect(waiting.err).toContain(`the payment ${hash} is in no block yet`)
    const again = await run(`swap execute ${shown.id} --no-wait --yes --json`)
    isNotPayable(again)
    expect(again.json.error.details).toMatchObject({ originTxHash: hash, deposit: { confirmations: 0 } })
    const dry = await run(`swap execute ${shown.id} --dry-run`)
    isNotPayable(dry)
    expect(dry.out).toMatch(new RegExp(`paid +0.01 BTC by ${hash}`))
    await run('sandbox fault clear')
    const done = await run(`swap execute ${shown.id} --yes`)
    isNotPayable(done)
    expect(done.exit).toBe(0)
    const later = await run(`swap execute ${shown.id} --yes`, { later: 5 * 3_600_000 })
    isNotPayable(later)
    expect(later.exit).toBe(0)
  })

  test('follows the transaction that replaced the payment, and notes the replacement', async () => {
    const shown = await quoted(provider)
    await run('sandbox fault bitcoin-unmined')
    const first = await paid(shown)
    const waiting = await run(`swap status ${shown.id} --btc-tx ${first} --json`)
    expect(waiting.json).toMatchObject({
      status: 'pending',
      originTxHash: first,
      deposit: { confirmations: 0 },
    })
    const second = await paid(shown, '0.01', ['--replace', first])
    expect(second).not.toBe(first)
    const replaced = await run(`swap status ${shown.id} --btc-tx ${first} --json`)
    const note = `The transaction ${first} was not found: ${second} pays the same deposit and may have replaced it (RBF)`
    expect(replaced.json).toMatchObject({ originTxHash: second, deposit: { note } })
    await run('sandbox fault clear')
    expect((await run(`swap execute ${shown.id} --json`)).exit).toBe(0)
    expect((await run(`sandbox pay-bitcoin ${refund} 1 --replace ${second}`)).exit).toBe(2)
  })

  test('rejects an unknown, malformed or unrelated hash of --btc-tx with the reason', async () => {
    const shown = await quoted(provider)
    const ask = async (hash: string) =>
      (await run(`swap status ${shown.id} --btc-tx ${hash} --json`)).json.error
    expect(await ask('ab'.repeat(32))).toMatchObject({
      code: 'DEPOSIT_NOT_FOUND',
      message: expect.stringContaining('No transaction abab'),
      hint: expect.stringContaining('--btc-tx'),
    })
    expect(await ask('ab')).toMatchObject({
      code: 'DEPOSIT_NOT_FOUND',
      message: expect.stringContaining('64 hex'),
      hint: expect.stringContaining('--btc-tx HASH'),
    })
    const { json } = await run(`sandbox pay-bitcoin ${refund} 0.01 --json`)
    expect(await ask(json.txid)).toMatchObject({
      code: 'DEPOSIT_NOT_FOUND',
      message: `The transaction pays ${refund}, not the deposit address ${shown.deposit.address}`,
    })
  })
})

test('an underpaid 1Click deposit stays pending until the missing amount is paid, and explain names that amount', async () => {
  const shown = await quoted('near-intents')
  const hash = await paid(shown, '0.004')
  const { exit, json } = await run(`swap execute ${shown.id} --json --timeout 1s`)
  expect(exit).toBe(20)
  expect(json.error.details).toMatchObject({
    status: 'pending',
    originTxHash: hash,
    deposit: { paid: { formatted: '0.004' }, note: expect.stringContaining('less than the 0.01 BTC') },
  })
  const rest = '0.006 BTC is missing'
  const back = `the payment is refunded to ${refund}, less a fee`
  const until = `pay it to ${shown.deposit.address} before ${shown.deposit.until}, or ${back}`
  expect((await run(`action explain ${shown.id} --json`)).json).toMatchObject({
    situation: 'BRIDGE_WAITING',
    verdict: expect.stringContaining(`${rest}: ${until}.`),
  })
  const later = await run(`action explain ${shown.id} --json`, { later: 5 * 3_600_000 })
  expect(later.json.verdict).toContain(`${rest}, and the deadline has passed: ${back}.`)
  await paid(shown, '0.006')
  expect((await run(`swap execute ${shown.id} --json`)).json.status).toBe('fulfilled')
  // A finished swap is printed once.
  const again = await run(`swap execute ${shown.id}`)
  expect(again.out).toContain('fulfilled')
  expect(again.err).not.toContain('fulfilled')
})

test('a short payment to THORChain counts as overdue from the time of the payment', async () => {
  const shown = await quoted('thorchain')
  await run('sandbox fault bitcoin-stuck')
  await paid(shown, '0.004')
  expect((await run(`swap execute ${shown.id} --no-wait --json`)).exit).toBe(20)
  await run(`swap status ${shown.id} --watch --timeout 5s --json`)
  const { json } = await run(`action explain ${shown.id} --json`, { later: 90 * 60_000 })
  expect(json.verdict).toMatch(/It was paid 9[01] minutes ago/)
})

test('a payment to THORChain below the limit of the memo is refunded', async () => {
  const shown = await quoted('thorchain')
  await paid(shown, '0.004')
  const { exit, json } = await run(`swap execute ${shown.id} --json`)
  expect(exit).toBe(25)
  expect(json.error.details.deposit.note).toContain('less than the 0.01 BTC of the quote')
})

test('a payment to THORChain without the memo is found only by its hash, with a note', async () => {
  const shown = await quoted('thorchain')
  await run('sandbox fault bitcoin-stuck')
  const { json } = await run(`sandbox pay-bitcoin ${shown.deposit.address} 0.01 --json`)
  expect((await run(`swap status ${shown.id} --json`)).json.originTxHash).toBeNull()
  expect((await run(`swap status ${shown.id} --btc-tx ${json.txid} --json`)).json.deposit.note).toContain(
    'does not carry the memo',
  )
})

test('one payment with the memo of two THORChain quotes completes only one of them', async () => {
  const [one, other] = [await quoted('thorchain'), await quoted('thorchain')]
  expect(one.deposit.memo).toBe(other.deposit.memo)
  const hash = await paid(one)
  expect((await run(`swap execute ${one.id} --json`)).exit).toBe(0)
  const status = await run(`swap status ${other.id} --json`)
  expect(status.json).toMatchObject({ status: 'pending', originTxHash: null })
  const named = await run(`swap status ${other.id} --btc-tx ${hash} --json`)
  expect(named.json.error).toMatchObject({
    code: 'DEPOSIT_NOT_FOUND',
    message: expect.stringContaining(`the deposit of another quote, ${one.id}`),
  })
})

test('swap status finds a payment to THORChain behind 30 later payments to the same vault', async () => {
  const shown = await quoted('thorchain')
  await run('sandbox fault bitcoin-stuck')
  const hash = await paid(shown)
  for (let other = 0; other < 30; other++) await run(`sandbox pay-bitcoin ${shown.deposit.address} 0.0001`)
  expect((await run(`swap status ${shown.id} --json`)).json.originTxHash).toBe(hash)
})

test.each(['ETH', 'WETH', 'WBTC'])('THORChain delivers %s', async (symbol) => {
  const shown = await quoted('thorchain', flags.replace('USDC', symbol))
  await paid(shown)
  const { exit, json, err } = await run(`swap execute ${shown.id} --json`)
  expect({ exit, delivery: json.deposit?.delivery }, err).toEqual({ exit: 0, delivery: 'verified' })
})

test.each([0.1, 0.4, 2])(
  'a THORChain quote with a slippage of %d percent sets its minimum that far below the quoted output',
  async (percent) => {
    const { json, err } = await run(`swap quote ${flags} --provider thorchain --slippage ${percent}% --json`)
    const [out, least] = [json.tokenOut?.amount.raw, json.minAmountOut?.raw].map(Number) as [number, number]
    expect((out - least) / out, err).toBeCloseTo(percent / 100, 6)
  },
)

test('the error of a refused quote repeats the message of the provider', async () => {
  const { json } = await run(`swap quote ${flags.replace('0.01', '0.00001')} --provider near-intents --json`)
  expect(json.error).toMatchObject({
    code: 'QUOTE_GENERATION_FAILED',
    message: 'NEAR Intents 1Click refuses the amount: "Amount is too low for bridge, try at least 5000"',
    hint: 'Try a larger amount.',
    retryable: false,
  })
})

test('swap quote selects the highest output, and --compare ranks both providers', async () => {
  const best = await run(`swap quote ${flags} --json`)
  const { json } = await run(`swap quote ${flags} --compare --json`)
  expect(json.items.map(({ provider, rank }: Document) => [provider, rank])).toEqual([
    ['near-intents', 1],
    ['thorchain', 2],
  ])
  expect(best.json.provider).toBe('near-intents')
  // A quote that was only compared is not listed.
  expect((await run('swap list --from bitcoin --provider thorchain --json')).json.items).toEqual([])
  const { json: listed } = await run('swap list --from bitcoin --json')
  expect(listed.items).toHaveLength(1)
  expect(listed.items[0]).toMatchObject({
    from: { network: 'bitcoin', chainId: 8253038 },
    refundAddress: refund,
  })
})

test('--compare ranks a quote with a proven address before a higher unproven one, and shows the proofs', async () => {
  const { thornode } = sandbox.world.catalog().bitcoin!
  // A node that quotes twice the output.
  const generous = await serveLoopback(async (_, { pathname, search }) => {
    const body = (await (await fetch(`${thornode}${pathname}${search}`)).json()) as Document
    if (!pathname.endsWith('/quote/swap')) return { status: 200, body }
    const twice = (text: string) => String(2n * BigInt(text))
    const memo = body.memo.replace(/\d+$/, twice)
    return { status: 200, body: { ...body, memo, expected_amount_out: twice(body.expected_amount_out) } }
  })
  otherNode = generous.url
  try {
    const { json } = await withOther.run(`swap quote ${flags} --compare --json`)
    const items = json.items as Document[]
    expect(items.map(({ provider, lost }) => [provider, lost])).toEqual([
      ['near-intents', null],
      ['thorchain', 'nothing proves its address'],
    ])
    expect(BigInt(items[1]!.gross.raw)).toBeGreaterThan(BigInt(items[0]!.gross.raw))
    expect(items.map(({ proof }) => proof)).toEqual([
      'signature of the provider',
      'memo, all but the address',
    ])
    const { out } = await withOther.run(`swap quote ${flags} --compare`, { columns: 200 })
    expect(out).toContain('signature of the provider')
    expect(out).toContain('memo, all but the address')
  } finally {
    await generous.close()
  }
})

test('without --refund only THORChain quotes, and near-intents asks for --refund', async () => {
  const bare = flags.replace(` --refund ${refund}`, '')
  expect((await run(`swap quote ${bare} --json`)).json.provider).toBe('thorchain')
  expect((await run(`swap quote ${bare} --provider near-intents --json`)).json.error).toMatchObject({
    code: 'PREFERRED_PROVIDER_NOT_ELIGIBLE',
    hint: expect.stringContaining('--refund'),
  })
})

test('a dry run shows amount, late-payment terms and a payment URI, and for THORChain the memo without a URI', async () => {
  const one = await run(`swap execute ${flags} --provider near-intents --dry-run`)
  expect(one.exit).toBe(0)
  expect(one.out).toMatch(/pay +0\.01 BTC, exactly/)
  expect(one.out).toMatch(/uri +bitcoin:bcrt1\w+\?amount=0\.01/)
  expect(one.out).toMatch(
    /if late +A payment below the amount, or one that cannot be swapped, is refunded to/,
  )
  const other = await run(`swap execute ${flags} --provider thorchain --dry-run`)
  expect(other.out).toMatch(
    /memo +=:SANDONE\.USDC-\w{3}:0x70997970C51812dc3A010C7d01b50e0d17dc79C8:\d+ in an OP_RETURN/,
  )
  expect(other.out).not.toContain('uri')
})

test.each<[string, string, string, RegExp]>([
  [
    'a mainnet refund address',
    flags.replace(refund, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'),
    'INVALID_ADDRESS',
    /the Bitcoin chain of the sandbox/,
  ],
  [
    'a refund address with a wrong checksum',
    flags.replace(refund, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt081'),
    'USAGE',
    /checksum/,
  ],
  [
    'an EVM refund address',
    flags.replace(refund, '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'),
    'INVALID_ADDRESS',
    /must be an address/,
  ],
  ['an exact output', flags.replace('--amount-in 0.01', '--amount-out 5'), 'USAGE', /exact input/],
  ['no destination network', flags.replace('--to sandbox-one ', ''), 'USAGE', /which one/],
  ['a token other than BTC', flags.replace('BTC', 'DOGE'), 'UNKNOWN_TOKEN', /DOGE/],
  [
    'an unknown provider',
    `${flags} --provider nobody`,
    'INVALID_PREFERRED_PROVIDER',
    /Known: thorchain, near-intents/,
  ],
  [
    'a provider of other routes',
    `${flags} --provider uniswap-v3`,
    'PREFERRED_PROVIDER_NOT_ELIGIBLE',
    /does not serve this route for swaps from Bitcoin.*thorchain, near-intents/,
  ],
  ['an unknown token', flags.replace('USDC', 'BRLX'), 'UNKNOWN_TOKEN', /BRLX/],
  [
    'an amount below the minimum',
    flags.replace('0.01', '0.00001'),
    'QUOTE_GENERATION_FAILED',
    /minimum .* is 0\.0001 BTC/,
  ],
])('swap quote from Bitcoin refuses %s', async (_, line, code, message) => {
  const { json } = await run(`swap quote ${line} --json`)
  expect(json.error).toMatchObject({ code, message: expect.stringMatching(message) })
})

test('a swap from an EVM network refuses a Bitcoin refund address', async () => {
  const line = `swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --refund ${refund}`
  expect((await run(`${line} --json`)).exit).toBe(2)
})

describe('a swap from Bitcoin through a remote service', () => {
  const apiKey = 'key-bitcoin'
  const bitcoin = () => sandbox.world.catalog().bitcoin!
  let served: TestServer
  beforeEach(async () => {
    served = await serveTo(engineOn(sandbox).service, apiKey)
  })
  afterEach(() => served.close())
  const asked = (line: string) =>
    run(line, {
      env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: served.url },
      secrets: { privateKey: sandbox.user.key, apiKey },
    })

  // The client knows only the real Bitcoin here, so the terms of the sandbox fail its check.
  test.each([
    ['near-intents', /is not signed with its key/],
    ['thorchain', /not on this Bitcoin chain/],
  ])('refuses terms of %s that fail the check on this machine', async (provider, message) => {
    const line = `swap execute ${flags.replace(refund, '158gYbSooieRtN52drCxzvPdMQbH9jr2WV')} --provider ${provider} --idempotency-key not-believed-${provider}`
    const swapped = (await asked(`${line} --json`)).json.error
    expect(swapped.message).toMatch(/Bitcoin chain of the sandbox/)
    const bare = line.replace(/ --refund \w+/, provider === 'thorchain' ? '' : ` --refund ${refund}`)
    const { exit, json, err } = await asked(`${bare} --json`)
    expect({ exit, code: json.error?.code }, err).toEqual({ exit: 6, code: 'PROVIDER_API_ERROR' })
    expect(json.error.message).toMatch(message)
    expect(json.error.hint).toContain('If you paid it: sluice swap status ')
    expect(err).not.toContain('bcrt1q')
  })

  test('returns a quote and its pending status', async () => {
    expect(bitcoin().chain).toBe('test')
    const { json, err } = await asked(`swap quote ${flags} --json`)
    expect(json, err).toMatchObject({ provider: 'near-intents', refundAddress: refund })
    expect((await asked(`swap status ${json.id} --json`)).json).toMatchObject({
      status: 'pending',
      deposit: { amount: '1000000', paid: null },
    })
  })
})

test('qrCode returns a code only for a Unicode terminal that is wide enough', async () => {
  const to = { isTerminal: true, columns: 80 } as Stream
  const code = await qrCode('bitcoin:bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080?amount=0.01', to)
  expect(code!.split('\n').length).toBeGreaterThan(15)
  expect(code).toMatch(/^[█▀▄ \n]+$/)
  for (const other of [
    { ...to, isTerminal: false },
    { ...to, ascii: true },
    { ...to, columns: 20 },
  ])
    expect(await qrCode('bitcoin:bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', other)).toBeUndefined()
})

test('the dry run names both THORChain nodes when they agree on the address', async () => {
  const { out } = await withSecond.run(`swap execute ${flags} --provider thorchain --dry-run`)
  const { port } = new URL(sandbox.world.catalog().bitcoin!.thornode!)
  expect(out).toContain(`all but the address, which 127.0.0.1:${port} and localhost:${port} name`)
})

test('SLUICE_THORNODE_URL replaces the THORChain node, sets a second one after a comma, and requires https', async () => {
  const nodesOf = async (url?: string) => {
    const env = {
      SLUICE_RPC_BASE: 'http://127.0.0.1:1',
      ...(url !== undefined && { SLUICE_THORNODE_URL: url }),
    }
    const { bitcoin } = await knownCatalog(directories({ SLUICE_HOME: '/nowhere' }), env)
    return [bitcoin!.thornode, bitcoin!.secondThornode]
  }
  expect(await nodesOf()).toEqual(['https://gateway.liquify.com/chain/thorchain_api', null])
  expect(await nodesOf('https://one.example/')).toEqual(['https://one.example', null])
  expect(await nodesOf('https://one.example, https://two.example/api')).toEqual([
    'https://one.example',
    'https://two.example/api',
  ])
  for (const url of ['http://thornode.example', 'https://a.example,b', 'https://a.b,https://c.d,https://e.f'])
    await expect(nodesOf(url)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('SLUICE_THORNODE_URL'),
    })
})

test('SLUICE_ESPLORA_URL sets another Esplora API and requires https', async () => {
  const esploraOf = async (url?: string) => {
    const env = {
      SLUICE_RPC_BASE: 'http://127.0.0.1:1',
      ...(url !== undefined && { SLUICE_ESPLORA_URL: url }),
    }
    return (await knownCatalog(directories({ SLUICE_HOME: '/nowhere' }), env)).bitcoin!.esplora
  }
  expect(await esploraOf()).toBe('https://blockstream.info/api')
  expect(await esploraOf('https://mempool.space/api/')).toBe('https://mempool.space/api')
  await expect(esploraOf('http://mempool.space/api')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('SLUICE_ESPLORA_URL'),
  })
})
