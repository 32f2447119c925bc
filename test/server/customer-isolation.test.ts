import { beforeEach, describe, expect, test } from 'vitest'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import { spawnSluice, startSluice } from '../support/spawn-program.ts'
import { type Document, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const { run } = useCommands(sandbox)
const wallet = sandboxAddress()
const slug = 'aave-v3-usdc-sandbox-one'
const unknown = '00000000-0000-4000-8000-000000000000'

let mine: string
let theirs: string
beforeEach(async () => {
  mine = await served.newKey('mine')
  theirs = await served.newKey('theirs')
})

async function ask(
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Document }> {
  const answer = await fetch(served.url() + path, {
    method,
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}

const usdc = () => sandbox.token(31337, 'USDC').address
const quoteQuery = () =>
  `chainIdIn=31337&chainIdOut=31337&tokenIn=${usdc()}&tokenOut=${sandbox.token(31337, 'WETH').address}&amountIn=1000000`

test('a POST repeated with its idempotency key has the same answer and makes one action, and another customer may use the key', async () => {
  const post = async (key: string, amount: string) => {
    const answer = await fetch(`${served.url()}/transfer/bytecode`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': 'job-4711' },
      body: JSON.stringify({
        originAddress: wallet,
        destinationAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
        token: usdc(),
        chainId: 31337,
        amount,
      }),
    })
    const body = (await answer.json()) as Document
    return { status: answer.status, again: answer.headers.get('idempotent-replayed'), body }
  }
  const listed = async () => (await ask(mine, 'GET', '/actions')).body.totalDocs as number
  const before = await listed()
  const first = await post(mine, '1')
  expect([first.status, first.again]).toEqual([200, null])
  expect(await post(mine, '1')).toEqual({ ...first, again: 'true' })
  const other = await post(mine, '2')
  expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  const theirAnswer = await post(theirs, '1')
  expect([theirAnswer.status, theirAnswer.again]).toEqual([200, null])
  expect(theirAnswer.body.id).not.toBe(first.body.id)
  expect(await listed()).toBe(before + 1)
})

/** Creates every kind of stored object with the key of one customer. */
async function made(key: string) {
  const { quote } = (await ask(key, 'GET', `/v2/swap/quote?${quoteQuery()}`)).body
  const swap = await ask(key, 'POST', '/v2/swap/bytecode', { quote, walletAddress: wallet })
  expect(swap.status).toBe(200)
  const deposit = await ask(
    key,
    'GET',
    `/strategies/${slug}/bytecode?action=lend&amount=1000000&wallet=${wallet}`,
  )
  const cross = await ask(
    key,
    'GET',
    `/strategies/aave-v3-usdc-sandbox-two/bytecode?action=lend&amount=9000000&wallet=${wallet}&from=sandbox-one`,
  )
  const transfer = await ask(key, 'POST', '/transfer/bytecode', {
    originAddress: wallet,
    destinationAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    token: usdc(),
    chainId: 31337,
    amount: '1',
  })
  const best = await ask(key, 'GET', `/yield/USDC?wallet=${wallet}&amount=1000000`)
  return {
    quote,
    quotes: [quote.id, cross.body.quote.id] as string[],
    actions: [quote.id, deposit.body.id, cross.body.id, transfer.body.id, best.body.actionId] as string[],
  }
}

/** Every request that names an object by its ID. */
const byId = (id: string, quote: object): [method: string, path: string, body?: object][] => [
  ['GET', `/actions/${id}`],
  ['POST', '/actions/ingest/wallet', { actionId: id, event: 'SIGNED', txHash: `0x${'1'.repeat(64)}` }],
  ['POST', '/actions/ingest/wallet', { actionId: id, event: 'TX_FAILED' }],
  ['GET', `/v2/swap/status/${id}`],
  ['GET', `/v2/swap/status/${id}?btcTxHash=${'1'.repeat(64)}`],
  ['GET', `/swap/status/${id}`],
  ['GET', `/v1/swap/status/${id}`],
  ...['/v2/swap/bytecode', '/swap/bytecode', '/v1/swap/bytecode'].map((path): [string, string, object] => [
    'POST',
    path,
    { quote: { ...quote, id, quoteId: id }, walletAddress: wallet },
  ]),
]

describe('stored objects of a customer', () => {
  test('are 404 for another customer on every ID endpoint, exactly like unknown IDs', async () => {
    const { quote, quotes, actions } = await made(mine)
    const ids = [...new Set([...quotes, ...actions])]
    expect(ids).not.toContain(undefined)
    const stranger = await served.newKey('stranger')
    for (const id of ids)
      for (const [at, [method, path, body]] of byId(id, quote).entries()) {
        // A key allows a hundred requests a minute.
        const other = at % 2 === 0 ? await served.newKey('theirs') : stranger
        const asked = await ask(other, method, path, body)
        const [m, p, b] = byId(unknown, quote)[at]!
        const nobody = await ask(await served.newKey('theirs'), m, p, b)
        expect(asked.status).toBe(404)
        expect(JSON.parse(JSON.stringify(asked).replaceAll(id, unknown))).toEqual(nobody)
      }
    for (const id of actions) expect((await ask(mine, 'GET', `/actions/${id}`)).status).toBe(200)
    for (const id of quotes) expect((await ask(mine, 'GET', `/v2/swap/status/${id}`)).status).toBe(200)
  })

  test('are in no list of another customer, and a fee change does not affect the other customer', async () => {
    const { quotes } = await made(mine)
    const own = (await ask(mine, 'GET', '/quotes?limit=100')).body
    expect(own.docs.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(quotes))
    const seen = await ask(await served.newKey('nobody yet'), 'GET', '/quotes?limit=100')
    expect(seen.body).toMatchObject({ docs: [], totalDocs: 0 })
    expect(JSON.stringify(seen.body)).not.toContain('mine')
    const before = (await ask(theirs, 'GET', '/fees')).body
    await ask(mine, 'PUT', '/fees', { markupBps: 70, collector: wallet })
    expect((await ask(theirs, 'GET', '/fees')).body).toEqual(before)
    expect((await ask(mine, 'GET', '/customers/by-api-key')).body).toMatchObject({
      name: 'mine',
      markupBps: 70,
    })
    expect((await ask(theirs, 'GET', '/customers/by-api-key')).body).toMatchObject({
      name: 'theirs',
      markupBps: before.markupBps,
    })
  })

  test('are visible to every key of the customer', async () => {
    const { quotes } = await made(mine)
    const second = await served.newKey('mine')
    expect((await ask(second, 'GET', `/v2/swap/status/${quotes[0]}`)).status).toBe(200)
  })
})

describe('an API key', () => {
  const cli = async (...args: string[]) => spawnSluice(served.place().home, ['keys', ...args, '--json'])

  test('is created by a command, not listed again, valid at once, and revoked at once', async () => {
    const { exit, out } = await cli('create', '--customer', 'acme', '--markup-bps', '25')
    expect(exit).toBe(0)
    const made = JSON.parse(out)
    expect(Object.keys(made)).toEqual(['id', 'key', 'customer', 'testnet', 'markupBps', 'createdAt'])
    expect(made).toMatchObject({ customer: 'acme', testnet: false, markupBps: 25 })
    expect((await ask(made.key, 'GET', '/customers/by-api-key')).body).toEqual({
      id: 'acme',
      name: 'acme',
      testnet: false,
      markupBps: 25,
    })
    const list = JSON.parse((await cli('list')).out)
    expect(list.items[0]).toMatchObject({ id: made.id, revokedAt: null })
    expect(JSON.stringify(list)).not.toContain(made.key)
    expect((await cli('revoke', made.id)).exit).toBe(2)
    expect((await ask(made.key, 'GET', '/fees')).status).toBe(200)
    expect(JSON.parse((await cli('revoke', made.id, '--yes')).out)).toMatchObject({
      id: made.id,
      customer: 'acme',
    })
    expect(await ask(made.key, 'GET', '/fees')).toEqual({
      status: 401,
      body: { error: { code: 'UNAUTHORIZED', message: 'invalid API key' } },
    })
    expect((await cli('revoke', 'nothing', '--yes')).exit).toBe(4)
  })

  test('that is guessed gets 401 up to 100 times a minute, then 429, while valid keys work', async () => {
    const key = await served.newKey()
    const answers = await Promise.all(
      Array.from({ length: 140 }, (_, at) => ask(`guess-${at}`, 'GET', '/fees')),
    )
    const wrong = answers.filter(({ status }) => status === 401)
    expect(wrong.length).toBeLessThanOrEqual(100)
    expect(wrong.length).toBeGreaterThan(80)
    for (const { body } of wrong)
      expect(body.error).toEqual({ code: 'UNAUTHORIZED', message: 'invalid API key' })
    const late = answers.filter(({ status }) => status === 429)
    expect(wrong.length + late.length).toBe(140)
    expect((await ask(key, 'GET', '/fees')).status).toBe(200)
  })

  test('sees only the active strategies of its customer', async () => {
    const { key } = JSON.parse((await cli('create', '--customer', 'picky', '--strategies', slug)).out)
    const list = (await ask(key, 'GET', '/strategies')).body
    expect(list.docs.map((one: Document) => one.slug)).toEqual([slug])
    expect((await ask(key, 'GET', '/strategies/aave-v3-usdc-sandbox-two')).status).toBe(404)
    expect((await ask(key, 'GET', '/v1/yield/WETH')).status).toBe(404)
    expect((await ask(key, 'GET', '/strategies/analytics')).body.strategyCount).toBe(1)
    expect((await cli('create', '--customer', 'picky', '--strategies', 'nothing')).exit).toBe(4)
    // A change of the strategies applies to all keys of the customer at once, and is reported.
    const second = await startSluice(served.place().home, [
      'keys',
      'create',
      '--customer',
      'picky',
      '--strategies',
      'all',
    ]).ended
    expect(second.err).toContain('apply to the other key of picky')
    expect((await ask(key, 'GET', '/strategies/analytics')).body.strategyCount).toBeGreaterThan(5)
  })

  test.each([
    [['create'], 2],
    [['create', '--customer', 'a/b'], 2],
    [['create', '--customer', ''], 2],
    [['create', '--customer', 'a '], 2],
    [['create', '--customer', 'a', '--markup-bps', '10001'], 2],
    [['create', '--customer', 'a', '--markup-bps', '1.5'], 2],
    [['create', '--customer', 'a', '--database', 'postgres://x/y'], 2],
    [['list', '--profile', 'remote'], 2],
    [['revoke'], 2],
  ])('%j is refused with exit code %d', async (args, exit) => {
    const ran = await run(['keys', ...args, '--json'])
    expect({ exit: ran.exit, out: ran.out }).toMatchObject({ exit })
    expect(ran.json.error.hint).toEqual(expect.any(String))
  })
})
