import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { sandboxAddress, sandboxKey } from '../../../src/sandbox/accounts.ts'
import { cells, engineOn, inTurn, seeded } from '../../support/engine.ts'
import { type FaultyRpc, startFaultyRpc } from '../../support/nodes/faulty-rpc.ts'
import {
  type HostileService,
  type Lies,
  startHostileService,
} from '../../support/services/hostile-service.ts'
import { type Circumstances, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'
import { bridge, deposit, hostileCases, strategy, swap, tellAddresses, transfer } from './false-answers.ts'

const sandbox = useSandbox()
const { run, attempts } = useCommands(sandbox)
const apiKey = 'key-12345'

let service: HostileService
let proxies: FaultyRpc[]
beforeEach(async () => {
  tellAddresses({
    usdt: sandbox.token(31337, 'USDT').address,
    weth: sandbox.token(31337, 'WETH').address,
    usdcThere: sandbox.token(31338, 'USDC').address,
    wallet: sandbox.user.address,
  })
  service = await startHostileService(engineOn(sandbox).service, apiKey)
  proxies = await Promise.all(sandbox.world.chains.map(({ rpcUrl }) => startFaultyRpc(rpcUrl)))
})
afterEach(async () => {
  await service.stop()
  for (const proxy of proxies) await proxy.stop()
})

const sends = () => proxies.reduce((sum, proxy) => sum + proxy.sends.length, 0)

/** Runs a command with the hostile service. A failure with an exit code below 20 must have signed and sent nothing. */
async function lied(line: string, lies: Lies, more: Circumstances = {}) {
  service.lies = lies
  const before = [attempts(), sends()]
  const [one, two] = sandbox.world.chains.map(({ network }, at) => [network.name, proxies[at]!.url])
  const ran = await run(line, {
    env: { ...rpcEnvOf(sandbox, Object.fromEntries([one!, two!])), SLUICE_BASE_URL: service.url },
    secrets: { privateKey: sandbox.user.key, apiKey },
    ...more,
  })
  if (ran.exit !== 0 && ran.exit < 20) expect([attempts(), sends()]).toEqual(before)
  return ran
}

describe('an honest service', () => {
  test.each([
    ['deposit', deposit, 2],
    ['swap', swap, 2],
    ['transfer', transfer, 1],
  ])('carries out a %s', async (_, line, signatures) => {
    expect(await lied(line, {})).toMatchObject({ exit: 0 })
    expect([attempts(), sends()]).toEqual([signatures, signatures])
  })
})

test('a quote dry-run by one wallet and executed by another is followed to its end', async () => {
  const { json: quote } = await lied(
    'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 7 --json',
    {},
  )
  const by = (privateKey: Hex) => ({ secrets: { privateKey, apiKey } })
  const tried = await lied(`swap execute ${quote.id} --dry-run --json`, {}, by(sandboxKey(2)))
  expect(tried).toMatchObject({ exit: 0, json: { wallet: sandboxAddress(2) } })
  const done = await lied(`swap execute ${quote.id} --yes --json`, {})
  expect(done.exit).toBe(0)
  const hash = done.json.transactions.at(-1).hash
  const status = await lied(`swap status ${quote.id} --json`, {})
  expect(status.json).toMatchObject({ status: 'fulfilled', originTxHash: hash })
  const again = await lied(`swap execute ${quote.id} --yes --json`, {}, by(sandboxKey(2)))
  expect(again.exit).toBe(14)
})

const random = seeded(91)
/** A random selection; `npm run campaign:hostile` runs all. */
const chosen = hostileCases
  .map((one) => ({ one, at: random() }))
  .toSorted((a, b) => a.at - b.at)
  .slice(0, cells(20, hostileCases.length))
  .map(({ one }) => one)

describe('a hostile service that returns', () => {
  test.each(chosen)('%s is refused with the expected error', async (_, line, lies, exit, code) => {
    const ran = await lied(line, lies)
    expect({ exit: ran.exit, ...ran.json.error }).toMatchObject({ exit, code })
  })
})

describe('a service that', () => {
  test('stops after it returned the transactions: the deposit is completed from the journal', async () => {
    expect(await lied(deposit, { diesAfter: 'strategyBytecode' })).toMatchObject({ exit: 0 })
    expect([attempts(), sends()]).toEqual([2, 2])
    expect((await lied('action resume hostile-1 --json', {})).json).toMatchObject({
      status: 'SUCCESS',
      replayed: true,
    })
  })

  test.each([
    ['the same command line', deposit],
    ['resume', 'action resume hostile-1 --json'],
  ])('stops before the deposit is final: %s completes it', async (_, line) => {
    const sent = await lied(`${deposit} --no-wait`, { diesAfter: 'strategyBytecode' })
    expect({ exit: sent.exit, ...sent.json.error }).toMatchObject({ exit: 20, code: 'PENDING' })
    expect((await lied(line, {})).json).toMatchObject({ status: 'SUCCESS' })
    expect([attempts(), sends()]).toEqual([2, 2])
  })

  test('stops while a bridge delivers leaves the swap PENDING', async () => {
    const ran = await lied(bridge, { diesAfter: 'swapBytecode' })
    expect({ exit: ran.exit, ...ran.json.error }).toMatchObject({ exit: 20, code: 'PENDING' })
    expect(sends()).toBe(2)
  })

  test.each([
    ['an unknown hash', `0x${'ab'.repeat(32)}`],
    ['an invalid hash', 'done!'],
  ])('claims a delivery with %s leaves the swap PENDING', async (_, destinationTxHash) => {
    const ran = await lied(bridge, {
      swapStatus: (body) => ({ ...body, status: 'fulfilled', destinationTxHash }),
    })
    expect({ exit: ran.exit, ...ran.json.error }).toMatchObject({ exit: 20, code: 'PENDING' })
  })

  test('reports a successful deposit as failed does not change its status', async () => {
    const ran = await lied(deposit, {
      ingest: (body) => ({ ...body, status: 'FAILED' }),
      getAction: (body) => ({ ...body, status: 'FAILED' }),
    })
    expect(ran.json).toMatchObject({ status: 'SUCCESS' })
  })

  test('answers a report of sent transactions with nonsense does not stop the deposit', async () => {
    expect(await lied(deposit, { ingest: () => 'nonsense' })).toMatchObject({ exit: 0 })
  })

  test('returns the ID of an earlier operation is refused with exit 14', async () => {
    const before = await lied(deposit, {})
    const ran = await lied(deposit.replace('hostile-1', 'hostile-9'), {
      strategyBytecode: (body) => ({ ...body, id: before.json.id }),
    })
    expect({ exit: ran.exit, ...ran.json.error }).toMatchObject({ exit: 14, code: 'IDEMPOTENCY_KEY_REUSED' })
    expect(sends()).toBe(2)
  })

  test.each([
    ['an empty ID', ''],
    ['a flag', '--yes'],
    ['a path', '../../x'],
    ['two lines', 'a\nb'],
    ['129 characters', 'x'.repeat(129)],
  ])('names an operation by %s is refused before anything is signed', async (_, id) => {
    const ran = await lied(deposit, { strategyBytecode: (body) => ({ ...body, id }) })
    expect({ exit: ran.exit, ...ran.json.error }).toMatchObject({
      exit: 6,
      code: 'SERVICE_BAD_RESPONSE',
      message: expect.stringContaining('invalid action ID'),
    })
  })

  test('names an operation by the idempotency key of another is refused before anything is signed', async () => {
    await lied(deposit, {})
    const ran = await lied(deposit.replace('hostile-1', 'hostile-9'), {
      strategyBytecode: (body) => ({ ...body, id: 'hostile-1' }),
    })
    expect({ exit: ran.exit, ...ran.json.error }).toMatchObject({
      exit: 6,
      code: 'SERVICE_BAD_RESPONSE',
      message: expect.stringContaining('which is already the idempotency key of'),
    })
  })

  test('adds an authorization list to a transaction gets a type 2 transaction without it', async () => {
    const ran = await lied(deposit, {
      strategyBytecode: (body) => ({
        ...body,
        bytecode: body.bytecode.map((item: object) => ({ ...item, type: '0x4', authorizationList: [{}] })),
      }),
    })
    expect(ran.exit).toBe(0)
    for (const raw of proxies.flatMap((proxy) => proxy.sends)) expect(raw).toMatch(/^0x02/)
  })
})

/** Characters that move the cursor, colour a line, set a title or change the writing direction. */
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/
const forged = [
  '\u001b[2J\u001b[1;1HDone. 100 USDC deposited',
  '\u001b]0;title\u0007',
  '\u001b]8;;https://thief.example\u001b\\here\u001b]8;;\u001b\\',
  '\r\nsuccess  100 USDC\r\n',
  '\u202eCDSU',
  'US\u200bDC',
  '\u009b31mred',
  '\u0008\u0008\u0008gone',
]

describe('text of a service', () => {
  const foreign = [
    'name',
    'protocol',
    'provider',
    'symbol',
    'category',
    'status',
    'description',
    'type',
    'network',
    'originChain',
    'destinationChain',
    // The elements of a list.
    '0',
  ]
  const everywhere = (words: string) => (body: object) =>
    JSON.parse(JSON.stringify(body), (name, value) =>
      typeof value === 'string' && foreign.includes(name) ? words : value,
    )
  const lines: [string, string, string][] = [
    ['a list', 'listStrategies', 'strategies list'],
    ['one strategy', 'getStrategy', `strategies show ${strategy}`],
    ['the analytics', 'analytics', 'strategies analytics'],
    ['a wallet', 'getWallet', 'wallet show'],
    ['quotes', 'listQuotes', 'swap list'],
    ['a quote', 'quote', 'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100'],
    ['a recommendation', 'recommend', 'yield recommend USDC'],
  ]
  test.each(lines.map((one, turn) => [...one, turn] as const))(
    'cannot forge a line in %s',
    async (_, name, line, turn) => {
      for (const words of inTurn(forged, 2, turn)) {
        const { exit, out, err } = await lied(line, { [name]: everywhere(words) }, { columns: 200 })
        expect(exit).toBe(0)
        expect(out + err).not.toMatch(control)
        expect(out + err).not.toMatch(/^\s*success/m)
        const json = await lied(`${line} --json`, { [name]: everywhere(words) }, { columns: 200 })
        expect(json.out).not.toMatch(control)
      }
    },
  )

  test.each(inTurn(forged, 2, 0))('cannot put control characters into an error: %j', async (words) => {
    const { out, err } = await lied(`${deposit.replace('--json', '')}`, {
      getStrategy: () => ({ slug: words, name: words }),
    })
    expect(out + err).not.toMatch(control)
  })
})
