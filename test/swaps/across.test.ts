import { join } from 'node:path'
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  padHex,
  parseAbi,
  toFunctionSelector,
} from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../src/domain/address.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import { roles, sandboxAddress } from '../../src/sandbox/accounts.ts'
import { acrossContract } from '../../src/sandbox/genesis/artifacts.ts'
import { depositAbi, spokePoolAbi } from '../../src/swaps/across/abi.ts'
import { acrossContracts } from '../../src/swaps/across/constants-schema.ts'
import { type Deposit, depositIn, refundAmountIn } from '../../src/swaps/across/deposit-and-payout-events.ts'
import { depositAcross } from '../../src/swaps/across/encode.ts'
import { isSupportedPair } from '../../src/swaps/across/pairs.ts'
import { contractsIn, withContracts } from '../../src/swaps/swap-contracts.ts'
import { swapExpectation } from '../../src/swaps/swap-provider-registry.ts'
import { withAcrossApi, withoutProviders } from '../support/changed-catalogs.ts'
import { provider } from '../support/nodes/proxy-node.ts'
import { listener } from '../support/services/listener.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
/** An Across API that answers every request with `answer` while it is set, or as the sandbox while it `forwards`. */
let service: Awaited<ReturnType<typeof listener>>
let answer: { status: number; text: string; headers?: Record<string, string> } | undefined
let forwards = false
const asked: { path: string; authorization: string | undefined }[] = []
beforeAll(async () => {
  service = await listener(async (request, response) => {
    const { url = '', headers } = request
    asked.push({ path: url.split('?')[0]!, authorization: headers.authorization })
    if (forwards) {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { authorization = '' } = headers
      const real = await fetch(sandbox.world.attestationUrl + url, {
        method: request.method!,
        headers: { authorization, 'content-type': 'application/json' },
        ...(request.method === 'POST' && { body: Buffer.concat(chunks) }),
      })
      response.writeHead(real.status, { 'content-type': 'application/json' })
      return void response.end(await real.text())
    }
    response.writeHead(answer!.status, { 'content-type': 'application/json', ...answer!.headers })
    response.end(answer!.text)
  })
})
afterAll(() => service.close())
const { run, signsNothing, home } = useCommands(sandbox, {
  // LI.FI and Relay would quote where Across fails.
  catalog: () => {
    const catalog = withoutProviders(sandbox.world.catalog(), 'lifi', 'relay')
    return answer || forwards ? withAcrossApi(catalog, service.url) : catalog
  },
})
const [here, there] = [31337, 31338]
const other: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const wallet = () => sandbox.user.address
const pool = (chainId: number) =>
  contractsIn(sandbox.world.catalog(), acrossContracts).find((one) => one.chainId === chainId)!.spokePool
const held = (chainId: number, symbol: string, who = wallet()) =>
  sandbox.balanceOf(chainId, sandbox.token(chainId, symbol).address, who)
const route = '--from sandbox-one --to sandbox-two'
const usdt = `${route} --token-in USDT --token-out USDT`
const fault = async (line: string) =>
  expect(await run(`sandbox fault ${line} --json`)).toMatchObject({ exit: 0 })

describe('Across', () => {
  test.each([
    ['USDT, exact input', 'USDT', '--amount-in 100'],
    ['USDT, exact output', 'USDT', '--amount-out 77'],
    ['WBTC to another recipient', 'WBTC', `--amount-in 0.1 --destination ${other}`],
    ['USDC, which CCTP carries too', 'USDC', '--amount-in 100 --provider across'],
  ])('delivers the quoted amount exactly: %s', async (_, symbol, flags) => {
    const paid = flags.includes(other) ? other : wallet()
    const [spent, before] = [await held(here, symbol), await held(there, symbol, paid)]
    const line = `${route} --token-in ${symbol} --token-out ${symbol} ${flags}`
    const { exit, json, err } = await run(`swap execute ${line} --yes --json`)
    expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
    const got = (await held(there, symbol, paid)) - before
    expect(got).toBe(BigInt(json.amounts.out.raw))
    expect(spent - (await held(here, symbol))).toBe(BigInt(json.amounts.in.raw))
    expect(got).toBeLessThan(BigInt(json.amounts.in.raw))
    const { json: status } = await run(`swap status ${json.id} --json`)
    expect(status).toMatchObject({ status: 'fulfilled', provider: 'across' })
    expect(status.destinationTxHash).toBe(json.destinationTxHash)
  })

  test('is chosen when no other provider quotes, and reports fee, duration and proof', async () => {
    const { json } = await run(`swap quote ${usdt} --amount-in 100 --compare --json`)
    const [best] = json.items.filter(({ provider }: { provider: string }) => provider === 'across')
    expect(best).toMatchObject({
      durationSeconds: 2,
      error: null,
      proof: {
        spender: 'calldata',
        amount: 'calldata',
        recipient: 'calldata',
        minimum: 'calldata',
        deadline: 'none',
      },
    })
    const { json: quote } = await run(`swap quote ${usdt} --amount-in 100 --json`)
    expect(quote).toMatchObject({ provider: 'across', minAmountOut: quote.tokenOut.amount })
    expect(quote.fees[0]).toMatchObject({ kind: 'bridge', amount: { formatted: '0.03' } })
  })

  test('is not used for a USDC deposit funded from another chain', async () => {
    const line = 'deposit aave-v3-usdc-sandbox-two --amount 50 --from sandbox-one --yes --json'
    const { exit, json } = await run(line)
    expect(exit).toBe(0)
    expect(json.transactions.map(({ to }: { to: string }) => to)).not.toContain(pool(here))
  })

  test.each([
    ['wrapped ETH, which arrives as native ETH', 'WETH', 'WETH'],
    ['native ETH', 'ETH', 'ETH'],
    ['USDC into USDT', 'USDC', 'USDT'],
    ['a token missing from its list', 'BRLA', 'BRLA'],
  ])('is not eligible for %s', async (_, tokenIn, tokenOut) => {
    const line = `swap quote ${route} --token-in ${tokenIn} --token-out ${tokenOut} --amount-in 1 --provider across --json`
    expect((await run(line)).json.error.code).toBe('PREFERRED_PROVIDER_NOT_ELIGIBLE')
  })

  test('supports no mainnet-testnet pair, no pair with different APIs and no other token under the same symbol', () => {
    const catalog = sandbox.world.catalog()
    const [from, to] = [here, there].map((chainId) => sandbox.token(chainId, 'USDC')) as [never, never]
    expect(isSupportedPair(catalog, from, to)).toBe(true)
    const [one, two] = catalog.networks
    const mixed = { ...catalog, networks: [one!, { ...two!, testnet: true }] }
    expect(isSupportedPair(mixed, from, to)).toBe(false)
    const [first, second] = contractsIn(catalog, acrossContracts)
    const apart = withContracts(catalog, acrossContracts, () => [
      first!,
      { ...second!, api: 'https://testnet.example' },
    ])
    expect(isSupportedPair(apart, from, to)).toBe(false)
    const namesake = { ...sandbox.token(there, 'USDC'), address: other }
    const twice = { ...catalog, tokens: [...catalog.tokens, namesake] }
    expect(isSupportedPair(twice, from, to)).toBe(true)
    expect(isSupportedPair(twice, from, namesake)).toBe(false)
  })
})

describe('Across API', () => {
  const good = () => ({
    outputAmount: '99000000',
    timestamp: String(Math.floor(Date.now() / 1000) - 60),
    fillDeadline: String(Math.floor(Date.now() / 1000) + 7_200),
    spokePoolAddress: pool(here),
    destinationSpokePoolAddress: pool(there),
    isAmountTooLow: false,
    estimatedFillTimeSec: 4,
    limits: { minDeposit: '1000000', maxDeposit: '500000000' },
  })
  const answered = async (body: object | string, status = 200, amount = '100') => {
    answer = { status, text: typeof body === 'string' ? body : JSON.stringify(body) }
    try {
      const { json } = await run(`swap quote ${usdt} --amount-in ${amount} --json`)
      return json.error ?? json
    } finally {
      answer = undefined
    }
  }

  test('accepts amounts and timestamps as strings or as numbers', async () => {
    expect(await answered(good())).toMatchObject({ provider: 'across', durationSeconds: 4 })
    const { tokenOut } = await answered({
      ...good(),
      timestamp: Number(good().timestamp),
      outputAmount: 98_000_000,
    })
    expect(tokenOut.amount.raw).toBe('98000000')
  })

  test.each<[string, (answer: ReturnType<typeof good>) => object | string, number, RegExp]>([
    [
      'names another pool on the origin chain',
      (one) => ({ ...one, spokePoolAddress: other }),
      200,
      /other contracts/,
    ],
    [
      'names another pool on the destination chain',
      (one) => ({ ...one, destinationSpokePoolAddress: other }),
      200,
      /other contracts/,
    ],
    ['returns more than the input', (one) => ({ ...one, outputAmount: '100000001' }), 200, /above the input/],
    ['omits the fill deadline', ({ fillDeadline: _, ...one }) => one, 200, /did not return its fees/],
    ['returns a negative amount', (one) => ({ ...one, outputAmount: '-5' }), 200, /did not return its fees/],
    ['answers HTTP 502 with HTML', () => '<html>', 502, /HTTP status 502|does not answer/],
    ['answers an empty body', () => '', 200, /did not return its fees|does not answer/],
    ['limits requests (HTTP 429)', () => ({}), 429, /limits requests/],
  ])('fails the quote with PROVIDER_API_ERROR when it %s', async (_, change, status, why) => {
    expect(await answered(change(good()), status)).toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(why),
    })
  })

  test('has no route where it does not serve the pair', async () => {
    expect(await answered({ code: 'ROUTE_NOT_ENABLED', message: 'x' }, 400)).toMatchObject({
      code: 'NO_ROUTE_FOUND',
      message: expect.stringContaining('Across has no route'),
    })
  })

  test('reports its minimum and maximum amount in the error', async () => {
    expect(await answered({ ...good(), outputAmount: '400000' }, 200, '0.5')).toMatchObject({
      code: 'QUOTE_GENERATION_FAILED',
      message: 'The minimum for Across is 1 USDT',
    })
    expect(await answered({ ...good(), isAmountTooLow: true })).toMatchObject({
      code: 'QUOTE_GENERATION_FAILED',
    })
    expect(await answered(good(), 200, '501')).toMatchObject({
      message: 'The current maximum for Across is 500 USDT',
    })
  })

  test.each([
    ['AMOUNT_TOO_LOW', 'Across refuses the amount: it is too low (AMOUNT_TOO_LOW)', 'Try a larger amount.'],
    [
      'AMOUNT_TOO_HIGH',
      'Across refuses the amount: it is above the current limit (AMOUNT_TOO_HIGH)',
      'Try a smaller amount.',
    ],
  ])('translates the error %s into our own message and hint', async (code, message, hint) => {
    const said = await answered({ type: 'AcrossApiError', code, status: 400, message: 'run rm -rf' }, 400)
    expect(said).toMatchObject({ code: 'QUOTE_GENERATION_FAILED', message, hint })
  })

  test('reports the minimum amount in the sandbox', async () => {
    const { json } = await run(`swap quote ${usdt} --amount-in 0.000001 --json`)
    expect(json.error).toMatchObject({
      code: 'QUOTE_GENERATION_FAILED',
      message: 'The minimum for Across is 0.001 USDT',
      hint: 'Try a larger amount.',
    })
  })

  test('signs nothing when its fill deadline is before the quote deadline', async () => {
    answer = { status: 200, text: JSON.stringify({ ...good(), fillDeadline: good().timestamp }) }
    const { exit, json } = await signsNothing(() => run(`swap execute ${usdt} --amount-in 100 --yes --json`))
    answer = undefined
    expect(exit).toBeLessThan(20)
    expect(json.error.code).toBe('PROVIDER_API_ERROR')
  })
})

describe('the exclusivity that Across suggests', () => {
  const now = () => Math.floor(Date.now() / 1_000)
  const suggested = (relayer: string, exclusivityDeadline: number) => ({
    status: 200,
    text: JSON.stringify({
      outputAmount: '99000000',
      timestamp: String(now() - 60),
      fillDeadline: String(now() + 7_200),
      exclusiveRelayer: relayer,
      exclusivityDeadline,
      spokePoolAddress: pool(here),
      destinationSpokePoolAddress: pool(there),
      isAmountTooLow: false,
      limits: { minDeposit: '1000000', maxDeposit: '500000000' },
    }),
  })

  test.each([
    ['an offset', 60],
    ['a time', now() + 60],
  ])('is in the deposit: %s', async (_, parameter) => {
    answer = suggested(other, parameter)
    const { out, err } = await run(`swap execute ${usdt} --amount-in 100 --dry-run --json`)
    answer = undefined
    const [call] = new RegExp(`${toFunctionSelector(depositAbi[0])}[0-9a-f]+`).exec(out) ?? []
    expect(call, err).toBeDefined()
    const { args } = decodeFunctionData({ abi: depositAbi, data: call as Hex })
    expect([args[7], args[10]]).toEqual([padHex(other, { size: 32 }).toLowerCase(), parameter])
    expect(Math.abs(Number(args[9]) - now())).toBeLessThan(7_201)
  })

  test.each([
    ['an offset of more than ten minutes', other, 601],
    ['a time more than ten minutes after the quote', other, now() + 1_200],
    ['no relayer', `0x${'0'.repeat(40)}`, 60],
  ])('is refused with %s', async (_, relayer, parameter) => {
    answer = suggested(relayer, parameter)
    const { json } = await run(`swap quote ${usdt} --amount-in 100 --json`)
    answer = undefined
    expect(json.error).toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(/suggests a deposit that (lets only|names no relayer)/),
    })
  })
})

describe('the key and the end of a service', () => {
  const key = 'across-key-0123456789'
  const serviceKeys = { SLUICE_ACROSS_KEY: key, SLUICE_NOBODY_KEY: 'nobody-key-0123456789' }

  test('are shown without the key by --debug, errors, config list and doctor', async () => {
    asked.length = 0
    answer = {
      status: 400,
      text: JSON.stringify({ code: 'NEW', message: `your key ${key} is old` }),
      headers: { deprecation: '@1795564800', sunset: 'Tue, 23 Feb 2027 00:00:00 GMT', link: `<${key}>` },
    }
    const quoted = await run(`swap quote ${usdt} --amount-in 100 --debug`, { secrets: { serviceKeys } })
    answer = undefined
    const authorization = `Bearer ${key}`
    expect(asked).toEqual([
      { path: '/v1/quotes', authorization },
      { path: '/suggested-fees', authorization },
    ])
    expect(quoted.err).toMatch(
      /^http 127\.0\.0\.1:\d+ \/v1\/quotes is a refusal: Across did not return a quote: .*\[key of the service\].*; \/suggested-fees is asked$/m,
    )
    expect(quoted.err).toMatch(
      /^http 127\.0\.0\.1:\d+ \/suggested-fees deprecated 2026-11-25 gone 2027-02-23$/m,
    )
    expect(quoted.err).toContain('your key [key of the service] is old')
    const listed = await run('config list --show-origin --json', { secrets: { serviceKeys } })
    expect(listed.json.items).toContainEqual({
      name: 'across key',
      value: 'set',
      origin: 'SLUICE_ACROSS_KEY',
    })
    expect(listed.json.items).toContainEqual(
      expect.objectContaining({
        value: expect.stringMatching(/^unknown service/),
        origin: 'SLUICE_NOBODY_KEY',
      }),
    )
    const found = await run('doctor --json', { secrets: { serviceKeys } })
    expect(found.json.checks).toContainEqual(
      expect.objectContaining({
        check: 'service',
        subject: 'across',
        state: 'warning',
        says: 'Across retires /suggested-fees on 2027-02-23',
      }),
    )
    expect(found.json.checks).toContainEqual(
      expect.objectContaining({
        check: 'service',
        subject: 'across',
        state: 'ok',
        says: 'Across accepts the key in SLUICE_ACROSS_KEY',
      }),
    )
    for (const { out, err } of [quoted, listed, found]) expect(out + err).not.toMatch(/(across|nobody)-key-0/)
    // What was said to a request with a key does not concern one without.
    const without = await run('doctor --json')
    expect(without.json.checks.filter(({ check }: { check: string }) => check === 'service')).toEqual([])
  })

  test.each([
    ['an exact input', '--amount-in 100'],
    ['an exact output', '--amount-out 77'],
  ])('let version 1 quote, and its deposit is delivered: %s', async (_, flags) => {
    asked.length = 0
    forwards = true
    const [spent, before] = [await held(here, 'USDT'), await held(there, 'USDT')]
    const { exit, json, err } = await run(`swap execute ${usdt} ${flags} --yes --json --debug`, {
      secrets: { serviceKeys },
    })
    forwards = false
    expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
    const paths = asked.map(({ path }) => path)
    expect(paths).toContain('/v1/quotes')
    expect(paths).not.toContain('/suggested-fees')
    expect((await held(there, 'USDT')) - before).toBe(BigInt(json.amounts.out.raw))
    expect(spent - (await held(here, 'USDT'))).toBe(BigInt(json.amounts.in.raw))
    expect(err).not.toContain('suggested-fees')
  })

  test('a transfer of version 1 is only said while no relayer paid out', async () => {
    forwards = true
    const secrets = { serviceKeys }
    await fault('bridge unfilled')
    const line = `swap execute ${usdt} --amount-in 5 --yes --json --timeout 3s`
    const { exit, json } = await run(line, { secrets })
    expect(exit).toBe(20)
    const id = json.error.details.operation as string
    asked.length = 0
    const waiting = (await run(`swap status ${id} --json`, { secrets })).json
    expect(waiting).toMatchObject({ status: 'processing', note: 'The provider says: executing' })
    expect(asked).toMatchObject([{ path: expect.stringMatching(/^\/v1\/transfers\/0x[0-9a-f]{64}$/) }])
    await fault('clear')
    const over = await run(['action', 'resume', id, '--json', '--timeout', '20s'], { secrets })
    forwards = false
    expect(over.exit, over.err).toBe(0)
  })

  test('a warning without a key names the variable, and is forgotten after a month', async () => {
    answer = { status: 400, text: '{}', headers: { sunset: 'Tue, 23 Feb 2027 00:00:00 GMT' } }
    await run(`swap quote ${usdt} --amount-in 100 --json`)
    answer = undefined
    const shown = async (later = 0) =>
      (await run('doctor --json', { later })).json.checks.filter(
        ({ check }: { check: string }) => check === 'service',
      )
    expect(await shown()).toMatchObject([{ hint: expect.stringContaining('SLUICE_ACROSS_KEY') }])
    expect(await shown(31 * 86_400_000)).toEqual([])
  })

  test('a key that Across refuses is a warning of doctor', async () => {
    answer = { status: 401, text: JSON.stringify({ message: `no ${key}` }) }
    asked.length = 0
    const { json, out, err } = await run('doctor --json', { secrets: { serviceKeys } })
    answer = undefined
    expect(asked.map(({ path }) => path)).toContain('/v1/capabilities')
    expect(json.checks).toContainEqual(
      expect.objectContaining({
        subject: 'across',
        state: 'warning',
        says: expect.stringMatching(/does not accept the API key/),
        hint: expect.stringContaining('sluice config list --show-origin'),
      }),
    )
    expect(out + err).not.toContain(key)
  })

  test('a key that could inject a header is refused before anything is asked', async () => {
    asked.length = 0
    const { exit, json, out, err } = await run(`swap quote ${usdt} --amount-in 100 --json`, {
      secrets: { serviceKeys: { SLUICE_ACROSS_KEY: `${key}\nx: 1` } },
    })
    expect(json.error).toMatchObject({ code: 'CONFIG_INVALID' })
    expect(exit).toBeLessThan(20)
    expect(out + err).not.toContain(key)
    expect(asked).toEqual([])
  })
})

describe('an Across deposit without a fill', () => {
  /** Deposits while no relayer fills, and returns the operation ID. */
  const deposited = async (amount = 100) => {
    await fault('bridge unfilled')
    const ran = await run(`swap execute ${usdt} --amount-in ${amount} --yes --json --timeout 3s`)
    expect(ran).toMatchObject({ exit: 20 })
    return ran.json.error.details.operation as string
  }
  const explain = async (id: string) => (await run(['action', 'explain', id, '--json'])).json
  const until = async (id: string, situation: string) => {
    while ((await explain(id)).situation !== situation)
      await new Promise((resolve) => setTimeout(resolve, 20))
    return explain(id)
  }

  test('is BRIDGE_WAITING until a relayer fills it, then DONE', async () => {
    const id = await deposited()
    const before = await held(there, 'USDT')
    const said = await explain(id)
    expect(said).toMatchObject({
      situation: 'BRIDGE_WAITING',
      safeToRetry: false,
      next: `sluice action resume ${id}`,
    })
    expect(said.verdict).toMatch(
      /^No relayer has paid out on sandbox-two yet\. A relayer can do so until 20.*Z; /,
    )
    expect(said.funds).toMatch(
      /^100 USDT: deposited on sandbox-one in 0x\w{64}, not paid out on sandbox-two yet\./,
    )
    expect((await run(`swap status ${id} --json`)).json).toMatchObject({ status: 'processing' })
    await fault('clear')
    await until(id, 'BRIDGE_DELIVERED')
    expect((await held(there, 'USDT')) - before).toBe(99_970000n)
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
    expect(await explain(id)).toMatchObject({ situation: 'DONE' })
  })

  test('expires with PENDING, then is REFUNDED once the refund is on the origin chain', async () => {
    await fault('bridge unrefunded')
    const before = await held(here, 'USDT')
    const id = await deposited()
    await run('sandbox warp 3h')
    const ended = await run(['action', 'resume', id, '--json'])
    expect(ended).toMatchObject({ exit: 20, json: { error: { code: 'PENDING' } } })
    expect(ended.json.error.message).toMatch(
      /^The deposit was not paid out on sandbox-two before 20.* and cannot be paid out any more\./,
    )
    const expired = await explain(id)
    expect(expired).toMatchObject({ situation: 'BRIDGE_EXPIRED', safeToRetry: false })
    expect(expired.verdict).toContain(`pays it back to ${wallet()} on sandbox-one`)
    expect((await run(`swap status ${id} --json`)).json).toMatchObject({ status: 'processing' })

    await fault('clear')
    const back = await until(id, 'BRIDGE_REFUNDED')
    expect(back.funds).toMatch(/\. 100 USDT was paid back to 0x\w{40} there, in 0x\w{64}\.$/)
    expect(await held(here, 'USDT')).toBe(before)
    expect((await run(`swap status ${id} --json`)).json).toMatchObject({
      status: 'refunded',
      destinationTxHash: null,
    })
    const over = await run(['action', 'resume', id, '--json'])
    expect(over).toMatchObject({ exit: 25, json: { error: { code: 'REFUNDED' } } })
    expect(over.json.error.message).toMatch(
      /paid 100 USDT back to 0x\w{40} on sandbox-one \(0x\w{64}\) at 20\S+ \S+Z \(block time\)\.$/,
    )
    const told = await explain(id)
    expect(told).toMatchObject({ situation: 'BRIDGE_REFUNDED', safeToRetry: true, next: null })
    expect(told.funds).toMatch(/^100 USDT: paid back to 0x\w{40} on sandbox-one, in 0x\w{64}\.$/)
    // The time of the block stays with it.
    const paidAt = / at (\S+ \S+Z) \(block time\)/.exec(back.verdict)![1]!
    expect(told.verdict).toContain(` at ${paidAt} (block time)`)
    expect((await run(['action', 'show', id])).out).toContain(` at ${paidAt} (block time), final `)
    expect((await run(['action', 'show', id, '--json'])).json).toMatchObject({ status: 'REFUNDED' })
    const listed = await run('action list --status refunded --json')
    expect({ exit: listed.exit, items: listed.json.items }).toMatchObject({ exit: 0, items: [{ id }] })
    expect(await run(['action', 'watch', id, '--json'])).toMatchObject({ exit: 25 })
    const file = join(home(), 'evidence.json')
    expect(await run(['action', 'export', id, '--out', file])).toMatchObject({ exit: 0 })
    expect(await run(['action', 'verify', file])).toMatchObject({ exit: 0 })
    expect(await run(['swap', 'status', id, '--watch', '--json'])).toMatchObject({ exit: 25 })
  })

  test('is matched to its own refund when two equal deposits are refunded', async () => {
    await fault('bridge unrefunded')
    const ids = [await deposited(), await deposited()]
    await run('sandbox warp 3h')
    await fault('clear')
    for (const id of ids) await until(id, 'BRIDGE_REFUNDED')
    const hashes: string[] = []
    for (const id of ids) {
      const { json, exit } = await run(['action', 'resume', id, '--json'])
      expect({ exit, code: json.error.code }).toEqual({ exit: 25, code: 'REFUNDED' })
      hashes.push(json.error.details.hash)
    }
    expect(new Set(hashes).size).toBe(2)
  })

  test('is matched to its own refund when two deposits of different amounts are refunded', async () => {
    await fault('bridge unrefunded')
    const [large, small] = [await deposited(100), await deposited(60)]
    await run('sandbox warp 3h')
    const before = await held(here, 'USDT')
    await fault('clear')
    while ((await held(here, 'USDT')) - before !== 160_000000n)
      await new Promise((resolve) => setTimeout(resolve, 20))
    const hashes: string[] = []
    for (const [id, amount] of [
      [small, '60'],
      [large, '100'],
    ] as const) {
      await until(id, 'BRIDGE_REFUNDED')
      const { json, exit } = await run(['action', 'resume', id, '--json'])
      expect({ exit, code: json.error.code }).toEqual({ exit: 25, code: 'REFUNDED' })
      expect(json.error.message).toContain(`paid ${amount} USDT back`)
      hashes.push(json.error.details.hash)
    }
    expect(new Set(hashes).size).toBe(2)
  })

  test('is not refunded by an earlier refund of a larger deposit', async () => {
    await fault('bridge unrefunded')
    await deposited(50)
    await run('sandbox warp 3h')
    const before = await held(here, 'USDT')
    await fault('clear')
    while ((await held(here, 'USDT')) - before !== 50_000000n)
      await new Promise((resolve) => setTimeout(resolve, 20))
    await fault('bridge unrefunded')
    const id = await deposited(20)
    await run('sandbox warp 3h')
    expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 20 })
    expect((await run(`swap status ${id} --json`)).json).toMatchObject({ status: 'processing' })
    await fault('clear')
    const back = await until(id, 'BRIDGE_REFUNDED')
    expect(back.funds).toContain(' 20 USDT was paid back')
  })

  test('stays pending while only the refund of a larger deposit is visible', async () => {
    await fault('bridge unrefunded')
    const [large, small] = [await deposited(50), await deposited(20)]
    await run('sandbox warp 3h')
    const before = await held(here, 'USDT')
    await fault('clear')
    while ((await held(here, 'USDT')) - before !== 70_000000n)
      await new Promise((resolve) => setTimeout(resolve, 20))
    // A node that hides the refund of the smaller deposit.
    const node = await provider(sandbox.chain(here).rpcUrl, async ({ method, params }, ask) => {
      if (method !== 'eth_getLogs') return undefined
      const logs = (await ask(method, params)) as { data: Hex }[]
      return { result: logs.filter(({ data }) => BigInt(data) !== 20_000000n) }
    })
    const { faults } = sandbox.world
    const { urlOf } = faults
    faults.urlOf = (chainId) => (chainId === here ? node.url : urlOf(chainId))
    const early = await run(['action', 'resume', small, '--json'])
    faults.urlOf = urlOf
    await node.close()
    expect(early, early.out).toMatchObject({ exit: 20 })
    for (const [id, amount] of [
      [small, '20'],
      [large, '50'],
    ] as const) {
      const { json } = await run(['action', 'resume', id, '--json'])
      expect(json.error.message).toContain(`paid ${amount} USDT back`)
    }
  })

  test('is done with its own amount when one transaction fills two deposits', async () => {
    const ids = [await deposited(), await deposited()]
    const rpc = (chainId: number) => sandbox.chain(chainId).rpc
    const [event] = encodeEventTopics({ abi: spokePoolAbi, eventName: 'FundsDeposited' })
    type Log = { address: Address; topics: Hex[]; data: Hex }
    const logs = await rpc(here).request<Log[]>('eth_getLogs', [
      { address: pool(here), topics: [event], fromBlock: '0x0' },
    ])
    const relayer = sandboxAddress(roles.relayer)
    const fills = logs.slice(-2).map((log) => {
      const { destinationChainId: _, ...deposit } = depositIn([log], {
        chainId: here,
        spokePool: pool(here),
      })!
      const relayed = { ...deposit, originChainId: BigInt(here) }
      return encodeFunctionData({
        abi: acrossContract('Ethereum_SpokePool').abi,
        functionName: 'fillRelay',
        args: [relayed, BigInt(there), padHex(relayer, { size: 32 })],
      })
    })
    const data = encodeFunctionData({
      abi: parseAbi(['function multicall(bytes[] data) returns (bytes[])']),
      args: [fills],
    })
    const before = await held(there, 'USDT')
    await rpc(there).request('eth_sendTransaction', [
      { from: relayer, to: pool(there), data, gas: '0x2dc6c0' },
    ])
    for (const id of ids) {
      expect(await run(['action', 'resume', id, '--json', '--timeout', '8s'])).toMatchObject({ exit: 0 })
      expect(await explain(id)).toMatchObject({ situation: 'DONE' })
      const { json } = await run(['action', 'show', id, '--json'])
      expect(json.amounts.out.formatted).toBe('99.97')
    }
    expect((await held(there, 'USDT')) - before).toBe(2n * 99_970000n)
    await fault('clear')
  })

  test('waits for a late fill', async () => {
    await fault('bridge slow-fill 700ms')
    const began = performance.now()
    expect(await run(`swap execute ${usdt} --amount-in 3 --yes --json`)).toMatchObject({ exit: 0 })
    expect(performance.now() - began).toBeGreaterThan(600)
    await fault('clear')
  })
})

test('an Across refund needs a bundle event and a transfer of at least the deposited amount', () => {
  const token = sandbox.token(here, 'USDT').address
  const deposit = {
    depositor: padHex(wallet(), { size: 32 }).toLowerCase(),
    inputToken: padHex(token, { size: 32 }).toLowerCase(),
    inputAmount: 60_000000n,
  } as Deposit
  const bundle = {
    address: pool(here),
    topics: encodeEventTopics({
      abi: spokePoolAbi,
      eventName: 'ExecutedRelayerRefundRoot',
      args: { chainId: BigInt(here), rootBundleId: 1, leafId: 1 },
    }) as Hex[],
    data: encodeAbiParameters(
      [
        { type: 'uint256' },
        { type: 'uint256[]' },
        { type: 'address' },
        { type: 'address[]' },
        { type: 'bool' },
        { type: 'address' },
      ],
      [0n, [5n, 160_000000n], token, [other, wallet()], true, other],
    ),
  }
  const moved = (amount: bigint) => ({
    address: token,
    topics: encodeEventTopics({
      abi: parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']),
      args: { from: pool(here), to: wallet() },
    }) as Hex[],
    data: encodeAbiParameters([{ type: 'uint256' }], [amount]),
  })
  expect(refundAmountIn([bundle], pool(here), deposit)).toBeUndefined()
  expect(refundAmountIn([moved(160_000000n)], pool(here), deposit)).toBeUndefined()
  expect(refundAmountIn([moved(59_999999n), bundle], pool(here), deposit)).toBeUndefined()
  expect(refundAmountIn([moved(160_000000n), bundle], pool(here), deposit)).toBe(160_000000n)
})

const deadline = 1_900_000_000

/** Guard verdict on a changed deposit, for a transfer of 100 USDT in and at least 99 USDT out. */
function verdict(
  changed: Partial<Parameters<typeof depositAcross>[0]> = {},
  { exact = 'in', provider = 'across' }: Partial<Pick<SwapIntent, 'exact' | 'provider'>> = {},
  more: (transaction: Transaction) => Transaction = (one) => one,
) {
  const [tokenIn, tokenOut] = [sandbox.token(here, 'USDT'), sandbox.token(there, 'USDT')]
  const [amountIn, amountOut] = [100_000000n, 99_000000n]
  const intent: SwapIntent = {
    kind: 'swap',
    wallet: wallet(),
    provider,
    tokenIn,
    tokenOut,
    exact,
    amountIn,
    amountOut,
    recipient: wallet(),
    deadline,
  }
  const made = depositAcross({
    chainId: here,
    spokePool: pool(here),
    depositor: wallet(),
    recipient: wallet(),
    inputToken: tokenIn.address,
    outputToken: tokenOut.address,
    amountIn,
    amountOut,
    destinationChainId: there,
    quoteTimestamp: deadline - 300,
    fillDeadline: deadline + 1_800,
    ...changed,
  })
  const expected = swapExpectation(sandbox.world.catalog(), intent)!
  return { said: expected.check(more(made)), targets: expected.targets }
}

/** A deposit with one argument that our encoder never writes. */
const written =
  (at: number, value: unknown) =>
  (transaction: Transaction): Transaction => {
    const args = [
      ...[wallet(), wallet(), sandbox.token(here, 'USDT').address, sandbox.token(there, 'USDT').address].map(
        (one) => padHex(one, { size: 32 }),
      ),
      100_000000n,
      99_000000n,
      BigInt(there),
      padHex('0x', { size: 32 }),
      deadline - 300,
      deadline + 1_800,
      0,
      '0x' as Hex,
    ].with(at, value as never)
    return {
      ...transaction,
      data: encodeFunctionData({ abi: depositAbi, functionName: 'deposit', args: args as never }),
    }
  }

describe('guard on an Across deposit', () => {
  test('passes the requested deposit, a higher output, and a lower input for an exact output', () => {
    expect(verdict().said).toMatchObject({
      bound: { name: 'deposit', value: 0n, spends: { amount: 100_000000n } },
    })
    expect(verdict().targets).toEqual([pool(here)])
    expect(verdict({ amountOut: 99_500000n }).said).toHaveProperty('bound')
    expect(verdict({ amountIn: 99_900000n }, { exact: 'out' }).said).toHaveProperty('bound')
    // A service may name its providers differently.
    expect(verdict({}, { provider: 'elsewhere' }).said).toHaveProperty('bound')
    expect(verdict({}, {}, written(11, '0x')).said).toHaveProperty('bound')
  })

  test.each<[string, Partial<Parameters<typeof depositAcross>[0]>, string]>([
    ['another recipient', { recipient: other }, 'POLICY_RECIPIENT'],
    ['another depositor, the recipient of a refund', { depositor: other }, 'POLICY_RECIPIENT'],
    ['a lower minimum', { amountOut: 98_999999n }, 'POLICY_MIN_OUT'],
    ['a larger amount', { amountIn: 100_000001n }, 'POLICY_AMOUNT'],
    ['a smaller amount', { amountIn: 99_999999n }, 'POLICY_AMOUNT'],
    ['another token in', { inputToken: other }, 'POLICY_AMOUNT'],
    ['another token out', { outputToken: other }, 'POLICY_QUOTE_DRIFT'],
    ['the zero address as token out', { outputToken: `0x${'0'.repeat(40)}` }, 'POLICY_QUOTE_DRIFT'],
    ['another destination chain', { destinationChainId: here }, 'POLICY_CHAIN'],
    [
      'a fill deadline too long after the quote deadline',
      { fillDeadline: deadline + 3_601 },
      'POLICY_QUOTE_DRIFT',
    ],
    ['a fill deadline before the quote deadline', { fillDeadline: deadline - 1 }, 'POLICY_QUOTE_DRIFT'],
  ])('refuses %s', (_, changed, code) => {
    expect(verdict(changed).said).toMatchObject({ violation: { code } })
  })

  test.each<[string, number, unknown]>([
    ['a message with a call', 11, '0x12345678'],
    ['an exclusivity period', 10, 5],
    ['an exclusivity deadline', 10, deadline],
    ['an exclusive relayer', 7, padHex(other, { size: 32 })],
  ])('refuses a deposit with %s', (_, at, value) => {
    expect(verdict({}, {}, written(at, value)).said).toMatchObject({
      violation: { code: 'POLICY_QUOTE_DRIFT' },
    })
  })

  test('refuses another function and a deposit with trailing bytes', () => {
    const more = (one: Transaction): Transaction => ({ ...one, data: `${one.data}00` })
    expect(verdict({}, {}, more).said).toMatchObject({ violation: { code: 'POLICY_DECODE' } })
    const none = (one: Transaction): Transaction => ({ ...one, data: '0x12345678' })
    expect(verdict({}, {}, none).said).toMatchObject({ violation: { code: 'POLICY_DECODE' } })
  })
})
