import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { engineOn, inTurn } from '../../support/engine.ts'
import {
  type HostileService,
  type Lies,
  startHostileService,
  type Wire,
} from '../../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'
import { bridge, tellAddresses } from './false-answers.ts'

// The word of a service is no outcome, whoever asks: only the chains that this machine reads end a swap.

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const apiKey = 'key-outcomes'
const refund = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const flags = `--from bitcoin --token-in BTC --to sandbox-one --token-out USDC --amount-in 0.01 --refund ${refund}`
const friend = sandboxAddress(3)

let service: HostileService
beforeEach(async () => {
  tellAddresses({
    usdt: sandbox.token(31337, 'USDT').address,
    weth: sandbox.token(31337, 'WETH').address,
    usdcThere: sandbox.token(31338, 'USDC').address,
    wallet: sandbox.user.address,
  })
  service = await startHostileService(engineOn(sandbox).service, apiKey)
})
afterEach(async () => {
  await service.stop()
  await run('sandbox fault clear --json')
})

/** Whether the nodes of this machine answer, do not answer, or are not set. */
const nodes = ['node knows', 'node silent', 'no node'] as const
type Node = (typeof nodes)[number]

/** Runs a line that follows something. On a busy machine its time may end before it has seen anything: then again, with more. */
async function followed(line: (timeout: string) => string, node: Node) {
  for (let ms = 400; ; ms *= 4) {
    const ran = await asked(line(`--timeout ${ms}ms`), node)
    if (ran.exit !== 6 || !ran.out.includes('time over') || ms > 60_000) return ran
  }
}

function asked(line: string, node: Node = 'node knows', later = 0) {
  const silent = 'http://127.0.0.1:1'
  const rpcs =
    node === 'no node'
      ? { SLUICE_RPC_SANDBOX_TWO: sandbox.world.chains[1]!.rpcUrl }
      : rpcEnvOf(sandbox, node === 'node silent' ? { 'sandbox-one': silent, 'sandbox-two': silent } : {})
  const { esplora } = sandbox.world.catalog().bitcoin!
  return run(line, {
    env: { ...rpcs, SLUICE_BASE_URL: service.url, SLUICE_ESPLORA_URL: esplora },
    secrets: { privateKey: sandbox.user.key, apiKey },
    later,
  })
}

/** Pays USDC on the chain of the payout; returns the hash of the final transaction. */
async function pays(to: Hex, amount: bigint): Promise<Hex> {
  const data = calldata('function transfer(address,uint256)', [to, amount])
  const { transactionHash } = await sandbox.sendAs(31337, friend, {
    to: sandbox.token(31337, 'USDC').address,
    data,
  })
  for (const { rpc } of sandbox.world.chains) await rpc.request('anvil_mine', ['0x8'])
  return transactionHash
}

async function fundFriend(): Promise<void> {
  await run(['sandbox', 'fund', friend, 'USDC', '100000', '--json'])
}

/** Shows a deposit of a provider, without waiting. */
async function shown(provider: string) {
  const { json: quote, err } = await asked(`swap quote ${flags} --provider ${provider} --json`)
  expect(quote.provider, err).toBe(provider)
  const { exit, json } = await asked(`swap execute ${quote.id} --no-wait --json`)
  expect(exit, JSON.stringify(json)).toBe(20)
  expect(json.error.details.deposit.address).toMatch(/^bcrt1/)
  return json.error.details as Wire
}

async function pay({ deposit }: Wire): Promise<string> {
  const memo = deposit.memo === null ? [] : ['--memo', deposit.memo]
  const { json } = await run(['sandbox', 'pay-bitcoin', deposit.address, '0.01', ...memo, '--json'])
  return json.txid
}

/** Waits until the payment is in a block. */
async function mined(txid: string): Promise<void> {
  const { esplora } = sandbox.world.catalog().bitcoin!
  for (;;) {
    const { status } = (await (await fetch(`${esplora}/tx/${txid}`)).json()) as Wire
    if (status.confirmed) return
    await new Promise((done) => setTimeout(done, 50))
  }
}

const claims = (status: string, more: object = {}): Lies => ({
  swapStatus: (body: Wire) => ({
    ...body,
    status,
    reported: undefined,
    ...more,
    deposit: { ...body.deposit, delivery: 'verified', isLookedUp: true, note: null },
  }),
})

const random = `0x${'ab'.repeat(32)}`

/** A false report of a swap that is paid and not processed. `made` prepares what it names. */
const lies: Readonly<Record<string, { made?: () => Promise<Hex>; before?: true; lie: (hash: Hex) => Lies }>> =
  {
    fulfilled: { lie: () => claims('fulfilled') },
    'fulfilled by an unknown hash': { lie: () => claims('fulfilled', { destinationTxHash: random }) },
    refunded: { lie: () => claims('refunded') },
    failed: { lie: () => claims('failed') },
    expired: { lie: () => claims('expired') },
    'fulfilled by a payment to another': {
      made: () => pays(sandboxAddress(5), 900_000_000n),
      lie: (hash) => claims('fulfilled', { destinationTxHash: hash }),
    },
    'fulfilled by a payment from before the deposit': {
      made: () => pays(sandbox.user.address, 900_000_000n),
      before: true,
      lie: (hash) => claims('fulfilled', { destinationTxHash: hash }),
    },
    'fulfilled by a later payment to the same recipient': {
      made: () => pays(sandbox.user.address, 900_000_000n),
      lie: (hash) => claims('fulfilled', { destinationTxHash: hash }),
    },
    'a hidden payment': {
      lie: () => ({
        swapStatus: (body: Wire) => ({
          ...body,
          status: 'pending',
          originTxHash: null,
          deposit: { ...body.deposit, paid: null, confirmations: null, isLookedUp: true, note: null },
        }),
      }),
    },
    'a swap that it does not know': { lie: () => ({ swapStatus: () => 'nonsense' }) },
  }

const askers = {
  'swap execute': (id: string, timeout: string) => `swap execute ${id} ${timeout} --json --yes`,
  'swap status --watch': (id: string, timeout: string) =>
    `swap status --watch --interval 100ms ${timeout} --json ${id}`,
} as const

describe.each(['near-intents', 'thorchain'])('a swap from Bitcoin by %s', (provider) => {
  // Each lie about one of the providers, and those about its payouts about both.
  const told = Object.entries(lies).filter(
    ([, { made }], at) => made !== undefined || at % 2 === (provider === 'thorchain' ? 1 : 0),
  )
  test.each(told.map((one, turn) => [...one, turn] as const))(
    'that the service states as %s ends nothing and shows no address',
    async (_, { made, before, lie }, turn) => {
      await fundFriend()
      await run('sandbox fault bitcoin-stuck --json')
      const one = await shown(provider)
      const early = before && (await made?.())
      // Blocks have times in whole seconds.
      if (before) await new Promise((done) => setTimeout(done, 2_100))
      const txid = await pay(one)
      await mined(txid)
      service.lies = lie(early ?? (await made?.()) ?? '0x')
      for (const node of nodes.filter((one) => one !== 'node silent' || lie === lies.fulfilled!.lie))
        for (const [asker, line] of inTurn(Object.entries(askers), 2, turn + nodes.indexOf(node))) {
          const { exit, out, err } = await followed((timeout) => line(one.id, timeout), node)
          expect({ asker, node, exit }, `${out}${err}`).toEqual({ asker, node, exit: 20 })
          expect(out + err).not.toContain(one.deposit.address)
          expect(out).toMatch(/processing|confirmed|reported/)
        }
      const { json } = await asked(`action explain ${one.id} --json`)
      expect(json.situation).toMatch(/^BRIDGE_(WAITING|STUCK)$/)
      expect(json.safeToRetry).toBe(false)
    },
    120_000,
  )

  test('that is paid out or refunded ends so by the chains', async () => {
    const paid = await shown(provider)
    await pay(paid)
    const done = await asked(`swap execute ${paid.id} --json --yes --timeout 20s`)
    expect(done.exit, done.out + done.err).toBe(0)
    expect(done.json).toMatchObject({ status: 'fulfilled', deposit: { delivery: 'verified', address: null } })
    // The payout of one swap is none of another.
    await run('sandbox fault bitcoin-stuck --json')
    const other = await shown(provider)
    await mined(await pay(other))
    service.lies = claims('fulfilled', { destinationTxHash: done.json.destinationTxHash })
    expect((await followed((timeout) => askers['swap execute'](other.id, timeout), 'node knows')).exit).toBe(
      20,
    )
    service.lies = {}
    const none = { network: null, method: null, times: null, amount: null, at: null, reason: null }
    await sandbox.world.faults.set({ kind: 'bitcoin-refund', ...none })
    // The oldest fault acts, and one that is set again is the newest: so the deposit is not paid out in between.
    await sandbox.world.faults.set({ kind: 'bitcoin-stuck', ...none })
    const back = await asked(`swap execute ${other.id} --json --yes --timeout 20s`)
    expect({ exit: back.exit, code: back.json.error?.code }, back.out).toEqual({ exit: 25, code: 'REFUNDED' })
    const status = `swap status --watch --json ${other.id}`
    expect((await asked(status)).exit).toBe(25)
    // Nothing else knows the refund, so without its chain it is as the service says.
    expect((await asked(`swap status --json ${paid.id}`, 'no node')).json).toMatchObject({
      status: 'reported',
      reported: 'fulfilled',
    })
  }, 60_000)
})

test('a service that returns the deposit of another quote is refused', async () => {
  const made = new Map<string, Wire>()
  service.lies = {
    swapBytecode: (body: Wire, { ask }) => {
      made.set((ask.body as Wire).quote.id, body)
      return body
    },
  }
  const one = await shown('near-intents')
  const other = await shown('near-intents')
  service.lies = { swapBytecode: () => made.get(other.id) }
  const { exit, out, err } = await asked(`swap execute ${one.id} --no-wait --json --yes`)
  expect(exit, out).toBe(10)
  expect(out).toContain('ORDER_USED')
  expect(out + err).not.toContain(one.deposit.address)
})

describe('a swap between networks that is not delivered', () => {
  const words = ['fulfilled', 'refunded', 'failed', 'expired']
  const lie = (word: string, hash: string | null): Lies => ({
    swapStatus: (body: Wire) => ({
      ...body,
      status: word,
      originTxHash: body.originTxHash ?? random,
      destinationTxHash: hash,
    }),
    getAction: (body: Wire) => ({
      ...body,
      status: { fulfilled: 'SUCCESS', refunded: 'REFUNDED' }[word] ?? 'FAILED',
    }),
  })

  test('stays PENDING with exit 20 for every command, whatever the service says', async () => {
    await run('sandbox fault bridge-stuck --json')
    const sent = await asked(bridge.replace('--timeout 4s', '--timeout 4s'))
    expect(sent.exit, sent.out).toBe(20)
    const id = sent.json.error.details.operation
    const other = await pays(sandbox.user.address, 99_000_000n).catch(() => random)
    const lines = [
      (timeout: string) => `swap status --watch --interval 1s ${timeout} --json ${id}`,
      (timeout: string) => `action watch --interval 1s ${timeout} --json ${id}`,
      () => `action resume ${id} --no-wait --json`,
    ]
    for (const word of words)
      for (const hash of [null, random, other])
        for (const node of nodes.slice(0, word === 'fulfilled' && hash === null ? 2 : 1)) {
          if (hash === random && word !== 'fulfilled') continue
          service.lies = lie(word, hash)
          for (const line of lines) {
            const { exit, out, err } = await followed(line, node)
            expect({ line: line(''), word, hash, node, exit }, out + err).toEqual({
              line: line(''),
              word,
              hash,
              node,
              exit: 20,
            })
          }
        }
    const { json } = await asked(`action show ${id} --json`)
    expect(json.status).toBe('PENDING')
    const { json: status } = await asked(`swap status ${id} --json`)
    expect(status).toMatchObject({ status: 'confirmed', reported: 'expired', destinationTxHash: null })
    await run('sandbox fault clear --json')
  }, 120_000)

  test('of another machine is reported as the service says it, and ends with exit 20', async () => {
    const { json: quote } = await asked(
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 7 --json',
    )
    for (const word of words) {
      service.lies = lie(word, random)
      const { exit, out } = await asked(`swap status --watch --json ${quote.id}`)
      expect({ word, exit }, out).toEqual({ word, exit: 20 })
      const { json } = await asked(`swap status --json ${quote.id}`)
      expect(json).toMatchObject({ status: 'reported', reported: word })
    }
    // A quote of this machine that nobody executed expires by its own deadline.
    service.lies = { swapStatus: (body: Wire) => ({ ...body, status: 'expired', originTxHash: null }) }
    const late = await asked(`swap status --watch --json ${quote.id}`, 'node knows', 3_600_000)
    expect(late.exit, late.out).toBe(4)
    expect(late.out).toContain('QUOTE_EXPIRED')
  })

  test('action watch and show of another machine say REPORTED', async () => {
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
    const elsewhere = engineOn(sandbox)
    await service.stop()
    service = await startHostileService(
      {
        ...elsewhere.service,
        getAction: async () => ({
          ...{ id, type: 'SWAP', status: 'SUCCESS', strategyId: null, strategySlug: null },
          ...{ originAddress: null, receiverAddress: null, amounts: null, transactions: [] },
          ...{ createdAt: null, updatedAt: null, finishedAt: null },
        }),
      },
      apiKey,
    )
    expect((await asked(`action show ${id} --json`)).json).toMatchObject({
      status: 'REPORTED',
      reported: 'SUCCESS',
    })
    const watched = await asked(`action watch ${id} --json`)
    expect(watched.exit, watched.out).toBe(20)
    expect(watched.out).toContain('reported as SUCCESS')
  })
})
