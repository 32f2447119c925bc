import { expect, test } from 'vitest'
import { startFaultyRpc } from '../support/nodes/faulty-rpc.ts'
import { useReachable } from '../support/services/serve-as-process.ts'
import { startSluice } from '../support/spawn-program.ts'
import { type Document, oneDocument, rpcEnvOf } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const place = useReachable(sandbox)

/** Makes a serving process fail with an unexpected error on a signal. */
const breaks =
  "if (process.argv.includes('serve')) process.on('SIGUSR2', () => { throw new Error('broken on purpose') })"

test('each failure and recovery of a node is reported in responses, metrics and log', async () => {
  const rpcs = rpcEnvOf(sandbox)
  const node = await startFaultyRpc(rpcs.SLUICE_RPC_SANDBOX_ONE!)
  const env = { ...rpcs, SLUICE_RPC_SANDBOX_ONE: node.url }
  const { home } = place()
  const engine = ['--profile', 'engine', '--json']
  const made = await startSluice(home, ['keys', 'create', '--customer', 'acme', ...engine], { env }).ended
  const { key } = oneDocument(made.out)
  const server = startSluice(home, ['serve', '--port', '0', ...engine], {
    env: { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(breaks)}` },
  })
  const { url, pid } = oneDocument(await server.line())
  const ask = async (path: string) => {
    const answer = await fetch(url + path, { headers: { 'x-api-key': key } })
    const body = (await answer.json()) as Document
    return { status: answer.status, missing: answer.headers.get('x-sluice-missing'), body }
  }
  const strategy = '/strategies/aave-v3-usdc-sandbox-one'
  const owner = `/wallets/${sandbox.user.address}`
  const isUp = async () =>
    /sluice_chain_up\{network="sandbox-one"\} (.)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
  const dies = () => node.rules.push({ method: '*', act: 'drop-request', always: true })

  const whole = await ask('/strategies')
  expect([whole.status, whole.missing, await isUp()]).toEqual([200, null, '1'])
  dies()
  const part = await ask('/strategies')
  expect([part.status, part.missing, await isUp()]).toEqual([200, 'sandbox-one', '0'])
  expect(part.body.totalDocs).toBeLessThan(whole.body.totalDocs)
  expect(await ask('/strategies/analytics')).toMatchObject({
    status: 500,
    body: { error: { message: 'sandbox-one cannot be read now', details: { missing: ['sandbox-one'] } } },
  })
  // The wallet keeps its positions on other networks, and the response names the missing one.
  expect(await ask(owner)).toMatchObject({
    status: 200,
    missing: 'sandbox-one',
    body: { address: sandbox.user.address, positions: [] },
  })
  // The legacy endpoint answers 404 for an empty wallet, but not while a network is missing.
  expect(await ask(`/v1${owner}`)).toMatchObject({ status: 200, missing: 'sandbox-one' })
  const away = { SLUICE_BASE_URL: url, SLUICE_API_KEY: key }
  const list = await startSluice(home, ['strategies', 'list', '--profile', 'remote', '--json'], { env: away })
    .ended
  expect({ exit: list.exit, err: list.err }).toEqual({
    exit: 0,
    err: 'sandbox-one does not answer the service, so its strategies are not listed\n',
  })
  expect(oneDocument(list.out).missing).toEqual(['sandbox-one'])
  const shown = await startSluice(
    home,
    ['wallet', 'show', sandbox.user.address, '--profile', 'remote', '--json'],
    { env: away },
  ).ended
  expect({ exit: shown.exit, err: shown.err }).toEqual({
    exit: 0,
    err: 'sandbox-one does not answer the service, so its strategies are not listed\n',
  })
  expect(oneDocument(shown.out).missing).toEqual(['sandbox-one'])
  const only = ['strategies', 'list', '--network', 'sandbox-one', '--profile', 'remote', '--json']
  const none = await startSluice(home, only, { env: away }).ended
  expect({ exit: none.exit, message: oneDocument(none.out).error.message }).toEqual({
    exit: 7,
    message: 'sandbox-one does not answer the service',
  })
  node.rules.length = 0
  // Analytics needs every network and reads it at once; lists then include it again.
  expect((await ask('/strategies/analytics')).status).toBe(200)
  expect([(await ask('/strategies')).missing, await isUp()]).toEqual([null, '1'])
  expect(await ask(owner)).toMatchObject({ status: 200, missing: null })
  expect((await ask(`/v1${owner}`)).status).toBe(404)
  // A node that answers but has no block counts as down.
  node.rules.push({ method: 'eth_getBlockByNumber', act: 'null-result', always: true })
  expect((await ask('/strategies')).missing).toBe('sandbox-one')
  expect(await isUp()).toBe('0')
  expect((await ask('/strategies/analytics')).body.error.details).toEqual({ missing: ['sandbox-one'] })
  node.rules.length = 0
  expect((await ask('/strategies/analytics')).status).toBe(200)
  dies()
  expect((await ask(strategy)).status).toBe(500)
  process.kill(pid, 'SIGUSR2')
  const { err } = await server.ended
  await node.stop()
  expect(err).toContain('broken on purpose')
  const lines = err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Document)
  expect(lines.filter(({ chain }) => chain).map(({ network, chain }) => [network, chain])).toEqual([
    ['sandbox-one', 'down'],
    ['sandbox-one', 'up'],
    ['sandbox-one', 'down'],
    ['sandbox-one', 'up'],
    ['sandbox-one', 'down'],
  ])
  expect(lines.at(-1)).toMatchObject({ level: 'info', path: strategy, status: 500 })
  expect(err).not.toContain('does not answer, so')
})

test('a node of the wrong chain removes only its own network, and serve --check names its setting', async () => {
  const rpcs = rpcEnvOf(sandbox)
  const env = { ...rpcs, SLUICE_RPC_SANDBOX_TWO: rpcs.SLUICE_RPC_SANDBOX_ONE! }
  const { home } = place()
  const engine = ['--profile', 'engine', '--json']
  const made = await startSluice(home, ['keys', 'create', '--customer', 'acme', ...engine], { env }).ended
  const { key } = oneDocument(made.out)
  const server = startSluice(home, ['serve', '--port', '0', ...engine], { env })
  const first = await server.line()
  const { url, pid } = oneDocument(first)
  if (!url) throw new Error(first + (await server.ended).err)
  const ask = (path: string) => fetch(url + path, { headers: { 'x-api-key': key } })
  const list = await ask('/strategies')
  expect([list.status, list.headers.get('x-sluice-missing')]).toEqual([200, 'sandbox-two'])
  const { docs } = (await list.json()) as Document
  expect(new Set(docs.map(({ network }: { network: string }) => network))).toEqual(new Set(['sandbox-one']))
  const totals = (await (await ask('/strategies/analytics')).json()) as Document
  expect(totals.error.details).toEqual({ missing: ['sandbox-two'] })
  process.kill(pid)
  await server.ended
  const check = ['serve', '--check', ...engine]
  const one = await startSluice(home, check, { env }).ended
  expect(oneDocument(one.out).error).toMatchObject({
    code: 'CHAIN_ID_MISMATCH',
    message: expect.stringMatching(/^sandbox-two: /),
    details: { networks: ['sandbox-two'] },
    hint: expect.stringContaining('in SLUICE_RPC_SANDBOX_TWO.'),
  })
  const swapped = { ...env, SLUICE_RPC_SANDBOX_ONE: rpcs.SLUICE_RPC_SANDBOX_TWO! }
  const both = await startSluice(home, check, { env: swapped }).ended
  expect(oneDocument(both.out).error).toMatchObject({
    message: expect.stringMatching(/^sandbox-one: .*; sandbox-two: /),
    hint: expect.stringContaining('in SLUICE_RPC_SANDBOX_ONE, SLUICE_RPC_SANDBOX_TWO.'),
  })
})
