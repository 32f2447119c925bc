import { decodeFunctionData, decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { approve } from '../../src/chain/erc20.ts'
import { revertReason } from '../../src/chain/reverts/reason.ts'
import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import { vaultSwaps } from '../../src/swaps/balancer-v2/abi.ts'
import { balancerV2Contracts } from '../../src/swaps/balancer-v2/constants-schema.ts'
import { balancerV2 } from '../../src/swaps/balancer-v2/definition.ts'
import { swapBalancerV2 } from '../../src/swaps/balancer-v2/encode.ts'
import { pathsOf } from '../../src/swaps/balancer-v2/pool-paths.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { swapExchange } from '../../src/swaps/swap-provider-registry.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const chainId = 31337
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const coin = { chainId, address: nativeAddress, symbol: 'ETH', name: 'Ether', decimals: 18 } as const
const token = (symbol: string) => (symbol === 'ETH' ? coin : sandbox.token(chainId, symbol))
const contracts = () =>
  contractsIn(sandbox.world.catalog(), balancerV2Contracts).find((one) => one.chainId === chainId)!
const asked = (line: string) => run(`swap ${line} --from sandbox-one --provider balancer-v2 --json`)

describe('Balancer v2', () => {
  test.each([
    ['a token, exact input', 'WBTC', 'BRLA', '--amount-in 0.01'],
    ['a token, exact output', 'BRLA', 'WBTC', '--amount-out 0.001'],
    ['over two pools', 'USDT', 'BRLA', '--amount-in 300'],
    ['over two pools, exact output', 'BRLA', 'WETH', '--amount-out 0.01'],
    ['the native coin in', 'ETH', 'USDT', '--amount-in 0.1'],
    ['the native coin in over two pools, exact output', 'ETH', 'BRLA', '--amount-out 1000'],
    ['the native coin out, exact output', 'WBTC', 'ETH', '--amount-out 0.01'],
    ['to another recipient', 'WBTC', 'WETH', `--amount-in 0.001 --destination ${other}`],
    [
      'the native coin to another recipient, over two pools',
      'BRLA',
      'ETH',
      `--amount-in 50 --destination ${other}`,
    ],
  ])(
    'swaps %s: amounts equal the Vault result, gas is within 20 percent of the quote',
    async (_, one, two, how) => {
      const paid = how.includes(other) ? other : sandbox.user.address
      const held = (which: string, who: Address) =>
        which === 'ETH'
          ? sandbox.nativeBalanceOf(chainId, who)
          : sandbox.balanceOf(chainId, token(which).address, who)
      const before = [await held(one, sandbox.user.address), await held(two, paid)] as const
      const { json: quote } = await asked(`quote --token-in ${one} --token-out ${two} ${how}`)
      const { exit, json, err } = await run(`swap execute ${quote.id} --yes --json`)
      expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
      const { hash } = json.transactions.at(-1)
      const gasUsed = (json.transactions as { gasUsed: string }[]).reduce(
        (sum, one) => sum + Number(one.gasUsed),
        0,
      )
      const { rpc } = sandbox.chain(chainId)
      const { input, value, blockNumber } = await rpc.request<Record<'input' | 'value' | 'blockNumber', Hex>>(
        'eth_getTransactionByHash',
        [hash],
      )
      const call = { from: sandbox.user.address, to: contracts().vault, data: input, value }
      const parent = numberToHex(BigInt(blockNumber) - 1n)
      const answer = await rpc.request<Hex>('eth_call', [call, parent])
      const { functionName } = decodeFunctionData({ abi: vaultSwaps, data: input })
      const said = decodeFunctionResult({ abi: vaultSwaps, functionName, data: answer }) as
        | bigint
        | readonly bigint[]
      const isOut = how.includes('-out')
      const calculated = typeof said === 'bigint' ? said : isOut ? said[0]! : -said.at(-1)!
      expect(String(calculated)).toBe(quote[isOut ? 'tokenIn' : 'tokenOut'].amount.raw)
      // Gas is paid in the native coin, too.
      const spent = before[0] - (await held(one, sandbox.user.address))
      const got = (await held(two, paid)) - before[1]
      if (one !== 'ETH') expect(String(spent)).toBe(quote.tokenIn.amount.raw)
      if (two !== 'ETH' || paid === other) expect(String(got)).toBe(quote.tokenOut.amount.raw)
      const ratio = Number(quote.estimatedGas) / gasUsed
      expect(ratio).toBeGreaterThan(0.85)
      expect(ratio).toBeLessThan(1.2)
    },
  )

  test('ranks first when its pool has the best price, and reports gas cost and price impact', async () => {
    const { json } = await run(
      'swap quote --from sandbox-one --token-in WBTC --token-out BRLA --amount-in 0.01 --compare --json',
    )
    expect(json.items[0]).toMatchObject({
      provider: 'balancer-v2',
      rank: 1,
      proof: { spender: 'calldata', minimum: 'calldata', recipient: 'calldata', deadline: 'calldata' },
      error: null,
    })
    expect(Number(json.items[0].gasCostUsd)).toBeGreaterThan(0)
    // The pool fee plus the price move of the amount. The pool is priced by weights, not by its balances alone.
    expect(json.items[0].priceImpact).toBeGreaterThan(0.0005)
    expect(json.items[0].priceImpact).toBeLessThan(0.001)
  })

  test('translates the revert reasons of the Vault into words', async () => {
    for (const [way, changed, words] of [
      [['ETH', 'BRLA'], { amountOut: 10n ** 30n }, 'the price moved'],
      [['ETH', 'USDT'], { amountOut: 10n ** 30n }, 'the price moved'],
      [['ETH', 'USDT'], { deadline: 1 }, 'the deadline has passed'],
      [['ETH', 'USDT'], { amountIn: 10n ** 21n }, 'more than the pool accepts at once'],
    ] as const) {
      const { to, data, value } = plan(way, 'in', changed).action
      const call = { from: sandbox.user.address, to, data, value: numberToHex(value) }
      const refused = await sandbox
        .chain(chainId)
        .rpc.request('eth_call', [call, 'latest'])
        .catch((error: AppError) => error)
      expect(revertReason((refused as AppError).details?.data as Hex)).toContain(words)
    }
  })
})

const deadline = 1_900_000_000
type Changed = Partial<Parameters<typeof swapBalancerV2>[0]>
type Way = readonly [string, string]

/** An intent with its approvals and its swap transaction, changed in part. */
function plan([tokenIn, tokenOut]: Way, exact: 'in' | 'out', changed: Changed = {}) {
  const [one, two] = [token(tokenIn), token(tokenOut)]
  const [amountIn, amountOut] = [10n ** 17n, 2n * 10n ** 8n]
  const wallet = sandbox.user.address
  const intent: SwapIntent = {
    kind: 'swap',
    wallet,
    provider: 'balancer-v2',
    tokenIn: one,
    tokenOut: two,
    exact,
    amountIn,
    amountOut,
    recipient: wallet,
    deadline,
  }
  const [first, last] = [one, two].map((each) => (each === coin ? token('WETH') : each).address)
  const action = swapBalancerV2({
    chainId,
    router: contracts().vault,
    exact,
    path: pathsOf(contracts(), first!, last!)[0]!,
    amountIn,
    amountOut,
    sender: wallet,
    recipient: wallet,
    deadline,
    isNativeIn: one === coin,
    isNativeOut: two === coin,
    ...changed,
  })
  const give = { chainId, token: one.address, amount: amountIn, spender: contracts().vault }
  return { intent, approvals: one === coin ? [] : [approve(give)], action, give }
}

function verdict(intent: SwapIntent, transactions: readonly Transaction[]): string {
  try {
    checkLeg({ intent, chainId, transactions, catalog: sandbox.world.catalog() })
    return 'passed'
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

/** In one pool and in two, with the native coin at either end. */
const ways: readonly Way[] = [
  ['WBTC', 'BRLA'],
  ['ETH', 'USDT'],
  ['WETH', 'BRLA'],
  ['BRLA', 'ETH'],
]
const cases = ways.flatMap((way) => (['in', 'out'] as const).map((exact) => [way, exact] as const))

describe('guard on a Balancer v2 swap', () => {
  const code = (way: Way, exact: 'in' | 'out', changed: Changed = {}) => {
    const { intent, approvals, action } = plan(way, exact, changed)
    return verdict(intent, [...approvals, action])
  }

  test.each(cases)('passes %s, exact %s, and refuses each changed parameter', (way, exact) => {
    expect(code(way, exact)).toBe('passed')
    const [first, last] = way.map((symbol) => token(symbol === 'ETH' ? 'WETH' : symbol).address)
    const { tokens, pools } = pathsOf(contracts(), first!, last!)[0]!
    const strange: Hex = `${pools[0]!.slice(0, 64) as Hex}07`
    const refusals: [Changed, string][] = [
      [{ recipient: other }, 'POLICY_RECIPIENT'],
      [{ sender: other }, 'POLICY_RECIPIENT'],
      [{ deadline: deadline + 1 }, 'POLICY_QUOTE_DRIFT'],
      [{ exact: exact === 'in' ? 'out' : 'in' }, 'POLICY_DECODE'],
      [{ amountIn: 10n ** 17n + 1n }, 'POLICY_AMOUNT'],
      [{ amountOut: 2n * 10n ** 8n - 1n }, exact === 'in' ? 'POLICY_MIN_OUT' : 'POLICY_AMOUNT'],
      [{ isNativeIn: way[0] !== 'ETH' }, 'POLICY_DECODE'],
      [{ router: other }, 'POLICY_CONTRACT_NOT_ALLOWED'],
      // An unlisted pool, the path reversed, and a path through a token that is in no pool.
      [{ path: { tokens, pools: pools.with(0, strange) } }, 'POLICY_QUOTE_DRIFT'],
      [{ path: { tokens: tokens.toReversed(), pools: pools.toReversed() } }, 'POLICY_QUOTE_DRIFT'],
      [
        { path: { tokens: tokens.toSpliced(1, 0, token('USDC').address), pools: [pools[0]!, ...pools] } },
        'POLICY_QUOTE_DRIFT',
      ],
    ]
    for (const [changed, wanted] of refusals)
      expect([changed, code(way, exact, changed)]).toEqual([changed, wanted])
    const wrong = contracts().pools.find(({ id }) => id !== pools[0])!.id
    if (pools.length === 1)
      expect(code(way, exact, { path: { tokens, pools: [wrong] } })).toBe('POLICY_QUOTE_DRIFT')
    else expect(code(way, exact, { path: { tokens, pools: pools.toReversed() } })).toBe('POLICY_QUOTE_DRIFT')
  })

  test('refuses another spender, a larger allowance and a wrong transaction value', () => {
    const { intent, action, give, approvals } = plan(['WBTC', 'BRLA'], 'in')
    expect(verdict(intent, [approve({ ...give, spender: other }), action])).toBe('POLICY_SPENDER')
    expect(verdict(intent, [approve({ ...give, amount: give.amount + 1n }), action])).toBe('POLICY_ALLOWANCE')
    expect(verdict(intent, [...approvals, { ...action, value: 1n }])).toBe('POLICY_VALUE')
    const byCoin = plan(['ETH', 'USDT'], 'in')
    expect(verdict(byCoin.intent, [{ ...byCoin.action, value: byCoin.action.value - 1n }])).toBe(
      'POLICY_VALUE',
    )
  })

  test('refuses any other change to the Vault call, for swap and for batchSwap', () => {
    const one = plan(['WBTC', 'BRLA'], 'in')
    const read = decodeFunctionData({ abi: vaultSwaps, data: one.action.data })
    if (read.functionName !== 'swap') throw new Error('it is in one pool')
    const [swap, funds, limit, until] = read.args
    const forgedSwap = (change: Partial<typeof swap>, paid: Partial<typeof funds> = {}) => {
      const args = [{ ...swap, ...change }, { ...funds, ...paid }, limit, until] as const
      const data = encodeFunctionData({ abi: vaultSwaps, functionName: 'swap', args })
      return verdict(one.intent, [...one.approvals, { ...one.action, data }])
    }
    expect(forgedSwap({})).toBe('passed')
    for (const said of [
      forgedSwap({ userData: '0x01' }),
      forgedSwap({ kind: 2 }),
      forgedSwap({}, { fromInternalBalance: true }),
      forgedSwap({}, { toInternalBalance: true }),
    ])
      expect(said).toBe('POLICY_DECODE')

    for (const exact of ['in', 'out'] as const) {
      const two = plan(['WETH', 'BRLA'], exact)
      const { functionName, args } = decodeFunctionData({ abi: vaultSwaps, data: two.action.data })
      if (functionName !== 'batchSwap') throw new Error('it is in several pools')
      const forged = (change: Partial<Record<0 | 1 | 2 | 3 | 4, unknown>>) => {
        const changed = args.map((was, at) => change[at as 0] ?? was)
        const data = encodeFunctionData({ abi: vaultSwaps, functionName, args: changed as never })
        return verdict(two.intent, [...two.approvals, { ...two.action, data }])
      }
      const [, steps, assets, parties, limits] = args
      const step = (at: number, change: object) => forged({ 1: steps.with(at, { ...steps[at]!, ...change }) })
      expect(forged({})).toBe('passed')
      for (const said of [
        step(0, { userData: '0x01' }),
        step(1, { amount: 1n }),
        step(0, { assetInIndex: 2n }),
        step(0, { amount: steps[0]!.amount - 1n }),
        forged({ 0: 2 }),
        forged({ 1: steps.toReversed() }),
        forged({ 1: [...steps, steps[1]!] }),
        forged({ 1: [] }),
        forged({ 2: [...assets, token('USDC').address], 4: [...limits, 10n ** 6n] }),
        forged({ 3: { ...parties, fromInternalBalance: true } }),
        forged({ 3: { ...parties, toInternalBalance: true } }),
        forged({ 4: limits.with(1, 1n) }),
        forged({ 4: limits.with(2, 1n) }),
        forged({ 4: limits.slice(0, 2) }),
      ])
        expect(said).toBe('POLICY_DECODE')
    }
  })

  test('finds an exchange to measure price impact only for a decodable swap call', () => {
    const { action } = plan(['WBTC', 'BRLA'], 'in')
    const catalog = sandbox.world.catalog()
    expect(swapExchange(catalog, action)).toBeDefined()
    expect(balancerV2.exchange!(catalog, { ...action, data: '0x' })).toBeUndefined()
    expect(balancerV2.exchange!(catalog, { ...action, data: `${action.data}00` })).toBeUndefined()
  })
})
