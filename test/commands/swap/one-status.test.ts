import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { relayOn } from '../../../src/swaps/relay/order.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { uniswapV3Contracts } from '../../../src/swaps/uniswap-v3/constants-schema.ts'
import { engineOn, inTurn } from '../../support/engine.ts'
import { serveTo, type TestServer } from '../../support/services/serve-in-process.ts'
import { type Circumstances, type Document, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const here = useCommands(sandbox)
const { run: runHere } = here
/** Another machine. */
const other = useCommands(sandbox)
let server: TestServer
let engine: ReturnType<typeof engineOn>
/** By how much the clock of the service is ahead, in ms. */
let ahead = 0
const apiKey = 'key-one-status'
beforeEach(async () => {
  ahead = 0
  engine = engineOn(sandbox, { now: () => Date.now() + ahead })
  server = await serveTo(engine.service, apiKey)
})
afterEach(() => server.close())

/** The profiles that answer: an engine in this process, and a service over HTTP. */
const profiles = {
  sandbox: (): Circumstances => ({}),
  remote: (): Circumstances => {
    const { esplora } = sandbox.world.catalog().bitcoin!
    const relay = relayOn(sandbox.world.catalog(), 31337)!.api
    // With the faults of the nodes.
    const nodes = Object.fromEntries(
      sandbox.world.chains.map(({ network: { name, chainId } }) => [
        name,
        sandbox.world.faults.urlOf(chainId),
      ]),
    )
    return {
      env: {
        ...rpcEnvOf(sandbox, nodes),
        SLUICE_BASE_URL: server.url,
        SLUICE_ESPLORA_URL: esplora,
        SLUICE_RELAY_URL: relay!,
      },
      secrets: { privateKey: sandbox.user.key, apiKey },
    }
  },
}
type Profile = keyof typeof profiles

const router = () =>
  contractsIn(sandbox.world.catalog(), uniswapV3Contracts).find(({ chainId }) => chainId === 31337)!
    .swapRouter02

type Run = (line: string, later?: number) => ReturnType<typeof runHere>

const near = '--from sandbox-one --token-in USDC --token-out WETH --amount-in 650'
const far = (provider: string, amount = 60) =>
  `--from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in ${amount} --provider ${provider}`
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const bitcoin = `--from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund ${refund} --provider near-intents`

/** Gets a quote, sets faults, and executes it by its ID; returns its ID. */
async function executed(
  run: Run,
  flags: string,
  { faults = [] as string[], more = '' } = {},
): Promise<string> {
  const { json: quote, err } = await run(`swap quote ${flags} --json`)
  expect(quote.id, err).toMatch(/\w/)
  for (const fault of faults) expect((await runHere(`sandbox fault ${fault} --json`)).exit).toBe(0)
  const ran = await run(`swap execute ${quote.id} --yes --json ${more}`)
  expect([0, 20, 22, 25], ran.out).toContain(ran.exit)
  return quote.id
}

/** Sends the transactions of a plan as another program would. */
async function sentElsewhere({ steps }: Document): Promise<void> {
  for (const { chainId, to, data, value } of steps) {
    const { status } = await sandbox.sendAs(chainId, sandbox.user.address, { to, data, value: BigInt(value) })
    expect(status).toBe('0x1')
  }
}

/** Pays the deposit of a quote from Bitcoin. */
async function paid(run: Run, fault?: string): Promise<string> {
  const { json: quote, err } = await run(`swap quote ${bitcoin} --json`)
  expect(quote.id, err).toMatch(/\w/)
  const { json } = await run(`swap execute ${quote.id} --no-wait --json`)
  if (fault) expect((await runHere(`sandbox fault ${fault} --json`)).exit).toBe(0)
  await runHere(`sandbox pay-bitcoin ${json.error.details.deposit.address} 0.01 --json`)
  return quote.id
}

const minutes = (count: number) => count * 60_000

/**
 * The courses of a quote: each returns its ID. `later` is the time since then at which it is looked at, after its lifetime of five
 * minutes. `told`: what is said of it where only a service has seen its end.
 */
const courses: Readonly<
  Record<string, { status: string; told?: string; later?: number; make: (run: Run) => Promise<string> }>
> = {
  'a new quote': {
    status: 'pending',
    make: async (run) => (await run(`swap quote ${near} --json`)).json.id,
  },
  'a quote that nobody executed': {
    status: 'expired',
    later: minutes(6),
    make: async (run) => (await run(`swap quote ${near} --json`)).json.id,
  },
  'executed here': { status: 'fulfilled', make: (run) => executed(run, near) },
  'executed here, six minutes ago': {
    status: 'fulfilled',
    later: minutes(6),
    make: (run) => executed(run, near),
  },
  'sent by another program': {
    status: 'fulfilled',
    told: 'reported',
    make: async (run) => {
      const { json: quote } = await run(`swap quote ${near} --json`)
      await sentElsewhere((await run(`swap execute ${quote.id} --dry-run --json`)).json)
      return quote.id
    },
  },
  'sent by another program, six minutes ago': {
    status: 'fulfilled',
    told: 'reported',
    later: minutes(6),
    make: async (run) => {
      const { json: quote } = await run(`swap quote ${near} --json`)
      await sentElsewhere((await run(`swap execute ${quote.id} --dry-run --json`)).json)
      return quote.id
    },
  },
  'the approval alone is mined': {
    status: 'pending',
    make: (run) => executed(run, near, { more: '--no-wait' }),
  },
  'sent over a bridge': { status: 'fulfilled', make: (run) => executed(run, far('cctp')) },
  'not delivered yet': {
    status: 'processing',
    make: (run) => executed(run, far('cctp'), { faults: ['bridge-stuck'], more: '--timeout 3s' }),
  },
  'delivered in part': {
    status: 'failed',
    make: (run) => executed(run, far('cctp'), { faults: ['bridge-short 10'] }),
  },
  refunded: {
    status: 'refunded',
    make: (run) => executed(run, far('relay'), { faults: ['relay-refund-origin'] }),
  },
  'an order that expired': {
    status: 'failed',
    make: async (run) => {
      const id = await executed(run, `${near} --provider cow`, {
        faults: ['order-unfilled'],
        more: '--timeout 4s',
      })
      await runHere('sandbox warp 2h')
      await run(`action resume ${id} --json --timeout 20s`)
      return id
    },
  },
  'abandoned after its approval': {
    status: 'failed',
    make: async (run) => {
      const id = await executed(run, near, { more: '--no-wait' })
      expect((await run(`action abandon ${id} --yes --json`)).exit).toBe(0)
      return id
    },
  },
  reverted: {
    status: 'failed',
    make: (run) => executed(run, `${near} --provider uniswap-v3`, { faults: [`revert ${router()}`] }),
  },
  'paid on Bitcoin': { status: 'fulfilled', make: (run) => paid(run) },
  'refunded on Bitcoin': { status: 'refunded', make: (run) => paid(run, 'bitcoin-refund') },
  'paid out in part': { status: 'failed', make: (run) => paid(run, 'bitcoin-short 3') },
}

describe('the status of a quote is the same in swap list, swap status and action explain', () => {
  // Each course of one profile; over a service also those whose end it alone has seen.
  const cases = (Object.keys(profiles) as Profile[]).flatMap((profile, turn) => {
    const chosen = inTurn(Object.keys(courses), 2, turn)
    return Object.keys(courses)
      .filter((name) => chosen.includes(name) || (profile === 'remote' && courses[name]!.told !== undefined))
      .map((name) => [profile, name] as const)
  })
  test.each(cases)('%s profile: %s', async (profile, name) => {
    const { later = 0, make, ...course } = courses[name]!
    const status = (profile === 'remote' && course.told) || course.status
    const run: Run = (line, after = 0) => runHere(line, { ...profiles[profile](), later: after })
    const id = await make(run)
    ahead = later
    const listed = async () => {
      const { json, err, exit } = await run('swap list --json --limit 100', later)
      expect(exit, err).toBe(0)
      return json.items.find((one: Document) => one.id === id)?.status
    }
    // The list comes first, so that no other command has asked the chains for it.
    await expect.poll(listed, { timeout: 10_000, interval: 100 }).toBe(status)
    expect((await run(`swap status ${id} --json`, later)).json.status).toBe(status)
    expect(await listed()).toBe(status)
  })
})

const remotely: Run = (line, later = 0) => runHere(line, { ...profiles.remote(), later })
const quoteIds = async () => (await engine.service.listQuotes({ limit: 100 })).items.map(({ id }) => id)
/** The actions on the page of a server. */
const onPage = async () => (await engine.service.listActions({ limit: 10 })).items.map(({ id }) => id)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const slug = 'aave-v3-usdc-sandbox-one'

describe('drafts', () => {
  const signing = [
    `swap execute ${near}`,
    `swap execute ${far('cctp')}`,
    `deposit ${slug} --amount 5`,
    'deposit aave-v3-usdc-sandbox-two --amount 50 --from sandbox-one',
    `transfer --network sandbox-one --token USDC --to ${friend} --amount 5`,
  ]
  test('no dry run of a command and no comparison is listed', async () => {
    const lines = [
      `swap quote ${near} --compare`,
      ...signing.map((line) => `${line} --dry-run`),
      `withdraw ${slug} --amount 1 --dry-run`,
    ]
    expect((await runHere(`deposit ${slug} --amount 5 --yes --json`)).exit).toBe(0)
    for (const line of lines) {
      const ran = await remotely(`${line} --json`)
      expect(ran.exit, `${line}: ${ran.out}${ran.err}`).toBe(0)
      expect({ line, quotes: await quoteIds(), actions: await onPage() }).toEqual({
        line,
        quotes: [],
        actions: [],
      })
    }
  })

  test('what is executed after a comparison or a dry run is listed', async () => {
    const { json: compared } = await remotely(`swap quote ${near} --compare --json`)
    const { id } = compared.items.find(({ quote }: Document) => quote).quote
    expect((await remotely(`swap execute ${id} --dry-run --json`)).exit).toBe(0)
    expect([await quoteIds(), await onPage()]).toEqual([[], []])
    expect((await remotely(`swap execute ${id} --yes --json`)).exit).toBe(0)
    expect([await quoteIds(), await onPage()]).toEqual([[id], [id]])
    const plan = await remotely(`${signing.at(-1)} --dry-run --json`)
    expect(await onPage()).toEqual([id])
    const submitted = await runHere('action submit - --yes --json', { ...profiles.remote(), stdin: plan.out })
    expect(submitted.exit, submitted.out).toBe(0)
    expect(await onPage()).toEqual([submitted.json.id, id])
  })
})

test('a quote from Bitcoin that was only compared is listed once its deposit is seen', async () => {
  const { json: compared } = await runHere(
    `swap quote ${bitcoin.replace(/ --provider .*/, '')} --compare --json`,
  )
  const { id } = compared.items[0].quote
  const listed = async () => (await runHere('swap list --json')).json.items.map((one: Document) => one.id)
  const { json } = await runHere(`swap execute ${id} --no-wait --json`)
  expect(await listed()).toEqual([])
  const { address, memo } = json.error.details.deposit
  await runHere([
    'sandbox',
    'pay-bitcoin',
    address,
    '0.01',
    '--json',
    ...(memo === null ? [] : ['--memo', memo]),
  ])
  await expect
    .poll(async () => (await runHere(`swap status ${id} --json`)).json.status, { interval: 100 })
    .toBe('fulfilled')
  expect(await listed()).toEqual([id])
})

describe('an action that ends here without its effect ends at the service too', () => {
  const statusOf = async (id: string) => (await engine.service.getAction({ id })).status
  const begun = (ran: { json: Document }) => ran.json.error.details.operation ?? ran.json.error.details.id

  test('cancelled: FAILED once the cancellation is mined, not before', async () => {
    await runHere('sandbox fault stop-mining --json')
    const id = begun(
      await remotely(
        `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json --allow-duplicate --timeout 3s`,
      ),
    )
    expect((await remotely(`action cancel ${id} --yes --no-wait --json`)).exit).toBe(20)
    // The word of a client ends nothing that may still be mined.
    await engine.service.ingest({ actionId: id, event: 'CANCELLED' })
    expect(await statusOf(id)).not.toBe('FAILED')
    await runHere('sandbox fault clear --json')
    expect((await remotely(`action resume ${id} --json`)).exit).toBe(24)
    expect(await statusOf(id)).toBe('FAILED')
  })

  test('abandoned after its approval: FAILED, and its quote failed', async () => {
    const partly = begun(
      await remotely(`deposit ${slug} --amount 5 --yes --json --allow-duplicate --no-wait`),
    )
    expect((await remotely(`action abandon ${partly} --yes --json`)).exit).toBe(0)
    expect(await statusOf(partly)).toBe('FAILED')
    const { json: quote } = await remotely(`swap quote ${near} --json`)
    await remotely(`swap execute ${quote.id} --yes --json --no-wait`)
    await remotely(`action abandon ${quote.id} --yes --json`)
    expect((await engine.service.swapStatus({ id: quote.id })).status).toBe('failed')
  })

  test('a transaction that is mined after a report of a cancellation counts', async () => {
    await runHere('sandbox fault stop-mining --json')
    const id = begun(
      await remotely(
        `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json --allow-duplicate --timeout 3s`,
      ),
    )
    await engine.service.ingest({ actionId: id, event: 'CANCELLED' })
    await runHere('sandbox fault clear --json')
    await expect.poll(() => statusOf(id)).toBe('SUCCESS')
  })
})

test.each([
  ['by its ID', true],
  ['with the flags of a quote', false],
])(
  'swap execute of the ID of a done swap that was executed %s repeats its result and pays nothing',
  async (_, byId) => {
    const { json: quote } = byId ? await runHere(`swap quote ${near} --json`) : { json: undefined }
    const { json: done } = await runHere(
      byId ? `swap execute ${quote.id} --yes --json` : `swap execute ${near} --yes --json`,
    )
    expect(done.status).toBe('SUCCESS')
    const again = await runHere(`swap execute ${done.id} --yes --json`)
    expect(again.exit, again.out).toBe(0)
    expect(again.json).toMatchObject({ id: done.id, status: 'SUCCESS', replayed: true })
  },
)

test('swap execute refuses the ID of a quote that another program has executed', async () => {
  const { json: quote } = await runHere(`swap quote ${near} --json`)
  await sentElsewhere((await runHere(`swap execute ${quote.id} --dry-run --json`)).json)
  const again = await runHere(`swap execute ${quote.id} --yes --json`)
  expect(again).toMatchObject({ exit: 10, json: { error: { code: 'ORDER_USED' } } })
  expect(again.json.error.hint).toBe(`sluice swap status ${quote.id}`)
})

describe('a quote whose swap is sent or done starts no second payment', () => {
  const stopped = '--yes --json --timeout 3s'
  /** The courses of a quote whose swap is sent. */
  const used: Readonly<Record<string, (run: Run) => Promise<string>>> = {
    done: (run) => executed(run, near),
    'sent and pending': async (run) => {
      const { json: quote } = await run(`swap quote ${near} --json`)
      await run(`swap execute ${quote.id} --yes --json --no-wait`)
      await runHere('sandbox fault stop-mining --json')
      expect((await run(`swap execute ${quote.id} ${stopped}`)).exit).toBe(20)
      return quote.id
    },
    'sent over a bridge, not delivered': courses['not delivered yet']!.make,
    'delivered in part': courses['delivered in part']!.make,
    reverted: courses.reverted!.make,
    'paid on Bitcoin': (run) => paid(run),
  }
  const elsewhere = (line: string, more: Circumstances = {}) =>
    here.signsNothing(() => other.run(line, { ...profiles.remote(), ...more }))
  const refusal = (id: string) => ({
    exit: 10,
    json: { error: { code: 'ORDER_USED', hint: `sluice swap status ${id}` } },
  })

  test.each(inTurn(Object.keys(used), 2, 0))(
    '%s: refused on another machine, by an execution and a dry run',
    async (name) => {
      const id = await used[name]!(remotely)
      await expect
        .poll(async () => (await engine.service.swapStatus({ id })).originTxHash, { timeout: 10_000 })
        .not.toBeNull()
      // It allows a transaction that no block has, and is no option of a payment on Bitcoin.
      for (const line of ['--yes --idempotency-key another-machine', '--yes --allow-duplicate', '--dry-run'])
        if (!['sent and pending', 'paid on Bitcoin'].includes(name) || !line.includes('--allow-duplicate'))
          expect(await elsewhere(`swap execute ${id} ${line} --json`), line).toMatchObject(refusal(id))
      if (name !== 'paid on Bitcoin')
        expect(await elsewhere(`swap execute ${id} --dry-run --json`, { secrets: { apiKey } })).toMatchObject(
          refusal(id),
        )
    },
  )

  test.each(
    (Object.keys(profiles) as Profile[]).flatMap((profile, turn) =>
      inTurn(['done', 'sent and pending', 'sent over a bridge, not delivered'], 2, turn).map(
        (name) => [profile, name] as const,
      ),
    ),
  )('%s profile: a dry run of a quote that this machine executed is refused: %s', async (profile, name) => {
    const run: Run = (line) => runHere(line, profiles[profile]())
    const id = await used[name]!(run)
    expect(await here.signsNothing(() => run(`swap execute ${id} --dry-run --json`))).toMatchObject(
      refusal(id),
    )
  })

  const unsigned = (line: string) => runHere(line, { ...profiles.remote(), secrets: { apiKey } })

  test('without a signer the result of a done swap is repeated', async () => {
    const id = await executed(remotely, near)
    const again = await unsigned(`swap execute ${id} --yes --json`)
    expect(again, again.out).toMatchObject({ exit: 0, json: { id, status: 'SUCCESS', replayed: true } })
    const keyed = `transfer --network sandbox-one --token USDC --to ${friend} --amount 5 --yes --json --idempotency-key paid-once`
    const { json: first } = await remotely(keyed)
    expect(await unsigned(keyed)).toMatchObject({ exit: 0, json: { id: first.id, replayed: true } })
  })

  test('without a signer a swap whose transactions are all sent is followed, and nothing is signed', async () => {
    const id = await used['sent over a bridge, not delivered']!(remotely)
    const waiting = await here.signsNothing(() => unsigned(`swap execute ${id} ${stopped}`))
    expect(waiting, waiting.out).toMatchObject({ exit: 20, json: { error: { code: 'PENDING' } } })
    await runHere('sandbox fault clear --json')
    const done = await here.signsNothing(() => unsigned(`swap execute ${id} --yes --json --timeout 20s`))
    expect(done, done.out).toMatchObject({ exit: 0, json: { id, status: 'SUCCESS' } })
  })

  test('without a signer a swap with an unsigned step needs one', async () => {
    const { json: quote } = await remotely(`swap quote ${near} --json`)
    await remotely(`swap execute ${quote.id} --yes --json --no-wait`)
    const { exit, json } = await here.signsNothing(() => unsigned(`swap execute ${quote.id} --yes --json`))
    expect({ exit, cause: json.error.details.cause }).toEqual({ exit: 20, cause: 'KEY_REQUIRED' })
  })

  test.each(Object.keys(profiles) as Profile[])(
    '%s profile: a swap whose approval alone was sent here, and that another machine sent, is not sent again',
    async (profile) => {
      const run: Run = (line) => runHere(line, profiles[profile]())
      const { json: quote } = await run(`swap quote ${near} --json`)
      const planned = (await run(`swap execute ${quote.id} --dry-run --json`)).json
      const begun = await run(`swap execute ${quote.id} --yes --json --no-wait`)
      expect(begun.exit, begun.out).toBe(20)
      const { id } = begun.json.error?.details ?? begun.json
      await sentElsewhere({ ...planned, steps: planned.steps.slice(1) })
      await expect
        .poll(async () => (await run(`swap status ${quote.id} --json`)).json.originTxHash, {
          timeout: 10_000,
        })
        .not.toBeNull()
      const again = await here.signsNothing(() => run(`swap execute ${quote.id} --yes --json`))
      expect(again, again.out).toMatchObject({
        exit: 21,
        json: {
          error: { code: 'PARTIAL', hint: `sluice swap status ${quote.id}`, details: { operation: id } },
        },
      })
      expect(again.json.error.message).toMatch(/already sent \(/)
      // A resumed action asks nobody: the chain shows a transaction that its journal does not know.
      const resumed = await here.signsNothing(() => run(`action resume ${id} --yes --json`))
      expect(resumed.json.error).toMatchObject({ code: 'PARTIAL', details: { cause: 'JOURNAL_OUTDATED' } })
    },
  )

  test('a quote older than the newest 100 of the service is found by its ID', async () => {
    const { json: quote } = await remotely(`swap quote ${near} --json`)
    const { wire, ...row } = (await engine.context.store.quote('tests', quote.id))!
    for (const at of Array(101).keys()) {
      const id = `${quote.id}-${at}`
      const { actionId: _, ...newer } = { ...row, id, createdAt: row.createdAt + 1 + at }
      await engine.context.store.saveQuote({ ...newer, wire: wire.replaceAll(quote.id, id) })
    }
    // Its terms are the word of the service, so a person must confirm them.
    const found = await elsewhere(`swap execute ${quote.id} --yes --json`)
    expect(found, found.out).toMatchObject({ exit: 8, json: { error: { code: 'POLICY_QUOTE_DRIFT' } } })
    // So is one that was only compared, and is not listed.
    const { json: compared } = await remotely(`swap quote ${near} --compare --json`)
    const { id } = compared.items.find((one: Document) => one.quote).quote
    expect(await quoteIds()).not.toContain(id)
    const draft = await elsewhere(`swap execute ${id} --yes --json`)
    expect(draft, draft.out).toMatchObject({ exit: 8, json: { error: { code: 'POLICY_QUOTE_DRIFT' } } })
    const none = await elsewhere('swap execute no-such-quote --yes --json')
    expect(none).toMatchObject({ exit: 4, json: { error: { code: 'QUOTE_NOT_FOUND' } } })
  })

  test('a quote that expired unused, or that another machine did not execute, is not called sent', async () => {
    const { json: quote } = await remotely(`swap quote ${near} --json`)
    expect((await elsewhere(`swap execute ${quote.id} --yes --json`)).json.error.code).toBe(
      'POLICY_QUOTE_DRIFT',
    )
    ahead = minutes(6)
    const late = await remotely(`swap execute ${quote.id} --yes --json`, minutes(6))
    expect(late.json.error.code).toBe('QUOTE_EXPIRED')
  })
})
