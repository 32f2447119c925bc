import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { networkHealth } from '../../src/app/serving/network-availability.ts'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { failoverRpc, httpRpc } from '../../src/chain/rpc/failover.ts'
import { listener } from '../support/services/listener.ts'

const names = ['one', 'two', 'three']
/** A node that answers after so many milliseconds. */
const after = (ms: number): ChainClient => ({
  host: 'node',
  peers: [],
  request: async () => sleep(ms) as never,
  batch: async () => [await sleep(ms)],
})

test('slow() lists the networks a request waits for, or every slow one while it waits for another request', async () => {
  const { watch, within, slow } = networkHealth(
    names.map((name) => ({ name })),
    undefined,
  )
  const ask = (name: string, ms: number) => watch({ name }, after(ms)).request('eth_call')
  const [mine, theirs, waiting, done] = [{}, {}, {}, {}]
  const asked = [
    within(mine, async () => {
      await ask('three', 5)
      await ask('one', 2_600)
    }),
    within(theirs, () => ask('two', 2_600)),
    within(done, () => ask('three', 5)),
  ]
  expect(slow(mine)).toEqual([])
  await sleep(2_200)
  expect([mine, theirs, waiting].map((one) => slow(one).toSorted())).toEqual([
    ['one'],
    ['two'],
    ['one', 'two'],
  ])
  await Promise.all(asked)
  expect(slow(waiting)).toEqual([])
})

test('an oversized response leaves its network up, and each endpoint is asked once', async () => {
  let asked = 0
  const huge = `{"jsonrpc":"2.0","id":1,"result":"${'0'.repeat(9_000_000)}"}`
  const node = await listener((_, response) => {
    asked++
    response.setHeader('content-type', 'application/json').end(huge)
  })
  const lines: string[] = []
  const { watch, states } = networkHealth([{ name: 'one' }], { write: (line) => void lines.push(line) })
  const all = [
    httpRpc(node.url, { deadlineMs: 20_000 }),
    failoverRpc([node.url, `${node.url}/other`], { deadlineMs: 20_000 }),
  ]
  for (const rpc of all)
    await expect(watch({ name: 'one' }, rpc).request('eth_getBlockByNumber')).rejects.toMatchObject({
      details: { fault: 'too-large' },
    })
  await node.close()
  expect(asked).toBe(3)
  expect([lines, states()]).toEqual([[], [{ network: 'one', isUp: true }]])
})
