import { describe, expect, it } from 'vitest'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import type { ProviderCall } from '../../support/nodes/proxy-node.ts'
import { oneCoin, payee, planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { paidOn, usePlace } from '../../support/use-journal-and-chain.ts'

// A false receipt names a real block: a transaction is included only if that block lists it.

const place = usePlace()

type Ask = (method: string, params: unknown[]) => Promise<unknown>

const pay = (url: string, more: Partial<Execution> = {}) =>
  run(place.journal, place.home, url, 'paid', { timeoutMs: 1_500, ...more }).catch((error: unknown) => error)

/** A node that reports every sent transaction as included in the newest block and, with `lists`, lists it there. */
const inventing = ({ status, lists }: { status: string; lists: boolean }) => {
  let at: { number: string; hash: string } | undefined
  const hashes: unknown[] = []
  return place.through(async ({ method, params }: ProviderCall, ask: Ask) => {
    if (method === 'eth_sendRawTransaction')
      at = (await ask('eth_getBlockByNumber', ['latest', false])) as typeof at
    if (method === 'eth_getTransactionReceipt' && at) {
      hashes.push(params[0])
      return {
        result: {
          transactionHash: params[0],
          transactionIndex: '0x0',
          from: signer.address,
          to: payee,
          blockNumber: at.number,
          blockHash: at.hash,
          status,
          gasUsed: '0x5208',
          effectiveGasPrice: '0x1',
          logs: [],
        },
      }
    }
    if (!lists || method !== 'eth_getBlockByNumber' || !at) return undefined
    const block = (await ask(method, params)) as { number: string; transactions: unknown[] } | null
    if (block?.number !== at.number) return undefined
    return { result: { ...block, transactions: [...hashes, ...block.transactions] } }
  })
}

const planned = async () => {
  await place.chain.rpc.request('evm_setAutomine', [false])
  planPayments(place.journal, 'paid')
}
const mined = () => place.chain.rpc.request('evm_setAutomine', [true])
const state = () => place.journal.find('paid')!.steps[0]!.state

describe('a false receipt', () => {
  it('in a block that does not list the transaction is not accepted, and the payment continues', async () => {
    await planned()
    const before = await paidOn(place.chain)
    const node = await inventing({ status: '0x1', lists: false })
    expect(await pay(node.url)).toMatchObject({ code: 'PENDING' })
    expect(state()).toBe('BROADCAST')
    await mined()
    await place.chain.rpc.request('evm_mine')
    expect(await pay(place.chain.url)).toMatchObject({ state: 'DONE' })
    expect(await paidOn(place.chain)).toBe(before + oneCoin)
  })

  it('accepted from one node is corrected once another node is asked', async () => {
    await planned()
    const before = await paidOn(place.chain)
    const node = await inventing({ status: '0x1', lists: true })
    expect(await pay(node.url)).toMatchObject({ state: 'DONE' })
    await place.chain.rpc.request('anvil_dropAllTransactions')
    expect(await pay(place.chain.url)).toMatchObject({ code: 'PENDING' })
    await mined()
    await place.chain.rpc.request('evm_mine')
    expect(await pay(place.chain.url)).toMatchObject({ state: 'DONE' })
    expect(await paidOn(place.chain)).toBe(before + oneCoin)
  })

  it('accepted and not final does not delay the payment', async () => {
    await planned()
    const before = await paidOn(place.chain)
    const deep = { networks: sandboxNetworks.map((network) => ({ ...network, depth: 50 })) }
    const node = await inventing({ status: '0x1', lists: true })
    expect(await pay(node.url, deep)).toMatchObject({ code: 'PENDING' })
    expect(state()).toBe('INCLUDED')
    await place.chain.rpc.request('anvil_dropAllTransactions')
    await mined()
    expect(await pay(place.chain.url)).toMatchObject({ state: 'DONE' })
    expect(await paidOn(place.chain)).toBe(before + oneCoin)
  })

  it('of a revert is corrected, too: the signed payment is pending and can be cancelled', async () => {
    await planned()
    const before = await paidOn(place.chain)
    const node = await inventing({ status: '0x0', lists: true })
    expect(await pay(node.url)).toMatchObject({ code: 'REVERTED' })
    expect(await pay(place.chain.url)).toMatchObject({
      code: 'PENDING',
      hint: expect.stringContaining('action cancel'),
    })
    await place.chain.rpc.request('anvil_dropAllTransactions')
    await mined()
    expect(await pay(place.chain.url, { replacement: 'cancel' })).toMatchObject({ code: 'CANCELLED' })
    expect(await paidOn(place.chain)).toBe(before)
  })
})
