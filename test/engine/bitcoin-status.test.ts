import { describe, expect, test } from 'vitest'
import { AppError } from '../../src/domain/errors.ts'
import { bitcoinStatus } from '../../src/engine/quotes/bitcoin-status.ts'
import { findQuote } from '../../src/engine/quotes/stored-quote.ts'
import type { QuoteRow } from '../../src/store/engine/migrations.ts'
import type { Bitcoin, BitcoinTransaction, DepositProgress } from '../../src/swaps/deposit.ts'
import { useCommands } from '../support/run.ts'
import { calldata, useSandbox } from '../support/sandbox.ts'
import { engineOn } from './support.ts'

// What a provider says of a deposit is its word: Bitcoin and the chain that is paid out on say what counts.

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const flags = `--from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund ${refund}`
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const txid = (digits: string) => digits.repeat(32)

const history = (transactions: BitcoinTransaction[], isCutOff = false) => ({ transactions, isCutOff })

type Seen = {
  of?: Bitcoin['of']
  earlier?: null
  isLate?: true
  laterMs?: number
  rpc?: 'down'
  /** How much older than the quote the block of the deposit is. */
  olderMs?: number
}

/** A quote of a provider as the engine keeps it, and its status by what provider and Bitcoin say. */
async function statusWhen(name: string, says: DepositProgress, seen: Seen = {}) {
  const { service, context } = engineOn(sandbox)
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
  const found: QuoteRow = (await findQuote(context, quote.id))!
  const row = { ...found, createdAt: found.createdAt + (seen.laterMs ?? 0) }
  const offer = JSON.parse(row.offer)
  if (seen.earlier === null) offer.raw.earlier = null
  const { address, memo } = offer.raw.deposit as { address: string; memo: string | null }
  const deposit: BitcoinTransaction = {
    txid: txid('ab'),
    outputs: [{ address, value: 1_000_000n }],
    memo,
    height: 5,
    time: row.createdAt - (seen.olderMs ?? 0),
    senders: [],
  }
  const bitcoin: Bitcoin = {
    of: seen.of ?? (async (asked) => history(asked === address ? [deposit] : [])),
    transaction: async () => undefined,
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
  return bitcoinStatus(late, { ...row, offer: JSON.stringify(offer) }, undefined)
}

const nothing: Bitcoin['of'] = async () => history([])
const down: Bitcoin['of'] = async () => {
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
    const { address } = sandbox.token(31337, 'USDC')
    const data = calldata('function transfer(address,uint256)', [friend, 900_000_000n])
    const { transactionHash: destination } = await sandbox.sendAs(31337, sandbox.user.address, {
      to: address,
      data,
    })
    for (const { rpc } of sandbox.world.chains) await rpc.request('anvil_mine', ['0x40'])
    const says = { status: 'fulfilled', destination } as const
    expect(await statusWhen('near-intents', says)).toMatchObject({ status: 'fulfilled' })
    const { status, deposit } = await statusWhen('near-intents', says, { laterMs: 3_600_000 })
    expect(status).toBe('processing')
    expect(deposit?.note).toContain('a payment from before the quote')
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
    expect((await statusWhen('thorchain', says, unsure)).status).toBe('pending')
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
