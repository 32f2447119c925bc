import { decodeFunctionData, encodeFunctionData } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { type Hex, nativeAddress } from '../../src/domain/address.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { coinPaymentsAbi, multicallAbi } from '../../src/swaps/uniswap-v3/abi.ts'
import { uniswapV3Contracts } from '../../src/swaps/uniswap-v3/constants-schema.ts'
import { uniswapV3 } from '../../src/swaps/uniswap-v3/definition.ts'
import { encodeV3Swap } from '../../src/swaps/uniswap-v3/encode.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const coin = { chainId: 31337, address: nativeAddress, symbol: 'ETH', name: 'Ether', decimals: 18 } as const
const usdc = () => sandbox.token(31337, 'USDC')
const weth = () => sandbox.token(31337, 'WETH')
const deadline = 1_900_000_000

describe('native coin on Uniswap v3', () => {
  test.each([
    ['in, exact input', '--token-in ETH --token-out USDC --amount-in 0.1', 'USDC'],
    ['in, exact output', '--token-in ETH --token-out USDC --amount-out 100', 'USDC'],
    ['out, exact input', '--token-in USDC --token-out ETH --amount-in 100', 'ETH'],
    ['out, exact output', '--token-in USDC --token-out ETH --amount-out 0.01', 'ETH'],
    [
      'out, to another recipient',
      `--token-in USDC --token-out ETH --amount-in 50 --destination ${other}`,
      'ETH',
    ],
  ])('is swapped %s', async (_, flags, symbol) => {
    const paid = flags.includes(other) ? other : sandbox.user.address
    const held = () =>
      symbol === 'ETH' ? sandbox.nativeBalanceOf(31337, paid) : sandbox.balanceOf(31337, usdc().address, paid)
    const before = await held()
    const { exit, json } = await run(`swap execute --from sandbox-one ${flags} --yes --json`)
    expect({ exit, status: json.status }).toEqual({ exit: 0, status: 'SUCCESS' })
    const got = (await held()) - before
    const said = BigInt(json.amounts.out.raw)
    // The wallet also pays the gas of both transactions.
    if (symbol === 'ETH' && paid === sandbox.user.address) expect(got).toBeLessThanOrEqual(said)
    else expect(got).toBe(said)
    expect(got).toBeGreaterThan((said * 8n) / 10n)
    // The router keeps none of it.
    const { swapRouter02 } = contractsIn(sandbox.world.catalog(), uniswapV3Contracts).find(
      ({ chainId }) => chainId === 31337,
    )!
    expect(await sandbox.nativeBalanceOf(31337, swapRouter02)).toBe(0n)
    expect(await sandbox.balanceOf(31337, weth().address, swapRouter02)).toBe(0n)
  })

  test('has no route to its wrapped form', async () => {
    const line = 'swap quote --from sandbox-one --token-in ETH --token-out WETH --amount-in 1 --json'
    expect((await run(line)).json.error.code).toBe('NO_ROUTE_FOUND')
  })
})

/** An intent, its swap transaction, and guard verdicts on changed calls. */
function made(way: 'in' | 'out', exact: 'in' | 'out') {
  const catalog = sandbox.world.catalog()
  const constants = contractsIn(catalog, uniswapV3Contracts).find(({ chainId }) => chainId === 31337)!
  const [tokenIn, tokenOut] = way === 'in' ? [coin, usdc()] : [usdc(), coin]
  const [amountIn, amountOut] = way === 'in' ? [10n ** 17n, 290_000_000n] : [100_000_000n, 3n * 10n ** 16n]
  const intent: SwapIntent = {
    kind: 'swap',
    wallet: sandbox.user.address,
    provider: 'uniswap-v3',
    tokenIn,
    tokenOut,
    exact,
    amountIn,
    amountOut,
    recipient: sandbox.user.address,
    deadline,
  }
  const path = {
    tokens: way === 'in' ? [weth().address, usdc().address] : [usdc().address, weth().address],
    fees: [500],
  }
  const transaction = encodeV3Swap({
    chainId: 31337,
    router: constants.swapRouter02,
    exact,
    path,
    amountIn,
    amountOut,
    recipient: sandbox.user.address,
    deadline,
    isNativeIn: way === 'in',
    isNativeOut: way === 'out',
  })
  const { args } = decodeFunctionData({ abi: multicallAbi, data: transaction.data })
  const calls = [...(args![1] as readonly Hex[])]
  const verdict = (changed: readonly Hex[], asked: SwapIntent = intent) => {
    const data = encodeFunctionData({
      abi: multicallAbi,
      functionName: 'multicall',
      args: [BigInt(deadline), [...changed]],
    })
    return uniswapV3.expect(catalog, asked)!.check({ ...transaction, data } as Transaction)
  }
  const code = (changed: readonly Hex[], asked?: SwapIntent) => {
    const said = verdict(changed, asked)
    return 'violation' in said ? said.violation.code : 'passed'
  }
  return { intent, transaction, calls, verdict, code }
}

const unwrap = (least: bigint, to: string) =>
  encodeFunctionData({ abi: coinPaymentsAbi, functionName: 'unwrapWETH9', args: [least, to as Hex] })
const refund = encodeFunctionData({ abi: coinPaymentsAbi, functionName: 'refundETH' })

describe('guard on a Uniswap v3 swap of the native coin', () => {
  test.each<['in' | 'out', 'in' | 'out']>([
    ['in', 'in'],
    ['in', 'out'],
    ['out', 'in'],
    ['out', 'out'],
  ])('passes the native coin %s, exact %s, with the required value', (way, exact) => {
    const { intent, calls, verdict } = made(way, exact)
    expect(verdict(calls)).toMatchObject({ bound: { value: way === 'in' ? intent.amountIn : 0n } })
    const said = verdict(calls)
    expect('bound' in said && said.bound.spends !== undefined).toBe(way === 'out')
  })

  test.each([
    [
      'another recipient of the native coin',
      (calls: Hex[]) => [calls[0]!, unwrap(3n * 10n ** 16n, other)],
      'POLICY_RECIPIENT',
    ],
    [
      'a lower minimum of the native coin',
      (calls: Hex[]) => [calls[0]!, unwrap(1n, sandbox.user.address)],
      'POLICY_MIN_OUT',
    ],
    ['no unwrap call', (calls: Hex[]) => [calls[0]!], 'POLICY_DECODE'],
    ['a refund call in place of the unwrap call', (calls: Hex[]) => [calls[0]!, refund], 'POLICY_DECODE'],
    ['a call after the unwrap call', (calls: Hex[]) => [...calls, refund], 'POLICY_DECODE'],
    ['the unwrap call first', (calls: Hex[]) => calls.toReversed(), 'POLICY_DECODE'],
    [
      'a swap that pays the recipient directly',
      () => [...made('in', 'in').calls, unwrap(3n * 10n ** 16n, sandbox.user.address)],
      'POLICY_RECIPIENT',
    ],
  ])('refuses with the native coin out: %s', (_, change, code) => {
    const swap = made('out', 'in')
    expect(swap.code(change(swap.calls))).toBe(code)
  })

  test('refuses an exact output without the refund call, and a refund call after an exact input', () => {
    const [exactOut, exactIn] = [made('in', 'out'), made('in', 'in')]
    expect(exactOut.code([exactOut.calls[0]!])).toBe('POLICY_DECODE')
    expect(exactOut.code([exactOut.calls[0]!, unwrap(0n, other)])).toBe('POLICY_DECODE')
    expect(exactIn.code([...exactIn.calls, refund])).toBe('POLICY_DECODE')
  })

  test('refuses native coin out for a WETH intent, and binds native coin in for a WETH intent to value 0', () => {
    const coinOut = made('out', 'in')
    expect(coinOut.code(coinOut.calls, { ...coinOut.intent, tokenOut: weth() })).toBe('POLICY_DECODE')
    const coinIn = made('in', 'in')
    expect(coinIn.code(coinIn.calls, { ...coinIn.intent, tokenIn: weth() })).toBe('passed')
    // The guard compares the transaction value separately; a token swap requires none.
    expect(coinIn.verdict(coinIn.calls, { ...coinIn.intent, tokenIn: weth() })).toMatchObject({
      bound: { value: 0n },
    })
    expect(coinIn.transaction.value).toBe(coinIn.intent.amountIn)
  })
})
