import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { useServe } from '../support/services/serve-as-process.ts'
import { startSluice } from '../support/spawn-program.ts'
import type { Document } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox, ['--allow-http'])

let key: string
beforeAll(async () => {
  key = await served.newKey('acme')
})

async function ask(method: string, path: string, body?: object, as = key) {
  const answer = await fetch(served.url() + path, {
    method,
    headers: { 'x-api-key': as, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Document }
}

/** A receiver on this machine: the bodies and headers that it got. */
async function receiver() {
  const got: { headers: Record<string, string>; body: string }[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    got.push({ headers: request.headers as Record<string, string>, body })
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got }
}

test('an action that nobody asks for is told to its customer: created, then succeeded, signed and in order', async () => {
  const hook = await receiver()
  const other = await served.newKey('other')
  const added = await ask('POST', '/webhooks', {
    url: hook.url,
    types: ['action.created', 'action.succeeded'],
  })
  expect(added.status).toBe(200)
  const { secret, id } = added.body
  const path = `/strategies/aave-v3-usdc-sandbox-one/bytecode?action=lend&amount=1000000&wallet=${sandbox.user.address}`
  const made = await ask('GET', path)
  for (const { to, data, value, chainId } of made.body.bytecode)
    await sandbox.sendAs(chainId, sandbox.user.address, { to, data, value: BigInt(value) })
  await expect.poll(() => hook.got.length, { timeout: 60_000, interval: 100 }).toBe(2)
  const events = hook.got.map(({ headers, body }) => new Webhook(secret).verify(body, headers))
  expect(events).toMatchObject([
    { type: 'action.created', subject: `action:${made.body.id}`, seq: 1 },
    { type: 'action.succeeded', subject: `action:${made.body.id}`, data: { status: 'SUCCESS' } },
  ])
  const { docs } = (await ask('GET', `/webhooks/${id}/deliveries?state=delivered`)).body
  expect(docs).toHaveLength(2)
  // Another customer sees neither the endpoint nor the events.
  for (const [method, where] of [
    ['DELETE', `/webhooks/${id}`],
    ['GET', `/webhooks/${id}/deliveries`],
    ['POST', `/webhooks/${id}/rotate`],
    ['POST', `/webhooks/${id}/deliveries/${docs[0].id}/resend`],
  ] as const)
    expect((await ask(method, where, method === 'POST' ? {} : undefined, other)).status).toBe(404)
  expect((await ask('GET', '/events', undefined, other)).body.events).toEqual([])
  expect((await ask('GET', '/webhooks', undefined, other)).body.docs).toEqual([])
  expect((await ask('DELETE', `/webhooks/${id}`)).status).toBe(200)
}, 120_000)

test('a private address is refused with the field, and a wrong cursor and type too', async () => {
  for (const url of ['https://10.0.0.1/', 'http://example.com/', 'https://169.254.169.254/', 'nothing']) {
    const { status, body } = await ask('POST', '/webhooks', { url })
    expect({ url, status, path: body.error.details.errors[0].path }).toEqual({
      url,
      status: 422,
      path: 'url',
    })
  }
  expect((await ask('POST', '/events/commit', { consumer: 'x', cursor: '999999' })).status).toBe(422)
  expect((await ask('GET', `/events?consumer=${'x'.repeat(65)}`)).status).toBe(422)
  expect((await ask('GET', '/events?types=action.created,nothing')).body.error.details.errors).toEqual([
    {
      path: 'types',
      message: 'expected names of events, separated by commas: action.succeeded,action.failed',
    },
  ])
})

test('webhooks enable says how to get what the endpoint missed', async () => {
  const { id } = (await ask('POST', '/webhooks', { url: 'https://hooks.example.com/' })).body
  const { out } = await startSluice(served.place().home, ['webhooks', 'enable', id], {
    env: { SLUICE_BASE_URL: served.url(), SLUICE_API_KEY: key },
  }).ended
  expect(out).toContain(`What it missed: sluice webhooks replay ${id} --since 2h`)
  await ask('DELETE', `/webhooks/${id}`)
})

test('webhooks listen prints and forwards test events, signed, and ends with 0 after it committed its position', async () => {
  const hook = await receiver()
  const listen = (...more: string[]) =>
    startSluice(
      served.place().home,
      ['webhooks', 'listen', '--forward-to', hook.url, '--interval', '100ms', '--json', ...more],
      { env: { SLUICE_BASE_URL: served.url(), SLUICE_API_KEY: key } },
    )
  const first = listen()
  const { secret } = JSON.parse(await first.line())
  await ask('POST', '/events/trigger', { type: 'swap.status_changed' })
  await expect
    .poll(() => hook.got.some(({ body }) => body.includes('swap.status')), { timeout: 60_000 })
    .toBe(true)
  const { headers, body } = hook.got.at(-1)!
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'swap.status_changed', test: true })
  first.child.kill('SIGINT')
  expect((await first.ended).exit).toBe(0)
  const before = hook.got.length
  await ask('POST', '/events/trigger', { type: 'quote.expired' })
  const second = listen()
  await expect.poll(() => hook.got.length, { timeout: 60_000 }).toBe(before + 1)
  second.child.kill('SIGINT')
  expect((await second.ended).exit).toBe(0)
  expect(JSON.parse(hook.got.at(-1)!.body).type).toBe('quote.expired')
}, 120_000)

test('action watch reads an action when the server announces a change, and otherwise not: the server counts its requests', async () => {
  const wallet = sandbox.user.address
  const made = await ask(
    'GET',
    `/strategies/aave-v3-usdc-sandbox-one/bytecode?action=lend&amount=1000000&wallet=${wallet}`,
  )
  const watch = startSluice(
    served.place().home,
    ['action', 'watch', made.body.id, '--interval', '50ms', '--json', '--timeout', '2m'],
    { env: { SLUICE_BASE_URL: served.url(), SLUICE_API_KEY: key } },
  )
  const metrics = async () => (await fetch(`${served.url()}/metrics`)).text()
  const reads = async () =>
    Number(/^sluice_http_requests_total\{route="\/actions\/:id",.*\} (\d+)$/m.exec(await metrics())?.[1])
  expect(JSON.parse(await watch.line()).status).toBe('INITIAL')
  await expect.poll(metrics, { timeout: 30_000 }).toContain('sluice_update_streams 1')
  await sleep(300)
  const before = await reads()
  expect(before).toBeGreaterThan(0)
  await sleep(1_500)
  expect((await reads()) - before).toBeLessThan(3)
  for (const { to, data, value, chainId } of made.body.bytecode)
    await sandbox.sendAs(chainId, wallet, { to, data, value: BigInt(value) })
  const { exit, out } = await watch.ended
  expect({ exit, last: JSON.parse(out.trim().split('\n').at(-1)!) }).toMatchObject({
    exit: 20,
    last: { error: { code: 'PENDING', message: expect.stringContaining('reported as SUCCESS') } },
  })
}, 120_000)
