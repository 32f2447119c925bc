import { afterEach, expect, test } from 'vitest'
import { remoteService } from '../../src/remote/client.ts'
import { listener } from '../support/services/listener.ts'
import { alwaysSays } from '../support/services/serve-in-process.ts'

const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const strategy = {
  _id: 'a',
  slug: 'a',
  name: 'A',
  protocol: 'aave-v3',
  network: 'base',
  asset: { symbol: 'USDC', contract: token, decimals: 6 },
  paused: false,
}
const page = { docs: [strategy], totalDocs: 1, limit: 10, page: 1 }

const open: (() => Promise<void>)[] = []
afterEach(() => Promise.all(open.splice(0).map((close) => close())))
const service = async (body: unknown) => {
  const { url, close } = await alwaysSays(200, body)
  open.push(close)
  return remoteService({ baseUrl: url, apiKey: 'key-12345' })
}

test.each<[change: object, at: string[]]>([
  [{ apy: 'much' }, ['apy']],
  [{ asset: { ...strategy.asset, decimals: '6' } }, ['asset.decimals']],
  [{ paused: 'no', protocol: 1, grade: 'A' }, ['protocol', 'paused']],
])('an invalid response names its invalid fields: %j', async (change, at) => {
  const wrong = { ...strategy, ...change }
  await expect((await service(wrong)).getStrategy({ id: 'a' })).rejects.toMatchObject({
    code: 'SERVICE_BAD_RESPONSE',
    details: { at },
  })
  await expect(
    (await service({ ...page, docs: [strategy, wrong] })).listStrategies({}),
  ).rejects.toMatchObject({ details: { at: at.map((one) => `docs.1.${one}`) } })
})

test('an unreadable extension field is null', async () => {
  const more = { grade: 'A', rates: {}, category: {}, underlying: '0x', chainId: 'base' }
  expect(await (await service({ ...strategy, ...more })).getStrategy({ id: 'a' })).toEqual(
    await (await service(strategy)).getStrategy({ id: 'a' }),
  )
})

const call = `{"to":"${token}","data":"0x","value":"0","chainId":8453}`
const bytecode = (more: string, of = call) =>
  `{"id":"a","chainIdIn":8453,"chainIdOut":8453,"bytecode":[${of}]${more}}`

test.each<[body: string, name: string | undefined]>([
  [bytecode(''), undefined],
  [bytecode(',"fees":[{"a":"\\"a\\":"},{"a":1}]'), undefined],
  [bytecode('', call.replace('{', '{"value":"7",')), 'value'],
  [bytecode('', call.replace('{', '{"t\\u006f":"0x",')), 'to'],
  [bytecode(',"fees":null,"bytecode":[]'), 'bytecode'],
  [bytecode(',"__proto__":{"bytecode":[]}'), '__proto__'],
  [bytecode(',"quote":{"\\u005f_proto__":1}'), '__proto__'],
])('transactions are accepted unless they have duplicate or __proto__ keys: %s', async (body, name) => {
  const { url, close } = await listener((request, response) => {
    request.resume()
    response.end(body)
  })
  open.push(close)
  const asking = remoteService({ baseUrl: url, apiKey: 'key-12345' }).strategyBytecode({
    id: 'a',
    action: 'lend',
    amount: 1n,
    wallet: token,
  })
  if (name === undefined) return void expect((await asking).bytecode).toHaveLength(1)
  await expect(asking).rejects.toMatchObject({ code: 'SERVICE_BAD_RESPONSE', details: { at: [name] } })
})
