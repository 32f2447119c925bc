import { describe, expect, test } from 'vitest'
import { approve } from '../../src/chain/erc20.ts'
import type { Address } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { pancakeSwapV3Contracts, uniswapV3Contracts } from '../../src/swaps/uniswap-v3/constants-schema.ts'
import { encodeV3Swap } from '../../src/swaps/uniswap-v3/encode.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const chainId = 31337
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const token = (symbol: string) => sandbox.token(chainId, symbol)
const deadline = 1_900_000_000

// The sandbox deploys Uniswap's contracts with the fee tiers of the fork; no package has the fork's periphery contracts.
describe('PancakeSwap v3', () => {
  test('ranks first when its pool has the best price', async () => {
    const { json } = await run(
      'swap quote --from sandbox-one --token-in USDT --token-out WBTC --amount-in 1000 --compare --json',
    )
    expect(json.items[0]).toMatchObject({ provider: 'pancakeswap-v3', rank: 1, error: null })
    expect(json.items[0].priceImpact).toBeGreaterThan(0.0025)
    expect(json.items[0].priceImpact).toBeLessThan(0.003)
    expect((await run(`swap execute ${json.items[0].quote.id} --yes --json`)).exit).toBe(0)
  })

  test.each([
    ['a token, exact output', 'USDT', 'WBTC', '--amount-out 0.001'],
    ['over two pools', 'WBTC', 'WETH', '--amount-in 0.001'],
    ['the native coin in, exact output', 'ETH', 'WBTC', '--amount-out 0.001'],
    ['the native coin out, to another recipient', 'USDT', 'ETH', `--amount-in 100 --destination ${other}`],
  ])('swaps %s, and delivers the reported amount exactly', async (_, one, two, how) => {
    const paid = how.includes(other) ? other : sandbox.user.address
    const held = () =>
      two === 'ETH'
        ? sandbox.nativeBalanceOf(chainId, paid)
        : sandbox.balanceOf(chainId, token(two).address, paid)
    const before = await held()
    const flags = `--from sandbox-one --provider pancakeswap-v3 --token-in ${one} --token-out ${two} ${how}`
    const { exit, json, err } = await run(`swap execute ${flags} --yes --json`)
    expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
    expect(String((await held()) - before)).toBe(json.amounts.out.raw)
  })
})

test('the guard passes a PancakeSwap v3 swap, and refuses each changed parameter', () => {
  const catalog = sandbox.world.catalog()
  const { swapRouter02: router } = contractsIn(catalog, pancakeSwapV3Contracts).find(
    (one) => one.chainId === chainId,
  )!
  const [tokenIn, tokenOut] = [token('USDT'), token('WBTC')]
  const [amountIn, amountOut, wallet] = [100_000_000n, 100_000n, sandbox.user.address]
  const intent: SwapIntent = {
    kind: 'swap',
    wallet,
    provider: 'pancakeswap-v3',
    tokenIn,
    tokenOut,
    exact: 'in',
    amountIn,
    amountOut,
    recipient: wallet,
    deadline,
  }
  const path = { tokens: [tokenIn.address, tokenOut.address], fees: [2500] }
  const code = (changed: Partial<Parameters<typeof encodeV3Swap>[0]>, spender: Address = router): string => {
    const asked = {
      chainId,
      router,
      exact: 'in',
      path,
      amountIn,
      amountOut,
      recipient: wallet,
      deadline,
    } as const
    const transactions: Transaction[] = [
      approve({ chainId, token: tokenIn.address, spender, amount: amountIn }),
      encodeV3Swap({ ...asked, ...changed }),
    ]
    try {
      checkLeg({ intent, chainId, transactions, catalog })
      return 'passed'
    } catch (error) {
      if (error instanceof AppError) return error.code
      throw error
    }
  }
  const uniswap = contractsIn(catalog, uniswapV3Contracts).find(
    (one) => one.chainId === chainId,
  )!.swapRouter02
  expect(code({})).toBe('passed')
  expect(code({}, other)).toBe('POLICY_SPENDER')
  expect(code({ router: uniswap }, uniswap)).toBe('POLICY_CONTRACT_NOT_ALLOWED')
  expect(code({ router: other })).toBe('POLICY_CONTRACT_NOT_ALLOWED')
  expect(code({ recipient: other })).toBe('POLICY_RECIPIENT')
  expect(code({ amountOut: amountOut - 1n })).toBe('POLICY_MIN_OUT')
  expect(code({ amountIn: amountIn + 1n })).toBe('POLICY_AMOUNT')
  expect(code({ deadline: deadline + 1 })).toBe('POLICY_QUOTE_DRIFT')
  // A tier that only Uniswap has, and a path through an unlisted token.
  expect(code({ path: { ...path, fees: [3000] } })).toBe('POLICY_QUOTE_DRIFT')
  const through = [tokenIn.address, token('BRLA').address, tokenOut.address]
  expect(code({ path: { tokens: through, fees: [2500, 2500] } })).toBe('POLICY_QUOTE_DRIFT')
  expect(code({ isNativeOut: true })).toBe('POLICY_DECODE')
})
