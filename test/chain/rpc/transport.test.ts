import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failoverRpc, httpRpc } from '../../../src/chain/rpc/failover.ts'
import { type Chain, startChain } from '../../support/anvil.ts'
import { type FaultyRpc, startFaultyRpc } from '../../support/nodes/faulty-rpc.ts'
import type { Act } from '../../support/nodes/rpc-faults.ts'
import { payee, signer } from '../../support/payments/payment-operation.ts'

let chain: Chain
let proxy: FaultyRpc
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())
beforeEach(async () => {
  proxy = await startFaultyRpc(chain.url)
})
afterEach(() => proxy.stop())

/** Acts without a complete answer: only the deadline ends the exchange, so it is short for them. */
const endless: Act[] = ['hang', 'slow-drip']
const patient = (act: Act) =>
  endless.includes(act)
    ? { deadlineMs: 600, retries: 1, budgetMs: 3_000 }
    : { deadlineMs: 10_000, retries: 1, budgetMs: 20_000 }
/** For a read that must succeed on a busy machine, after a first endless exchange. */
const answered = (act: Act) => ({
  ...patient(act),
  deadlineMs: Math.max(2_000, patient(act).deadlineMs),
  budgetMs: 20_000,
})

/** Faults that leave no valid answer, not even "null". */
const silences = [
  'drop-request',
  'drop-response',
  '429',
  '502',
  '502-after',
  'html200',
  'empty200',
  '204',
  'redirect',
  'wrong-id',
  'wrong-version',
  'no-result',
  'both',
  'truncated',
  'slow-drip',
  'hang',
  'huge',
  'deep',
] as const satisfies Act[]

/** Faults after which a retry at the same endpoint cannot help. */
const lasting: Act[] = ['redirect', 'huge', 'deep']

const refusals = [
  ['error-known', 'already known'],
  ['error-nonce-low', 'nonce too low'],
  ['error-underpriced', 'replacement transaction underpriced'],
  ['error-fee', 'max fee per gas less than block base fee'],
  ['error-funds', 'insufficient funds for gas * price + value'],
] as const satisfies [Act, string][]

const reads = {
  eth_getTransactionReceipt: [`0x${'11'.repeat(32)}`],
  eth_getBlockByNumber: ['0x0', false],
} as const
const batch = [
  ['eth_chainId', []],
  ['eth_getTransactionCount', [payee, 'latest']],
  ['eth_getBalance', [payee, 'latest']],
] as const

/** A signed payment of the test wallet with its next nonce. */
async function signed(): Promise<string> {
  const nonce = Number(await chain.rpc.request('eth_getTransactionCount', [signer.address, 'pending']))
  return signer.signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce,
    to: payee,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
  })
}

describe.each(silences)('%s', (act) => {
  it.each(Object.entries(reads))('is no answer to %s', async (method, params) => {
    proxy.rules = [{ method, always: true, act }]
    await expect(httpRpc(proxy.url, patient(act)).request(method, params)).rejects.toMatchObject({
      code: 'RPC_UNREACHABLE',
    })
    expect(proxy.calls).toHaveLength(lasting.includes(act) ? 1 : 2)
  })

  it('is no answer to a batch that contains the affected call', async () => {
    proxy.rules = [{ method: 'eth_getTransactionCount', always: true, act }]
    await expect(httpRpc(proxy.url, patient(act)).batch(batch)).rejects.toMatchObject({
      code: 'RPC_UNREACHABLE',
    })
  })

  it('is no answer to a signed transaction, which is sent once', async () => {
    proxy.rules = [{ method: 'eth_sendRawTransaction', always: true, act }]
    const sending = httpRpc(proxy.url, patient(act)).request('eth_sendRawTransaction', [await signed()])
    await expect(sending).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
    expect(proxy.sends).toHaveLength(1)
    expect(proxy.passed.length).toBeLessThanOrEqual(1)
  })

  it('is handled by a retry, where one can help', async () => {
    const method = 'eth_getBlockByNumber'
    proxy.rules = [{ method, nth: 1, act }]
    const asking = httpRpc(proxy.url, answered(act)).request(method, reads[method])
    if (lasting.includes(act)) await expect(asking).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
    else expect(await asking).toEqual(await chain.rpc.request(method, reads[method]))
  })

  it('is handled by another endpoint', async () => {
    const method = 'eth_getBlockByNumber'
    proxy.rules = [{ method, always: true, act }]
    const several = failoverRpc([proxy.url, chain.url], { ...answered(act), retries: 0 })
    expect(await several.request(method, reads[method])).toEqual(
      await chain.rpc.request(method, reads[method]),
    )
    expect(proxy.calls).toHaveLength(1)
  })
})

describe.each(refusals)('%s', (act, message) => {
  const refused = { code: 'RPC_ERROR', details: { code: -32000, message, data: null } }

  it('is the answer to a read, which is not retried', async () => {
    proxy.rules = [{ method: 'eth_call', always: true, act }]
    await expect(httpRpc(proxy.url, patient(act)).request('eth_call', [{}])).rejects.toMatchObject(refused)
    expect(proxy.calls).toHaveLength(1)
  })

  it('is the answer to a batch that contains it', async () => {
    proxy.rules = [{ method: 'eth_getBalance', always: true, act }]
    await expect(httpRpc(proxy.url, patient(act)).batch(batch)).rejects.toMatchObject(refused)
  })

  it('is the answer to a signed transaction', async () => {
    proxy.rules = [{ method: 'eth_sendRawTransaction', always: true, act }]
    const sending = httpRpc(proxy.url, patient(act)).request('eth_sendRawTransaction', [await signed()])
    await expect(sending).rejects.toMatchObject(refused)
    expect(proxy.sends).toHaveLength(1)
  })
})

describe('a node that answers 429 with Retry-After', () => {
  const inTwoMinutes = new Date(Date.now() + 10 * 60_000).toUTCString()
  it.each<[value: string, waitMs: number | undefined]>([
    ['3', 3_000],
    [' 3 ', 3_000],
    ['2.5', 2_500],
    ['0', 1_000],
    ['0.001', 1_000],
    ['119', 119_000],
    ['99999999', 120_000],
    ['99999999999999999999', 120_000],
    [inTwoMinutes, 120_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 1_000],
    ['-5', undefined],
    ['1e9', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('%j sets the wait in the error, and is not awaited beyond the time budget', async (value, waitMs) => {
    proxy.rules = [{ method: 'eth_chainId', always: true, act: '429', value }]
    const error = await httpRpc(proxy.url, { deadlineMs: 800, retries: 1, budgetMs: 900 })
      .request('eth_chainId')
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'RPC_UNREACHABLE', details: { status: 429 } })
    expect((error as { details: { retryAfterMs?: number } }).details.retryAfterMs).toBe(waitMs)
    expect(proxy.calls).toHaveLength(waitMs === undefined ? 2 : 1)
  })
})

describe('a slow node', () => {
  it.each([
    ['is awaited within the deadline', 50, true],
    ['is not awaited beyond the deadline', 400, false],
  ])('%s', async (_, value, isAnswered) => {
    proxy.rules = [{ method: 'eth_chainId', always: true, act: 'latency', value }]
    const asking = httpRpc(proxy.url, { deadlineMs: isAnswered ? 10_000 : 250, retries: 1 }).request(
      'eth_chainId',
    )
    if (isAnswered) expect(await asking).toBe('0x7a69')
    else await expect(asking).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
  })
})
