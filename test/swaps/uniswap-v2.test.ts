import { encodeFunctionData } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { type Address, nativeAddress } from '../../src/domain/address.ts'
import { publicNetworks } from '../../src/domain/networks.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import { contractsIn, contractsOn, withContracts } from '../../src/swaps/swap-contracts.ts'
import { swapExchange, swapExpectation } from '../../src/swaps/swap-provider-registry.ts'
import { swapsAbi } from '../../src/swaps/uniswap-v2/abi.ts'
import { uniswapV2Contracts } from '../../src/swaps/uniswap-v2/constants-schema.ts'
import { uniswapV2 } from '../../src/swaps/uniswap-v2/definition.ts'
import { swapV2 } from '../../src/swaps/uniswap-v2/encode.ts'
import { pairOf } from '../../src/swaps/uniswap-v2/provider.ts'
import { withoutProviders } from '../support/changed-catalogs.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const chainId = 31337
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const coin = { chainId, address: nativeAddress, symbol: 'ETH', name: 'Ether', decimals: 18 } as const
const token = (symbol: string) => (symbol === 'ETH' ? coin : sandbox.token(chainId, symbol))
const contracts = () =>
  contractsIn(sandbox.world.catalog(), uniswapV2Contracts).find((one) => one.chainId === chainId)!
const asked = (line: string) => run(`swap ${line} --from sandbox-one --provider uniswap-v2 --json`)

describe('Uniswap v2', () => {
  test.each([
    ['a token, exact input', '--token-in USDC --token-out WETH --amount-in 300'],
    ['a token, exact output', '--token-in USDC --token-out WETH --amount-out 0.1'],
    ['over two pairs', '--token-in USDC --token-out BRLA --amount-in 300'],
    ['the native coin in', '--token-in ETH --token-out USDC --amount-in 0.1'],
    ['the native coin in, exact output', '--token-in ETH --token-out USDC --amount-out 100'],
    ['the native coin out', '--token-in USDC --token-out ETH --amount-in 100'],
    ['the native coin out, exact output', '--token-in USDC --token-out ETH --amount-out 0.01'],
    ['to another recipient', `--token-in USDC --token-out WETH --amount-in 50 --destination ${other}`],
  ])('swaps %s', async (_, flags) => {
    const symbol = /--token-out (\w+)/.exec(flags)![1]!
    const paid = flags.includes(other) ? other : sandbox.user.address
    const held = () =>
      symbol === 'ETH'
        ? sandbox.nativeBalanceOf(chainId, paid)
        : sandbox.balanceOf(chainId, token(symbol).address, paid)
    const before = await held()
    const { exit, json, err } = await asked(`execute ${flags} --yes`)
    expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
    const got = (await held()) - before
    const said = BigInt(json.amounts.out.raw)
    if (symbol === 'ETH') expect(got).toBeLessThanOrEqual(said)
    else expect(got).toBe(said)
    expect(got).toBeGreaterThan((said * 8n) / 10n)
  })

  test('is compared with other providers, and reports gas cost and price impact', async () => {
    const line =
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 1000 --compare --json'
    const { json } = await run(line)
    const [v2] = json.items.filter(({ provider }: { provider: string }) => provider === 'uniswap-v2')
    expect(v2).toMatchObject({ proof: { minimum: 'calldata', recipient: 'calldata' }, error: null })
    expect(Number(v2.gasCostUsd)).toBeGreaterThan(0)
    expect(v2.priceImpact).toBeGreaterThan(0)
  })

  test('quotes gas within 25 percent of the gas used', async () => {
    for (const [flags, hops] of [
      ['--token-in USDC --token-out WETH --amount-in 10', 1],
      ['--token-in USDC --token-out BRLA --amount-in 10', 2],
    ] as const) {
      const quote = await asked(`quote ${flags}`)
      const done = await asked(`execute ${flags} --yes --allow-duplicate`)
      // The approval counts.
      const used = (done.json.transactions as { gasUsed: string }[]).reduce(
        (sum, { gasUsed }) => sum + Number(gasUsed),
        0,
      )
      const said = Number(quote.json.estimatedGas)
      expect(said / used, `${hops}: ${said} of ${used}`).toBeGreaterThan(0.85)
      expect(said / used, `${hops}: ${said} of ${used}`).toBeLessThan(1.25)
    }
  })

  test('computes the pair address of the factory, and refuses a pair as recipient', async () => {
    const { factory } = contracts()
    const [a, b] = [token('USDC').address, token('WETH').address]
    const data = calldata('function getPair(address,address)', [a, b])
    const said = await sandbox
      .chain(chainId)
      .rpc.request<string>('eth_call', [{ to: factory, data }, 'latest'])
    expect(BigInt(said)).toBe(BigInt(pairOf(contracts(), a, b)))
    expect(pairOf(contracts(), b, a)).toBe(pairOf(contracts(), a, b))
    // A payment to a pair is lost.
    const lost = await asked(
      `quote --token-in USDC --token-out WETH --amount-in 1 --destination ${pairOf(contracts(), a, b)}`,
    )
    expect(lost.json.error).toMatchObject({ message: expect.stringContaining('a pool of Uniswap v2') })
  })
})

describe('SushiSwap v2, a fork', () => {
  // Uniswap's contracts stand in for the fork, whose contracts no package ships.
  const fork = { name: 'sushiswap-v2' }
  const forked = () => withContracts(sandbox.world.catalog(), fork, () => [contracts()])
  const { run: runForked } = useCommands(sandbox, {
    catalog: () => withoutProviders(forked(), 'uniswap-v2'),
  })

  test('quotes and swaps under its own name, also in a comparison', async () => {
    const flags = '--from sandbox-one --token-in USDC --token-out WETH --amount-in 30'
    const quoted = await runForked(`swap quote ${flags} --provider sushiswap-v2 --json`)
    expect(quoted.json, quoted.err).toMatchObject({ provider: 'sushiswap-v2' })
    const done = await runForked(`swap execute ${flags} --provider sushiswap-v2 --yes --json`)
    expect({ exit: done.exit, status: done.json.status }, done.err).toEqual({ exit: 0, status: 'SUCCESS' })
    const { json } = await runForked(`swap quote ${flags} --compare --json`)
    expect(json.items.map(({ provider }: { provider: string }) => provider)).toContain('sushiswap-v2')
  })

  test('is guarded by its own contracts', () => {
    const guarded = (changed = {}) => code(['USDC', 'WETH'], 'in', changed, 'sushiswap-v2', forked())
    expect(guarded()).toBe('passed')
    expect(guarded({ recipient: other })).toBe('POLICY_RECIPIENT')
    expect(guarded({ amountOut: 1n })).toBe('POLICY_MIN_OUT')
    const { said, intent } = verdict(['USDC', 'WETH'], 'in', {}, 'sushiswap-v2', forked())
    expect(said).toMatchObject({ bound: { text: expect.stringContaining('on SushiSwap v2') } })
    expect(swapExpectation(sandbox.world.catalog(), intent)).toBeUndefined()
  })

  test('has the published contracts on Ethereum', async () => {
    const [ethereum] = await filesOf(publicNetworks.filter(({ name }) => name === 'ethereum'))
    // @sushiswap/v2-sdk 0.0.11: SUSHISWAP_V2_FACTORY_ADDRESS, _ROUTER_ADDRESS and _INIT_CODE_HASH
    const here = contractsOn(ethereum!, { ...uniswapV2Contracts, ...fork }, 1)!
    expect(here).toMatchObject({
      factory: '0xC0AEe478e3658e2610c5F7A4A2E1777cE9e4f2Ac',
      router02: '0xd9e1cE17f2641f24aE83637ab66a2cca9C378B9F',
      initCodeHash: '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
    })
  })
})

const deadline = 1_900_000_000

/** Guard verdict on a swap with changed parameters, with its intent and transaction. */
function verdict(
  [tokenIn, tokenOut]: readonly [string, string],
  exact: 'in' | 'out',
  changed: Partial<Parameters<typeof swapV2>[0]> = {},
  provider = 'uniswap-v2',
  known = sandbox.world.catalog(),
) {
  const [one, two] = [token(tokenIn), token(tokenOut)]
  const [amountIn, amountOut] = [10n ** 17n, 2n * 10n ** 8n]
  const recipient = sandbox.user.address
  const intent: SwapIntent = {
    kind: 'swap',
    wallet: recipient,
    provider,
    tokenIn: one,
    tokenOut: two,
    exact,
    amountIn,
    amountOut,
    recipient,
    deadline,
  }
  const wrapped = token('WETH').address
  const transaction = swapV2({
    chainId,
    router: contracts().router02,
    exact,
    path: [one, two].map((each) => (each === coin ? wrapped : each.address)),
    amountIn,
    amountOut,
    recipient,
    deadline,
    isNativeIn: one === coin,
    isNativeOut: two === coin,
    ...changed,
  })
  const expected = swapExpectation(known, intent)!
  return { said: expected.check(transaction), targets: expected.targets, transaction, intent }
}
const code = (...args: Parameters<typeof verdict>) => {
  const { said } = verdict(...args)
  return 'violation' in said ? said.violation.code : 'passed'
}

describe('guard on a Uniswap v2 swap', () => {
  const ways = [
    ['USDC', 'WETH'],
    ['ETH', 'USDC'],
    ['USDC', 'ETH'],
  ] as const
  test.each(ways.flatMap((way) => [[way, 'in'] as const, [way, 'out'] as const]))(
    'passes %s, exact %s, and refuses each changed parameter',
    (way, exact) => {
      expect(code(way, exact)).toBe('passed')
      const weth = token('WETH').address
      const [first, last] = way.map((symbol) => (symbol === 'ETH' ? weth : token(symbol).address)) as [
        Address,
        Address,
      ]
      expect(code(way, exact, { recipient: other })).toBe('POLICY_RECIPIENT')
      expect(code(way, exact, { deadline: deadline + 1 })).toBe('POLICY_QUOTE_DRIFT')
      expect(code(way, exact, { path: [last, first] })).toBe('POLICY_QUOTE_DRIFT')
      expect(code(way, exact, { path: [first, token('WBTC').address, last] })).toBe('POLICY_QUOTE_DRIFT')
      expect(code(way, exact, { path: [] })).toBe('POLICY_QUOTE_DRIFT')
      // A circular path through listed tokens, which pays each pool.
      expect(code(way, exact, { path: [first, last, first, last] })).toBe('POLICY_QUOTE_DRIFT')
      expect(code(way, exact, { exact: exact === 'in' ? 'out' : 'in' })).toBe('POLICY_DECODE')
      expect(code(way, exact, { amountIn: 10n ** 17n + 1n })).toBe('POLICY_AMOUNT')
      expect(code(way, exact, { amountOut: 2n * 10n ** 8n - 1n })).toBe(
        exact === 'in' ? 'POLICY_MIN_OUT' : 'POLICY_AMOUNT',
      )
      const isNativeIn = way[0] !== 'ETH'
      expect(code(way, exact, { isNativeIn, isNativeOut: false })).toBe('POLICY_DECODE')
    },
  )

  test('reports the spent amount, and the transaction value for the native coin', () => {
    expect(verdict(['ETH', 'USDC'], 'in').said).toMatchObject({ bound: { value: 10n ** 17n } })
    expect(verdict(['USDC', 'WETH'], 'in').said).toMatchObject({
      bound: { value: 0n, spends: { amount: 10n ** 17n }, text: expect.stringContaining('on Uniswap v2') },
    })
  })

  test('recognises a swap by its contract when the provider name is unknown', () => {
    expect(code(['USDC', 'WETH'], 'in', {}, 'their-own-name')).toBe('passed')
    expect(code(['USDC', 'WETH'], 'in', { recipient: other }, 'their-own-name')).toBe('POLICY_RECIPIENT')
    // A known name is binding: the contract of another provider is refused.
    expect(verdict(['USDC', 'WETH'], 'in', {}, 'uniswap-v3').targets).not.toContain(contracts().router02)
  })

  test('finds an exchange to measure price impact only for a decodable swap call', () => {
    const { transaction } = verdict(['USDC', 'WETH'], 'in')
    expect(swapExchange(sandbox.world.catalog(), transaction)).toBeDefined()
    expect(
      uniswapV2.exchange!(sandbox.world.catalog(), { ...transaction, data: '0x' } as Transaction),
    ).toBeUndefined()
    const data = encodeFunctionData({
      abi: swapsAbi,
      functionName: 'swapExactTokensForTokens',
      args: [1n, 1n, [], other, 1n],
    })
    // Calldata with trailing bytes is no call of the router.
    expect(swapExchange(sandbox.world.catalog(), { ...transaction, data: `${data}00` })).toBeUndefined()
  })
})
