import { afterEach, describe, expect, test } from 'vitest'

import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { type Provider, provider } from '../support/provider.ts'
import { rpcEnvOf, useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

// What public providers do that a node of one's own does not.

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const open: Provider[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** A command over a provider that says this; at an address that is not of this machine, as far as can be seen of it. */
async function at(says: Provider['says'], isFar = false) {
  const node = await provider(sandbox.chain(31337).rpcUrl, says)
  open.push(node)
  const url = isFar ? node.url.replace('127.0.0.1', '0.0.0.0') : node.url
  const env = { ...rpcEnvOf(sandbox, { 'sandbox-one': url }), SLUICE_PROFILE: 'engine' }
  const secrets = { privateKey: sandboxKey() }
  return { node, run: (line: string) => run(line, { env, secrets }) }
}

const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 10 --yes --allow-duplicate --json'

/** What a node gives, with some of it otherwise. */
const bent =
  (method: string, bend: (result: Record<string, unknown>) => object): Provider['says'] =>
  async (call, ask) => {
    if (call.method !== method) return undefined
    const result = await ask(method, call.params)
    return { result: result && bend(result as Record<string, unknown>) }
  }

describe('receipts without a status', () => {
  test('are of a success where they have events', async () => {
    const { run } = await at(
      bent('eth_getTransactionReceipt', ({ status: _, ...rest }) => ({
        ...rest,
        root: `0x${'11'.repeat(32)}`,
      })),
    )
    const { exit, json } = await run(deposit)
    expect(exit).toBe(0)
    expect((await run(`action show ${json.id} --json`)).json.status).toBe('SUCCESS')
  })

  test('and without events are of neither a success nor a failure, until they say so', async () => {
    const { run, node } = await at(
      bent('eth_getTransactionReceipt', ({ status: _, ...rest }) => ({ ...rest, logs: [] })),
    )
    const { exit, json } = await run(`${deposit} --timeout 2s`)
    expect({ exit, code: json.error.code }).toEqual({ exit: 20, code: 'PENDING' })
    node.says = () => undefined
    const resumed = await run(`action resume ${json.error.details.operation} --yes --json`)
    expect(resumed.exit).toBe(0)
  })
})

test('hashes of blocks in capital letters are the same hashes', async () => {
  const { run } = await at(
    bent('eth_getTransactionReceipt', (receipt) => ({
      ...receipt,
      blockHash: `0x${String(receipt.blockHash).slice(2).toUpperCase()}`,
    })),
  )
  expect((await run(`${deposit} --timeout 5s`)).exit).toBe(0)
})
