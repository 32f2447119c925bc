import { afterEach, expect, test } from 'vitest'

import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { engineOn } from '../engine/support.ts'
import { laggingNode } from '../support/lagging.ts'
import { rpcEnvOf, useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'
import { serveTo } from '../support/served.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const apiKey = 'of-a-test'
const secrets = { privateKey: sandboxKey(), apiKey }

const open: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** Of each chain a second endpoint, which has a block only a while after it was first asked when that block was there. */
async function twoEach(inOrder: (late: string, good: string) => string): Promise<Record<string, string>> {
  const urls = await Promise.all(
    sandbox.world.chains.map(async ({ network: { name }, rpcUrl }) => {
      const first = new Map<number, number>()
      const late = await laggingNode(rpcUrl, (newest) => {
        const now = performance.now()
        if (!first.has(newest)) first.set(newest, first.size === 0 ? -Infinity : now)
        return [...first].filter(([, since]) => now - since < 300).length
      })
      open.push(late)
      return [name, inOrder(late.url, rpcUrl)] as const
    }),
  )
  return rpcEnvOf(sandbox, Object.fromEntries(urls))
}

test.each<[string, (late: string, good: string) => string]>([
  ['the one that is behind named second', (late, good) => `${good},${late}`],
  ['the one that is behind named first', (late, good) => `${late},${good}`],
])('a deposit over a bridge is carried out on two endpoints a chain: %s', async (_, inOrder) => {
  const env = await twoEach(inOrder)
  const server = await serveTo(engineOn(sandbox).service, apiKey)
  open.push(server)
  const line =
    'deposit aave-v3-usdc-sandbox-two --amount 25 --from sandbox-one --yes --trust-first-use --json'
  const ran = await run(`${line} --idempotency-key lagging-1`, {
    env: { ...env, SLUICE_BASE_URL: server.url },
    secrets,
  })
  expect({ exit: ran.exit, err: ran.err }).toMatchObject({ exit: 0 })
  expect(ran.json).toMatchObject({ status: 'SUCCESS' })
})
