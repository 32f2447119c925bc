import { expect, test } from 'vitest'
import { createEngine } from '../../../src/app/library.ts'
import { rpcHeaders } from '../../../src/app/profiles/rpc-headers.ts'
import type { AppError } from '../../../src/domain/errors.ts'
import { publicNetworks, sandboxNetworks } from '../../../src/domain/networks.ts'
import { listener } from '../../support/services/listener.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const token = 'tok-5e12ab77c0ffee'
const variable = 'SLUICE_RPC_SANDBOX_ONE_HEADERS'
const all = [...publicNetworks, ...sandboxNetworks]

const given = (text: string, urls: readonly string[] = ['https://node.example/'], name = variable) =>
  rpcHeaders({ [name]: text }, all, new Map([[31337, urls]])).get(31337)

test.each([
  [`Authorization: Bearer ${token}`, { authorization: `Bearer ${token}` }],
  [`X-Key:${token}\r\nX-Other:  a b \n\n`, { 'x-key': token, 'x-other': 'a b' }],
])('%j is read as headers', (text, headers) => {
  expect(given(text)).toEqual(headers)
})

test.each([
  ['no name', token, undefined, 'is not a header in line 1'],
  ['no value', 'Authorization:', undefined, 'is not a header in line 1'],
  ['a control character', `X-Key: ${token}\u0007`, undefined, 'is not a header in line 1'],
  ['a second line that is none', `X-Key: ${token}\nBearer`, undefined, 'is not a header in line 2'],
  ['a header of every request', `Host: ${token}`, undefined, 'sets Host, which every request sets itself'],
  [
    'a connection that is not encrypted',
    `X-Key: ${token}`,
    ['http://node.example/'],
    'the connection to node.example is not encrypted',
  ],
  ['two hosts', `X-Key: ${token}`, ['https://a.example/', 'https://b.example/'], 'names several hosts'],
])('%s is refused, and the value is not repeated', (_, text, urls, what) => {
  const refused = () => given(text, urls)
  expect(refused).toThrow(what)
  expect(refused).not.toThrow(token)
})

test('headers of an unknown network are refused', () => {
  expect(() => given(`X-Key: ${token}`, undefined, 'SLUICE_RPC_BSAE_HEADERS')).toThrow('does not support')
})

/** A node that answers only requests with the header; `isRefused` refuses others. It counts both. */
async function closedNode(isRefused: (body: string) => boolean = () => false) {
  const target = sandbox.chain(31337).rpcUrl
  const counts = { kept: 0, refused: 0 }
  const node = await listener((request, response) => {
    const { authorization } = request.headers
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const body = Buffer.concat(parts).toString()
      if (authorization !== `Bearer ${token}` || isRefused(body)) {
        counts.refused++
        response.writeHead(401, { 'content-type': 'application/json' })
        // Some gateways repeat what they were sent.
        response.end(JSON.stringify({ error: { message: `bad token ${authorization}` } }))
        return
      }
      counts.kept++
      const headers = { 'content-type': 'application/json' }
      response.end(await (await fetch(target, { method: 'POST', headers, body })).text())
    })
  })
  return { ...node, counts }
}

test('the library sends the headers of its options, and refuses those that it may not send', async () => {
  const node = await closedNode()
  const catalog = sandbox.world.catalog()
  const rpcs = { 'sandbox-one': node.url }
  const headers = { Authorization: `Bearer ${token}` }
  const engine = await createEngine({ rpcs, catalog, rpcHeaders: { 31337: headers } })
  const { apy } = await engine.getStrategy({ id: 'aave-v3-usdc-sandbox-one' })
  expect(apy).toBeTypeOf('number')
  expect(node.counts).toEqual({ kept: expect.any(Number), refused: 0 })
  await engine.close()
  const refused: [Parameters<typeof createEngine>[0], string][] = [
    [{ rpcs: { base: 'http://node.example' }, rpcHeaders: { base: headers } }, 'rpcHeaders.base is a secret'],
    [
      { rpcs: { base: ['https://a.example', 'https://b.example'] }, rpcHeaders: { base: headers } },
      'several hosts',
    ],
    [{ rpcs, catalog, rpcHeaders: { 'sandbox-one': { 'X-Key': `${token}\nHost: x` } } }, 'is not a header'],
    [{ rpcs, catalog, rpcHeaders: { 'sandbox-one': { Host: token } } }, 'sets Host'],
    [{ rpcs, catalog, rpcHeaders: { 'sandbox-two': headers } }, 'no RPC'],
    [
      { rpcs, catalog, rpcHeaders: { 'sandbox-one': { 'X-Key': 5 as never } } },
      'an invalid value for rpcHeaders',
    ],
  ]
  for (const [options, what] of refused) {
    const error = await createEngine(options).then(
      () => undefined,
      (reason: unknown) => reason as AppError,
    )
    expect(error?.code, what).toBe('CONFIG_INVALID')
    expect(error?.message).toContain(what)
    expect(`${error?.message} ${error?.hint}`).not.toContain(token)
  }
  await node.close()
})

test('a node that wants a header gets it with every request, and nothing shows it', async () => {
  const node = await closedNode((body) => body.includes('eth_call'))
  const env = { ...rpcEnvOf(sandbox, { 'sandbox-one': node.url }), SLUICE_PROFILE: 'engine' }
  const secrets = { rpcHeaders: { [variable]: `Authorization: Bearer ${token}` } }
  const ran = await run('strategies list --debug', { env, secrets })
  expect([node.counts.kept > 0, node.counts.refused > 0]).toEqual([true, true])
  const listed = await run('config list --json --show-origin', { env, secrets })
  expect(JSON.stringify(listed.json)).toContain(
    JSON.stringify({ name: 'rpc sandbox-one headers', value: 'set', origin: variable }),
  )
  for (const text of [ran.out, ran.err, listed.out, listed.err]) expect(text).not.toContain(token)
  expect(ran.err + ran.out).toContain('401')
  await node.close()
})
