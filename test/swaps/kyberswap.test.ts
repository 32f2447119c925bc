import { encodeFunctionData } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { nativeAddress } from '../../src/domain/address.ts'
import type { LoopbackAnswer } from '../../src/sandbox/loopback-server.ts'
import { routerToken } from '../../src/swaps/aggregator-calldata-check.ts'
import { metaAggregationRouterAbi } from '../../src/swaps/kyberswap/abi.ts'
import { kyberSwapContracts } from '../../src/swaps/kyberswap/constants-schema.ts'
import { kyberSwap } from '../../src/swaps/kyberswap/provider.ts'
import type { Offer } from '../../src/swaps/provider.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
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

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const chainId = 31337
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const coin = { chainId, address: nativeAddress, symbol: 'ETH', name: 'Ether', decimals: 18 } as const
const token = (symbol: string) => (symbol === 'ETH' ? coin : sandbox.token(chainId, symbol))
const router = () =>
  contractsIn(sandbox.world.catalog(), kyberSwapContracts).find((one) => one.chainId === chainId)!.router
const asked = (line: string) => run(`swap ${line} --from sandbox-one --json`)

describe('KyberSwap', () => {
  test.each([
    ['a token', '--token-in USDC --token-out WETH --amount-in 300'],
    ['the native coin in', '--token-in ETH --token-out USDC --amount-in 0.1'],
    ['the native coin out', '--token-in USDC --token-out ETH --amount-in 100'],
    ['to another recipient', `--token-in USDC --token-out WETH --amount-in 50 --destination ${other}`],
  ])('swaps %s', async (_, flags) => {
    await swapsByProvider(sandbox, run, 'kyberswap', flags)
  })

  test('is chosen for a swap large enough to split over two exchanges', async () => {
    const { json } = await asked('quote --token-in USDC --token-out WETH --amount-in 900000')
    expect(json).toMatchObject({ provider: 'kyberswap', slippage: 0.005 })
  })

  test('is not eligible for an exact output', async () => {
    const line = 'quote --token-in USDC --token-out WETH --amount-out 0.1'
    expect((await asked(line)).json.provider).toBe('uniswap-v3')
    expect((await asked(`${line} --provider kyberswap`)).json.error).toMatchObject({
      code: 'PREFERRED_PROVIDER_NOT_ELIGIBLE',
      message: expect.stringContaining('an exact input only'),
    })
  })
})

/** Guard verdict on a swap with a changed call. */
function bound(way: readonly [string, string], changed: Record<string, unknown> = {}, functionName = 'swap') {
  const [tokenIn, tokenOut] = way.map(token) as [ReturnType<typeof token>, ReturnType<typeof token>]
  const recipient = sandbox.user.address
  const desc = {
    srcToken: routerToken(tokenIn),
    dstToken: routerToken(tokenOut),
    srcReceivers: [other],
    srcAmounts: [amountIn],
    feeReceivers: [],
    feeAmounts: [],
    dstReceiver: recipient,
    amount: amountIn,
    minReturnAmount: least,
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
  const asked = { provider: 'kyberswap', tokenIn, tokenOut, recipient }
  return boundBy(sandbox.world.catalog(), asked, data, changed.exact === 'out' ? 'out' : 'in')
}

const code = (...args: Parameters<typeof bound>) => bound(...args).code

describe('guard on a KyberSwap call', () => {
  test.each([
    ['USDC', 'WETH'],
    ['ETH', 'USDC'],
    ['USDC', 'ETH'],
  ] as const)('passes %s to %s, and refuses each changed parameter', (...way) => {
    expect(bound(way).targets).toEqual([router()])
    refusesOtherTerms((changed) => code(way, changed), token('WBTC').address)
    expect(code(way, { srcAmounts: [amountIn + 1n] })).toBe('POLICY_AMOUNT')
    expect(code(way, { feeReceivers: [other], feeAmounts: [1n] })).toBe('POLICY_AMOUNT')
    expect(code(way, { permit: '0x00' })).toBe('POLICY_DECODE')
    for (const flag of [0x01n, 0x02n, 0x08n, 0x10n, 0x400n])
      expect(code(way, { flags: flag }), String(flag)).toBe('POLICY_DECODE')
    expect(code(way, { flags: 0x20n | 0x100n | 0x200n })).toBe('passed')
    // swapGeneric allows an arbitrary inner call.
    expect(code(way, {}, 'swapGeneric')).toBe('POLICY_DECODE')
  })

  test('reports the spent amount, and the transaction value for the native coin', () => {
    expect(bound(['ETH', 'USDC']).said).toMatchObject({ bound: { value: amountIn } })
    expect(bound(['USDC', 'WETH']).said).toMatchObject({
      bound: { value: 0n, spends: { amount: amountIn }, text: expect.stringContaining('on KyberSwap') },
    })
  })
})

describe('KyberSwap API', () => {
  const serve = useProviderService()
  const at = async (answer: (url: URL) => ReturnType<Answering>) =>
    kyberSwap([{ chainId, router: router(), api: await serve((_, url) => answer(url)) }], exchangeSoon)
  const ask = () => asking({ tokenIn: token('USDC'), tokenOut: token('WETH') })
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
  const routes = (changed: object = {}, routerAddress: string = router()): LoopbackAnswer => ({
    status: 200,
    body: { code: 0, message: 'successfully', data: { routeSummary: summary(changed), routerAddress } },
  })
  const quoted = async (answer: Parameters<typeof at>[0]): Promise<Offer | undefined> =>
    (await at(answer)).quote(ask(), AbortSignal.timeout(2_000))

  test('is asked for the pair and amount, and its amounts become the offer', async () => {
    let query: URLSearchParams | undefined
    const offer = await quoted((url) => {
      query = url.searchParams
      return routes()
    })
    expect(Object.fromEntries(query!)).toMatchObject({ amountIn: '1000000', tokenIn: token('USDC').address })
    expect(offer).toMatchObject({ amountIn: 1_000_000n, amountOut: 333_000_000_000_000n, gas: 250_000n })
    expect(offer!.minAmountOut).toBe((333_000_000_000_000n * 995n) / 1_000n)
  })

  test('gives no quote for its no-route codes and for a zero output', async () => {
    for (const code of [4008, 4009, 4010, 4011])
      await expect(
        quoted(() => ({ status: 400, body: { code, message: 'route not found' } })),
      ).rejects.toMatchObject({ code: 'NO_ROUTE_FOUND' })
    expect(await quoted(() => routes({ amountOut: '0' }))).toBeUndefined()
  })

  test.each<[string, () => LoopbackAnswer | 'drop' | Promise<LoopbackAnswer | 'drop'>, RegExp]>([
    ['another router', () => routes({}, other), /another swap than requested/],
    ['another amount', () => routes({ amountIn: '2000000' }), /another swap than requested/],
    ['another token', () => routes({ tokenOut: other }), /another swap than requested/],
    ['an amount in scientific notation', () => routes({ amountOut: '1e18' }), /did not return a route/],
    ['a negative amount', () => routes({ amountOut: '-1' }), /did not return a route/],
    [
      'an amount longer than 78 digits',
      () => routes({ amountOut: '9'.repeat(79) }),
      /did not return a route/,
    ],
    ['HTTP 400 with an error code', () => ({ status: 400, body: { code: 4000 } }), /did not return a route/],
    ['HTTP 404 with text', () => ({ status: 404, body: 'not found' }), /did not return a route/],
    ...serviceFailures,
    ['an overlong route', () => routes({ extra: 'x'.repeat(70_000) }), /too long to store/],
    ['an oversized body', () => routes({ extra: 'x'.repeat(9_000_000) }), /returned an invalid response/],
  ])('reports %s as a provider error', async (_, answer, message) => {
    await expect(quoted(answer)).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(message),
    })
  })

  const order = () => ({ wallet: sandbox.user.address, recipient: sandbox.user.address, deadline })
  const built = (changed: object = {}): LoopbackAnswer => {
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
  const transaction = async (build: LoopbackAnswer) => {
    const provider = await at((url) => (url.pathname === '/routes' ? routes() : build))
    const offer = await provider.quote(ask(), AbortSignal.timeout(2_000))
    return provider.build(ask(), offer!, order())
  }

  test('supplies the calldata, but not the transaction value', async () => {
    const { transaction: one, needs } = await transaction(built())
    expect(one).toMatchObject({ to: router(), value: 0n, chainId })
    expect(needs).toEqual({ token: token('USDC').address, spender: router(), amount: 1_000_000n })
  })

  test.each<[string, () => LoopbackAnswer, string]>([
    ['lowers the minimum', () => built({ minReturnAmount: 331_000_000_000_000n }), 'QUOTE_EXPIRED'],
    [
      'no longer has the route',
      () => ({ status: 422, body: { code: 4222, message: 'quoted amount' } }),
      'QUOTE_EXPIRED',
    ],
    [
      'rejects the request',
      () => ({ status: 400, body: { code: 4002, message: 'malformed' } }),
      'PROVIDER_API_ERROR',
    ],
    ['changes the amount', () => built({ amount: 1_000_001n }), 'PROVIDER_API_ERROR'],
    [
      'returns empty calldata',
      () => ({ status: 200, body: { code: 0, data: { routerAddress: router(), data: '0x' } } }),
      'PROVIDER_API_ERROR',
    ],
    ['returns an unreadable body', () => ({ status: 200, body: [] }), 'PROVIDER_API_ERROR'],
  ])('builds no transaction when it %s', async (_, build, code) => {
    await expect(transaction(build())).rejects.toMatchObject({ code })
  })
})
