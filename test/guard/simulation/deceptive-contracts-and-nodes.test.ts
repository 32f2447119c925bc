import { encodeFunctionData, parseAbi } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { approve, transfer } from '../../../src/chain/erc20.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { AppError } from '../../../src/domain/errors.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import { checkEffect } from '../../../src/guard/simulation/check-effects.ts'
import { simulateLeg } from '../../../src/guard/simulation/simulate.ts'
import { strictTerms, type Terms } from '../../../src/guard/user-limits-and-exemptions.ts'
import { simulatePlannedLeg } from '../../../src/planning/leg-simulation.ts'
import { checkTarget } from '../../../src/planning/onchain-target-check.ts'
import { supply } from '../../../src/protocols/aave-v3/encode.ts'
import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import { deposit, redeem } from '../../../src/protocols/erc4626/encode.ts'
import type { Intent } from '../../../src/protocols/intent.ts'
import { deployed } from '../../support/contracts/compile-contract.ts'
import { targetOf } from '../../support/market-constants.ts'
import { unableTo } from '../../support/nodes/node-without-methods.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const chainId = 31337
const hundred = 100_000_000n
const native = { symbol: 'ETH', decimals: 18 }
const thief: Address = '0x6666666666666666666666666666666666666666'
const wallet = () => sandbox.user.address
const lending = () => sandbox.strategy('aave-v3-USDC-sandbox-one')
const poolOf = targetOf

const into = (much = hundred): Transaction[] => {
  const strategy = lending()
  const [pool, asset] = [poolOf(strategy), strategy.asset.address]
  return [
    approve({ chainId, token: asset, spender: pool, amount: much }),
    supply({ chainId, pool, asset, amount: hundred, onBehalfOf: wallet() }),
  ]
}
const depositing = (): Intent => ({ kind: 'deposit', wallet: wallet(), strategy: lending(), amount: hundred })
const tried = (
  intent: Intent,
  transactions: Transaction[],
  { rpc = sandbox.chain(chainId).rpc, terms = {} }: { rpc?: ChainClient; terms?: Partial<Terms> } = {},
) =>
  simulatePlannedLeg(
    { rpc: () => rpc, catalog: sandbox.world.catalog() },
    { chainId, intent, transactions },
    { ...strictTerms, ...terms },
  )
const simulated = (transactions: Transaction[], more: Partial<Parameters<typeof simulateLeg>[0]> = {}) =>
  simulateLeg({
    rpc: sandbox.chain(chainId).rpc,
    chainId,
    native,
    wallet: wallet(),
    transactions,
    tokens: [lending().asset],
    ...more,
  })
const trap = parseAbi([
  'function sayApproval(address spender, uint256 value)',
  'function sayApprovalForAll(address operator, bool approved)',
  'function failAfter(uint256 time)',
  'function failAfterBlock(uint256 number)',
  'function take(address token, uint256 amount)',
  'function nothing()',
])
const calling = (to: Address, data: Hex): Transaction => ({ to, data, value: 0n, chainId })
const trapCall = async (functionName: string, args: readonly unknown[]) =>
  calling(
    await deployed(sandbox, chainId, 'Trap'),
    encodeFunctionData({ abi: trap, functionName, args } as never),
  )

const without = (methods: readonly string[]): ChainClient => unableTo(sandbox.chain(chainId).rpc, methods)

describe('a vault that gives shares only during a simulation', () => {
  const lying = async (): Promise<{ intent: Intent; transactions: Transaction[]; vault: Address }> => {
    const { asset } = lending()
    const vault = await deployed(sandbox, chainId, 'LyingVault', [asset.address])
    const strategy: StrategyEntry = {
      ...sandbox.strategy('sandbox-vault-USDC-sandbox-one'),
      receipt: { ...asset, address: vault, symbol: 'LIE' },
      constants: { family: 'erc4626', vault },
    }
    return {
      vault,
      intent: { kind: 'deposit', wallet: wallet(), strategy, amount: hundred },
      transactions: [
        approve({ chainId, token: asset.address, spender: vault, amount: hundred }),
        deposit({ chainId, vault, assets: hundred, receiver: wallet() }),
      ],
    }
  }

  test('deceives a plain simulation, and is detected by the simulation of sluice', async () => {
    const { intent, transactions, vault } = await lying()
    const balanceOf = {
      to: vault,
      data: encodeFunctionData({
        abi: parseAbi(['function balanceOf(address) view returns (uint256)']),
        functionName: 'balanceOf',
        args: [wallet()],
      }),
    }
    const calls = [...transactions.map(({ to, data }) => ({ from: wallet(), to, data })), balanceOf]
    const [plain] = await sandbox
      .chain(chainId)
      .rpc.request<{ calls: { returnData: Hex }[] }[]>('eth_simulateV1', [
        { blockStateCalls: [{ calls }] },
        'latest',
      ])
    expect(BigInt(plain!.calls.at(-1)!.returnData)).toBe(hundred)
    await expect(tried(intent, transactions)).rejects.toMatchObject({
      code: 'POLICY_SIMULATION',
      message: expect.stringContaining('the deposit returns too little'),
    })
  })

  test('is refused when a share costs so much that rounding keeps a part', async () => {
    const { asset } = lending()
    const vault = await deployed(sandbox, chainId, 'BareVault', [asset.address])
    const strategy: StrategyEntry = {
      ...sandbox.strategy('sandbox-vault-USDC-sandbox-one'),
      receipt: { ...asset, address: vault, symbol: 'BARE' },
      constants: { family: 'erc4626', vault },
    }
    const putIn = (amount: bigint) =>
      tried({ kind: 'deposit', wallet: wallet(), strategy, amount }, [
        approve({ chainId, token: asset.address, spender: vault, amount }),
        deposit({ chainId, vault, assets: amount, receiver: wallet() }),
      ])
    for (const amount of [hundred, 1n]) expect((await putIn(amount)).how).toBe('eth_simulateV1')
    // One share and 50 USDC besides: a deposit of 100 USDC would be worth 75.
    const begun = [
      approve({ chainId, token: asset.address, spender: vault, amount: 1n }),
      deposit({ chainId, vault, assets: 1n, receiver: wallet() }),
      transfer({ chainId, token: asset.address, to: vault, amount: hundred / 2n }),
    ]
    for (const call of begun) await sandbox.sendAs(chainId, wallet(), call)
    for (const amount of [hundred, 60_000_000n, 1_000_000_000n, 10n])
      await expect(putIn(amount)).rejects.toMatchObject({
        code: 'POLICY_SIMULATION',
        message: expect.stringMatching(/rounding could keep too much|returns too little/),
      })
  })

  test('is refused when it does not report what a deposit yields', async () => {
    const { constants, ...vault } = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
    const silent = { ...vault, constants: { family: 'erc4626', vault: vault.asset.address } } as const
    await expect(tried({ ...depositing(), strategy: silent } as Intent, into())).rejects.toMatchObject({
      code: 'POLICY_SIMULATION',
      message: expect.stringContaining('does not say what its'),
    })
  })
})

describe('effects of a leg that were not requested', () => {
  test('a remaining allowance is refused', async () => {
    await expect(tried(depositing(), into(2n * hundred))).rejects.toMatchObject({
      code: 'POLICY_SIMULATION',
      message: expect.stringContaining('still has an allowance'),
    })
  })

  test('a decrease of an unrelated token is refused', async () => {
    const { asset: usdt } = sandbox.strategy('aave-v3-USDT-sandbox-one')
    const trapped = await trapCall('take', [usdt.address, 5n])
    const taking = [approve({ chainId, token: usdt.address, spender: trapped.to, amount: 5n }), trapped]
    await expect(tried(depositing(), [...taking, ...into()])).rejects.toMatchObject({
      code: 'POLICY_SIMULATION',
      message: expect.stringContaining('something is taken that was not requested'),
    })
  })

  test.each<[string, string, readonly unknown[], boolean]>([
    ['an allowance for another spender is refused', 'sayApproval', [thief, 1n], false],
    ['an allowance of zero is accepted', 'sayApproval', [thief, 0n], true],
    ['an approval for all tokens of a collection is refused', 'sayApprovalForAll', [thief, true], false],
    ['a revoked approval for all is accepted', 'sayApprovalForAll', [thief, false], true],
  ])('%s', async (_, name, args, passes) => {
    const said = simulated([await trapCall(name, args)])
    if (passes) await expect(said).resolves.toMatchObject({ how: 'eth_simulateV1' })
    else await expect(said).rejects.toMatchObject({ code: 'POLICY_SIMULATION' })
  })

  test('a failure at the deadline is found by simulating at that time', async () => {
    const late = await trapCall('failAfter', [4_000_000_000n])
    await expect(simulated([late], { until: 3_999_999_999 })).resolves.toMatchObject({
      how: 'eth_simulateV1',
    })
    await expect(simulated([late], { until: 4_000_000_001 })).rejects.toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: expect.stringContaining('too late'),
    })
  })

  test('the simulation runs in the next block, not in the current one', async () => {
    const head = BigInt(await sandbox.chain(chainId).rpc.request<Hex>('eth_blockNumber'))
    const trapped = await trapCall('failAfterBlock', [head + 1n])
    await expect(simulated([trapped])).rejects.toMatchObject({ code: 'SIMULATION_REVERTED' })
    const later = {
      ...trapped,
      data: encodeFunctionData({ abi: trap, functionName: 'failAfterBlock', args: [head + 2n] }),
    }
    await expect(simulated([later])).resolves.toMatchObject({ how: 'eth_simulateV1' })
  })

  test('the change of the native coin is reported, and is at most the gas cost', async () => {
    const { coin, gasUsed, fees } = await simulated([await trapCall('nothing', [])])
    expect(coin).toBeLessThan(0n)
    expect(coin).toBeGreaterThanOrEqual(-gasUsed[0]! * fees.maxFeePerGas)
  })
})

describe('a simulation that changes the wallet itself', () => {
  /** A node whose simulation changes one of the answers read after the transactions. */
  const saying = (probe: number, answer: Hex): ChainClient => {
    const { rpc } = sandbox.chain(chainId)
    return {
      ...rpc,
      request: async (method, params) => {
        const found = await rpc.request(method, params)
        if (method !== 'eth_simulateV1') return found as never
        const [block] = found as { calls: { returnData: Hex }[] }[]
        block!.calls[2 + probe]!.returnData = answer
        return [block] as never
      },
    }
  }
  test.each([
    ['more native coin is spent than value and gas', 0, 'native coin'],
    ['the wallet has other code', 1, 'the code of the wallet'],
  ])('is refused: %s', async (_, probe, what) => {
    await expect(
      tried(depositing(), into(), { rpc: saying(probe, `0x${'00'.repeat(31)}01`) }),
    ).rejects.toMatchObject({ code: 'POLICY_SIMULATION', message: expect.stringContaining(what) })
  })
})

describe('the decimals of a token', () => {
  test('must equal those of the contract', async () => {
    const { rpc } = sandbox.chain(chainId)
    const wrong = { ...lending().asset, decimals: 18 }
    const intent: Intent = { kind: 'transfer', wallet: wallet(), token: wrong, recipient: thief, amount: 1n }
    const journal = { codePin: () => undefined, list: () => [] } as never
    const ground = { rpc: () => rpc, catalog: sandbox.world.catalog(), journal, locks: '', now: Date.now }
    const leg = { chainId, transactions: [calling(wrong.address, '0x')] }
    await expect(checkTarget(ground, { ...leg, intent }, strictTerms)).rejects.toMatchObject({
      code: 'POLICY_TOKEN_METADATA',
    })
    const right = { ...leg, intent: { ...intent, token: lending().asset } }
    await expect(checkTarget(ground, right, strictTerms)).resolves.toMatchObject({
      contract: { firstUse: true },
    })
  })
})

describe('the simulated effect of a withdrawal', () => {
  const effect = (family: 'aave-v3' | 'erc4626', out: bigint, position: bigint, shares: bigint) => {
    const strategy = sandbox.strategy(
      family === 'aave-v3' ? 'aave-v3-USDC-sandbox-one' : 'sandbox-vault-USDC-sandbox-one',
    )
    const changes = [
      { token: strategy.asset, before: 0n, delta: out },
      { token: strategy.receipt, before: 1_000n, delta: position },
    ]
    const intent: Intent = { kind: 'withdraw', wallet: wallet(), strategy, amount: 100n }
    return () => checkEffect(intent, { changes, allowances: [] }, shares)
  }
  test.each<[string, 'aave-v3' | 'erc4626', bigint, bigint, bigint, boolean]>([
    ['of the requested amount from a pool is accepted', 'aave-v3', 100n, -100n, 100n, true],
    ['with rounding is accepted', 'aave-v3', 98n, -102n, 100n, true],
    ['with a smaller payout is refused', 'aave-v3', 97n, -100n, 100n, false],
    ['that takes too much of the position is refused', 'aave-v3', 100n, -103n, 100n, false],
    ['from a vault at its price is accepted', 'erc4626', 100n, -90n, 90n, true],
    ['that costs more shares than the vault price is refused', 'erc4626', 100n, -93n, 90n, false],
  ])('%s', (_, family, out, position, shares, passes) => {
    const work = effect(family, out, position, shares)
    if (passes) expect(work).not.toThrow()
    else expect(work).toThrow(AppError)
  })
})

describe('a withdrawal of the whole position', () => {
  const held = 100_000_000n
  const [nothing, price, both] = [0n, 1n, 2n]
  test.each<[pays: string, says: string, kept: bigint, bigint, why: string | undefined]>([
    ['all of it', 'the payout', 0n, both, undefined],
    ['all but 0.01 %', 'the payout', 1n, both, undefined],
    ['0.1 % less', 'the payout', 10n, both, 'the output is too low'],
    ['1 % of it', 'the payout', 9_900n, both, 'the output is too low'],
    ['all of it', 'only its price', 0n, price, undefined],
    ['0.1 % less', 'only its price', 10n, price, 'the output is too low'],
    ['all of it', 'nothing', 0n, nothing, 'does not say what its STI is worth'],
  ])('from a vault that pays %s and reports %s', async (_, __, kept, says, why) => {
    const { asset } = lending()
    const vault = await deployed(sandbox, chainId, 'StingyVault', [asset.address, kept, says])
    const strategy: StrategyEntry = {
      ...sandbox.strategy('sandbox-vault-USDC-sandbox-one'),
      receipt: { ...asset, address: vault, symbol: 'STI', name: 'Stingy' },
      constants: { family: 'erc4626', vault },
    }
    const entering = [
      approve({ chainId, token: asset.address, spender: vault, amount: held }),
      deposit({ chainId, vault, assets: held, receiver: wallet() }),
    ]
    for (const one of entering) await sandbox.sendAs(chainId, wallet(), one)
    const all: Intent = { kind: 'withdraw', wallet: wallet(), strategy, amount: maxUint256, shares: held }
    const work = tried(all, [redeem({ chainId, vault, shares: held, receiver: wallet(), owner: wallet() })])
    if (why === undefined)
      expect((await work).unsaid).toBe(
        says === both
          ? undefined
          : 'the vault does not quote its payout in advance: at least 100 USDC at its price is accepted',
      )
    else
      await expect(work).rejects.toMatchObject({
        code: 'POLICY_SIMULATION',
        message: expect.stringContaining(why),
      })
  })
})

describe('a deposit with a known price', () => {
  test.each<[bigint, bigint | undefined, boolean]>([
    [100_000_000n, 100_000_000n, true],
    [99_989_997n, 100_000_000n, true],
    [99_989_996n, 100_000_000n, false],
    [1n, 100_000_000n, false],
    [1n, undefined, true],
    [1n, 2n, true],
    [0n, 2n, false],
    [0n, undefined, false],
  ])('that yields %s of %s expected shares is accepted: %s', (brought, wanted, passes) => {
    const strategy = sandbox.strategy('aave-v3-USDC-sandbox-one')
    const changes = [
      { token: strategy.asset, before: 100n, delta: -100n },
      { token: strategy.receipt, before: 0n, delta: brought },
    ]
    const intent: Intent = { kind: 'deposit', wallet: wallet(), strategy, amount: 100n }
    const work = () => checkEffect(intent, { changes, allowances: [] }, wanted)
    if (passes) expect(work).not.toThrow()
    else expect(work).toThrow(AppError)
  })
})

describe('two endpoints of one chain', () => {
  test('are accepted when their simulations agree', async () => {
    const { rpc } = sandbox.chain(chainId)
    await expect(tried(depositing(), into(), { rpc: { ...rpc, peers: [rpc] } })).resolves.toMatchObject({
      how: 'eth_simulateV1',
    })
  })

  test('are refused when their simulations differ', async () => {
    const { rpc } = sandbox.chain(chainId)
    const other: ChainClient = {
      ...rpc,
      request: async (method, params) => {
        const answer = await rpc.request(method, params)
        if (method !== 'eth_simulateV1') return answer as never
        const [block] = answer as { calls: { returnData: Hex }[] }[]
        block!.calls.at(-1)!.returnData = `0x${'00'.repeat(31)}07`
        return [block] as never
      },
    }
    await expect(tried(depositing(), into(), { rpc: { ...rpc, peers: [other] } })).rejects.toMatchObject({
      code: 'RPC_INCONSISTENT',
    })
  })
})

/** The endpoint of a test, with a peer that refuses to simulate. */
const besideOneThat = (refusal: AppError): ChainClient => {
  const { rpc } = sandbox.chain(chainId)
  const other: ChainClient = {
    ...rpc,
    host: 'elsewhere',
    request: (method, params) =>
      method === 'eth_simulateV1' ? Promise.reject(refusal) : rpc.request(method, params),
  }
  return { ...rpc, peers: [other] }
}

test.each([
  ['is unreachable', new AppError('RPC_UNREACHABLE', 'it cannot be reached')],
  ['forbids all requests', new AppError('RPC_UNREACHABLE', 'HTTP status 403', { details: { status: 403 } })],
])('of two endpoints, one that %s is skipped and named', async (_, refusal) => {
  expect(await tried(depositing(), into(), { rpc: besideOneThat(refusal) })).toMatchObject({
    how: 'eth_simulateV1',
    silent: ['elsewhere'],
    endpoints: 1,
  })
  const { rpc } = sandbox.chain(chainId)
  const both = await tried(depositing(), into(), { rpc: { ...rpc, peers: [rpc] } })
  expect(both).toMatchObject({ silent: [], endpoints: 2 })
})

test('two endpoint entries answered by the same node count as one endpoint', async () => {
  const { rpc } = sandbox.chain(chainId)
  let endpoint = {}
  const failing: ChainClient = {
    ...rpc,
    peers: [rpc],
    get endpoint() {
      return endpoint
    },
    request: (method, params) => {
      if (method === 'eth_simulateV1') endpoint = {}
      return rpc.request(method, params)
    },
  }
  expect(await tried(depositing(), into(), { rpc: failing })).toMatchObject({ endpoints: 1 })
})

test('an endpoint whose simulation crashes is not skipped: RPC_INCONSISTENT names it', async () => {
  const message = 'method handler crashed'
  const crash = new AppError('RPC_ERROR', message, { details: { code: -32603, message } })
  await expect(tried(depositing(), into(), { rpc: besideOneThat(crash) })).rejects.toMatchObject({
    code: 'RPC_INCONSISTENT',
    hint: expect.stringContaining('Remove elsewhere from the endpoints'),
  })
})

test('when one of two endpoints refuses eth_simulateV1, both are asked with eth_call', async () => {
  const { rpc } = sandbox.chain(chainId)
  const words = { code: -32600, message: 'eth_simulateV1 is disabled' }
  const other: ChainClient = {
    ...rpc,
    request: (method, params) =>
      method === 'eth_simulateV1'
        ? Promise.reject(new AppError('RPC_ERROR', 'refused', { details: words }))
        : rpc.request(method, params),
  }
  expect((await tried(depositing(), into(), { rpc: { ...rpc, peers: [other] } })).how).toBe('eth_call')
})

describe('a node that cannot simulate blocks', () => {
  test('simulates with eth_call overrides, and finds the same changes', async () => {
    const best = await tried(depositing(), into())
    const weaker = await tried(depositing(), into(), { rpc: without(['eth_simulateV1']) })
    expect(weaker.how).toBe('eth_call')
    expect(weaker.gas).toEqual([])
    expect(weaker.changes.map(({ token, delta }) => [token.symbol, delta])).toEqual(
      best.changes.map(({ token, delta }) => [token.symbol, delta]),
    )
    expect(weaker.allowances).toEqual(best.allowances)
  })

  test('names the failing step and its reason, and refuses a remaining allowance', async () => {
    const rpc = without(['eth_simulateV1'])
    await expect(tried(depositing(), into(hundred - 1n), { rpc })).rejects.toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: expect.stringContaining('Step 2 of 2 would fail'),
    })
    await expect(tried(depositing(), into(2n * hundred), { rpc })).rejects.toMatchObject({
      code: 'POLICY_SIMULATION',
    })
  })

  const nothing = ['eth_simulateV1', 'overrides']
  const policy = (simulation: 'required' | 'optional') => ({ sha256: '', policy: { simulation } })
  test.each<[string, Partial<Terms>, boolean]>([
    ['no terminal', {}, false],
    ['a terminal', { canAsk: true }, true],
    ['a policy with an optional simulation', { policy: policy('optional') }, true],
    ['a policy with a required simulation', { canAsk: true, policy: policy('required') }, false],
    [
      'an assertion to check',
      {
        canAsk: true,
        asserts: [{ text: 'USDC>=-100', network: null, token: 'USDC', sign: '>=', amount: '-100' }],
      },
      false,
    ],
  ])('and has no overrides either: with %s', async (_, terms, passes) => {
    const answer = tried(depositing(), into(), { rpc: without(nothing), terms })
    if (passes) await expect(answer).resolves.toMatchObject({ how: 'unavailable', changes: [], gas: [] })
    else await expect(answer).rejects.toMatchObject({ code: 'POLICY_SIMULATION' })
  })
})

describe('the maximum fee per gas', () => {
  test('is POLICY_FEE_CAP when below the market price, and otherwise limits the fees', async () => {
    await expect(tried(depositing(), into(), { terms: { maxFeePerGas: 1n } })).rejects.toMatchObject({
      code: 'POLICY_FEE_CAP',
    })
    const { fees } = await tried(depositing(), into())
    const cap = fees.maxFeePerGas - 1n
    await expect(tried(depositing(), into(), { terms: { maxFeePerGas: cap } })).resolves.toMatchObject({
      fees: { maxFeePerGas: cap },
    })
  })
})
