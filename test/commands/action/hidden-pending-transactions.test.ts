import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { startFaultyRpc } from '../../support/nodes/faulty-rpc.ts'
import { laggingNode } from '../../support/nodes/lagging-node.ts'
import { usePayments } from '../../support/payments/use-payment-commands.ts'
import { listener } from '../../support/services/listener.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

/* Sent payments that were not followed, the same payment signed behind them, and nodes that show transactions late. */

const sandbox = useSandbox()
const { run, rpc, url, got, pay, height } = usePayments(sandbox, useCommands(sandbox))
afterEach(() => rpc().request('evm_setAutomine', [true]))
const mined = async (block: number) => {
  await rpc().request('anvil_reorg', [(await height()) - block + 1, []])
  await rpc().request('anvil_mine', ['0x5'])
}

test('resume completes a payment that was mined, had a late receipt and was removed by a reorganisation', async () => {
  expect(await run(pay(1))).toMatchObject({ exit: 0 })
  const before = await got()
  const first = await run(pay(5, '--no-wait'))
  expect(first).toMatchObject({ exit: 20 })
  const { id } = first.json.error.details
  const block = await height()
  expect((await got()) - before).toBe(5_000_000n)
  const late = await startFaultyRpc(url(), [
    { method: 'eth_getTransactionReceipt', act: 'null-result', always: true },
  ])
  const second = await run(pay(5, '--no-wait'), late.url)
  await late.stop()
  expect(second).toMatchObject({ exit: 20 })
  await mined(block)
  expect(await got()).toBe(before)
  expect(await run(`action resume ${id} --json`)).toMatchObject({ exit: 0 })
  expect(await got()).toBe(before + 5_000_000n)
})

test('resume through a lagging node reports no reorganisation', async () => {
  const first = await run(pay(5, '--no-wait'))
  expect(first).toMatchObject({ exit: 20 })
  const { id } = first.json.error.details
  const late = await startFaultyRpc(url(), [
    { method: 'eth_getTransactionReceipt', act: 'null-result', always: true },
  ])
  expect(await run(pay(5, '--no-wait'), late.url)).toMatchObject({ exit: 20 })
  await late.stop()
  const behind = await laggingNode(url(), () => 2)
  const resumed = await run(`action resume ${id} --json --timeout 3s`, behind.url)
  await behind.close()
  expect(resumed.json.error?.message ?? '').not.toContain('reorganisation')
})

/** A node in front of a sequencer or a private pool: it forwards transactions, but shows none that is pending. */
async function poolless() {
  return listener(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const one = async ({ id, method, params = [] }: { id: number; method: string; params?: unknown[] }) => {
      const here = params.map((param) => (param === 'pending' ? 'latest' : param))
      const result = await rpc()
        .request<{ blockNumber?: string | null } | null>(method, here)
        .then(
          (result) => ({ result }),
          (error: { details: object }) => ({ error: error.details }),
        )
      const waits =
        /^eth_getTransactionBy/.test(method) && 'result' in result && result.result?.blockNumber == null
      return { jsonrpc: '2.0', id, ...(waits ? { result: null } : result) }
    }
    const answers = Array.isArray(body) ? await Promise.all(body.map(one)) : await one(body)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
  })
}

test('action watch follows a transaction that its node shows only after it is mined', async () => {
  const node = await poolless()
  await rpc().request('evm_setAutomine', [false])
  const first = await run(pay(5, '--no-wait'), node.url)
  expect(first).toMatchObject({ exit: 20 })
  const { id } = first.json.error.details
  const later = sleep(1_500).then(() => rpc().request('anvil_mine', ['0x3']))
  expect(await run(`action watch ${id} --json --interval 50ms --timeout 30s`, node.url)).toMatchObject({
    exit: 0,
  })
  await later
  await node.close()
})

test('a payment succeeds although its node has pruned the receipt of an earlier payment', async () => {
  const first = await run(pay(5, '--no-wait'))
  expect(first).toMatchObject({ exit: 20 })
  const hash = first.json.error.details.action.transactions[0].hash
  const pruned = await listener(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const one = async ({ id, method, params = [] }: { id: number; method: string; params?: unknown[] }) =>
      method === 'eth_getTransactionReceipt' && params[0] === hash
        ? { jsonrpc: '2.0', id, error: { code: 4444, message: 'pruned history unavailable' } }
        : rpc()
            .request(method, params)
            .then(
              (result) => ({ jsonrpc: '2.0', id, result }),
              (error: { details: object }) => ({ jsonrpc: '2.0', id, error: error.details }),
            )
    const answers = Array.isArray(body) ? await Promise.all(body.map(one)) : await one(body)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
  })
  const second = await run(pay(5), pruned.url)
  await pruned.close()
  expect(second.exit).toBe(0)
})

test('explain suggests --max-fee for a cancel whose fee is too low', async () => {
  await rpc().request('evm_setAutomine', [false])
  const begun = await run(pay(5, '--no-wait'))
  const { id } = begun.json.error.details
  expect(await run(`action cancel ${id} --yes --json --no-wait`)).toMatchObject({ exit: 20 })
  await rpc().request('anvil_setNextBlockBaseFeePerGas', ['0xba43b7400'])
  await rpc().request('evm_mine')
  await rpc().request('anvil_setNextBlockBaseFeePerGas', ['0xba43b7400'])
  const { json } = await run(`action explain ${id} --json`)
  await rpc().request('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
  await rpc().request('evm_mine')
  expect(json.next).toContain('--max-fee')
})

test('speed-up of a mined cancel exits 24 without a prompt', async () => {
  await rpc().request('evm_setAutomine', [false])
  const begun = await run(pay(5, '--no-wait'))
  const { id } = begun.json.error.details
  expect(await run(`action cancel ${id} --yes --json --no-wait`)).toMatchObject({ exit: 20 })
  await rpc().request('evm_mine')
  expect((await run(`action resume ${id} --json --no-wait --confirmations 9`)).exit).toBe(20)
  const told = await run(`action speed-up ${id} --json`)
  expect(told.exit).toBe(24)
})
