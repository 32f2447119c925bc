import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { engineOn } from '../support/engine.ts'
import { laggingNode } from '../support/nodes/lagging-node.ts'
import { serveTo } from '../support/services/serve-in-process.ts'
import { rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const apiKey = 'of-a-test'
const secrets = { privateKey: sandboxKey(), apiKey }

const open: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** Adds a second endpoint per chain that has each new block 300 ms after it was first asked for it. */
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
  ['lagging endpoint second', (late, good) => `${good},${late}`],
  ['lagging endpoint first', (late, good) => `${late},${good}`],
])('a cross-chain deposit succeeds with two endpoints per chain: %s', async (_, inOrder) => {
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

test.each<[string, (dead: string, good: string) => string]>([
  ['second', (dead, good) => `${good},${dead}`],
  ['first', (dead, good) => `${dead},${good}`],
])(
  'an endpoint that is down, named %s, causes a warning only; minEndpoints 2 refuses the deposit',
  async (_, inOrder) => {
    const dead = 'http://127.0.0.1:1'
    const names = sandbox.world.chains.map(({ network: { name }, rpcUrl }) => [name, inOrder(dead, rpcUrl)])
    const env = rpcEnvOf(sandbox, Object.fromEntries(names))
    const line = 'deposit aave-v3-usdc-sandbox-one --amount 25 --yes --trust-first-use'
    const policy = join(home(), 'two.json')
    writeFileSync(policy, '{"minEndpoints":2}', { mode: 0o600 })
    expect(
      await run(`${line} --idempotency-key one-down-0 --json --policy ${policy}`, { env, secrets }),
    ).toMatchObject({ exit: 8, json: { error: { code: 'POLICY_SIMULATION' } } })
    const paid = await run(`${line} --idempotency-key one-down-1`, { env, secrets })
    expect(paid).toMatchObject({ exit: 0 })
    expect(paid.err).toContain('127.0.0.1:1 does not answer and is not used')
    const swap =
      'swap execute --from sandbox-one --to sandbox-one --token-in USDC --token-out WETH --amount-in 5'
    expect(
      await run(`${swap} --yes --trust-first-use --json --idempotency-key one-down-2`, { env, secrets }),
    ).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
  },
)
