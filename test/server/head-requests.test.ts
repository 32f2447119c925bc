import { expect, test } from 'vitest'
import { olderRoutes } from '../../src/api/older-routes.ts'
import { servedRoutes } from '../../src/server/served-routes.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import type { Document } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const wallet = sandbox.user.address
const slug = 'aave-v3-usdc-sandbox-one'

test('HEAD has the status and content type of GET, and no body, on every readable path', async () => {
  const key = await served.newKey('head')
  const ask = (method: string, path: string) =>
    fetch(served.url() + path, { method, headers: { 'x-api-key': key } })
  const paths = servedRoutes(olderRoutes)
    .filter(({ route }) => route.method === 'GET' && !/swap|actions|yield|bytecode/.test(route.path))
    .map(({ route }) =>
      route.path.replace('{id}', slug).replace('{address}', wallet).replace('{strategyId}', slug),
    )
  for (const path of [...paths, '/openapi.json', '/metrics']) {
    const [whole, head] = [await ask('GET', path), await ask('HEAD', path)]
    expect([path, head.status]).toEqual([path, whole.status])
    expect([path, head.headers.get('content-type')]).toEqual([path, whole.headers.get('content-type')])
    expect([path, await head.text()]).toEqual([path, ''])
  }
  expect(paths.length).toBeGreaterThan(8)
  expect((await fetch(served.url() + '/strategies', { method: 'HEAD' })).status).toBe(401)
})

test('strategy bytecode defaults to the action lend', async () => {
  const key = await served.newKey('lend')
  const ask = async (query: string) =>
    (await (
      await fetch(`${served.url()}/strategies/${slug}/bytecode?amount=1000000&wallet=${wallet}${query}`, {
        headers: { 'x-api-key': key },
      })
    ).json()) as Document
  const [unsaid, said] = [await ask(''), await ask('&action=lend')]
  expect(unsaid.bytecode).toHaveLength(2)
  expect(unsaid.bytecode).toEqual(said.bytecode)
})

test('a strategy has the fields of the detail shape, and analytics omits them', async () => {
  const key = await served.newKey('detail')
  const get = async (path: string) =>
    (await (await fetch(served.url() + path, { headers: { 'x-api-key': key } })).json()) as Document
  const usdc = { symbol: 'USDC', contract: sandbox.token(31337, 'USDC').address, decimals: 6 }
  expect(await get(`/strategies/${slug}`)).toMatchObject({
    protocolInfo: { name: 'aave-v3', category: 'lending' },
    chain: { name: 'sandbox-one', chainId: 31337 },
    assetToken: usdc,
    underlyingToken: usdc,
  })
  const { topStrategies } = await get('/strategies/analytics')
  expect(topStrategies.length).toBeGreaterThan(0)
  for (const name of ['protocolInfo', 'chain', 'assetToken', 'underlyingToken'])
    expect(topStrategies.filter((one: Document) => name in one)).toEqual([])
  // An unknown value is omitted, not null.
  const { docs } = await get('/strategies?limit=100')
  expect(docs.filter((one: Document) => 'apy' in one && typeof one.apy !== 'number')).toEqual([])
})
