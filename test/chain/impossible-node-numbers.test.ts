import { describe, expect, it } from 'vitest'
import { readHead } from '../../src/chain/head.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import type { Execution } from '../../src/transactions/run.ts'
import { attemptsOf } from '../support/attempts-of.ts'
import type { ProviderCall } from '../support/nodes/proxy-node.ts'
import { planPayments, run, signer } from '../support/payments/payment-operation.ts'
import { paidOn, usePlace } from '../support/use-journal-and-chain.ts'

// Impossible numbers in answers are neither stored nor used in calculations.

const place = usePlace()

const pay = (id: string, url: string, more: Partial<Execution> = {}) =>
  run(place.journal, place.home, url, id, { timeoutMs: 1_500, ...more }).catch((error: unknown) => error)

type Ask = (method: string, params: unknown[]) => Promise<unknown>

/** A node whose answers to a method have some fields replaced. */
const bent =
  (method: string, fields: Record<string, unknown>) =>
  async ({ method: asked, params }: ProviderCall, ask: Ask) => {
    if (asked !== method) return undefined
    const said = await ask(asked, params)
    return said === null ? undefined : { result: { ...(said as object), ...fields } }
  }

describe('impossible numbers from a node', () => {
  it.each([
    { blockNumber: '0x1000000000000000' },
    { gasUsed: '0x20000000000000' },
    { effectiveGasPrice: `0x1${'0'.repeat(32)}` },
    { blockNumber: '-0x1' },
    { transactionIndex: '0x' },
  ])('in a receipt are not accepted, and another node completes the payment (%o)', async (fields) => {
    const node = await place.through(bent('eth_getTransactionReceipt', fields))
    planPayments(place.journal, 'paid')
    expect(await pay('paid', node.url)).toMatchObject({ code: 'PENDING' })
    expect(place.journal.list()).toHaveLength(1)
    const before = await paidOn(place.chain)
    expect(await pay('paid', place.chain.url)).toMatchObject({ state: 'DONE' })
    expect(await paidOn(place.chain)).toBe(before)
  })

  it.each([
    ['eth_getBlockByNumber', {}],
    ['eth_getBlockByNumber', { number: '0x20000000000000', timestamp: '0x1', hash: `0x${'11'.repeat(32)}` }],
    ['eth_getBlockByNumber', { number: '0x1', timestamp: '-0x1', hash: `0x${'11'.repeat(32)}` }],
    ['eth_getTransactionCount', '0x'],
    ['eth_getTransactionCount', '-0x1'],
    ['eth_getTransactionCount', '0x20000000000000'],
    ['eth_estimateGas', '0x'],
  ])('before a signature are RPC_INCONSISTENT, and nothing is signed (%s: %o)', async (method, result) => {
    const node = await place.through((call) => (call.method === method ? { result } : undefined))
    planPayments(place.journal, 'refused')
    expect(await pay('refused', node.url)).toMatchObject({ code: 'RPC_INCONSISTENT' })
    expect(attemptsOf(place.journal, 'refused', 0)).toHaveLength(0)
  })

  it('do not include upper-case hex, a pending block or the nonce field of a block', async () => {
    const node = await place.through(bent('eth_getBlockByNumber', { nonce: '0xFFFFFFFFFFFFFFFF' }))
    const rpc = httpRpc(node.url)
    expect(await readHead(rpc, 31337)).toMatchObject({ hash: expect.stringMatching(/^0x/) })
    expect(await rpc.request('eth_getBlockByNumber', ['pending', false])).toBeTruthy()
    expect(await rpc.request('eth_getTransactionReceipt', [`0x${'00'.repeat(32)}`])).toBeNull()
    node.says = ({ method }) => (method === 'eth_getTransactionCount' ? { result: '0x1A' } : undefined)
    expect(await rpc.request('eth_getTransactionCount', [signer.address, 'latest'])).toBe('0x1a')
  })

  it('do not include upper-case hex in any answer: the payment is made with one attempt', async () => {
    const loud = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value).replace(/"0x([0-9a-f]+)"/g, (_, hex: string) => `"0x${hex.toUpperCase()}"`),
      )
    const node = await place.through(async ({ method, params }, ask) => {
      if (method === 'eth_sendRawTransaction') return undefined
      return { result: loud((await ask(method, params)) ?? null) }
    })
    planPayments(place.journal, 'loud')
    expect(await pay('loud', node.url, { timeoutMs: 5_000 })).toMatchObject({ state: 'DONE' })
    expect(attemptsOf(place.journal, 'loud', 0)).toHaveLength(1)
  })
})
