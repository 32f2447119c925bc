import { keccak256 } from 'viem/utils'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readHead } from '../../../src/chain/head.ts'
import { failoverRpc, httpRpc } from '../../../src/chain/rpc/failover.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import { type Chain, startChain } from '../../support/anvil.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { type Provider, type ProviderCall, provider } from '../../support/nodes/proxy-node.ts'
import { planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { useHome } from '../../support/use-journal-and-chain.ts'

// Optional answers that some nodes do not give.

let chain: Chain
let node: Provider
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})
beforeAll(async () => {
  chain = await startChain()
  node = await provider(chain.url, () => undefined)
})
afterAll(async () => {
  await node?.close()
  await chain?.stop()
})
afterEach(async () => {
  await chain.rpc.request('evm_setAutomine', [true])
  await chain.rpc.request('evm_mine')
})

const pay = (id: string, more: Partial<Execution> = {}) =>
  run(journal, home, node.url, id, more).catch((error: unknown) => error)
const nonceOf = (id: string, at = 0) => journal.find(id)!.steps[at]!.nonce!

describe('a node that does not report pending transactions', () => {
  const unspoken = [{ error: { code: -32602, message: 'pending block is not available' } }, { result: null }]
  const refuses = (said: object) => {
    node.says = ({ method, params }: ProviderCall) =>
      method === 'eth_getTransactionCount' && params[1] === 'pending' ? said : undefined
  }

  it.each(unspoken)('pays with consecutive nonces (%o)', async (said) => {
    refuses(said)
    planPayments(journal, 'first', 2)
    expect(await pay('first')).toMatchObject({ state: 'DONE' })
    planPayments(journal, 'second')
    expect(await pay('second')).toMatchObject({ state: 'DONE' })
    expect(nonceOf('second')).toBe(nonceOf('first', 1) + 1)
  })

  it('queues a second operation behind the pending transaction of this journal', async () => {
    refuses(unspoken[0]!)
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, 'sent')
    expect(await pay('sent', { noWait: true })).toMatchObject({ code: 'PENDING' })
    planPayments(journal, 'behind')
    expect(await pay('behind', { noWait: true })).toMatchObject({ code: 'PENDING' })
    expect(nonceOf('behind')).toBe(nonceOf('sent') + 1)
  })

  it('is asked again after one failure, and a foreign pending transaction is not replaced', async () => {
    await chain.rpc.request('evm_setAutomine', [false])
    await chain.rpc.request('eth_sendTransaction', [{ from: signer.address, to: signer.address }])
    let fails = 1
    node.says = ({ method, params }: ProviderCall) =>
      method === 'eth_getTransactionCount' && params[1] === 'pending' && fails-- > 0
        ? { error: { code: -32603, message: 'Internal error' } }
        : undefined
    planPayments(journal, 'once')
    expect(await pay('once')).toMatchObject({ code: 'FOREIGN_PENDING' })
    refuses(unspoken[0]!)
    expect(await pay('once')).toMatchObject({ code: 'FOREIGN_PENDING' })
    expect(attemptsOf(journal, 'once', 0)).toHaveLength(0)
  })

  it.each([
    ['fails to report them', { error: { code: -32000, message: 'execution aborted' } }],
    ['is behind', { result: '0x0' }],
  ])('pays with a second endpoint that %s', async (_, said) => {
    refuses(unspoken[0]!)
    const other = await provider(chain.url, ({ method, params }) =>
      method === 'eth_getTransactionCount' && params[1] === 'pending' ? said : undefined,
    )
    planPayments(journal, 'beside')
    const both = failoverRpc([node.url, other.url], { retries: 0 })
    expect(await pay('beside', { rpc: () => both })).toMatchObject({ state: 'DONE' })
    await other.close()
  })

  it('signs nothing behind a transaction that this journal signed and never sent', async () => {
    refuses(unspoken[0]!)
    planPayments(journal, 'signed')
    const { transaction } = journal.find('signed')!.steps[0]!
    const nonce = Number(await chain.rpc.request('eth_getTransactionCount', [signer.address, 'latest']))
    const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n }
    const raw = await signer.signTransaction({ type: 'eip1559', ...transaction, ...fees, nonce })
    journal.reserveNonce('signed', 0, nonce, 1)
    journal.recordSigned('signed', 0, { hash: keccak256(raw), raw, kind: 'run', nonce, transaction, ...fees })
    planPayments(journal, 'next')
    expect(await pay('next')).toMatchObject({
      code: 'FOREIGN_PENDING',
      message: expect.stringContaining('signed is signed but has not reached'),
    })
  })
})

describe('a node that does not estimate gas', () => {
  const says = (message: string) => {
    node.says = ({ method }: ProviderCall) =>
      method === 'eth_estimateGas' ? { error: { code: -32603, message } } : undefined
  }

  it('pays with the gas limit of the preceding simulation', async () => {
    says('Internal error')
    planPayments(journal, 'tried')
    expect(await pay('tried', { beforeLeg: async () => [33_333n] })).toMatchObject({ state: 'DONE' })
    expect(attemptsOf(journal, 'tried', 0)).toMatchObject([{ gas: 33_333n }])
  })

  it.each([
    ['Internal error', 'RPC_UNREACHABLE', /Internal error/],
    ['upstream timeout', 'RPC_UNREACHABLE', /upstream timeout/],
    ['execution reverted: no', 'SIMULATION_REVERTED', /^It would fail: execution reverted: no$/],
    [
      'gas required exceeds allowance (25000000)',
      'SIMULATION_REVERTED',
      /^It would fail: 25000000 gas is not enough for it$/,
    ],
    ['insufficient funds for transfer', 'INSUFFICIENT_FUNDS', /cannot pay/],
  ])('fails an unsimulated payment with the error for its message: %s', async (words, code, message) => {
    says(words)
    planPayments(journal, 'untried')
    expect(await pay('untried')).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(attemptsOf(journal, 'untried', 0)).toHaveLength(0)
  })
})

it('a transaction that no node has accepted is reported as signed and not yet accepted', async () => {
  node.says = ({ method }: ProviderCall) =>
    method === 'eth_sendRawTransaction' ? { status: 502 } : undefined
  planPayments(journal, 'untaken')
  expect(await pay('untaken', { noWait: true })).toMatchObject({
    code: 'PENDING',
    message: 'The transaction is signed, but no node has confirmed yet that it accepted it',
    hint: 'sluice action resume untaken',
  })
  node.says = () => undefined
  expect(await pay('untaken')).toMatchObject({ state: 'DONE' })
})

it('a transaction that the node calls too cheap to replace itself counts as known', async () => {
  await chain.rpc.request('evm_setAutomine', [false])
  node.says = async ({ method, params }, ask) => {
    if (method !== 'eth_sendRawTransaction') return undefined
    await ask(method, params)
    return { error: { code: -32000, message: 'replacement transaction underpriced' } }
  }
  planPayments(journal, 'itself')
  expect(await pay('itself', { noWait: true })).toMatchObject({ hint: 'sluice action resume itself' })
  expect(attemptsOf(journal, 'itself', 0)).toMatchObject([{ lastAnswer: { is: 'known' } }])
})

it('a block without a miner field is accepted', async () => {
  node.says = async ({ method, params }, ask) => {
    if (method !== 'eth_getBlockByNumber') return undefined
    const { miner: _, ...block } = (await ask(method, params)) as { miner?: string }
    return { result: block }
  }
  const head = await readHead(httpRpc(node.url), 31337)
  expect(head).not.toHaveProperty('miner')
  expect(head.baseFee).toBeGreaterThan(0n)
  planPayments(journal, 'unmade')
  expect(await pay('unmade')).toMatchObject({ state: 'DONE' })
})
