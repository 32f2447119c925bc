import { beforeAll, expect, test, vi } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { findNonceUse } from '../../../src/transactions/nonces/nonce-use.ts'
import { payee, signer } from '../../support/payments/payment-operation.ts'
import { usePlace } from '../../support/use-journal-and-chain.ts'

const place = usePlace()
let paid: string
let at: number
beforeAll(async () => {
  const { rpc } = place.chain
  paid = await rpc.request<string>('eth_sendTransaction', [{ from: signer.address, to: payee }])
  const receipt = () => rpc.request<{ blockNumber: string } | null>('eth_getTransactionReceipt', [paid])
  at = Number((await vi.waitUntil(receipt, { timeout: 60_000 }))!.blockNumber)
})

/** A node without eth_getTransactionBySenderAndNonce, which counts the requests by method. */
function plain(refusal: 'RPC_ERROR' | 'RPC_UNREACHABLE' = 'RPC_ERROR') {
  const asked: Record<string, number> = {}
  const request = async (method: string, params: readonly unknown[] = []) => {
    asked[method] = (asked[method] ?? 0) + 1
    if (method === 'eth_getTransactionBySenderAndNonce') throw new AppError(refusal, 'not here')
    return place.chain.rpc.request(method, params)
  }
  return { asked, rpc: { ...place.chain.rpc, request } as ChainClient }
}

test('a free nonce is found with one transaction count', async () => {
  const { rpc, asked } = plain()
  expect(await findNonceUse(rpc, signer.address, 1)).toEqual({ is: 'free' })
  expect(asked).toEqual({ eth_getTransactionCount: 1 })
})

test.each(['RPC_ERROR', 'RPC_UNREACHABLE'] as const)(
  'a used nonce is found with its transaction, by the node or in the newest blocks when the node answers %s',
  async (refusal) => {
    const used = { is: 'used', hash: paid, at }
    expect(await findNonceUse(place.chain.rpc, signer.address, 0)).toEqual(used)
    expect(await findNonceUse(plain(refusal).rpc, signer.address, 0)).toEqual(used)
  },
)

test('transactions without a sender do not stop the search', async () => {
  const { rpc } = plain()
  const odd = [{ hash: '0x01', from: null }, { hash: '0x02' }]
  const request: ChainClient['request'] = async (method, params) => {
    const answer = await rpc.request<{ transactions?: unknown[] } | null>(method, params)
    return (
      answer?.transactions ? { ...answer, transactions: [...odd, ...answer.transactions] } : answer
    ) as never
  }
  expect(await findNonceUse({ ...rpc, request }, signer.address, 0)).toMatchObject({ hash: paid })
})

test('a nonce used more than 64 blocks ago is used without a known transaction', async () => {
  await place.chain.rpc.request('anvil_mine', ['0x80'])
  const { rpc, asked } = plain()
  expect(await findNonceUse(rpc, signer.address, 0)).toEqual({ is: 'unnamed' })
  expect(asked.eth_getBlockByNumber).toBe(64)
})
