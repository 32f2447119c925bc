import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { sandboxAddress, sandboxKey } from '../../src/sandbox/accounts.ts'
import { type Anvil, startAnvil } from '../../src/sandbox/anvil.ts'
import { provider } from '../support/nodes/proxy-node.ts'
import { listener } from '../support/services/listener.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import { rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const { run, home } = useCommands(sandbox)

/** A node with the chain ID of Base and no contracts. */
let bare: Anvil
beforeAll(async () => {
  bare = await startAnvil({ binary: inject('anvil'), noteDir: inject('sandboxNotes'), chainId: 8453 })
})
afterAll(() => bare?.stop())

type Check = {
  check: string
  subject: string | null
  state: string
  code: string | null
  details: Record<string, unknown>
}
const about = (checks: Check[], check: string, subject?: string) =>
  checks.filter((one) => one.check === check && (subject === undefined || one.subject === subject))

describe('doctor', () => {
  test('without configuration checks the sandbox, and all its markets pass', async () => {
    const { exit, json } = await run('doctor --json')
    expect({ exit, ok: json.ok }).toEqual({ exit: 0, ok: true })
    expect(json.checks.map(({ check, state }: Check) => `${check} ${state}`)).toEqual([
      'settings ok',
      'profile ok',
      'journal ok',
      'signer ok',
      'rpc ok',
      'rpc ok',
    ])
    for (const { details } of about(json.checks, 'rpc')) {
      const { total, pass } = details.markets as { total: number; pass: number }
      expect(pass).toBe(total)
      expect(total).toBeGreaterThan(3)
    }
    expect(about(json.checks, 'signer')[0]!.details.address).toBe(sandboxAddress())
    const text = await run('doctor')
    expect(text.out).toMatch(
      /✓ rpc sandbox-one {2}127\.0\.0\.1:\d+ chain 31337, block \d+, .*7 of 7 markets pass/,
    )
  })

  test('lists the rules of policy.json, and exits 2 when the file is invalid', async () => {
    const path = join(home(), 'config', 'policy.json')
    mkdirSync(join(home(), 'config'), { recursive: true })
    writeFileSync(path, '{"perDay":{"sandbox-one:USDC":"100"},"simulation":"required"}')
    const { exit, json } = await run('doctor --json')
    expect(exit).toBe(0)
    expect(about(json.checks, 'policy')).toMatchObject([
      { state: 'ok', details: { path, rules: ['perDay', 'simulation'] } },
    ])
    writeFileSync(path, '{"perDya":{"sandbox-one:USDC":"100"}}')
    const broken = await run('doctor --json')
    expect(broken.exit).toBe(2)
    expect(broken.json.error.hint).toBe(`Fix the file: ${path}. For its rules: sluice policy check --help`)
    expect(about(broken.json.error.details.checks, 'policy')[0]).toMatchObject({ code: 'CONFIG_INVALID' })
  })

  test('on an engine profile reports the node of each network and how many markets pass', async () => {
    const env = { ...rpcEnvOf(sandbox), SLUICE_RPC_BASE: bare.rpcUrl }
    const { exit, json } = await run('doctor --json', { env })
    expect(exit).toBe(0)
    const [base] = about(json.checks, 'rpc', 'base')
    expect(base).toMatchObject({
      state: 'warning',
      details: { chainId: 8453, archive: true, markets: { pass: 0 } },
    })
    const { flawed, markets, faults } = base!.details as {
      faults: string[]
      flawed: { slug: string; faults: string[] }[]
      markets: { total: number }
    }
    expect(flawed).toHaveLength(markets.total)
    expect(flawed.find(({ slug }) => slug === 'compound-v3-usdc-base')!.faults.join()).toMatch(
      /is not returned by|no contract/,
    )
    for (const what of ['price oracle', 'feed of AERO', 'quoter of Uniswap v3', 'domain of the bridge'])
      expect(faults.join('\n')).toMatch(new RegExp(`the .*${what} is not returned by 0x`))
    expect(about(json.checks, 'rpc', 'sandbox-two')[0]).toMatchObject({
      state: 'ok',
      details: { faults: [] },
    })
  })

  test('reports an unreachable node and one of another chain, and still checks the others', async () => {
    const one = rpcEnvOf(sandbox).SLUICE_RPC_SANDBOX_ONE!
    const env = {
      SLUICE_RPC_SANDBOX_ONE: `${one},http://127.0.0.1:1`,
      SLUICE_RPC_BASE: one,
      SLUICE_RPC_OPTIMISM: 'http://127.0.0.1:1',
    }
    const { exit, json } = await run('doctor --json --timeout 3s', { env })
    expect({ exit, code: json.error.code }).toEqual({ exit: 7, code: 'CHAIN_ID_MISMATCH' })
    const { checks } = json.error.details
    expect(about(checks, 'rpc', 'base')).toMatchObject([{ state: 'failed', code: 'CHAIN_ID_MISMATCH' }])
    expect(about(checks, 'rpc', 'optimism')).toMatchObject([{ state: 'failed', code: 'RPC_UNREACHABLE' }])
    expect(about(checks, 'rpc', 'sandbox-one').map(({ state }) => state)).toEqual(['warning', 'ok'])
    const text = await run('doctor --timeout 3s', { env })
    expect(text.exit).toBe(7)
    expect(text.out).toMatch(/✗ rpc optimism {2}.*127\.0\.0\.1:1/)
    expect(text.err).toMatch(/2 of \d+ checks failed/)
  })

  test('names every method that a node refuses, and the consequence', async () => {
    const refused = ['eth_getLogs', 'eth_simulateV1', 'eth_maxPriorityFeePerGas', 'eth_feeHistory']
    const node = await provider(sandbox.chain(31337).rpcUrl, ({ method, params }) => {
      if (method === 'eth_simulateV1') return { status: 403 }
      const isOther = params.length > 2 || (method === 'eth_getBalance' && typeof params[1] === 'object')
      return refused.includes(method) || isOther
        ? { error: { code: -32601, message: 'not whitelisted' } }
        : undefined
    })
    const { exit, json } = await run('doctor --json', {
      env: rpcEnvOf(sandbox, { 'sandbox-one': node.url }),
    })
    await node.close()
    expect(exit).toBe(0)
    const found = about(json.checks, 'rpc', 'sandbox-one').filter(({ state }) => state === 'warning')
    expect(found.map(({ details }) => details.method)).toEqual([
      'eth_getLogs',
      'eth_simulateV1',
      'eth_call',
      'eth_getBalance',
      'eth_maxPriorityFeePerGas',
      'eth_feeHistory',
    ])
    expect(found[0]).toMatchObject({
      says: expect.stringMatching(/refuses eth_getLogs: history is unavailable/),
      details: { said: expect.stringContaining('not whitelisted') },
    })
    expect(about(json.checks, 'rpc', 'sandbox-two').map(({ state }) => state)).toEqual(['ok'])
  })

  test('fails when the node is an hour behind, and warns when this machine is an hour behind', async () => {
    const env = { SLUICE_RPC_BASE: bare.rpcUrl }
    await bare.rpc.request('evm_mine')
    const behind = await run('doctor --json', { env, later: 3_600_000 })
    expect(behind.json.error).toMatchObject({
      code: 'RPC_INCONSISTENT',
      message: expect.stringMatching(/(60|61) minutes old/),
    })
    const ahead = await run('doctor --json', { env, later: -3_600_000 })
    expect(ahead.exit).toBe(0)
    expect(about(ahead.json.checks, 'rpc')[0]).toMatchObject({ state: 'warning' })
  })

  test('on a remote profile reports whether the service answers and accepts the key', async () => {
    const env = { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: served.url() }
    const apiKey = await served.newKey('acme')
    const good = await run('doctor --json', { env, secrets: { apiKey, privateKey: sandboxKey() } })
    expect(good.exit).toBe(0)
    expect(about(good.json.checks, 'service')[0]!.details).toMatchObject({ customer: 'acme' })
    expect(about(good.json.checks, 'clock')).toMatchObject([{ state: 'ok' }])
    expect(about(good.json.checks, 'rpc').map(({ state }) => state)).toEqual(['ok', 'ok'])
    expect(good.out).not.toContain(apiKey)
    const late = await run('doctor --json', { env, secrets: { apiKey }, later: 3_600_000 })
    expect(about(late.json.checks, 'clock')).toMatchObject([
      { state: 'warning', details: { offMs: expect.any(Number) } },
    ])
    const bad = await run('doctor --json', { env, secrets: { apiKey: 'wrong-key' } })
    expect({ exit: bad.exit, code: bad.json.error.code }).toEqual({ exit: 3, code: 'UNAUTHORIZED' })
    expect(about(bad.json.error.details.checks, 'rpc').map(({ state }) => state)).toEqual(['ok', 'ok'])
    const gone = await run('doctor --json --timeout 3s', {
      env: { SLUICE_BASE_URL: 'http://127.0.0.1:1' },
      secrets: { apiKey },
    })
    expect(gone.exit).toBe(6)
  })

  test.each([
    ['status 404', 404, JSON.stringify({ code: 'NOT_FOUND', message: 'nothing here', statusCode: 404 })],
    ['another shape', 200, '{"whatever":1}'],
    ['no content', 204, ''],
    ['status 500', 500, '{}'],
    ['status 422', 422, '{}'],
  ])(
    'reports that the service answers when its endpoint about the key returns %s',
    async (_, status, body) => {
      const other = await listener(({ url }, response) => {
        const isList = url?.startsWith('/strategies')
        const page = {
          docs: [],
          totalDocs: 0,
          limit: 1,
          page: 1,
          totalPages: 1,
          hasNextPage: false,
          hasPrevPage: false,
        }
        response.writeHead(isList ? 200 : status, { 'content-type': 'application/json' })
        response.end(isList ? JSON.stringify(page) : body)
      })
      const env = { SLUICE_BASE_URL: other.url }
      const { exit, json } = await run('doctor --json --timeout 5s', {
        env,
        secrets: { apiKey: 'a-key-of-somebody' },
      })
      await other.close()
      expect({ exit, error: json.error }).toEqual({ exit: 0, error: undefined })
      expect(about(json.checks, 'service')[0]!.details).toMatchObject({ customer: null, strategies: 0 })
    },
  )

  test('reports a wrong setting once, and does not blame the journal for it', async () => {
    const { exit, json } = await run('doctor --json', { env: { SLUICE_RPC_BASE: 'foo' } })
    const { checks } = json.error.details
    expect(exit).toBe(2)
    expect(about(checks, 'journal')).toEqual([])
    expect(checks.filter(({ code }: { code: string | null }) => code === 'CONFIG_INVALID')).toMatchObject([
      { check: 'rpc', says: expect.stringContaining('SLUICE_RPC_BASE is not an http(s) URL') },
    ])
  })

  test('exits 2 for an unknown profile and 12 for an unusable journal', async () => {
    const moon = await run('doctor --json --profile moon')
    expect(moon).toMatchObject({ exit: 2 })
    expect(about(moon.json.error.details.checks, 'profile')).toMatchObject([
      { state: 'failed', code: 'CONFIG_INVALID' },
    ])
    await run('doctor')
    chmodSync(join(home(), 'data'), 0o700)
    const refused = await run('doctor --json', { env: { SLUICE_HOME: '/dev/null/home' } })
    expect(refused.exit).toBe(12)
    expect(about(refused.json.error.details.checks, 'journal')).toMatchObject([
      { state: 'failed', code: 'STATE_UNUSABLE' },
    ])
  })
})
