import { describe, expect, test } from 'vitest'
import { AppError } from '../../../src/domain/errors.ts'
import { bitcoinStatus } from '../../../src/engine/quotes/bitcoin-status.ts'
import { findQuote } from '../../../src/engine/quotes/stored-quote.ts'
import { swapStatus } from '../../../src/engine/quotes/swap-status.ts'
import type { QuoteRow } from '../../../src/store/engine/action-tables.ts'
import type { BitcoinReader, BitcoinTransaction } from '../../../src/swaps/bitcoin-reader.ts'
import type { DepositProgress } from '../../../src/swaps/deposit-provider.ts'
import { engineOn } from '../../support/engine.ts'
import { useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

// The status that a provider reports is a claim only: Bitcoin and the payout chain decide.

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const flags = `--from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund ${refund}`
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const txid = (digits: string) => digits.repeat(32)

const history = (transactions: BitcoinTransaction[], isCutOff = false) => ({ transactions, isCutOff })

type Seen = {
  of?: BitcoinReader['addressHistory']
  earlier?: null
  isLate?: true
  laterMs?: number
  rpc?: 'down'
  /** By how much the block of the deposit is older than the quote. */
  olderMs?: number
  /** The hash of the deposit, its senders, and other Bitcoin transactions. */
  deposit?: string
  senders?: string[]
  others?: BitcoinTransaction[]
  typed?: string
}

/** A quote of a provider, as stored by an engine. */
async function quoted(
  name: string,
  { service, context } = engineOn(sandbox),
  tokenOut = sandbox.token(31337, 'USDC').address as string,
) {
  const { quote } = await service.quote({
    originChain: 'bitcoin',
    chainIdOut: 31337,
    tokenIn: '0x0000000000000000000000000000000000000000',
    tokenOut,
    amountIn: 1_000_000n,
    destinationAddress: friend as never,
    refundAddress: refund,
    preferredProvider: name,
  } as never)
  const row: QuoteRow = (await findQuote(context, quote.id))!
  const { address, memo } = JSON.parse(row.offer).raw.deposit as { address: string; memo: string | null }
  return { name, row, context, address, memo }
}

/** The status of a quote, from the answers of its provider and of Bitcoin. */
async function statusOf(...[quote, says, seen = {}]: Parameters<typeof reading>) {
  const { context, row } = reading(quote, says, seen)
  return bitcoinStatus(context, row, seen.typed)
}

/** A quote, and a context with these answers. */
function reading(
  { name, row: found, context, address, memo }: Awaited<ReturnType<typeof quoted>>,
  says: DepositProgress,
  seen: Seen = {},
) {
  const row = { ...found, createdAt: found.createdAt + (seen.laterMs ?? 0) }
  const offer = JSON.parse(row.offer)
  if (seen.earlier === null) offer.raw.earlier = null
  const deposit: BitcoinTransaction = {
    txid: seen.deposit ?? txid('ab'),
    outputs: [{ address, value: 1_000_000n }],
    memo,
    height: 5,
    time: row.createdAt - (seen.olderMs ?? 0),
    senders: seen.senders ?? [],
  }
  const all = [...(seen.others ?? []), deposit]
  const bitcoin: BitcoinReader = {
    addressHistory:
      seen.of ??
      (async (asked) =>
        history(all.filter(({ outputs }) => outputs.some((output) => output.address === asked)))),
    transaction: async (hash) => all.find((one) => one.txid === hash),
    confirmations: async () => 3,
  }
  const provider = {
    ...context.deposits!.providers.find((one) => one.name === name)!,
    status: async () => says,
  }
  const known = { ...context, deposits: { ...context.deposits!, bitcoin, providers: [provider] } }
  if (seen.rpc === 'down')
    known.chain = () => {
      throw new AppError('RPC_UNREACHABLE', 'nobody answers')
    }
  const late = seen.isLate ? { ...known, now: () => row.expiresAt + 1 } : known
  return { context: late, row: { ...row, offer: JSON.stringify(offer) } }
}

const statusWhen = async (name: string, says: DepositProgress, seen: Seen = {}) =>
  statusOf(await quoted(name), says, seen)

/** Pays USDC to the recipient of the quotes; returns the final transaction as the report of a provider. */
async function payout(to = friend): Promise<DepositProgress> {
  const data = calldata('function transfer(address,uint256)', [to, 900_000_000n])
  const { transactionHash: destination } = await sandbox.sendAs(31337, sandbox.user.address, {
    to: sandbox.token(31337, 'USDC').address,
    data,
  })
  for (const { rpc } of sandbox.world.chains) await rpc.request('anvil_mine', ['0x40'])
  return { status: 'fulfilled', destination }
}

/** A Bitcoin payment that may be a refund of the deposit, which is in block 5. */
const back = (value: bigint, changed: Partial<BitcoinTransaction> = {}): BitcoinTransaction => ({
  txid: txid('cd'),
  outputs: [{ address: refund, value }],
  memo: null,
  height: 5,
  time: Date.now(),
  senders: [],
  ...changed,
})

const nothing: BitcoinReader['addressHistory'] = async () => history([])
const down: BitcoinReader['addressHistory'] = async () => {
  throw new AppError('PROVIDER_API_ERROR', 'down')
}

describe('a payout that the provider reports', () => {
  test('without a transaction stays processing', async () => {
    const { status, deposit } = await statusWhen('near-intents', { status: 'fulfilled' })
    expect(status).toBe('processing')
    expect(deposit?.note).toContain('names no transaction')
  })

  test.each(['fulfilled', 'failed'] as const)(
    'as %s, where Bitcoin shows a refund instead, is no outcome, and the refund is named',
    async (status) => {
      const found = await statusWhen('near-intents', { status }, { others: [back(998_500n)] })
      expect(found.status).toBe(status === 'failed' ? 'reported' : 'processing')
      expect(found.deposit?.note).toContain(`Paid back: 0.009985 BTC to ${refund} in ${txid('cd')}`)
      const none = await statusWhen('near-intents', { status }, { others: [back(499_249n)] })
      expect(none.deposit?.note).not.toContain('Paid back')
    },
  )

  test('without a deposit on Bitcoin stays pending', async () => {
    const { status, deposit } = await statusWhen('near-intents', { status: 'fulfilled' }, { of: nothing })
    expect(status).toBe('pending')
    expect(deposit?.note).toContain('Bitcoin shows no deposit')
  })

  test('stays processing while the node of its chain is unreachable', async () => {
    const destination = `0x${'12'.repeat(32)}`
    const says = { status: 'fulfilled', destination } as const
    expect((await statusWhen('near-intents', says, { rpc: 'down' })).status).toBe('processing')
  })

  test('by a payment from before the quote stays processing', async () => {
    const one = await quoted('near-intents')
    const says = await payout()
    expect(await statusOf(one, says)).toMatchObject({ status: 'fulfilled' })
    const { status, deposit } = await statusWhen('near-intents', says, { laterMs: 3_600_000 })
    expect(status).toBe('processing')
    expect(deposit?.note).toContain('a payment from before the quote')
  })

  test.each<[string, number, string, string | undefined]>([
    ['by minutes', 600_000, 'reported', 'fulfilled'],
    ['by four hours', 4 * 3_600_000, 'processing', undefined],
  ])('by a payment that is older than the deposit %s ends nothing', async (_, ms, status, reported) => {
    const one = await quoted('near-intents')
    const { deposit, ...found } = await statusOf(one, await payout(), { olderMs: -ms })
    expect({ status: found.status, reported: found.reported }).toEqual({ status, reported })
    expect(deposit?.note).toMatch(/older than the deposit|before the deposit/)
  })

  test('by a transaction of the recipient itself stays processing', async () => {
    const engine = engineOn(sandbox)
    const one = await quoted('near-intents', engine)
    const data = calldata('function transfer(address,uint256)', [friend, 1n])
    await payout()
    const { transactionHash: destination } = await sandbox.sendAs(31337, friend, {
      to: sandbox.token(31337, 'USDC').address,
      data,
    })
    for (const { rpc } of sandbox.world.chains) await rpc.request('anvil_mine', ['0x40'])
    expect((await statusOf(one, { status: 'fulfilled', destination })).status).toBe('processing')
  })

  test('of the coin through a contract is verified by the balance of the recipient', async () => {
    const coin = await quoted('thorchain', engineOn(sandbox), '0x0000000000000000000000000000000000000000')
    const { rpc } = sandbox.chain(31337)
    // A contract that passes its coins to the recipient.
    const payer = '0x00000000000000000000000000000000000c0ffe'
    const code = `0x6000600060006000345af1`.replace('345a', `3473${friend.slice(2).toLowerCase()}5a`)
    await rpc.request('anvil_setCode', [payer, code])
    const sent = await sandbox.sendAs(31337, sandbox.user.address, { to: payer, value: 10n ** 18n })
    for (const chain of sandbox.world.chains) await chain.rpc.request('anvil_mine', ['0x40'])
    const says = { status: 'fulfilled', destination: sent.transactionHash } as const
    const { status, deposit } = await statusOf(coin, says)
    expect({ status, delivery: deposit?.delivery, note: deposit?.note }).toMatchObject({
      status: 'fulfilled',
      delivery: 'verified',
    })
  })

  test('by a transaction that pays the recipient nothing stays processing', async () => {
    const { status, deposit } = await statusWhen('near-intents', await payout(sandbox.user.address))
    expect(status).toBe('processing')
    expect(deposit?.note).toContain('a transaction that pays the recipient nothing')
  })

  test('by the payment of another quote stays processing, and the other quote stays fulfilled', async () => {
    const engine = engineOn(sandbox)
    const [one, other] = [await quoted('near-intents', engine), await quoted('near-intents', engine)]
    const says = await payout()
    expect((await statusOf(one, says)).status).toBe('fulfilled')
    const { status, deposit } = await statusOf(other, says, { deposit: txid('ac') })
    expect(status).toBe('processing')
    expect(deposit?.note).toContain(`a payment that ended the quote ${one.row.id}`)
    expect((await statusOf(one, says)).status).toBe('fulfilled')
    expect((await statusOf(other, await payout(), { deposit: txid('ac') })).status).toBe('fulfilled')
  })

  test('with one payment for two concurrent quotes fulfils one of them', async () => {
    const engine = engineOn(sandbox)
    const quotes = [await quoted('near-intents', engine), await quoted('near-intents', engine)]
    const says = await payout()
    const found = await Promise.all(
      quotes.map((one, at) => statusOf(one, says, { deposit: txid(at === 0 ? 'ab' : 'ac') })),
    )
    expect(found.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'processing'])
  })

  test('for the deposit of another quote with the same memo stays pending', async () => {
    const engine = engineOn(sandbox)
    const [one, other] = [await quoted('thorchain', engine), await quoted('thorchain', engine)]
    expect(one.memo).toBe(other.memo)
    const says = await payout()
    expect((await statusOf(one, says)).status).toBe('fulfilled')
    expect(await statusOf(other, says)).toMatchObject({ status: 'pending', originTxHash: null })
    await expect(statusOf(other, says, { typed: txid('ab') })).rejects.toMatchObject({
      code: 'DEPOSIT_NOT_FOUND',
      message: `The transaction ${txid('ab')} is the deposit of another quote, ${one.row.id}`,
    })
    // A newer payment with the memo belongs to the other quote; the first quote keeps its own.
    const newer = {
      ...back(0n),
      txid: txid('ac'),
      memo: one.memo,
      outputs: [{ address: one.address, value: 1n }],
    }
    expect((await statusOf(one, says, { others: [newer] })).originTxHash).toBe(txid('ab'))
    expect((await statusOf(other, says, { others: [newer] })).originTxHash).toBe(txid('ac'))
  })
})

test('a payout of a part with a refund of the rest is short, and names both transactions and amounts', async () => {
  const one = await quoted('near-intents')
  const offer = JSON.parse(one.row.offer)
  const row = { ...one.row, offer: JSON.stringify({ ...offer, minAmountOut: '900000001' }) }
  const says = { destination: (await payout()).destination! }
  const found = await statusOf(
    { ...one, row },
    { status: 'fulfilled', ...says, refund: txid('CD') },
    { others: [back(400_000n)] },
  )
  expect(found).toMatchObject({ status: 'failed', destinationTxHash: says.destination })
  expect(found.deposit?.note).toMatch(/Only 900 USDC arrived; the promised minimum is 900.000001 USDC/)
  expect(found.deposit?.note).toContain(`The rest was paid back: 0.004 BTC to ${refund} in ${txid('cd')}`)
})

test('a failure that the provider reports is not an outcome', async () => {
  const found = await statusWhen('near-intents', { status: 'failed' })
  expect(found).toMatchObject({ status: 'reported', reported: 'failed' })
})

describe('a refund that the provider reports', () => {
  const says = { status: 'refunded' } as const

  test('without a deposit on Bitcoin stays pending', async () => {
    const { status } = await statusWhen('near-intents', says, { of: nothing })
    expect(status).toBe('pending')
  })

  test('stays processing while Bitcoin does not show it', async () => {
    const waiting = await statusWhen('near-intents', says)
    expect(waiting).toMatchObject({ status: 'processing' })
    expect(waiting.deposit?.note).toContain('Bitcoin does not show it yet')
  })

  const due = { others: [back(998_500n)] }

  test.each<[string, BitcoinTransaction, string]>([
    ['by a payment of all but the fee is refunded', back(998_500n), 'refunded'],
    ['by a payment of half the due amount is refunded', back(499_250n), 'refunded'],
    ['by a payment of less than half the due amount stays processing', back(499_249n), 'processing'],
    ['by an unconfirmed payment stays processing', back(998_500n, { height: null }), 'processing'],
    [
      'by a payment in a block before the deposit stays processing',
      back(998_500n, { height: 4 }),
      'processing',
    ],
    [
      'by a payment to another address stays processing',
      back(998_500n, { outputs: [{ address: 'x', value: 998_500n }] }),
      'processing',
    ],
  ])('%s', async (_, other, word) => {
    expect((await statusWhen('near-intents', says, { others: [other] })).status).toBe(word)
  })

  test('by the refund of another quote stays processing', async () => {
    const engine = engineOn(sandbox)
    const [one, other] = [await quoted('near-intents', engine), await quoted('near-intents', engine)]
    expect(await statusOf(one, says, due)).toMatchObject({
      status: 'refunded',
      deposit: { note: `Paid back: 0.009985 BTC to ${refund} in ${txid('cd')}` },
    })
    const late = { ...due, deposit: txid('ac') }
    expect((await statusOf(other, says, late)).status).toBe('processing')
    // If one transaction refunds both, each quote has its own output.
    const outputs = [998_500n, 998_501n].map((value) => ({ address: refund, value }))
    const both = { deposit: txid('ac'), others: [back(0n, { outputs })] }
    expect((await statusOf(other, says, both)).deposit?.note).toContain('0.00998501 BTC')
    expect((await statusOf(one, says, due)).status).toBe('refunded')
  })

  test('stays processing when the refund address has more payments than are read', async () => {
    const busy: BitcoinReader['addressHistory'] = async (asked) =>
      asked === refund
        ? history([], true)
        : history([back(1_000_000n, { outputs: [{ address: asked, value: 1_000_000n }] })])
    const { status, deposit } = await statusWhen('near-intents', says, { of: busy })
    expect(status).toBe('processing')
    expect(deposit?.note).toContain('only the newest 0 payments there were searched')
  })

  test('to the sender counts by the transaction that it names, if that pays the sender', async () => {
    const named = { ...says, destination: txid('CD') }
    const seen = { senders: [refund] }
    expect(await statusWhen('thorchain', named, { ...seen, ...due })).toMatchObject({
      status: 'refunded',
      deposit: { delivery: null, note: expect.stringContaining('Paid back: 0.009985 BTC') },
    })
    for (const other of [seen, { senders: ['x'], ...due }, { ...seen, others: [back(400_000n)] }])
      expect((await statusWhen('thorchain', named, other)).status).toBe('processing')
    expect((await statusWhen('thorchain', says, { ...seen, ...due })).status).toBe('processing')
    // Without a name, a payment with the memo of the refund counts.
    const memo = `REFUND:${txid('AB')}`
    const marked = { ...seen, others: [back(998_500n, { memo })] }
    expect((await statusWhen('thorchain', says, marked)).status).toBe('refunded')
  })

  test('to an unknown sender is reported as the provider states it', async () => {
    const { status, deposit } = await statusWhen('thorchain', says)
    expect({ status, delivery: deposit?.delivery }).toEqual({ status: 'reported', delivery: 'reported' })
  })
})

describe('the search for a deposit', () => {
  test('expires the quote only when Bitcoin could be read completely', async () => {
    const says = { status: 'waiting' } as const
    expect((await statusWhen('near-intents', says, { of: nothing, isLate: true })).status).toBe('expired')
    expect((await statusWhen('near-intents', says, { of: down, isLate: true })).status).toBe('pending')
    // It is unknown which payments with the memo are older than the quote.
    const unsure = { of: nothing, isLate: true, earlier: null } as const
    const unknown = await statusWhen('thorchain', says, unsure)
    expect(unknown.status).toBe('pending')
    expect(unknown.deposit?.note).toContain('Name the payment by its hash')
    const cut = { of: async () => history([], true), isLate: true } as const
    const { status, deposit } = await statusWhen('thorchain', says, cut)
    expect(status).toBe('pending')
    expect(deposit?.note).toContain('Only the newest 0 payments of the address were searched')
  })

  test('accepts a payment from two hours before the quote, and none from four hours before', async () => {
    const says = { status: 'waiting' } as const
    const hour = 3_600_000
    expect((await statusWhen('thorchain', says, { olderMs: 2 * hour })).originTxHash).toBe(txid('ab'))
    expect((await statusWhen('thorchain', says, { olderMs: 4 * hour })).originTxHash).toBeNull()
  })

  test('finds a deposit at its own address although Bitcoin was unreachable at the quote', async () => {
    const { status, originTxHash } = await statusWhen(
      'near-intents',
      { status: 'waiting' },
      { earlier: null },
    )
    expect({ status, originTxHash }).toEqual({ status: 'confirmed', originTxHash: txid('ab') })
  })
})

test('a dry run says when the deposit address is only claimed by its service', async () => {
  const shown = await run(`swap execute ${flags} --provider thorchain --dry-run`)
  expect(shown.out).toContain('proved by memo, all but the address, which only its service names')
})

test('each status of a swap from Bitcoin is told once, in order, by whoever reads it', async () => {
  const one = await quoted('near-intents')
  const { id } = one.row
  const end = await payout()
  for (const says of [
    { status: 'waiting' },
    { status: 'processing' },
    { status: 'processing' },
    end,
    end,
  ] as const)
    await swapStatus(reading(one, says).context, { id })
  const { store, customer } = one.context
  await store.numberEvents(customer)
  const events = await store.events(customer, { after: 0, types: null, since: null, limit: 10 })
  expect(events.map(({ type, subject, data }) => [type, subject, JSON.parse(data).status])).toEqual([
    ['swap.status_changed', `quote:${id}`, 'confirmed'],
    ['swap.status_changed', `quote:${id}`, 'processing'],
    ['swap.status_changed', `quote:${id}`, 'fulfilled'],
  ])
})
