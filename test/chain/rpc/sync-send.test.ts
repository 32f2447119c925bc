import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failoverRpc, httpRpc } from '../../../src/chain/rpc/failover.ts'
import { learnSyncSends, syncSendMethod } from '../../../src/chain/rpc/sync-send.ts'
import { type FakeNode, fakeNode } from '../../support/nodes/scripted-node.ts'

const bytes = '0x02'
const hash = `0x${'ab'.repeat(32)}`
const receipt = { transactionHash: hash, blockNumber: '0x5', blockHash: `0x${'cd'.repeat(32)}` }
const missing = { error: { code: -32601, message: 'Method not found' } }
const noBytes = { error: { code: -32602, message: 'missing value for required argument 0' } }

let nodes: FakeNode[]
beforeEach(async () => {
  nodes = [await fakeNode(), await fakeNode()]
})
afterEach(async () => {
  for (const node of nodes) await node.stop()
})

/** Sets what a node answers when probed for the method and when sent bytes; `undefined` is no answer. */
function says(at: number, { asked, sent }: { asked: object; sent?: object | undefined }): void {
  nodes[at]!.answer = ({ id, method, params = [] }, response) => {
    const answer = method === 'eth_sendRawTransaction' ? { result: hash } : params.length === 0 ? asked : sent
    if (answer) response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  }
}
const send = async (rpc = httpRpc(nodes[0]!.url)) => {
  learnSyncSends(rpc)
  await expect.poll(() => nodes[0]!.seen).toEqual([syncSendMethod])
  // The answer to the probe arrives before the next one.
  await rpc.request(syncSendMethod)
  return rpc.request(syncSendMethod, [bytes])
}

describe('a node with eth_sendRawTransactionSync (EIP-7966)', () => {
  it('returns the receipt in one request', async () => {
    says(0, { asked: noBytes, sent: { result: receipt } })
    expect(await send()).toEqual(receipt)
    expect(nodes[0]!.seen).toEqual([syncSendMethod, syncSendMethod])
  })

  it('is probed once, and receives a plain send if it lacks the method', async () => {
    says(0, { asked: missing })
    expect(await send()).toBe(hash)
    expect(nodes[0]!.seen).toEqual([syncSendMethod, 'eth_sendRawTransaction'])
  })

  it('returns the hash when it reports a confirmation timeout', async () => {
    says(0, { asked: noBytes, sent: { error: { code: 4, message: 'timeout', data: hash } } })
    expect(await send()).toBe(hash)
    expect(nodes[0]!.seen).toEqual([syncSendMethod, syncSendMethod])
  })

  it.each([
    ['answers with another error', { error: { code: -32603, message: 'Transaction confirmation timeout' } }],
    ['does not answer in time', undefined],
  ])('is sent the same bytes with a plain send when it %s', async (_, sent) => {
    says(0, { asked: noBytes, sent })
    expect(await send()).toBe(hash)
    expect(nodes[0]!.seen.at(-1)).toBe('eth_sendRawTransaction')
  })

  it('provides the receipt though another endpoint accepts the bytes sooner, and both get them', async () => {
    says(0, { asked: noBytes, sent: { result: receipt } })
    says(1, { asked: missing })
    expect(await send(failoverRpc(nodes.map(({ url }) => url)))).toEqual(receipt)
    expect(nodes[1]!.seen.at(-1)).toBe('eth_sendRawTransaction')
  })

  it('is still used for reads after it did not answer a send', async () => {
    says(0, { asked: noBytes })
    says(1, { asked: missing })
    const rpc = failoverRpc(nodes.map(({ url }) => url))
    await send(rpc)
    nodes[0]!.answer = ({ id }, response) =>
      void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x7' }))
    expect(await rpc.request('eth_blockNumber')).toBe('0x7')
  })
})
