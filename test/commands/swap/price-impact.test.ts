import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { contractsOn } from '../../../src/swaps/swap-contracts.ts'
import { uniswapV3Contracts } from '../../../src/swaps/uniswap-v3/constants-schema.ts'
import { engineOn } from '../../support/engine.ts'
import { type HostileService, startHostileService } from '../../support/services/hostile-service.ts'
import { listener } from '../../support/services/listener.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const apiKey = 'key-12345'
const pair = '--from sandbox-one --token-in USDC --token-out WETH'
const swap = (amount: number, more = '') => `swap execute ${pair} --amount-in ${amount} --yes --json ${more}`

let service: HostileService
beforeEach(async () => {
  await sandbox.world.fund(sandbox.user.address, { symbol: 'USDC', amount: 50_000_000_000_000n })
  service = await startHostileService(engineOn(sandbox).service, apiKey)
})
afterEach(() => service.stop())

const places = {
  'the local engine': {},
  'a service': () => ({
    env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: service.url },
    secrets: { privateKey: sandbox.user.key, apiKey },
  }),
}
const at = (place: keyof typeof places) => {
  const said = places[place]
  return typeof said === 'function' ? said() : said
}

describe.each(Object.keys(places) as (keyof typeof places)[])('price impact of a swap on %s', (place) => {
  const key = (n: number) => `--idempotency-key impact-${place.length}-${n}`

  test('above 3% is refused with its size, and accepted by the flag of the hint', async () => {
    const ran = await signsNothing(() => run(swap(50_000_000, key(1)), at(place)))
    expect({ exit: ran.exit, code: ran.json.error?.code }).toEqual({ exit: 8, code: 'POLICY_PRICE_IMPACT' })
    const { share } = ran.json.error.details
    expect(share).toBeGreaterThan(0.5)
    expect(ran.json.error.message).toContain(`${(share * 100).toFixed(2)}% less`)
    const [, accepted] = /--max-price-impact (\S+)$/.exec(ran.json.error.hint) ?? []
    expect((await run(swap(50_000_000, `--max-price-impact 1% ${key(2)}`), at(place))).exit).toBe(8)
    const done = await run(swap(50_000_000, `--max-price-impact ${accepted} ${key(3)}`), at(place))
    expect(done.json).toMatchObject({ status: 'SUCCESS' })
  })

  test('is shown in the quote, the plan and the terminal output', async () => {
    const quote = await run(`swap quote ${pair} --amount-in 50000000 --json`, at(place))
    expect(quote.json.priceImpact).toBeGreaterThan(0.5)
    const quoted = await run(`swap quote ${pair} --amount-in 50000000`, at(place))
    expect(quoted.out).toMatch(/price +\d\d\.\d\d% below spot, which costs \$[\d,]+\.\d\d/)
    // Before the click: that it is refused, and the flag that accepts it.
    const [refusal] = quote.json.refusals
    expect(refusal).toMatchObject({
      code: 'POLICY_PRICE_IMPACT',
      flag: expect.stringMatching(/^--max-price-impact [\d.]+%$/),
    })
    expect(quoted.out).toMatch(
      /refused +It returns \d\d\.\d\d% less than at the current price; the maximum is 3\.00%/,
    )
    expect(quoted.out).toMatch(/next +sluice swap execute \S+ --max-price-impact [\d.]+%/)
    expect(quoted.out).toMatch(/at least +[\d,.]+ WETH/)
    expect(BigInt(quote.json.accepts.amountOut.raw)).toBeLessThan(BigInt(quote.json.tokenOut.amount.raw))
    const fair = await run(`swap quote ${pair} --amount-in 100`, at(place))
    expect(fair.out).not.toContain('refused')
    expect(fair.out).toMatch(/next +sluice swap execute [\w-]+\n/)
    const plan = await run(`${swap(100)} --dry-run`, at(place))
    expect(plan.json.priceImpacts).toMatchObject([{ leg: 0, by: 'pool' }])
    expect(plan.json.priceImpacts[0].share).toBeLessThan(0.01)
    const shown = await run(`${swap(100).replace(' --json', '')} --dry-run`, at(place))
    expect(shown.out).toMatch(/price +0\.\d\d% below spot \(source: its pools\)/)
  })
})

describe('a quote says before execution what the wallet lacks', () => {
  const poor = '0x00000000000000000000000000000000000A0001'
  const lacking = (symbol: string, raw: string) => ({
    code: 'INSUFFICIENT_FUNDS',
    flag: null,
    missing: expect.objectContaining({ symbol, raw }),
    next: expect.stringContaining(`sluice sandbox fund ${sandbox.user.address} --token ${symbol}`),
  })

  test.each(Object.keys(places) as (keyof typeof places)[])(
    'on %s, of the input and of gas',
    async (place) => {
      const held = await sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, sandbox.user.address)
      const amount = Number(held / 1_000_000n) + 7
      const missing = String(BigInt(amount) * 1_000_000n - held)
      const { json } = await run(`swap quote ${pair} --amount-in ${amount} --json`, at(place))
      expect(json.refusals[0]).toMatchObject(lacking('USDC', missing))
      const said = await run(`swap quote ${pair} --amount-in ${amount}`, at(place))
      expect(said.out).toMatch(
        /refused +0x\w{40} has [\d,.]+ USDC on sandbox-one and needs [\d,.]+ USDC: [\d.]+ USDC\s+missing/,
      )
      expect(said.out).toContain(`sluice sandbox fund ${sandbox.user.address} --token USDC`)
      // A wallet that is only named has neither the input nor gas; one that has both is told nothing.
      const named = await run(`swap quote ${pair} --amount-in 5 --wallet ${poor} --json`, at(place))
      expect(named.json.refusals).toMatchObject([
        { code: 'INSUFFICIENT_FUNDS', missing: { symbol: 'USDC', raw: '5000000' } },
        { code: 'INSUFFICIENT_FUNDS', missing: { symbol: 'ETH', raw: expect.stringMatching(/^[1-9]\d*$/) } },
      ])
      expect((await run(`swap quote ${pair} --amount-in 5 --json`, at(place))).json.refusals).toEqual([])
      const dry = await signsNothing(() =>
        run(`swap execute ${pair} --amount-in ${amount} --max-price-impact 100% --dry-run --json`, at(place)),
      )
      expect(dry.json.error).toMatchObject({ code: 'INSUFFICIENT_FUNDS', details: { missing } })
    },
  )

  test.each(['nobody', '0x12'])('and refuses a payer that is no wallet: %s', async (name) => {
    for (const more of ['', '--compare uniswap-v3']) {
      const { exit, json } = await run(`swap quote ${pair} --amount-in 5 --wallet ${name} ${more} --json`)
      expect([exit, json.error?.code]).toEqual([expect.toBeOneOf([2, 13]), expect.any(String)])
    }
  })

  test('and nothing where no node or no wallet is known', async () => {
    const env = { SLUICE_BASE_URL: service.url }
    const far = { env, secrets: { privateKey: sandbox.user.key, apiKey } }
    const line = `swap quote ${pair} --amount-in 900000000 --provider uniswap-v2 --json`
    const silent = await run(line, far)
    const nodeless = await run(line, {
      ...far,
      env: { ...rpcEnvOf(sandbox), ...env, SLUICE_RPC_SANDBOX_ONE: 'http://127.0.0.1:1' },
    })
    const walletless = await run(line, { env: { ...rpcEnvOf(sandbox), ...env }, secrets: { apiKey } })
    for (const { exit, json } of [silent, nodeless, walletless]) {
      expect(exit).toBe(0)
      expect(json.refusals.map(({ code }: { code: string }) => code)).not.toContain('INSUFFICIENT_FUNDS')
    }
  })
})

describe('price impact of a swap without a known pool price', () => {
  /** A node that returns an error to calls that name one of these contracts. */
  const deafTo = (contracts: readonly string[]) =>
    listener((request, response) => {
      let body = ''
      request.on('data', (part) => {
        body += String(part)
      })
      request.on('end', async () => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const isDeaf = (call: unknown) =>
          contracts.some((one) => JSON.stringify(call).toLowerCase().includes(one.slice(2).toLowerCase()))
        const error = { code: -32000, message: 'no' }
        const node = rpcEnvOf(sandbox).SLUICE_RPC_SANDBOX_ONE!
        const answer = async (call: { id: number }): Promise<unknown> => {
          if (isDeaf(call)) return { jsonrpc: '2.0', id: call.id, error }
          const headers = { 'content-type': 'application/json' }
          return (await fetch(node, { method: 'POST', headers, body: JSON.stringify(call) })).json()
        }
        const calls = JSON.parse(body)
        const answers = Array.isArray(calls) ? await Promise.all(calls.map(answer)) : await answer(calls)
        response.end(JSON.stringify(answers))
      })
    })
  const known = () => sandbox.world.catalog()
  const quoter = () => contractsOn(known(), uniswapV3Contracts, 31337)!.quoterV2
  const swapAt = async (contracts: readonly string[], more: string) => {
    const node = await deafTo(contracts)
    const env = { ...rpcEnvOf(sandbox), SLUICE_RPC_SANDBOX_ONE: node.url, SLUICE_BASE_URL: service.url }
    const secrets = { privateKey: sandbox.user.key, apiKey }
    return run(swap(100, `--accept-min-out 0.03 ${more}`), { env, secrets }).finally(() => node.close())
  }

  test('is computed from the USD values of both sides', async () => {
    const plan = (await swapAt([quoter()], '--dry-run')).json
    expect(plan.priceImpacts).toMatchObject([{ leg: 0, by: 'usd' }])
    expect(plan.priceImpacts[0].share).toBeLessThan(0.03)
  })

  test('is reported as unknown without USD prices, and requires --max-price-impact', async () => {
    const deaf = [quoter(), known().priceOracles[31337]!]
    expect((await swapAt(deaf, '--dry-run')).json.priceImpacts).toEqual([{ leg: 0, share: null, by: null }])
    const ran = await signsNothing(() => swapAt(deaf, '--idempotency-key unknown-1'))
    expect({ exit: ran.exit, code: ran.json.error?.code }).toEqual({ exit: 8, code: 'POLICY_PRICE_IMPACT' })
    expect(ran.json.error.hint).toContain('--max-price-impact')
    const done = await swapAt(deaf, '--max-price-impact 100% --idempotency-key unknown-2')
    expect(done.json).toMatchObject({ status: 'SUCCESS' })
  })
})

test('a same-asset transfer to another chain measures its price impact against a rate of one', async () => {
  const transfer = (amount: number, more: string) =>
    run(
      `swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in ${amount} --provider relay --yes --json ${more}`,
    )
  // The fees are about half of this small amount.
  const ran = await signsNothing(() => transfer(1, '--idempotency-key at-par-one'))
  expect({ exit: ran.exit, code: ran.json.error?.code }).toEqual({ exit: 8, code: 'POLICY_PRICE_IMPACT' })
  const accepted = /--max-price-impact \S+%/.exec(ran.json.error.hint)![0]
  const { json: plan } = await transfer(1, `--dry-run ${accepted}`)
  expect(plan.priceImpacts).toMatchObject([{ leg: 0, by: 'same-asset' }])
  expect(plan.priceImpacts[0].share).toBeGreaterThan(0.03)
  expect((await transfer(100, '--dry-run')).json.priceImpacts[0].share).toBeLessThan(0.03)
})

test('a quote says which rule of the policy refuses it, and proposes no flag for that', async () => {
  const path = join(home(), 'config', 'policy.json')
  mkdirSync(join(home(), 'config'), { recursive: true, mode: 0o700 })
  const asked = `swap quote ${pair} --amount-in 100`
  for (const [policy, rule] of [
    [{ perTransaction: { 'sandbox-one:USDC': '99' } }, 'perTransaction USDC'],
    [{ maxSlippage: '0.01%' }, 'maxSlippage'],
    [{ maxPriceImpact: '0.01%' }, 'maxPriceImpact'],
  ] as const) {
    writeFileSync(path, JSON.stringify(policy), { mode: 0o600 })
    const { exit, out } = await run(asked)
    expect({ exit, out }).toEqual({ exit: 0, out: expect.stringContaining(`The policy allows ${rule}`) })
    expect(out).toMatch(/next +sluice swap quote --help/)
    expect((await run(`${swap(100)} --dry-run`)).exit).toBe(8)
  }
  rmSync(path)
})

describe('maxPriceImpact of a policy', () => {
  const policy = (most: string) => {
    const path = join(home(), 'policy-of-a-test.json')
    writeFileSync(path, JSON.stringify({ maxPriceImpact: most }), { mode: 0o600 })
    return `--policy ${path}`
  }

  test('applies in addition to the flag, and raises the default limit without the flag', async () => {
    const small = `${swap(100)} --dry-run`
    for (const flag of ['', '--max-price-impact 50%'])
      expect((await run(`${small} ${flag} ${policy('1bps')}`)).json.error).toMatchObject({
        code: 'POLICY_PRICE_IMPACT',
      })
    expect((await run(`${swap(50_000_000)} --dry-run ${policy('90%')}`)).exit).toBe(0)
  })
})
