import { encodeFunctionData } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { type Address, nativeAddress } from '../../src/domain/address.ts'
import { sandboxNetworks } from '../../src/domain/networks.ts'
import type { Answer } from '../../src/sandbox/loopback-server.ts'
import type { SwapIntent } from '../../src/swaps/definition.ts'
import { metaAggregationRouterAbi, nativeMark } from '../../src/swaps/kyberswap/abi.ts'
import { kyberSwap } from '../../src/swaps/kyberswap/provider.ts'
import type { Ask, Offer } from '../../src/swaps/provider.ts'
import { swapExpectation } from '../../src/swaps/registry.ts'
import {
  type Answering,
  exchangeSoon,
  serviceFailures,
  useProviderService,
} from '../support/provider-service.ts'
import { useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const chainId = 31337
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const coin = { chainId, address: nativeAddress, symbol: 'ETH', name: 'Ether', decimals: 18 } as const
const token = (symbol: string) => (symbol === 'ETH' ? coin : sandbox.token(chainId, symbol))
const router = () => sandbox.world.catalog().kyberSwap.find((one) => one.chainId === chainId)!.router
const asked = (line: string) => run(`swap ${line} --from sandbox-one --json`)

describe('KyberSwap', () => {
  test.each([
    ['a token', '--token-in USDC --token-out WETH --amount-in 300'],
    ['the coin in', '--token-in ETH --token-out USDC --amount-in 0.1'],
    ['the coin out', '--token-in USDC --token-out ETH --amount-in 100'],
    ['to somebody else', `--token-in USDC --token-out WETH --amount-in 50 --destination ${other}`],
  ])('swaps %s', async (_, flags) => {
    const symbol = /--token-out (\w+)/.exec(flags)![1]!
    const paid = flags.includes(other) ? other : sandbox.user.address
    const held = () =>
      symbol === 'ETH'
        ? sandbox.nativeBalanceOf(chainId, paid)
        : sandbox.balanceOf(chainId, token(symbol).address, paid)
    const before = await held()
    const { exit, json, err } = await asked(`execute ${flags} --provider kyberswap --yes`)
    expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
    const got = (await held()) - before
    const said = BigInt(json.amounts.out.raw)
    if (symbol === 'ETH') expect(got).toBeLessThanOrEqual(said)
    else expect(got).toBe(said)
    expect(got).toBeGreaterThan((said * 8n) / 10n)
    expect(json.plan?.proof ?? []).not.toContainEqual(
      expect.objectContaining({ by: 'none', term: 'minimum' }),
    )
  })

  test('wins where two exchanges together bring more than each of them', async () => {
    const { json } = await asked('quote --token-in USDC --token-out WETH --amount-in 900000')
    expect(json).toMatchObject({ provider: 'kyberswap', slippage: 0.005 })
  })

  test('is not asked for an exact output', async () => {
    const line = 'quote --token-in USDC --token-out WETH --amount-out 0.1'
    expect((await asked(line)).json.provider).toBe('uniswap-v3')
    expect((await asked(`${line} --provider kyberswap`)).json.error).toMatchObject({
      code: 'PREFERRED_PROVIDER_NOT_ELIGIBLE',
      message: expect.stringContaining('an exact input only'),
    })
  })
})

const deadline = 1_900_000_000

type Desc = { [name: string]: unknown }

/** What the guard says of a swap of 0.1 of the input for at least 200, with parts of its call changed. */
function verdict(way: readonly [string, string], changed: Desc = {}, functionName = 'swap') {
  const [tokenIn, tokenOut] = way.map(token) as [ReturnType<typeof token>, ReturnType<typeof token>]
  const recipient = sandbox.user.address
  const intent: SwapIntent = {
    kind: 'swap',
    wallet: recipient,
    provider: 'kyberswap',
    tokenIn,
    tokenOut,
    exact: 'in',
    amountIn: 10n ** 17n,
    amountOut: 2n * 10n ** 8n,
    recipient,
    deadline,
    ...(changed.exact === 'out' && { exact: 'out' as const }),
  }
  const marked = ({ address }: { address: Address }) => (address === nativeAddress ? nativeMark : address)
  const desc = {
    srcToken: marked(tokenIn),
    dstToken: marked(tokenOut),
    srcReceivers: [other],
    srcAmounts: [10n ** 17n],
    feeReceivers: [],
    feeAmounts: [],
    dstReceiver: recipient,
    amount: 10n ** 17n,
    minReturnAmount: 2n * 10n ** 8n,
    flags: 0n,
    permit: '0x',
    ...changed,
  }
  const execution = {
    callTarget: other,
    approveTarget: nativeAddress,
    targetData: '0x01',
    desc,
    clientData: '0x',
  }
  const abi = JSON.parse(JSON.stringify(metaAggregationRouterAbi).replace('"swap"', `"${functionName}"`))
  const data = encodeFunctionData({ abi, functionName, args: [execution] } as never)
  const expected = swapExpectation(sandbox.world.catalog(), intent)!
  expect(expected.targets).toEqual([router()])
  return expected.bind({ to: router(), data, value: tokenIn === coin ? 10n ** 17n : 0n, chainId })
}

const code = (...args: Parameters<typeof verdict>) => {
  const said = verdict(...args)
  return 'violation' in said ? said.violation.code : 'passed'
}

describe('the guard', () => {
  test.each([
    ['USDC', 'WETH'],
    ['ETH', 'USDC'],
    ['USDC', 'ETH'],
  ] as const)('passes %s to %s, and nothing that is changed in it', (...way) => {
    expect(code(way)).toBe('passed')
    expect(code(way, { dstReceiver: other })).toBe('POLICY_RECIPIENT')
    // Whoever sends it, says the router; and that is not in the call.
    expect(code(way, { dstReceiver: nativeAddress })).toBe('POLICY_RECIPIENT')
    expect(code(way, { minReturnAmount: 2n * 10n ** 8n - 1n })).toBe('POLICY_MIN_OUT')
    expect(code(way, { amount: 10n ** 17n + 1n })).toBe('POLICY_AMOUNT')
    expect(code(way, { srcAmounts: [10n ** 17n + 1n] })).toBe('POLICY_AMOUNT')
    expect(code(way, { feeReceivers: [other], feeAmounts: [1n] })).toBe('POLICY_AMOUNT')
    expect(code(way, { srcToken: token('WBTC').address })).toBe('POLICY_QUOTE_DRIFT')
    expect(code(way, { dstToken: token('WBTC').address })).toBe('POLICY_QUOTE_DRIFT')
    expect(code(way, { permit: '0x00' })).toBe('POLICY_DECODE')
    for (const flag of [0x01n, 0x02n, 0x08n, 0x10n, 0x200n])
      expect(code(way, { flags: flag }), String(flag)).toBe('POLICY_DECODE')
    expect(code(way, { flags: 0x20n | 0x100n })).toBe('passed')
    expect(code(way, { exact: 'out' })).toBe('POLICY_DECODE')
    // The function whose inner call may be any.
    expect(code(way, {}, 'swapGeneric')).toBe('POLICY_DECODE')
  })

  test('says what is spent, and the value where it is the coin', () => {
    expect(verdict(['ETH', 'USDC'])).toMatchObject({ bound: { value: 10n ** 17n } })
    expect(verdict(['USDC', 'WETH'])).toMatchObject({
      bound: { value: 0n, spends: { amount: 10n ** 17n }, text: expect.stringContaining('on KyberSwap') },
    })
  })
})

describe('the service of KyberSwap', () => {
  const serve = useProviderService()
  const at = async (answer: (url: URL) => ReturnType<Answering>) =>
    kyberSwap([{ chainId, router: router(), api: await serve((_, url) => answer(url)) }], exchangeSoon)
  const ask = (): Ask => ({
    from: sandboxNetworks[0]!,
    to: sandboxNetworks[0]!,
    tokenIn: token('USDC'),
    tokenOut: token('WETH'),
    exact: 'in',
    amount: 1_000_000n,
    slippage: 0.005,
    speed: null,
    refund: null,
    isSpent: false,
  })
  const summary = (changed: object = {}) => ({
    tokenIn: token('USDC').address.toLowerCase(),
    amountIn: '1000000',
    amountInUsd: '1',
    tokenOut: token('WETH').address.toLowerCase(),
    amountOut: '333000000000000',
    amountOutUsd: '0.999',
    gas: '250000',
    route: [[]],
    ...changed,
  })
  const routes = (changed: object = {}, routerAddress: string = router()): Answer => ({
    status: 200,
    body: { code: 0, message: 'successfully', data: { routeSummary: summary(changed), routerAddress } },
  })
  const quoted = async (answer: Parameters<typeof at>[0]): Promise<Offer | undefined> =>
    (await at(answer)).quote(ask(), AbortSignal.timeout(2_000))

  test('is asked with the name of the program, and its amounts are what is offered', async () => {
    let query: URLSearchParams | undefined
    const offer = await quoted((url) => {
      query = url.searchParams
      return routes()
    })
    expect(Object.fromEntries(query!)).toMatchObject({ amountIn: '1000000', tokenIn: token('USDC').address })
    expect(offer).toMatchObject({ amountIn: 1_000_000n, amountOut: 333_000_000_000_000n, gas: 250_000n })
    expect(offer!.minAmountOut).toBe((333_000_000_000_000n * 995n) / 1_000n)
  })

  test('has no quote where there is no route, by its own codes', async () => {
    for (const code of [4008, 4009, 4010, 4011])
      expect(
        await quoted(() => ({ status: 400, body: { code, message: 'route not found' } })),
      ).toBeUndefined()
    expect(await quoted(() => routes({ amountOut: '0' }))).toBeUndefined()
  })

  test.each<[string, () => Answer | 'drop' | Promise<Answer | 'drop'>, RegExp]>([
    ['another router', () => routes({}, other), /another swap than was asked for/],
    ['another amount', () => routes({ amountIn: '2000000' }), /another swap than was asked for/],
    ['another token', () => routes({ tokenOut: other }), /another swap than was asked for/],
    ['an amount that is no number', () => routes({ amountOut: '1e18' }), /did not answer with a route/],
    ['a negative amount', () => routes({ amountOut: '-1' }), /did not answer with a route/],
    [
      'a number too long for any token',
      () => routes({ amountOut: '9'.repeat(79) }),
      /did not answer with a route/,
    ],
    [
      'a refusal of the request',
      () => ({ status: 400, body: { code: 4000 } }),
      /did not answer with a route/,
    ],
    ['an error page', () => ({ status: 404, body: 'not found' }), /did not answer with a route/],
    ...serviceFailures,
    ['a route as long as a book', () => routes({ extra: 'x'.repeat(70_000) }), /too long to keep/],
    ['more than can be read', () => routes({ extra: 'x'.repeat(9_000_000) }), /does not answer as it should/],
  ])('that answers with %s is an error of the provider', async (_, answer, message) => {
    await expect(quoted(answer)).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(message),
    })
  })

  const order = () => ({ wallet: sandbox.user.address, recipient: sandbox.user.address, deadline })
  const built = (changed: object = {}): Answer => {
    const { abi, functionName } = { abi: metaAggregationRouterAbi, functionName: 'swap' as const }
    const desc = {
      srcToken: token('USDC').address,
      dstToken: token('WETH').address,
      srcReceivers: [other],
      srcAmounts: [1_000_000n],
      feeReceivers: [],
      feeAmounts: [],
      dstReceiver: sandbox.user.address,
      amount: 1_000_000n,
      minReturnAmount: 332_000_000_000_000n,
      flags: 0n,
      permit: '0x',
      ...changed,
    } as const
    const execution = {
      callTarget: other,
      approveTarget: nativeAddress,
      targetData: '0x01',
      desc,
      clientData: '0x',
    }
    const data = encodeFunctionData({ abi, functionName, args: [execution as never] })
    return { status: 200, body: { code: 0, data: { routerAddress: router(), data, transactionValue: '5' } } }
  }
  const transaction = async (build: Answer) => {
    const provider = await at((url) => (url.pathname === '/routes' ? routes() : build))
    const offer = await provider.quote(ask(), AbortSignal.timeout(2_000))
    return provider.build(ask(), offer!, order())
  }

  test('writes the transaction, whose value is ours to say', async () => {
    const { transaction: one, needs } = await transaction(built())
    expect(one).toMatchObject({ to: router(), value: 0n, chainId })
    expect(needs).toEqual({ token: token('USDC').address, spender: router(), amount: 1_000_000n })
  })

  test.each<[string, () => Answer, string]>([
    ['promises less than it quoted', () => built({ minReturnAmount: 331_000_000_000_000n }), 'QUOTE_EXPIRED'],
    [
      'gave up the route',
      () => ({ status: 422, body: { code: 4222, message: 'quoted amount' } }),
      'QUOTE_EXPIRED',
    ],
    [
      'refuses the request',
      () => ({ status: 400, body: { code: 4002, message: 'malformed' } }),
      'PROVIDER_API_ERROR',
    ],
    ['spends another amount', () => built({ amount: 1_000_001n }), 'PROVIDER_API_ERROR'],
    [
      'writes no call',
      () => ({ status: 200, body: { code: 0, data: { routerAddress: router(), data: '0x' } } }),
      'PROVIDER_API_ERROR',
    ],
    ['answers nonsense', () => ({ status: 200, body: [] }), 'PROVIDER_API_ERROR'],
  ])('that %s gives no transaction', async (_, build, code) => {
    await expect(transaction(build())).rejects.toMatchObject({ code })
  })
})
