import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { decodeAbiParameters, decodeFunctionData, encodeAbiParameters, encodeFunctionData } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { QuoteInput } from '../../src/api/quote.ts'
import type { Service } from '../../src/api/service-type.ts'
import { approve } from '../../src/chain/erc20.ts'
import { approveThrough } from '../../src/chain/permit2.ts'
import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { fullAccess } from '../../src/engine/access-scope.ts'
import { createCustomerEngines, createEngineService } from '../../src/engine/engine.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { swapExchange } from '../../src/swaps/swap-provider-registry.ts'
import { actionParameters, planParameters, universalRouterAbi } from '../../src/swaps/uniswap-v4/abi.ts'
import { uniswapV4Contracts } from '../../src/swaps/uniswap-v4/constants-schema.ts'
import { uniswapV4 } from '../../src/swaps/uniswap-v4/definition.ts'
import { swapV4 } from '../../src/swaps/uniswap-v4/encode.ts'
import { engineOn } from '../support/engine.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const chainId = 31337
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const coin = { chainId, address: nativeAddress, symbol: 'ETH', name: 'Ether', decimals: 18 } as const
const token = (symbol: string) => (symbol === 'ETH' ? coin : sandbox.token(chainId, symbol))
const contracts = () =>
  contractsIn(sandbox.world.catalog(), uniswapV4Contracts).find((one) => one.chainId === chainId)!
const asked = (line: string) => run(`swap ${line} --from sandbox-one --provider uniswap-v4 --json`)

describe('Uniswap v4', () => {
  test.each([
    ['a token, exact input', '--token-in USDT --token-out BRLA --amount-in 300'],
    ['a token, exact output', '--token-in USDT --token-out BRLA --amount-out 100'],
    ['over two pools, through the native coin', '--token-in USDC --token-out WBTC --amount-in 300'],
    ['over two pools, exact output', '--token-in USDC --token-out WBTC --amount-out 0.01'],
    ['wrapped ETH', '--token-in WETH --token-out USDC --amount-in 0.1'],
    ['the native coin in', '--token-in ETH --token-out USDC --amount-in 0.1'],
    ['the native coin in, exact output', '--token-in ETH --token-out USDC --amount-out 100'],
    ['the native coin in, over two pools', '--token-in ETH --token-out BRLA --amount-in 0.1'],
    ['the native coin out', '--token-in USDC --token-out ETH --amount-in 100'],
    ['the native coin out, exact output', '--token-in USDC --token-out ETH --amount-out 0.01'],
    ['to another recipient', `--token-in USDC --token-out WETH --amount-in 50 --destination ${other}`],
    [
      'the native coin to another recipient',
      `--token-in USDC --token-out ETH --amount-in 50 --destination ${other}`,
    ],
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

  test('ranks first when its pool has the best price, and reports gas cost and price impact', async () => {
    const { json } = await run(
      'swap quote --from sandbox-one --token-in USDT --token-out BRLA --amount-in 1000 --compare --json',
    )
    const [first, second] = json.items
    expect(first).toMatchObject({
      provider: 'uniswap-v4',
      rank: 1,
      proof: { minimum: 'calldata', recipient: 'calldata', deadline: 'calldata' },
      error: null,
    })
    expect(second.provider).toBe('uniswap-v3')
    expect(Number(first.gasCostUsd)).toBeGreaterThan(0)
    // The fee of its tier plus the price move of the amount.
    expect(first.priceImpact).toBeGreaterThan(0.0005)
    expect(first.priceImpact).toBeLessThan(0.002)
  })

  test('is not chosen on a server, whose answers hold one approval, unless it is preferred', async () => {
    const [tokenIn, tokenOut] = [token('USDT').address, token('BRLA').address]
    const route = { chainIdIn: chainId, chainIdOut: chainId, tokenIn, tokenOut, amountIn: 1_000_000000n }
    const { context } = engineOn(sandbox)
    const options = {
      catalog: context.catalog,
      rpc: (id: number) => sandbox.chain(id).rpc,
      store: context.store,
      // An aggregator divides the swap, and would bring more than each pool alone.
      swaps: { providers: ['uniswap-v2', 'uniswap-v3', 'uniswap-v4'] },
      now: Date.now,
      newId: randomUUID,
    }
    const service = createEngineService({ ...options, customer: 'one' })
    const serve = createCustomerEngines(options)
    const served = serve({ customer: 'one', changedBy: 'one', scope: fullAccess })
    const winner = async (from: Service, more: Partial<QuoteInput> = {}) =>
      (await from.quote({ ...route, ...more })).quote.provider
    expect([await winner(service), await winner(served)]).toEqual(['uniswap-v4', 'uniswap-v3'])
    expect(await winner(served, { preferredProvider: 'uniswap-v4' })).toBe('uniswap-v4')
    // The native coin needs no approval.
    const coinIn = { tokenIn: nativeAddress, amountIn: 10n ** 17n }
    expect(await winner(served, coinIn)).toBe(await winner(service, coinIn))
  })

  test('quotes gas within 25 percent of the gas used, with both approvals of a token', async () => {
    for (const flags of [
      '--token-in USDT --token-out BRLA --amount-in 10',
      '--token-in USDC --token-out WBTC --amount-in 10',
      '--token-in ETH --token-out USDC --amount-in 0.01',
      '--token-in ETH --token-out BRLA --amount-in 0.01',
    ]) {
      const quote = await asked(`quote ${flags}`)
      const done = await asked(`execute ${flags} --yes --allow-duplicate`)
      const used = (done.json.transactions as { gasUsed: string }[]).reduce(
        (sum, { gasUsed }) => sum + Number(gasUsed),
        0,
      )
      const said = Number(quote.json.estimatedGas)
      expect(said / used, `${flags}: ${said} of ${used}`).toBeGreaterThan(0.85)
      expect(said / used, `${flags}: ${said} of ${used}`).toBeLessThan(1.25)
    }
  })

  test('allows only the exact amount to Permit2, and through it to the router until the deadline', async () => {
    const { permit2, universalRouter } = contracts()
    const { out } = await run(
      'swap execute --from sandbox-one --provider uniswap-v4 --token-in USDC --token-out ETH --amount-in 70 --dry-run',
    )
    expect(out).toContain(`Allow ${permit2} (permit2) to take 70 USDC`)
    expect(out).toMatch(
      new RegExp(`Allow ${universalRouter} \\(uniswap-v4\\) to take 70 USDC through Permit2 until 20..-`),
    )
    const { json } = await asked('execute --token-in USDC --token-out ETH --amount-in 70 --yes')
    expect(json.transactions.map(({ kind }: { kind: string }) => kind)).toEqual([
      'approve',
      'approve',
      'swap',
    ])
    const [, permit, action] = await Promise.all(
      json.transactions.map(({ hash }: { hash: Hex }) =>
        sandbox.chain(chainId).rpc.request<{ input: Hex; to: Address }>('eth_getTransactionByHash', [hash]),
      ),
    )
    const [, , deadline] = decodeFunctionData({ abi: universalRouterAbi, data: action.input }).args
    const through = { permit2, until: deadline }
    const [usdc, spender] = [token('USDC').address, universalRouter]
    expect(permit.input).toBe(
      approveThrough({ chainId, token: usdc, spender, amount: 70_000000n, through }).data,
    )
    // No allowance is left.
    expect(await allowed('USDC')).toBe(0n)
    expect((await permitted('USDC'))[0]).toBe(0n)
  })

  test('resets a leftover allowance first for a token that requires it', async () => {
    const exactly = '--token-in USDT --token-out BRLA --amount-out'
    await asked(`execute ${exactly} 200 --yes`)
    const left = await allowed('USDT')
    expect(left).toBeGreaterThan(0n)
    const second = await asked(`execute ${exactly} 201 --yes`)
    expect(second.json.transactions.map(({ kind }: { kind: string }) => kind)).toEqual([
      'approve-reset',
      'approve',
      'approve',
      'swap',
    ])
    // A leftover allowance is listed under Permit2 and can be revoked.
    const { permit2 } = contracts()
    const { json } = await run('wallet approvals list --network sandbox-one --json')
    expect(json.items).toContainEqual(expect.objectContaining({ spender: permit2, name: 'permit2' }))
    const back = await run(
      `wallet approvals revoke --network sandbox-one --token USDT --spender ${permit2} --yes --json`,
    )
    expect(back.exit, back.err).toBe(0)
    expect(await allowed('USDT')).toBe(0n)
  })

  test('leaves the Permit2 allowance revocable after a reverted swap', async () => {
    const { permit2, universalRouter } = contracts()
    await run(`sandbox fault revert ${universalRouter} --network sandbox-one --reason bang --times 1 --json`)
    const failed = await asked('execute --token-in USDC --token-out ETH --amount-in 33 --yes')
    await run('sandbox fault clear')
    expect({ exit: failed.exit, code: failed.json.error.code }).toEqual({ exit: 22, code: 'REVERTED' })
    expect(failed.json.error.message).toContain(`${permit2} still has an allowance of 33 USDC`)
    expect(await allowed('USDC')).toBe(33_000000n)
    const id = failed.json.error.details.operation ?? failed.json.error.details.id
    const back = await run(`action revoke ${id} --yes --json`)
    expect(back.exit, back.err).toBe(0)
    expect(await allowed('USDC')).toBe(0n)
  })

  test('shows both approvals, and its evidence verifies', async () => {
    const { json } = await asked('execute --token-in USDC --token-out WBTC --amount-in 60 --yes')
    const explained = await run(`action explain ${json.id} --json`)
    expect(explained.exit).toBe(0)
    const shown = await run(`action show ${json.id} --json`)
    const texts = shown.json.transactions.map(({ text }: { text: string }) => text)
    expect(texts[0]).toBe(`Allow ${contracts().permit2} (permit2) to take 60 USDC`)
    expect(texts[1]).toContain(
      `Allow ${contracts().universalRouter} (uniswap-v4) to take 60 USDC through Permit2 until`,
    )
    expect(texts[2]).toContain('on Uniswap v4')
    const file = join(home(), 'case.json')
    expect((await run(['action', 'export', json.id, '--out', file, '--json'])).exit).toBe(0)
    expect((await run(['action', 'verify', file, '--json'])).exit).toBe(0)
  })
})

const allowed = async (symbol: string) =>
  BigInt(
    await sandbox.call(
      chainId,
      token(symbol).address,
      'function allowance(address,address) view returns (uint256)',
      [sandbox.user.address, contracts().permit2],
    ),
  )

/** Amount and expiration of the router allowance at Permit2. */
async function permitted(symbol: string): Promise<[bigint, bigint]> {
  const { permit2, universalRouter } = contracts()
  const data = await sandbox.call(
    chainId,
    permit2,
    'function allowance(address,address,address) view returns (uint160,uint48,uint48)',
    [sandbox.user.address, token(symbol).address, universalRouter],
  )
  return [BigInt(data.slice(0, 66)), BigInt(`0x${data.slice(66, 130)}`)]
}

const deadline = 1_900_000_000
type Changed = Partial<Parameters<typeof swapV4>[0]>

/** An intent with its approvals and its swap transaction, changed in part. */
function plan([tokenIn, tokenOut]: readonly [string, string], exact: 'in' | 'out', changed: Changed = {}) {
  const [one, two] = [token(tokenIn), token(tokenOut)]
  const [amountIn, amountOut] = [10n ** 17n, 2n * 10n ** 8n]
  const recipient = sandbox.user.address
  const intent: SwapIntent = {
    kind: 'swap',
    wallet: recipient,
    provider: 'uniswap-v4',
    tokenIn: one,
    tokenOut: two,
    exact,
    amountIn,
    amountOut,
    recipient,
    deadline,
  }
  const { permit2, universalRouter } = contracts()
  const action = swapV4({
    chainId,
    router: universalRouter,
    exact,
    path: { tokens: [one.address, two.address], fees: [500] },
    amountIn,
    amountOut,
    recipient,
    deadline,
    isNativeIn: one === coin,
    isNativeOut: two === coin,
    ...changed,
  })
  const give = { chainId, token: one.address, amount: amountIn }
  const through = { permit2, until: BigInt(deadline) }
  const approvals =
    one === coin
      ? []
      : [
          approve({ ...give, spender: permit2 }),
          approveThrough({ ...give, spender: universalRouter, through }),
        ]
  return { intent, approvals, action, give }
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

const ways = [
  ['USDC', 'WETH'],
  ['ETH', 'USDC'],
  ['USDC', 'ETH'],
] as const
const cases = ways.flatMap((way) => [[way, 'in'] as const, [way, 'out'] as const])

describe('guard on a Uniswap v4 swap', () => {
  const code = (way: (typeof ways)[number], exact: 'in' | 'out', changed: Changed = {}) => {
    const { intent, approvals, action } = plan(way, exact, changed)
    return verdict(intent, [...approvals, action])
  }

  test.each(cases)('passes %s, exact %s, and refuses each changed parameter', (way, exact) => {
    expect(code(way, exact)).toBe('passed')
    const [first, last] = way.map((symbol) => token(symbol).address) as [Address, Address]
    const [wbtc, usdt] = [token('WBTC').address, token('USDT').address]
    const by = (tokens: Address[], fees = tokens.slice(1).map(() => 500)) =>
      code(way, exact, { path: { tokens, fees } })
    expect(by([first, usdt, last])).toBe('passed')
    expect(code(way, exact, { recipient: other })).toBe('POLICY_RECIPIENT')
    expect(code(way, exact, { recipient: '0x0000000000000000000000000000000000000001' })).toBe(
      'POLICY_RECIPIENT',
    )
    expect(code(way, exact, { deadline: deadline + 1 })).toBe('POLICY_QUOTE_DRIFT')
    expect(by([last, first])).not.toBe('passed')
    expect(by([first, wbtc, last])).toBe('POLICY_QUOTE_DRIFT')
    // A circular path through listed tokens, which pays each pool.
    expect(by([first, last, first, last])).toBe('POLICY_QUOTE_DRIFT')
    expect(code(way, exact, { exact: exact === 'in' ? 'out' : 'in' })).toBe('POLICY_DECODE')
    expect(code(way, exact, { amountIn: 10n ** 17n + 1n })).toBe('POLICY_AMOUNT')
    expect(code(way, exact, { amountOut: 2n * 10n ** 8n - 1n })).toBe(
      exact === 'in' ? 'POLICY_MIN_OUT' : 'POLICY_AMOUNT',
    )
  })

  /** Guard verdict on the same swap with changed commands, inputs, actions or parameters. */
  const forged = (
    way: (typeof ways)[number],
    exact: 'in' | 'out',
    change: {
      commands?: (was: Hex) => Hex
      inputs?: (was: readonly Hex[]) => Hex[]
      actions?: (was: Hex) => Hex
      params?: (was: readonly Hex[]) => Hex[]
    },
  ) => {
    const { intent, approvals, action } = plan(way, exact)
    const same = <value>(was: value) => was
    const { commands = same, actions = same } = change
    const [given, [swap, ...more], until] = decodeFunctionData({
      abi: universalRouterAbi,
      data: action.data,
    }).args
    const [codes, params] = decodePlan(swap!)
    const made = encodeAbiParameters(planParameters, [actions(codes), change.params?.(params) ?? params])
    const inputs = change.inputs?.([made, ...more]) ?? [made, ...more]
    const data = encodeFunctionData({
      abi: universalRouterAbi,
      functionName: 'execute',
      args: [commands(given), inputs, until],
    })
    return verdict(intent, [...approvals, { ...action, data }])
  }

  test.each(cases)('refuses %s, exact %s, with any other change to the router call', (way, exact) => {
    const transfer: Hex = encodeAbiParameters(actionParameters.take, [token('USDC').address, other, 1n])
    expect(forged(way, exact, {})).toBe('passed')
    const refused = {
      'a transfer after it': {
        commands: (was: Hex): Hex => `${was}05`,
        inputs: (was: readonly Hex[]) => [...was, transfer],
      },
      'a payment by Permit2 before it': {
        commands: (was: Hex): Hex => `0x02${was.slice(2)}`,
        inputs: (was: readonly Hex[]) => [transfer, ...was],
      },
      'a swap that may fail': { commands: (was: Hex): Hex => `0x90${was.slice(4)}` },
      'a plan of plans': { commands: (was: Hex): Hex => `0x21${was.slice(4)}` },
      'no payment': {
        actions: (was: Hex): Hex => `0x${was.slice(2, 4)}${was.slice(6)}`,
        params: ([a, , c]: readonly Hex[]) => [a!, c!],
      },
      'another order': {
        actions: (was: Hex): Hex => `0x${was.slice(4, 6)}${was.slice(2, 4)}${was.slice(6)}`,
        params: ([a, b, c]: readonly Hex[]) => [b!, a!, c!],
      },
      'a second payout': {
        actions: (was: Hex): Hex => `${was}0e`,
        params: (was: readonly Hex[]) => [...was, transfer],
      },
      'a payout to another recipient': {
        params: ([a, b]: readonly Hex[]) => [
          a!,
          b!,
          encodeAbiParameters(actionParameters.take, [
            token(way[1]).address,
            other,
            exact === 'in' ? 0n : 2n * 10n ** 8n,
          ]),
        ],
      },
      'a part of the payout': {
        params: ([a, b]: readonly Hex[]) => [
          a!,
          b!,
          encodeAbiParameters(actionParameters.take, [token(way[1]).address, sandbox.user.address, 1n]),
        ],
      },
      'a payout of another token': {
        params: ([a, b]: readonly Hex[]) => [
          a!,
          b!,
          encodeAbiParameters(actionParameters.take, [token('BRLA').address, sandbox.user.address, 0n]),
        ],
      },
      'a share of the payout': { actions: (was: Hex): Hex => `0x${was.slice(2, 6)}10` },
      'bytes after the parameters': { params: ([a, b, c]: readonly Hex[]) => [a!, b!, `${c!}00` as Hex] },
    } as const
    for (const [what, change] of Object.entries(refused)) {
      const said = forged(way, exact, change)
      expect([what, said]).toEqual([
        what,
        what === 'a payout to another recipient' ? 'POLICY_RECIPIENT' : 'POLICY_DECODE',
      ])
    }
  })

  test.each([
    ['with hooks', { hooks: '0x1111111111111111111111111111111111111111' }],
    ['with hook data', { hookData: '0x01' }],
    ['with a tick spacing that does not match its fee', { tickSpacing: 60 }],
    ['with an unlisted fee', { fee: 12_345 }],
  ] as const)('refuses a pool %s', (_, change) => {
    const said = forged(['USDC', 'WETH'], 'in', {
      params: ([swap, ...rest]) => {
        const [was] = decodeSwapIn(swap!)
        const path = was.path.map((key) => ({ ...key, ...change }))
        return [encodeAbiParameters(actionParameters.swapExactIn, [{ ...was, path }]), ...rest]
      },
    })
    expect(said).toBe('POLICY_DECODE')
  })

  test('refuses an exact output whose leftover native coin is not returned to the sender', () => {
    const sweep = (recipient: Address) =>
      encodeAbiParameters(actionParameters.take, [nativeAddress, recipient, 0n])
    const self = '0x0000000000000000000000000000000000000001'
    const to = (recipient: Address) =>
      forged(['ETH', 'USDC'], 'out', { inputs: ([a]) => [a!, sweep(recipient)] })
    expect(to(self)).toBe('passed')
    expect(to(other)).toBe('POLICY_DECODE')
    expect(forged(['ETH', 'USDC'], 'out', { commands: () => '0x10', inputs: ([a]) => [a!] })).toBe(
      'POLICY_DECODE',
    )
  })

  test('refuses any other approval at Permit2, and one that is not needed', () => {
    const { intent, approvals, action, give } = plan(['USDC', 'WETH'], 'in')
    const [first] = approvals as [Transaction, Transaction]
    const { permit2, universalRouter } = contracts()
    const permit = (change: {
      token?: Address
      spender?: Address
      amount?: bigint
      until?: number
      permit2?: Address
    }) => {
      const { until = deadline, permit2: at = permit2, ...more } = change
      const through = { permit2: at, until: BigInt(until) }
      return verdict(intent, [
        first,
        approveThrough({ ...give, spender: universalRouter, through, ...more }),
        action,
      ])
    }
    expect(permit({})).toBe('passed')
    expect(permit({ until: deadline - 60 })).toBe('passed')
    expect(permit({ until: deadline + 1 })).toBe('POLICY_ALLOWANCE')
    expect(permit({ amount: give.amount + 1n })).toBe('POLICY_ALLOWANCE')
    expect(permit({ amount: give.amount - 1n })).toBe('POLICY_ALLOWANCE')
    expect(permit({ token: token('USDT').address })).toBe('POLICY_ALLOWANCE')
    expect(permit({ spender: other })).toBe('POLICY_SPENDER')
    expect(permit({ permit2: universalRouter })).toBe('POLICY_CONTRACT_NOT_ALLOWED')
    // The token must allow Permit2, not the router.
    const direct = approve({ ...give, spender: universalRouter })
    expect(verdict(intent, [direct, approvals[1]!, action])).toBe('POLICY_SPENDER')
    expect(verdict(intent, [approve({ ...give, amount: 0n, spender: permit2 }), ...approvals, action])).toBe(
      'passed',
    )
    // If the token already allows Permit2, one approval at Permit2 is enough; misplaced or repeated, it is refused.
    expect(verdict(intent, [approvals[1]!, action])).toBe('passed')
    expect(verdict(intent, [approvals[1]!, first, action])).toBe('POLICY_AUTHORITY')
    expect(verdict(intent, [approvals[1]!, approvals[1]!, action])).toBe('POLICY_AUTHORITY')
    expect(verdict(intent, [first, action, approvals[1]!])).toBe('POLICY_SHAPE')
    // An action that is not paid through Permit2 needs no approval there.
    const coinIn = plan(['ETH', 'USDC'], 'in')
    expect(verdict(coinIn.intent, [approvals[1]!, coinIn.action])).toBe('POLICY_AUTHORITY')
  })

  test('finds an exchange to measure price impact only for a decodable swap call', () => {
    const { action } = plan(['USDC', 'WETH'], 'in')
    expect(swapExchange(sandbox.world.catalog(), action)).toBeDefined()
    expect(uniswapV4.exchange!(sandbox.world.catalog(), { ...action, data: '0x' })).toBeUndefined()
    // Calldata with trailing bytes is no call of the router.
    expect(swapExchange(sandbox.world.catalog(), { ...action, data: `${action.data}00` })).toBeUndefined()
  })
})

const decodePlan = (data: Hex) => decodeAbiParameters(planParameters, data)
const decodeSwapIn = (data: Hex) => decodeAbiParameters(actionParameters.swapExactIn, data)
