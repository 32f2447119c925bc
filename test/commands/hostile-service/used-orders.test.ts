import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { padHex } from 'viem/utils'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { jsonBody, type Loopback, serveLoopback } from '../../../src/sandbox/loopback-server.ts'
import { cowContracts } from '../../../src/swaps/cow/constants-schema.ts'
import { depositProviderNames } from '../../../src/swaps/deposit-provider-registry.ts'
import { depositRelay } from '../../../src/swaps/relay/encode.ts'
import {
  decodeOrder,
  orderIdOf,
  type RelayEnds,
  type RelayTerms,
  relayOn,
} from '../../../src/swaps/relay/order.ts'
import { relayOrders } from '../../../src/swaps/relay/order-use.ts'
import { serviceAccess } from '../../../src/swaps/service-access.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import { followTransfer, swapDefinitions } from '../../../src/swaps/swap-provider-registry.ts'
import { engineOn, inTurn } from '../../support/engine.ts'
import {
  type HostileService,
  startHostileService,
  type Wire,
} from '../../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const apiKey = 'key-12345'

/** The APIs of providers, as commands see them; while `isReplaying`, each repeats its earlier quote for the same request. */
let apis: { url: string; isReplaying: boolean; server: Loopback }
const replayed = /\/(quote|quote\/v2|v0\/quote)$/
const kept = new Map<string, { status: number; body: unknown }>()
beforeEach(async () => {
  const { bitcoin, ...known } = sandbox.world.catalog()
  const bases: Record<string, string> = {
    relay: relayOn(known, 31337)!.api!,
    'one-click': bitcoin!.oneClick!.api,
  }
  kept.clear()
  const server = await serveLoopback(async (request, { pathname, search }) => {
    const [, name = '', path = ''] = /^\/([\w-]+)(\/.*)$/.exec(pathname) ?? []
    const body = await jsonBody(request)
    const { deadline: _, ...asked } = (body ?? {}) as Record<string, unknown>
    const key = `${pathname} ${JSON.stringify(asked)}`
    const first = kept.get(key)
    if (apis.isReplaying && first) return first
    const answer = await fetch(`${bases[name]}${path}${search}`, {
      method: request.method!,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    const said = { status: answer.status, body: await answer.json() }
    if (request.method === 'POST' && replayed.test(pathname)) kept.set(key, said)
    return said
  })
  apis = { url: server.url, isReplaying: false, server }
})
afterEach(() => apis.server.close())

const catalog = () => {
  const { swaps, bitcoin, ...rest } = sandbox.world.catalog()
  return {
    ...rest,
    swaps: { ...swaps, relay: swaps.relay!.map((one) => ({ ...one, api: `${apis.url}/relay` })) },
    bitcoin: { ...bitcoin!, oneClick: { ...bitcoin!.oneClick!, api: `${apis.url}/one-click` } },
  }
}
const here = useCommands(sandbox, { catalog })
/** The same wallet on another machine, with an empty journal. */
const elsewhere = useCommands(sandbox, { catalog })

let hostile: HostileService
beforeEach(async () => {
  hostile = await startHostileService(engineOn(sandbox, { catalog: sandbox.world.catalog() }).service, apiKey)
})
afterEach(() => hostile.stop())

/** A command through the remote service. */
const remotely = (commands: typeof here, line: string) =>
  commands.run(line, {
    env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: hostile.url, SLUICE_RELAY_URL: `${apis.url}/relay` },
    secrets: { privateKey: sandbox.user.key, apiKey },
  })

type Uses = {
  /** A swap by the provider. */
  line: string
  /** Whether its own API can name an order that it named before; the uid of CoW is made here. */
  byApi: boolean
}

/** How the orders of every provider with orders are used. */
const providers: Readonly<Record<string, Uses>> = {
  relay: {
    line: 'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 1000 --provider relay --yes --json --timeout 20s',
    byApi: true,
  },
  cow: {
    line: 'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 300 --provider cow --yes --json --timeout 20s',
    byApi: false,
  },
  'near-intents': {
    line: `swap execute --from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund ${refund} --provider near-intents --no-wait --yes --json`,
    byApi: true,
  },
}
const using = Object.entries(providers)
const onChain = using.filter(([name]) => name !== 'near-intents')

test('every provider with orders is listed', () => {
  const ordering = swapDefinitions.flatMap(({ name, orders }) => (orders === 'none' ? [] : [name]))
  // THORChain tells deposits to one address apart by their memos.
  const addressing = depositProviderNames.filter((name) => name !== 'thorchain')
  expect(Object.keys(providers).toSorted()).toEqual([...ordering, ...addressing].toSorted())
})

const usdc = () => sandbox.token(31337, 'USDC').address
const held = () => sandbox.balanceOf(31337, usdc(), sandbox.user.address)

/** Expects that a command is refused as a second use of an order, before anything was signed or approved. */
async function refused(commands: typeof here, work: () => ReturnType<typeof here.run>, words: RegExp) {
  const before = await held()
  const ran = await commands.signsNothing(work)
  expect(ran.exit, ran.out + ran.err).toBeLessThan(20)
  expect(ran.exit).toBeGreaterThan(0)
  expect(ran.json.error).toMatchObject({ code: 'ORDER_USED', message: expect.stringMatching(words) })
  expect(ran.json.error.hint).toContain('sluice swap quote')
  // What was paid on Bitcoin before may arrive meanwhile.
  expect(await held()).toBeGreaterThanOrEqual(before)
  return ran
}

/** The hostile service gives the first proposal again, under another quote ID. */
function repeats() {
  let [quote, proposal]: Wire[] = []
  hostile.lies = {
    quote: (body) => {
      quote ??= body.quote
      return { quote: { ...quote, id: body.quote.id, quoteId: body.quote.quoteId } }
    },
    swapBytecode: (body) => {
      proposal ??= body
      return proposal
    },
  }
}

describe('an order that was used before', () => {
  test.each(onChain)(
    '%s: proposed again by a remote service, on the machine of the first',
    async (_, { line }) => {
      repeats()
      expect(await remotely(here, `${line} --idempotency-key order-key-one`)).toMatchObject({ exit: 0 })
      const { json } = await refused(
        here,
        () => remotely(here, `${line} --idempotency-key order-key-two`),
        /already used by action/,
      )
      expect(json.error.hint).toContain(`sluice action show ${json.error.details.usedBy}`)
      // The same key repeats the first result.
      expect(await remotely(here, `${line} --idempotency-key order-key-one`)).toMatchObject({
        exit: 0,
        json: { replayed: true },
      })
    },
  )

  test.each(inTurn(onChain, 2, 0))(
    '%s: proposed again by a remote service, on another machine',
    async (_, { line }) => {
      repeats()
      expect(await remotely(here, `${line} --idempotency-key order-key-one`)).toMatchObject({ exit: 0 })
      await refused(
        elsewhere,
        () => remotely(elsewhere, `${line} --idempotency-key order-key-one`),
        /already used: /,
      )
    },
  )

  test.each(inTurn(onChain, 2, 1))('%s: proposed to two commands at once', async (_, { line }) => {
    repeats()
    const both = await Promise.all(
      ['one', 'two'].map((key) => remotely(here, `${line} --idempotency-key order-key-${key}`)),
    )
    const [done, ...others] = both.toSorted((a, b) => a.exit - b.exit)
    expect(done?.exit, done?.err).toBe(0)
    expect(others[0]).toMatchObject({ exit: 10, json: { error: { code: 'ORDER_USED' } } })
    expect(here.attempts()).toBe(2)
  })

  test.each(inTurn(onChain, 2, 0))('%s: in two plan files', async (_, { line }) => {
    repeats()
    const files: string[] = []
    for (const name of ['one', 'two']) {
      const { out, exit, err } = await remotely(here, `${line.replace('--yes ', '')} --dry-run`)
      expect(exit, out + err).toBe(0)
      files.push(join(here.home(), `${name}.json`))
      writeFileSync(files.at(-1)!, out)
    }
    const submit = (file: string) => remotely(here, `action submit ${file} --yes --json --timeout 20s`)
    expect((await submit(files[0]!)).exit).toBe(0)
    const again = await here.signsNothing(() => submit(files[1]!))
    // Its nonce is used as well.
    expect(['ORDER_USED', 'NONCE_USED']).toContain(again.json.error.code)
  })

  test.each(using.filter(([, { byApi }]) => byApi))(
    '%s: named again by the API of the provider',
    async (name, { line }) => {
      const first = await here.run(`${line} --idempotency-key order-key-one`)
      expect(first.exit, first.err).toBe(name === 'near-intents' ? 20 : 0)
      apis.isReplaying = true
      await refused(here, () => here.run(`${line} --idempotency-key order-key-two`), /already used/)
      // The store of the engine is shared by the machine: without it, the journal or the chain still shows it.
      rmSync(join(here.home(), 'data', 'engine.db'), { force: true })
      await refused(here, () => here.run(`${line} --idempotency-key order-key-three`), /already used/)
    },
  )

  test('relay: named again by the API of the provider, on another machine', async () => {
    const [, { line }] = onChain.find(([name]) => name === 'relay')!
    expect((await here.run(`${line} --idempotency-key order-key-one`)).exit).toBe(0)
    apis.isReplaying = true
    await refused(
      elsewhere,
      () => elsewhere.run(`${line} --idempotency-key order-key-one`),
      /the depository has a deposit/,
    )
  })

  test('near-intents: paid before, on another machine', async () => {
    const { line } = Object.fromEntries(using)['near-intents']!
    const first = await here.run(`${line} --idempotency-key order-key-one`)
    const { address } = first.json.error.details.deposit
    await here.run(['sandbox', 'pay-bitcoin', address, '0.01', '--json'])
    apis.isReplaying = true
    const { out, err } = await refused(
      elsewhere,
      () => elsewhere.run(`${line} --idempotency-key order-key-one`),
      /has paid to (its|this) address/,
    )
    expect(
      err + out.replaceAll(`near-intents:${address}`, '').replaceAll(`The order ${address}`, ''),
    ).not.toContain(address)
  })
})

describe('a delivery counts for one transfer', () => {
  const context = () => ({
    rpc: (chainId: number) => sandbox.chain(chainId).rpc,
    catalog: sandbox.world.catalog(),
    now: Date.now,
    getJson: async () => ({ status: 503, body: null, text: '' }),
  })
  /** Runs a swap, then sends its last transaction a second time beside the program; returns both and the delivery. */
  async function sentTwice(line: string, betweenSeconds: number) {
    const { json, exit, err } = await here.run(`${line} --idempotency-key order-key-one`)
    expect(exit, err).toBe(0)
    const hash = json.transactions.at(-1).hash as Hex
    const { rpc } = sandbox.chain(31337)
    const { to, input: data } = await rpc.request<{ to: Hex; input: Hex }>('eth_getTransactionByHash', [hash])
    if (betweenSeconds > 0) await sandbox.world.warp(betweenSeconds)
    const spender = { relay: to, cow: contractsIn(sandbox.world.catalog(), cowContracts)[0]!.vaultRelayer }[
      line.includes('relay') ? 'relay' : 'cow'
    ]
    const approval =
      `0x095ea7b3${spender.slice(2).padStart(64, '0')}${(1_000_000_000).toString(16).padStart(64, '0')}` as Hex
    await sandbox.sendAs(31337, sandbox.user.address, { to: usdc(), data: approval })
    const receipt = await sandbox.sendAs(31337, sandbox.user.address, { to, data })
    const follow = (of: Hex, blockNumber: number, reported: Hex | null) => {
      const { chainId, address: token } = line.includes('relay')
        ? sandbox.token(31338, 'USDC')
        : sandbox.token(31337, 'WETH')
      return followTransfer(
        context(),
        {
          sent: {
            transaction: { to, data, value: 0n, chainId: 31337 },
            wallet: sandbox.user.address,
            hash: of,
            blockNumber,
          },
          arrival: { chainId, token, recipient: sandbox.user.address },
        },
        reported,
      )
    }
    const { transactionHash, blockNumber, status } = receipt as unknown as {
      transactionHash: Hex
      blockNumber: Hex
      status: Hex
    }
    expect(status).toBe('0x1')
    const mined = await rpc.request<{ blockNumber: Hex }>('eth_getTransactionReceipt', [hash])
    const first = await follow(hash, Number(mined.blockNumber), null)
    return { first, second: (reported: Hex | null) => follow(transactionHash, Number(blockNumber), reported) }
  }

  test.each(onChain)(
    '%s: the delivery of a first transaction is not that of a second',
    async (name, { line }) => {
      const { first, second } = await sentTwice(line, name === 'relay' ? 60 : 0)
      expect(first.brought).toBeDefined()
      for (const reported of [null, first.brought!.found.hash])
        expect((await second(reported)).brought, String(reported)).toBeUndefined()
    },
  )

  test('across: two equal deposits need two fills', async () => {
    const line =
      'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 300 --provider across --yes --json'
    expect((await here.run(`${line} --idempotency-key order-key-one`)).exit).toBe(0)
    await here.run('sandbox fault bridge unfilled --json')
    const second = await here.run(`${line} --idempotency-key order-key-two --timeout 3s`)
    expect(second).toMatchObject({ exit: 20, json: { error: { code: 'PENDING' } } })
    await here.run('sandbox fault clear --json')
  })
})

describe('an order of Relay that a remote service makes up', () => {
  const [, { line }] = onChain.find(([name]) => name === 'relay')!
  /** Changes the terms of the proposed order, whose hash stays right. */
  const changed = (change: (terms: RelayTerms) => Partial<RelayTerms>) => {
    hostile.lies = {
      swapBytecode: (body) => {
        const { data, value, to } = body.transactionData
        const { terms, ...deposit } = decodeOrder({ data, value: BigInt(value) })!
        const ends = [31337, 31338].map((chainId) => relayOn(sandbox.world.catalog(), chainId)!)
        const next = { ...terms, ...change(terms) }
        const [tokenIn, tokenOut] = [sandbox.token(31337, 'USDC'), sandbox.token(31338, 'USDC')]
        const route = { tokenIn, tokenOut, amountIn: deposit.amount, recipient: sandbox.user.address }
        const id = orderIdOf(ends as unknown as RelayEnds, route, next)!
        const made = depositRelay({ ...deposit, id, terms: next, chainId: 31337, depository: to })
        return { ...body, transactionData: { ...body.transactionData, data: made.data } }
      },
    }
  }
  const cases: readonly [string, (terms: RelayTerms) => Partial<RelayTerms>, RegExp][] = [
    ['another salt under a request of Relay', ({ salt }) => ({ salt: salt + 1n }), /Relay has another order/],
    ['an unknown request', () => ({ requestId: padHex('0x0e') }), /Relay does not know its request/],
    [
      '40 refunds',
      ({ refunds }) => ({ refunds: Array.from({ length: 40 }, () => refunds[0]!) }),
      /40 refunds, more than 4/,
    ],
  ]
  test.each(cases)('is refused: %s', async (_, change, words) => {
    changed(change)
    const { exit, json } = await here.signsNothing(() =>
      remotely(here, `${line} --idempotency-key order-key-one`),
    )
    expect({ exit, error: json.error }).toMatchObject({
      exit: 8,
      error: { code: 'POLICY_QUOTE_DRIFT', message: expect.stringMatching(words) },
    })
  })

  test('and that is refunded in a token without a price has a fault, whoever proposes it', async () => {
    let proposal: Wire
    hostile.lies = {
      swapBytecode: (body) => {
        proposal = body
        return body
      },
    }
    await remotely(here, `${line.replace('--yes ', '')} --dry-run`)
    const { data, value, to } = proposal.transactionData
    const { terms, ...deposit } = decodeOrder({ data, value: BigInt(value) })!
    const reads = {
      rpc: (chainId: number) => sandbox.chain(chainId).rpc,
      catalog: sandbox.world.catalog(),
      ...serviceAccess(),
    }
    const swap = {
      tokenIn: sandbox.token(31337, 'USDC'),
      tokenOut: sandbox.token(31338, 'USDC'),
      recipient: sandbox.user.address,
    }
    const faultWith = (symbol: string) => {
      const refunds = [{ ...terms.refunds[0]!, currency: sandbox.token(31337, symbol).address }]
      const transaction = depositRelay({
        ...deposit,
        terms: { ...terms, refunds },
        chainId: 31337,
        depository: to,
      })
      return relayOrders.findFault!(reads, { ...swap, transaction })
    }
    expect(await faultWith('DUP')).toMatch(/can be refunded in DUP/)
    for (const symbol of ['USDC', 'USDT', 'WETH']) expect(await faultWith(symbol)).toBeUndefined()
  })

  test('is refused while Relay cannot be asked, and says that it can be repeated', async () => {
    const { exit, json } = await here.signsNothing(() =>
      here.run(`${line} --idempotency-key order-key-one`, {
        env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: hostile.url, SLUICE_RELAY_URL: 'http://127.0.0.1:1' },
        secrets: { privateKey: sandbox.user.key, apiKey },
      }),
    )
    expect({ exit, error: json.error }).toMatchObject({
      exit: 6,
      error: {
        code: 'PROVIDER_API_ERROR',
        retryable: true,
        message: expect.stringMatching(/^Nothing was signed/),
      },
    })
    expect(await remotely(here, `${line} --idempotency-key order-key-one`)).toMatchObject({ exit: 0 })
  })
})
