import { afterEach, describe, expect, it } from 'vitest'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import { hexQuantity } from '../../../src/chain/rpc/quantities.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import type { Chain } from '../../support/anvil.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { type Provider, provider } from '../../support/nodes/proxy-node.ts'
import { oneCoin, payee, planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { paidOn, useChain, useHome } from '../../support/use-journal-and-chain.ts'

let chain: Chain
let home: string
let journal: Journal
useChain((made) => {
  chain = made
})
useHome((made) => {
  ;({ home, journal } = made)
})
afterEach(async () => {
  await chain.rpc.request('evm_setAutomine', [true])
  await chain.rpc.request('evm_mine')
})

const outcome = (id: string, more: Partial<Execution> = {}) =>
  run(journal, home, chain.url, id, more).catch((error: unknown) => error)
const count = async () =>
  Number(await chain.rpc.request('eth_getTransactionCount', [signer.address, 'latest']))
const attempts = (id: string) => attemptsOf(journal, id, 0)
/** Sends another transaction of the wallet with the lowest fee that the chain accepts, so that one with a usual fee would replace it. */
async function sendCheap(to = signer.address, value = 7n): Promise<string> {
  const { baseFeePerGas } = await chain.rpc.request<{ baseFeePerGas: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const fees = { maxFeePerGas: baseFeePerGas, maxPriorityFeePerGas: '0x1' }
  const call = { from: signer.address, to, value: hexQuantity(value), gas: '0x5208' }
  return chain.rpc.request<string>('eth_sendTransaction', [{ ...call, ...fees }])
}

async function answering(says: Provider['says'], work: (url: string) => Promise<void>): Promise<void> {
  const node = await provider(chain.url, says)
  try {
    await work(node.url)
  } finally {
    await node.close()
  }
}

describe('a nonce reserved by a process that has died', () => {
  const reserved = async (id: string): Promise<number> => {
    const nonce = await count()
    planPayments(journal, id)
    journal.reserveNonce(id, 0, nonce, Number(await chain.rpc.request('eth_blockNumber')))
    return nonce
  }

  it('is not signed with while a foreign transaction with it is pending, which stays in place', async () => {
    const nonce = await reserved('reserved')
    await chain.rpc.request('evm_setAutomine', [false])
    const hash = await sendCheap()
    for (const more of [{}, { pinnedNonces: { 31337: nonce } }])
      expect(await outcome('reserved', { noWait: true, ...more })).toMatchObject({ code: 'FOREIGN_PENDING' })
    expect(attempts('reserved')).toEqual([])
    await chain.rpc.request('evm_mine')
    expect(await chain.rpc.request('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
    await chain.rpc.request('evm_setAutomine', [true])
    expect(await outcome('reserved')).toMatchObject({ state: 'DONE', steps: [{ nonce: nonce + 1 }] })
  })

  it('is not signed with if it is pinned and in use, even by the same call', async () => {
    const nonce = await reserved('pinned')
    const before = await paidOn(chain)
    await chain.rpc.request('evm_setAutomine', [false])
    const hash = await sendCheap(payee, oneCoin)
    const pinned = { pinnedNonces: { 31337: nonce }, noWait: true }
    expect(await outcome('pinned', pinned)).toMatchObject({ code: 'FOREIGN_PENDING', details: { hash } })
    await chain.rpc.request('evm_mine')
    expect(await outcome('pinned', pinned)).toMatchObject({ code: 'NONCE_USED', details: { hash } })
    expect(attempts('pinned')).toEqual([])
    expect((await paidOn(chain)) - before).toBe(oneCoin)
  })

  it('is used when no transaction is pending, also with a node that does not report pending ones', async () => {
    const quiet: Provider['says'] = ({ method, params }) =>
      method === 'eth_getTransactionBySenderAndNonce' || params[1] === 'pending'
        ? { error: { code: -32601, message: 'no such method' } }
        : undefined
    const nonce = await reserved('quiet')
    await answering(quiet, async (url) => {
      expect(await outcome('quiet', { rpc: () => httpRpc(url) })).toMatchObject({
        state: 'DONE',
        steps: [{ nonce }],
      })
    })
  })
})
