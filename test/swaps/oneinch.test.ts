import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, formatUnits } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../src/domain/address.ts'
import type { Token } from '../../src/domain/token.ts'
import type { LoopbackAnswer } from '../../src/sandbox/loopback-server.ts'
import { nativeMark, routerToken } from '../../src/swaps/aggregator-calldata-check.ts'
import { aggregationRouterAbi } from '../../src/swaps/oneinch/abi.ts'
import { decodeOneInchSwap } from '../../src/swaps/oneinch/calldata-check.ts'
import { oneInchContracts } from '../../src/swaps/oneinch/constants-schema.ts'
import { oneInch } from '../../src/swaps/oneinch/provider.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import {
  catalog,
  coin,
  friend,
  oneInchRouter as router,
  thief,
  usdc,
  usdt,
  wallet,
  weth,
} from '../support/plans/plan-fixtures.ts'
import {
  type Answering,
  exchangeSoon,
  serviceFailures,
  useProviderService,
} from '../support/services/swap-provider-service.ts'
import {
  amountIn,
  asking,
  boundBy,
  deadline,
  least,
  refusesOtherTerms,
  swapsByProvider,
} from '../support/swaps-by-provider.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

/** Recorded calls of the router, and the values that another decoder shows. */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'samples/1inch-router-v6.json'), 'utf8'),
) as {
  swap: { value: string; data: Hex; shown: Record<'send' | 'minimum' | 'beneficiary', string> }
  others: Record<string, Hex>
}

const described = (tokenIn: Token, tokenOut: Token, changed: Record<string, unknown> = {}) => ({
  srcToken: routerToken(tokenIn),
  dstToken: routerToken(tokenOut),
  srcReceiver: thief,
  dstReceiver: friend,
  amount: amountIn,
  minReturnAmount: least,
  flags: 0n,
  ...changed,
})
const called = (desc: ReturnType<typeof described>, inner: Hex = '0x01', executor: Address = thief): Hex =>
  encodeFunctionData({ abi: aggregationRouterAbi, functionName: 'swap', args: [executor, desc, inner] })

describe('guard on a 1inch call', () => {
  const bound = (tokens: { tokenIn: Token; tokenOut: Token }, data: Hex, exact?: 'out') =>
    boundBy(catalog, { provider: '1inch', recipient: friend, ...tokens }, data, exact)

  test.each([
    [usdc, weth],
    [coin, usdc],
    [usdt, coin],
  ])('passes a swap, and refuses each changed parameter', (tokenIn, tokenOut) => {
    const data = (changed: Record<string, unknown>) => called(described(tokenIn, tokenOut, changed))
    const code = (changed: Record<string, unknown>) =>
      bound({ tokenIn, tokenOut }, data(changed), changed.exact === 'out' ? 'out' : undefined).code
    refusesOtherTerms(code, thief)
    for (const flags of [1n, 2n, 4n, 8n, 1n << 255n]) expect(code({ flags })).toBe('POLICY_DECODE')
    const { said, targets } = bound({ tokenIn, tokenOut }, data({}))
    expect(targets).toEqual([router])
    expect(said).toMatchObject({
      bound: {
        value: tokenIn === coin ? amountIn : 0n,
        ...(tokenIn !== coin && { spends: { token: tokenIn.address, amount: amountIn } }),
      },
    })
  })

  test('ignores the executor data and one trailing service mark, and refuses other trailing bytes', () => {
    const tokens = { tokenIn: usdc, tokenOut: weth }
    const desc = described(usdc, weth)
    const { said } = bound(tokens, called(desc))
    const nested = called(described(usdc, weth, { dstReceiver: thief, minReturnAmount: 1n }))
    for (const data of [called(desc, nested, friend), `${called(desc)}6963f2b1` as Hex])
      expect(bound(tokens, data).said).toEqual(said)
    for (const more of ['00', '6963f2b16963f2b1', '00'.repeat(32)])
      expect(bound(tokens, `${called(desc)}${more}` as Hex).code).toBe('POLICY_DECODE')
  })

  test('refuses the other functions of the router', () => {
    for (const [name, data] of Object.entries(recorded.others))
      expect(bound({ tokenIn: usdc, tokenOut: weth }, data).code, name).toBe('POLICY_DECODE')
  })

  test('decodes a recorded swap to the values of another decoder', () => {
    const { data, value, shown } = recorded.swap
    const { srcToken, dstReceiver, amount, minReturnAmount, flags } = decodeOneInchSwap(data)!
    expect({ srcToken, flags, value }).toEqual({ srcToken: nativeMark, flags: 0n, value: String(amount) })
    expect(`${formatUnits(amount, 18)} ETH`).toBe(shown.send)
    expect(`${formatUnits(minReturnAmount, 18)} HLG`).toBe(shown.minimum)
    expect(dstReceiver).toBe(shown.beneficiary)
  })
})

describe('1inch API', () => {
  const serve = useProviderService()
  const key = 'k3y.of-nobody'
  const at = async (answer: Answering, secret = `${key}\n`) => {
    const there = { chainId: 31337, router, api: await serve(answer), keyFile: '/keys/1inch' }
    return oneInch([there], { exchangeJson: exchangeSoon, secretAt: async () => secret })
  }
  const ask = () => asking({ tokenIn: usdc, tokenOut: weth })
  const quoted = async (...given: Parameters<typeof at>) =>
    (await at(...given)).quote(ask(), AbortSignal.timeout(2_000))
  const price = (dstAmount = '333000000000000'): LoopbackAnswer => ({
    status: 200,
    body: { dstAmount, gas: 250_000 },
  })
  /** An error response in the shape of the service, which echoes the request. */
  const refusal = (description: string, status = 400): LoopbackAnswer => ({
    status,
    body: {
      error: 'Bad Request',
      description,
      statusCode: status,
      requestId: key,
      meta: [{ type: 'authorization', value: `Bearer ${key}` }],
    },
  })
  /** Every printable part of an error. */
  const shown = (error: unknown): string => {
    const { name, message, cause, ...rest } = error as Error
    return JSON.stringify([name, message, rest]) + (cause === undefined ? '' : shown(cause))
  }

  test('is asked with the API key of the user, and its amount becomes the offer', async () => {
    let sent: unknown
    const offer = await quoted(({ headers }, { pathname, searchParams }) => {
      sent = { key: headers.authorization, pathname, ...Object.fromEntries(searchParams) }
      return price()
    })
    const { address: src } = usdc
    expect(sent).toEqual({
      key: `Bearer ${key}`,
      pathname: '/quote',
      src,
      dst: weth.address,
      amount: '1000000',
      includeGas: 'true',
    })
    expect(offer).toMatchObject({ amountIn: 1_000_000n, amountOut: 333_000_000_000_000n, gas: 250_000n })
    expect(offer!.minAmountOut).toBe((333_000_000_000_000n * 995n) / 1_000n)
  })

  test('gives no quote without liquidity, and supports exact input only', async () => {
    await expect(quoted(() => refusal('insufficient liquidity'))).rejects.toMatchObject({
      code: 'NO_ROUTE_FOUND',
    })
    expect(await quoted(() => price('0'))).toBeUndefined()
    expect((await at(() => price())).exact).toEqual(['in'])
  })

  test.each<[string, () => ReturnType<Answering>, RegExp]>([
    ['HTTP 400 with an error', () => refusal(`bad ${key}`), /did not return a quote/],
    ['HTTP 401 (key refused)', () => refusal('Unauthorized', 401), /rejects the API key in \/keys\/1inch/],
    ['an amount in scientific notation', () => price('1e18'), /did not return a quote/],
    ['an amount longer than 78 digits', () => price('9'.repeat(79)), /did not return a quote/],
    ['HTTP 404 with text', () => ({ status: 404, body: key }), /did not return a quote/],
    ...serviceFailures,
    [
      'an oversized body',
      () => ({ status: 200, body: 'x'.repeat(9_000_000) }),
      /returned an invalid response/,
    ],
  ])('reports %s as a provider error without printing the key', async (_, answer, message) => {
    const error = await quoted(answer).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'PROVIDER_API_ERROR', message: expect.stringMatching(message) })
    expect(shown(error)).not.toContain(key)
  })

  test('rejects a malformed key file without printing it', async () => {
    for (const secret of ['', `${key}\n${key}`, `${key}ü`, key.repeat(20)]) {
      const error = await quoted(() => price(), secret).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'CONFIG_INVALID' })
      expect(shown(error)).not.toContain(key)
    }
  })

  const tx = (changed: object = {}, data?: Hex, to: Address = router): LoopbackAnswer => {
    const desc = described(usdc, weth, {
      amount: 1_000_000n,
      minReturnAmount: 331_335_000_000_000n,
      ...changed,
    })
    const body = {
      dstAmount: '333000000000000',
      tx: { from: thief, to, data: data ?? called(desc), value: '5' },
    }
    return { status: 200, body }
  }
  const transaction = async (answer: LoopbackAnswer, asked?: (query: URLSearchParams) => void) => {
    const provider = await at((_, { pathname, searchParams }) => {
      if (pathname === '/quote') return price()
      asked?.(searchParams)
      return answer
    })
    const offer = await provider.quote(ask(), AbortSignal.timeout(2_000))
    return provider.build(ask(), offer!, { wallet, recipient: friend, deadline })
  }

  test('supplies the calldata, but not the transaction value', async () => {
    let query: URLSearchParams | undefined
    const { transaction: one, needs } = await transaction(tx(), (sent) => {
      query = sent
    })
    expect(Object.fromEntries(query!)).toMatchObject({
      from: wallet,
      origin: wallet,
      receiver: friend,
      minReturn: '331335000000000',
      compatibility: 'true',
      disableEstimate: 'true',
    })
    expect(query!.has('slippage')).toBe(false)
    expect(one).toMatchObject({ to: router, value: 0n, chainId: 31337 })
    expect(needs).toEqual({ token: usdc.address, spender: router, amount: 1_000_000n })
  })

  test('is asked again after one HTTP 429 while a transaction is built', async () => {
    const answers = [price(), { status: 429, body: {} }, tx()]
    const provider = await at(() => answers.shift()!)
    const offer = await provider.quote(ask(), AbortSignal.timeout(2_000))
    const made = await provider.build(ask(), offer!, { wallet, recipient: friend, deadline })
    expect([made.transaction.to, answers]).toEqual([router, []])
  })

  test.each<[string, () => LoopbackAnswer, string, RegExp]>([
    [
      'lowers the minimum',
      () => tx({ minReturnAmount: 331_334_999_999_999n }),
      'QUOTE_EXPIRED',
      /the minimum/,
    ],
    [
      'no longer has a route',
      () => refusal('insufficient liquidity'),
      'QUOTE_EXPIRED',
      /not enough liquidity/,
    ],
    [
      'quotes below the minimum',
      () => ({ status: 200, body: { ...(tx().body as object), dstAmount: '331334999999999' } }),
      'QUOTE_EXPIRED',
      /no longer swaps/,
    ],
    ['rejects the request', () => refusal('bad'), 'PROVIDER_API_ERROR', /did not return a transaction/],
    ['changes the amount', () => tx({ amount: 1_000_001n }), 'PROVIDER_API_ERROR', /another swap/],
    ['names another router', () => tx({}, undefined, thief), 'PROVIDER_API_ERROR', /another swap/],
    ['calls another function', () => tx({}, recorded.others.unoswapTo), 'PROVIDER_API_ERROR', /than swap$/],
    [
      'returns an unreadable body',
      () => ({ status: 200, body: [] }),
      'PROVIDER_API_ERROR',
      /return a transaction/,
    ],
    [
      'limits requests for 7 seconds',
      () => ({ status: 429, body: {}, headers: { 'retry-after': '7' } }),
      'PROVIDER_API_ERROR',
      /accepts the next one in 7 s/,
    ],
  ])('builds no transaction when it %s', async (_, answer, code, message) => {
    await expect(transaction(answer())).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
  })
})

describe('1inch on the sandbox', () => {
  const sandbox = useSandbox()
  const { run, home } = useCommands(sandbox)

  test.each([
    [
      'the native coin in, to another recipient',
      `--token-in ETH --token-out USDC --amount-in 0.1 --destination ${friend}`,
    ],
    ['the native coin out', '--token-in USDC --token-out ETH --amount-in 100'],
  ])('swaps %s', async (_, flags) => {
    await swapsByProvider(sandbox, run, '1inch', flags)
  })

  test('never prints the API key, even with --debug', async () => {
    const line =
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --provider 1inch'
    const { exit, json, err } = await run(`${line} --json --debug`)
    const { keyFile } = contractsIn(sandbox.world.catalog(), oneInchContracts)[0]!
    const key = readFileSync(keyFile!, 'utf8')
    expect({ exit, provider: json.provider }).toEqual({ exit: 0, provider: '1inch' })
    expect(key.length).toBeGreaterThan(10)
    expect(JSON.stringify(json) + err).not.toContain(key)
  })

  test('names SLUICE_ONEINCH_FILE when it is not set, and rejects a key file that others can read', async () => {
    const rpc = sandbox.world.chains[0]!.rpcUrl
    const env = { SLUICE_RPC_BASE: rpc, SLUICE_PROFILE: 'engine' }
    const line =
      'swap quote --from base --token-in USDC --token-out WETH --amount-in 5 --provider 1inch --json'
    expect((await run(line, { env })).json.error).toMatchObject({
      code: 'PREFERRED_PROVIDER_NOT_ELIGIBLE',
      message: expect.stringContaining('SLUICE_ONEINCH_FILE'),
    })
    const path = join(home(), '1inch.key')
    writeFileSync(path, 'a-key', { mode: 0o644 })
    const { json, err } = await run(`${line} --debug`, { env: { ...env, SLUICE_ONEINCH_FILE: path } })
    expect(json.error.message).toContain(`${path} is not used as a key: others can read it`)
    expect(JSON.stringify([json, err])).not.toContain('a-key')
  })
})
