import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { uniswapV3Contracts } from '../../../src/swaps/uniswap-v3/constants-schema.ts'
import { engineOn } from '../../support/engine.ts'
import { serveTo, type TestServer } from '../../support/services/serve-in-process.ts'
import { type Circumstances, type Document, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run: runHere } = useCommands(sandbox)
let server: TestServer
/** By how much the clock of the service is ahead, in ms. */
let ahead = 0
const apiKey = 'key-one-status'
beforeEach(async () => {
  ahead = 0
  server = await serveTo(engineOn(sandbox, { now: () => Date.now() + ahead }).service, apiKey)
})
afterEach(() => server.close())

/** The profiles that answer: an engine in this process, and a service over HTTP. */
const profiles = {
  sandbox: (): Circumstances => ({}),
  remote: (): Circumstances => {
    const { esplora } = sandbox.world.catalog().bitcoin!
    // With the faults of the nodes.
    const nodes = Object.fromEntries(
      sandbox.world.chains.map(({ network: { name, chainId } }) => [
        name,
        sandbox.world.faults.urlOf(chainId),
      ]),
    )
    return {
      env: { ...rpcEnvOf(sandbox, nodes), SLUICE_BASE_URL: server.url, SLUICE_ESPLORA_URL: esplora },
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
    make: (run) => executed(run, far('cctp'), { faults: ['bridge-stuck'], more: '--timeout 1500ms' }),
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
  reverted: {
    status: 'failed',
    make: (run) => executed(run, `${near} --provider uniswap-v3`, { faults: [`revert ${router()}`] }),
  },
  'paid on Bitcoin': { status: 'fulfilled', make: (run) => paid(run) },
  'refunded on Bitcoin': { status: 'refunded', make: (run) => paid(run, 'bitcoin-refund') },
  'paid out in part': { status: 'failed', make: (run) => paid(run, 'bitcoin-short 3') },
}

describe('the status of a quote is the same in swap list, swap status and action explain', () => {
  const cases = (Object.keys(profiles) as Profile[]).flatMap((profile) =>
    Object.keys(courses).map((name) => [profile, name] as const),
  )
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
