import { describe, expect, test } from 'vitest'
import { AppError } from '../../../src/domain/errors.ts'
import { bitcoinStatus } from '../../../src/engine/quotes/bitcoin-status.ts'
import { findQuote } from '../../../src/engine/quotes/stored-quote.ts'
import type { QuoteRow } from '../../../src/store/engine/action-tables.ts'
import type { BitcoinReader, BitcoinTransaction } from '../../../src/swaps/bitcoin-chain.ts'
import type { DepositProgress } from '../../../src/swaps/deposit-provider.ts'
import { engineOn } from '../../support/engine.ts'
import { useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

// What a provider says of a deposit is its word: Bitcoin and the chain that is paid out on say what counts.

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
  /** How much older than the quote the block of the deposit is. */
  olderMs?: number
  /** The hash of the deposit, who it spends from, and what else is on Bitcoin. */
  deposit?: string
  senders?: string[]
  others?: BitcoinTransaction[]
  typed?: string
}

/** A quote of a provider as an engine keeps it. */
async function quoted(name: string, { service, context } = engineOn(sandbox)) {
  const { quote } = await service.quote({
    originChain: 'bitcoin',
    chainIdOut: 31337,
    tokenIn: '0x0000000000000000000000000000000000000000',
    tokenOut: sandbox.token(31337, 'USDC').address,
    amountIn: 1_000_000n,
    destinationAddress: friend as never,
    refundAddress: refund,
    preferredProvider: name,
  } as never)
  const row: QuoteRow = (await findQuote(context, quote.id))!
  const { address, memo } = JSON.parse(row.offer).raw.deposit as { address: string; memo: string | null }
  return { name, row, context, address, memo }
}

/** The status of a quote by what its provider and Bitcoin say. */
async function statusOf(
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
  return bitcoinStatus(late, { ...row, offer: JSON.stringify(offer) }, seen.typed)
}

const statusWhen = async (name: string, says: DepositProgress, seen: Seen = {}) =>
  statusOf(await quoted(name), says, seen)

/** Pays USDC to the recipient of the quotes, and gives the transaction once it is final. */
async function payout(to = friend): Promise<DepositProgress> {
  const data = calldata('function transfer(address,uint256)', [to, 900_000_000n])
  const { transactionHash: destination } = await sandbox.sendAs(31337, sandbox.user.address, {
    to: sandbox.token(31337, 'USDC').address,
    data,
  })
  for (const { rpc } of sandbox.world.chains) await rpc.request('anvil_mine', ['0x40'])
  return { status: 'fulfilled', destination }
}

/** A payment on Bitcoin that may be a refund of the deposit, which is in block 5. */
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

describe('a provider that says that it paid out', () => {
  test('and names no transaction is still waited for', async () => {
    const { status, deposit } = await statusWhen('near-intents', { status: 'fulfilled' })
    expect(status).toBe('processing')
    expect(deposit?.note).toContain('names no transaction')
  })

  test('of what nobody has paid is not believed', async () => {
    const { status, deposit } = await statusWhen('near-intents', { status: 'fulfilled' }, { of: nothing })
    expect(status).toBe('pending')
    expect(deposit?.note).toContain('no deposit is on Bitcoin')
  })

  test('while the node of its chain is silent is still waited for', async () => {
    const destination = `0x${'12'.repeat(32)}`
    const says = { status: 'fulfilled', destination } as const
    expect((await statusWhen('near-intents', says, { rpc: 'down' })).status).toBe('processing')
  })

  test('by a payment from before the quote is not believed', async () => {
    const says = await payout()
    expect(await statusWhen('near-intents', says)).toMatchObject({ status: 'fulfilled' })
    const { status, deposit } = await statusWhen('near-intents', says, { laterMs: 3_600_000 })
    expect(status).toBe('processing')
    expect(deposit?.note).toContain('a payment from before the quote')
  })

  test('by a transaction that pays the recipient nothing is still waited for', async () => {
    const { status, deposit } = await statusWhen('near-intents', await payout(sandbox.user.address))
    expect(status).toBe('processing')
    expect(deposit?.note).toContain('a transaction that pays the recipient nothing')
  })

  test('by a payment that ended another quote is still waited for, and that quote stays ended', async () => {
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

  test('two quotes at the same moment by one payment has ended one of them', async () => {
    const engine = engineOn(sandbox)
    const quotes = [await quoted('near-intents', engine), await quoted('near-intents', engine)]
    const says = await payout()
    const found = await Promise.all(
      quotes.map((one, at) => statusOf(one, says, { deposit: txid(at === 0 ? 'ab' : 'ac') })),
    )
    expect(found.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'processing'])
  })

  test('of a deposit that ended another quote of the same memo has ended one of them', async () => {
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
    // A newer payment with the memo is that of the other quote: this one keeps its own.
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

describe('a provider that says that it paid back', () => {
  const says = { status: 'refunded' } as const

  test('what nobody has paid is not believed', async () => {
    const { status } = await statusWhen('near-intents', says, { of: nothing })
    expect(status).toBe('pending')
  })

  test('is believed once Bitcoin shows it', async () => {
    const waiting = await statusWhen('near-intents', says)
    expect(waiting).toMatchObject({ status: 'processing' })
    expect(waiting.deposit?.note).toContain('Bitcoin does not show it yet')
  })

  const due = { others: [back(998_500n)] }

  test.each<[string, BitcoinTransaction, string]>([
    ['all but the fee', back(998_500n), 'refunded'],
    ['half of what is due', back(499_250n), 'refunded'],
    ['less than half of what is due', back(499_249n), 'processing'],
    ['what is in no block', back(998_500n, { height: null }), 'processing'],
    ['what is in a block before the deposit', back(998_500n, { height: 4 }), 'processing'],
    [
      'what goes to another address',
      back(998_500n, { outputs: [{ address: 'x', value: 998_500n }] }),
      'processing',
    ],
  ])('%s: that counts as it should', async (_, other, word) => {
    expect((await statusWhen('near-intents', says, { others: [other] })).status).toBe(word)
  })

  test('by a payment that ended another quote is still waited for', async () => {
    const engine = engineOn(sandbox)
    const [one, other] = [await quoted('near-intents', engine), await quoted('near-intents', engine)]
    expect(await statusOf(one, says, due)).toMatchObject({
      status: 'refunded',
      deposit: { note: `Paid back: 0.009985 BTC to ${refund} in ${txid('cd')}` },
    })
    const late = { ...due, deposit: txid('ac') }
    expect((await statusOf(other, says, late)).status).toBe('processing')
    // Of one transaction that pays both back, each quote gets its own output.
    const outputs = [998_500n, 998_501n].map((value) => ({ address: refund, value }))
    const both = { deposit: txid('ac'), others: [back(0n, { outputs })] }
    expect((await statusOf(other, says, both)).deposit?.note).toContain('0.00998501 BTC')
    expect((await statusOf(one, says, due)).status).toBe('refunded')
  })

  test('among more payments than are read is told as one that may be there', async () => {
    const busy: BitcoinReader['addressHistory'] = async (asked) =>
      asked === refund
        ? history([], true)
        : history([back(1_000_000n, { outputs: [{ address: asked, value: 1_000_000n }] })])
    const { status, deposit } = await statusWhen('near-intents', says, { of: busy })
    expect(status).toBe('processing')
    expect(deposit?.note).toContain('only the newest 0 payments there were looked through')
  })

  test('to the sender counts by the transaction that it names, which pays the sender', async () => {
    const named = { ...says, destination: txid('CD') }
    const seen = { senders: [refund] }
    expect(await statusWhen('thorchain', named, { ...seen, ...due })).toMatchObject({
      status: 'refunded',
      deposit: { delivery: null, note: expect.stringContaining('Paid back: 0.009985 BTC') },
    })
    for (const other of [seen, { senders: ['x'], ...due }, { ...seen, others: [back(400_000n)] }])
      expect((await statusWhen('thorchain', named, other)).status).toBe('processing')
    expect((await statusWhen('thorchain', says, { ...seen, ...due })).status).toBe('processing')
  })

  test('to the sender, whose address nobody has named, is told as its word', async () => {
    const { status, deposit } = await statusWhen('thorchain', says)
    expect({ status, delivery: deposit?.delivery }).toEqual({ status: 'refunded', delivery: 'reported' })
  })
})

describe('a deposit that is not found', () => {
  test('has expired only where somebody could look', async () => {
    const says = { status: 'waiting' } as const
    expect((await statusWhen('near-intents', says, { of: nothing, isLate: true })).status).toBe('expired')
    expect((await statusWhen('near-intents', says, { of: down, isLate: true })).status).toBe('pending')
    // Which payments with its memo are older is not known.
    const unsure = { of: nothing, isLate: true, earlier: null } as const
    const unknown = await statusWhen('thorchain', says, unsure)
    expect(unknown.status).toBe('pending')
    expect(unknown.deposit?.note).toContain('Name the payment by its hash')
    const cut = { of: async () => history([], true), isLate: true } as const
    const { status, deposit } = await statusWhen('thorchain', says, cut)
    expect(status).toBe('pending')
    expect(deposit?.note).toContain('Only the newest 0 payments of the address were looked through')
  })

  test('is none that is in a block from before the quote', async () => {
    const says = { status: 'waiting' } as const
    const hour = 3_600_000
    expect((await statusWhen('thorchain', says, { olderMs: 2 * hour })).originTxHash).toBe(txid('ab'))
    expect((await statusWhen('thorchain', says, { olderMs: 4 * hour })).originTxHash).toBeNull()
  })

  test('is found at an address of its own, though Bitcoin was silent at the quote', async () => {
    const { status, originTxHash } = await statusWhen(
      'near-intents',
      { status: 'waiting' },
      { earlier: null },
    )
    expect({ status, originTxHash }).toEqual({ status: 'confirmed', originTxHash: txid('ab') })
  })
})

test('an offer whose address is the word of its service is shown as one', async () => {
  const shown = await run(`swap execute ${flags} --provider thorchain --dry-run`)
  expect(shown.out).toContain('proved by memo, all but the address, which is the word of its service')
})
