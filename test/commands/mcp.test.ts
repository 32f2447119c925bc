import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client, ProtocolError } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import vectors from '../signing/keystore/keystore-vectors.json' with { type: 'json' }
import { useReachable } from '../support/services/serve-as-process.ts'
import { attemptsIn } from '../support/spawn-program.ts'
import { type Document, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const place = useReachable(sandbox)
const { run } = useCommands(sandbox)
const bin = join(import.meta.dirname, '..', '..', 'bin', 'sluice.js')
const slug = 'aave-v3-usdc-sandbox-one'
/** A private key that no account uses. */
const key = `0x${'5c'.repeat(32)}`

const environment = () => ({
  PATH: process.env.PATH ?? '',
  HOME: place().home,
  TMPDIR: place().home,
  SLUICE_PRIVATE_KEY: key,
})

/** A client of the published MCP package, with a server process of its own. */
async function connected(mode: 'legacy' | { pin: string } = 'legacy', more: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp'],
    env: { ...environment(), ...more },
    cwd: place().home,
    stderr: 'pipe',
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return { client, pid: transport.pid! }
}

let server: Awaited<ReturnType<typeof connected>> | undefined
beforeAll(async () => {
  server = await connected()
})
afterAll(() => server?.client.close())

/** The target of a file descriptor of another process; empty once it is closed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** The answer of a tool, and whether it is an error. */
async function call(name: string, input: Record<string, unknown> = {}) {
  const {
    structuredContent,
    content,
    isError = false,
  } = await server!.client.callTool({
    name,
    arguments: input,
  })
  const [first] = content as { type: string; text: string }[]
  expect(JSON.parse(first!.text)).toEqual(structuredContent)
  return { document: structuredContent as Document, isError }
}
const refusal = async (name: string, input: Record<string, unknown>): Promise<Document> => {
  const { document, isError } = await call(name, input)
  expect(isError).toBe(true)
  return document.error
}

describe('MCP tools', () => {
  test('are read-only and declare their input and output', async () => {
    const { tools } = await server!.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'strategies_list',
        'swap_quote',
        'action_explain',
        'deposit_plan',
        'policy_check',
      ]),
    )
    for (const { inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema).toMatchObject({ type: 'object' })
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
      const fields = Object.keys(inputSchema.properties ?? {})
      for (const kept of [
        'keyFile',
        'passwordFile',
        'policy',
        'yes',
        'dryRun',
        'noWait',
        'json',
        'raw',
        'out',
      ])
        expect(fields).not.toContain(kept)
    }
    const plan = tools.find(({ name }) => name === 'deposit_plan')!.inputSchema
    expect(plan.required).toEqual(['id'])
    expect(plan.properties).toMatchObject({
      amount: { type: 'string', description: expect.stringContaining('100.5') },
      trustFirstUse: { const: true },
      allowContract: { type: 'array' },
    })
  })

  test('answer with the documents of the command line', async () => {
    const { document: list } = await call('strategies_list', { asset: 'USDC', sort: 'name', limit: 3 })
    expect(list).toEqual((await run('strategies list --asset USDC --sort name --limit 3 --json')).json)
    const { document: one } = await call('strategies_show', { id: slug })
    expect(one).toEqual((await run(`strategies show ${slug} --json`)).json)
    expect((await call('wallet_show')).document.address).toBe(sandbox.user.address)
    expect((await call('action_list')).document).toMatchObject({ items: [], total: 0 })
    expect((await call('yield_recommend', { asset: 'USDC' })).document.strategy.asset.symbol).toBe('USDC')
    const failed = await refusal('strategies_show', { id: 'nothing' })
    expect(failed).toEqual((await run('strategies show nothing --json')).json.error)
  })

  test('plan without signing, and action submit signs the plan', async () => {
    const { document: plan } = await call('deposit_plan', { id: slug, amount: '25' })
    expect(plan).toMatchObject({
      wallet: sandbox.user.address,
      assurance: 'L3',
      steps: [{}, { role: 'action' }],
    })
    const to = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
    const sent = await call('transfer_plan', { network: 'sandbox-one', token: 'USDC', to, amount: '1' })
    expect(sent.document.steps).toHaveLength(1)
    const swap = { from: 'sandbox-one', tokenIn: 'USDC', tokenOut: 'WETH', amountIn: '5' }
    expect((await call('swap_plan', swap)).document.steps.at(-1).role).toBe('action')
    expect((await refusal('withdraw_plan', { id: slug, amount: 'max' })).code).toBe('INSUFFICIENT_FUNDS')
    const config = join(place().home, '.config', 'sluice')
    mkdirSync(config, { recursive: true, mode: 0o700 })
    const keep = (most: string) =>
      writeFileSync(
        join(config, 'policy.json'),
        JSON.stringify({ perTransaction: { 'sandbox-one:USDC': most } }),
        {
          mode: 0o600,
        },
      )
    keep('1000')
    expect((await call('policy_check', { plan })).document.rules[0]).toMatchObject({ met: true })
    keep('1')
    expect((await refusal('policy_check', { plan })).code).toBe('POLICY_LIMIT')
    writeFileSync(join(config, 'policy.json'), '{}', { mode: 0o600 })
    expect(attemptsIn(place().data)).toBe(0)
    // Another command signs the plan unchanged.
    const done = await run('action submit - --yes --json', { stdin: JSON.stringify(plan) })
    expect(done).toMatchObject({ exit: 0 })
    expect(done.json.status).toBe('SUCCESS')
  })

  test('are the same for a client of the newest protocol version', async () => {
    const { client } = await connected({ pin: '2026-07-28' })
    expect((await client.listTools()).tools).toHaveLength((await server!.client.listTools()).tools.length)
    const { structuredContent } = await client.callTool({ name: 'strategies_show', arguments: { id: slug } })
    expect(structuredContent).toMatchObject({ slug })
    await client.close()
  })
})

describe('a hostile client or service', () => {
  test('finds no tool that signs', async () => {
    for (const name of [
      'deposit',
      'sign',
      'action_submit',
      'wallet_export',
      'action_resume',
      '../deposit',
      '',
    ])
      await expect(server!.client.callTool({ name, arguments: { id: slug, amount: '1' } })).rejects.toThrow(
        ProtocolError,
      )
    for (const more of [
      { dryRun: false },
      { yes: true },
      { keyFile: '/etc/passwd' },
      { policy: '/etc/passwd' },
      { 'amount --yes': '1' },
      { __proto__: null, constructor: { dryRun: false } },
    ])
      expect(await refusal('deposit_plan', { id: slug, amount: '1', ...more })).toMatchObject({
        code: 'USAGE',
      })
    expect(
      (await call('deposit_plan', { id: slug, amount: '1', slippage: '1%' })).document.planHash,
    ).toBeDefined()
    expect(attemptsIn(place().data)).toBe(0)
  })

  test('gets USAGE for wrong types, flags and huge input, and no control characters back', async () => {
    for (const id of [7, null, ['x'], { a: 1 }, '', '--yes', '-h', 'x'.repeat(1_000_000)])
      expect(await refusal('strategies_show', { id })).toMatchObject({
        code: 'USAGE',
        details: { errors: [{ path: 'id' }] },
      })
    expect(await refusal('strategies_list', { limit: '3; rm' })).toMatchObject({ code: 'USAGE' })
    expect(await refusal('strategies_list', { sort: 'apy --all' })).toMatchObject({ code: 'USAGE' })
    expect(await refusal('policy_check', { plan: { deep: [[[[{}]]]] } })).toMatchObject({ code: 'USAGE' })
    expect(await refusal('strategies_show', { id: 'a\u001b[31m\u202eb' })).toMatchObject({
      code: 'STRATEGY_NOT_FOUND',
      message: expect.not.stringMatching(/[\u001b\u202e]/),
    })
  })

  test('cannot pass control characters through a tool', async () => {
    const asset = { symbol: 'US\u0007DC', contract: sandbox.token(31337, 'USDC').address, decimals: 6 }
    const lie = {
      _id: '1',
      slug: 'x',
      protocol: 'p',
      network: 'base',
      asset,
      paused: false,
      name: 'a\u001b[2Jb\u202ec',
    }
    const service = createServer((_, answer) => {
      answer.setHeader('content-type', 'application/json')
      answer.end(JSON.stringify({ ...lie, metadata: { 'k\u009by': ['\u001b]0;t\u0007'] } }))
    })
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
    const { port } = service.address() as AddressInfo
    const { client } = await connected('legacy', {
      SLUICE_BASE_URL: `http://127.0.0.1:${port}`,
      SLUICE_API_KEY: 'sk_0123456789abcdef0123456789abcdef',
    })
    const { structuredContent } = await client.callTool({ name: 'strategies_show', arguments: { id: 'x' } })
    expect(structuredContent).toMatchObject({
      name: 'a[2Jbc',
      asset: { symbol: 'USDC' },
      metadata: { ky: [']0;t'] },
    })
    await client.close()
    service.close()
  })

  test('cannot name files: a wallet must be a name or an address', async () => {
    const { tools } = await server!.client.listTools()
    for (const { name, inputSchema } of tools)
      for (const field of ['wallet', 'address'].filter((one) => one in (inputSchema.properties ?? {})))
        for (const path of ['/etc/shadow', '/nonexistent', '../x', './x', 'C:\\x', '.'])
          expect(await refusal(name, { id: slug, [field]: path })).toMatchObject({
            code: 'USAGE',
            details: { errors: expect.arrayContaining([{ path: field, message: expect.any(String) }]) },
          })
    expect(JSON.stringify(tools)).not.toMatch(/path of one/)
  })

  test('gets at most four service requests at a time, and a waiting request can be cancelled', async () => {
    const held: ServerResponse[] = []
    let most = 0
    const ids: string[] = []
    const service = createServer(({ url = '' }, answer) => {
      ids.push(url.split('/').at(-1)!)
      most = Math.max(most, held.push(answer))
    })
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
    const { port } = service.address() as AddressInfo
    const { client } = await connected('legacy', {
      SLUICE_BASE_URL: `http://127.0.0.1:${port}`,
      SLUICE_API_KEY: 'sk_0123456789abcdef0123456789abcdef',
    })
    const cancel = new AbortController()
    const asked = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) =>
      client
        .callTool({ name: 'strategies_show', arguments: { id } }, id === 'e' ? { signal: cancel.signal } : {})
        .catch(() => undefined),
    )
    const until = async (count: number) => {
      while (held.length < count) await new Promise((later) => setTimeout(later, 10))
    }
    await until(4)
    cancel.abort()
    // Requests that need no turn are answered meanwhile; no further request has reached the service by then.
    for (let times = 0; times < 50; times++) await client.listTools()
    expect(held.length).toBe(4)
    const refuse = () => {
      for (const answer of held.splice(0)) answer.writeHead(404).end()
    }
    refuse()
    await until(2)
    refuse()
    await Promise.all(asked)
    expect({ most, ids: ids.toSorted().join('') }).toEqual({ most: 4, ids: 'abcdfg' })
    await client.close()
    service.close()
  })

  test('reaches no key: none is opened or accepted, and no signer process starts', async () => {
    const { document: plan } = await call('deposit_plan', { id: slug, amount: '1' })
    expect(plan.wallet).toBe(sandbox.user.address)
    for (const [wallet, code] of [
      [key, 'USAGE'],
      [key.slice(2), 'INSECURE_KEY_SOURCE'],
    ]) {
      const failed = await refusal('deposit_plan', { id: slug, amount: '1', wallet })
      expect(failed.code).toBe(code)
      expect(JSON.stringify(failed)).not.toContain('5c5c')
    }
    // A keystore without an address must be opened to learn the address.
    const keystores = join(place().data, 'keystores')
    mkdirSync(keystores, { recursive: true, mode: 0o700 })
    writeFileSync(join(keystores, 'of-cast.json'), JSON.stringify(vectors['scrypt of the definition'].json), {
      mode: 0o600,
    })
    expect(await refusal('wallet_show', { wallet: 'of-cast' })).toMatchObject({
      code: 'KEY_REQUIRED',
      message: 'This server never signs; it only reads and plans',
    })
    const { pid } = server!
    expect(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')).toBe('')
    // No database stays open after an answer.
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
    expect(open.filter((file) => file.includes('.db'))).toEqual([])
  })
})

/** A server whose lines are written and read without a client. */
function raw() {
  const child = spawn(process.execPath, [bin, 'mcp'], { env: environment(), cwd: place().home })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  const ended = new Promise<number | NodeJS.Signals>((done) =>
    child.once('close', (code, signal) => done(code ?? signal!)),
  )
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const lines = () => out.split('\n').slice(0, -1)
  const answered = async (id: number) => {
    for (;;) {
      const found = lines().find((line) => JSON.parse(line).id === id)
      if (found) return JSON.parse(found)
      await new Promise((later) => setTimeout(later, 10))
    }
  }
  const begin = () => {
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    })
    return answered(1)
  }
  return { child, ended, send, answered, lines, begin }
}

/** Delays every answer of the sandbox nodes for longer than any of these tests takes. */
const silence = () =>
  sandbox.world.faults.set({
    kind: 'delay',
    network: null,
    method: null,
    times: null,
    amount: 50_000,
    at: null,
    reason: null,
  })
const reading = (id: number) => ({
  id,
  method: 'tools/call',
  params: { name: 'strategies_list', arguments: {} },
})

describe('the mcp process', () => {
  test('writes only protocol messages, whatever it receives, and exits 0 when its input ends', async () => {
    const { child, ended, send, answered, lines, begin } = raw()
    child.stdin.write('this is no JSON\n{"jsonrpc":"1.0"}\n[]\n"x"\n\n')
    await begin()
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'no/such/method' })
    send({ id: 3, method: 'tools/call', params: { name: 5 } })
    send({ id: 4, method: 'tools/call', params: { name: 'strategies_show', arguments: { id: slug } } })
    expect((await answered(2)).error.code).toBe(-32601)
    expect((await answered(3)).error.code).toBe(-32602)
    expect((await answered(4)).result.structuredContent.slug).toBe(slug)
    child.stdin.end()
    expect(await ended).toBe(0)
    for (const line of lines()) expect(JSON.parse(line).jsonrpc).toBe('2.0')
  })

  test('exits 0 without answering a pending request when its input ends or on SIGTERM', async () => {
    await silence()
    for (const end of ['input', 'signal'] as const) {
      const { child, ended, send, lines, begin } = raw()
      await begin()
      send(reading(2))
      if (end === 'input') child.stdin.end()
      else child.kill('SIGTERM')
      expect(await ended).toBe(0)
      expect(lines()).toHaveLength(1)
    }
  })

  test('abandons a cancelled request and answers the next one', async () => {
    const { child, ended, send, answered, lines, begin } = raw()
    await begin()
    await silence()
    send(reading(2))
    send({ method: 'notifications/cancelled', params: { requestId: 2 } })
    await sandbox.world.faults.clear()
    send({ id: 3, method: 'tools/call', params: { name: 'strategies_show', arguments: { id: slug } } })
    expect((await answered(3)).result.structuredContent.slug).toBe(slug)
    child.stdin.end()
    expect(await ended).toBe(0)
    expect(lines().map((line) => JSON.parse(line).id)).toEqual([1, 3])
  })

  test('exits 2 on a message above 4 MiB and names the limit', async () => {
    const { child, ended, begin } = raw()
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await begin()
    child.stdin.on('error', () => undefined)
    child.stdin.write(`{"jsonrpc":"2.0","id":2,"method":"${'x'.repeat(5 * 1024 * 1024)}"}\n`)
    expect(await ended).toBe(2)
    expect(said).toMatch(/the server stops.*at most 4194304 bytes/s)
  })
})
