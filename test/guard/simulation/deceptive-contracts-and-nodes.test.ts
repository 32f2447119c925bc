import { encodeFunctionData, parseAbi } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { approve, transfer } from '../../../src/chain/erc20.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { AppError } from '../../../src/domain/errors.ts'
import type { Transaction } from '../../../src/domain/transaction.ts'
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

describe('a vault that gives shares only to whoever simulates', () => {
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

  test('deceives a plain simulation, and is caught by ours', async () => {
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
      message: expect.stringContaining('the deposit brings too little'),
    })
  })

  test('is not put into where one of its shares costs so much that rounding keeps a part', async () => {
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
    // One share, and fifty dollars beside it: a hundred would be worth seventy-five.
    const begun = [
      approve({ chainId, token: asset.address, spender: vault, amount: 1n }),
      deposit({ chainId, vault, assets: 1n, receiver: wallet() }),
      transfer({ chainId, token: asset.address, to: vault, amount: hundred / 2n }),
    ]
    for (const call of begun) await sandbox.sendAs(chainId, wallet(), call)
    for (const amount of [hundred, 60_000_000n, 1_000_000_000n, 10n])
      await expect(putIn(amount)).rejects.toMatchObject({
        code: 'POLICY_SIMULATION',
        message: expect.stringMatching(/rounding could keep too much|brings too little/),
      })
  })

  test('is not put into where it does not say what a deposit brings', async () => {
    const { constants, ...vault } = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
    const silent = { ...vault, constants: { family: 'erc4626', vault: vault.asset.address } } as const
    await expect(tried({ ...depositing(), strategy: silent } as Intent, into())).rejects.toMatchObject({
      code: 'POLICY_SIMULATION',
      message: expect.stringContaining('does not say what its'),
    })
  })
})

describe('what a leg does beside what was asked', () => {
  test('an allowance that is left is refused', async () => {
    await expect(tried(depositing(), into(2n * hundred))).rejects.toMatchObject({
      code: 'POLICY_SIMULATION',
      message: expect.stringContaining('may still take'),
    })
  })

  test('a token that nobody named may not fall', async () => {
    const { asset: usdt } = sandbox.strategy('aave-v3-USDT-sandbox-one')
    const trapped = await trapCall('take', [usdt.address, 5n])
    const taking = [approve({ chainId, token: usdt.address, spender: trapped.to, amount: 5n }), trapped]
    await expect(tried(depositing(), [...taking, ...into()])).rejects.toMatchObject({
      code: 'POLICY_SIMULATION',
      message: expect.stringContaining('something is taken that was not requested'),
    })
  })

  test.each<[string, string, readonly unknown[], boolean]>([
    ['an allowance for somebody else', 'sayApproval', [thief, 1n], false],
    ['an allowance of nothing', 'sayApproval', [thief, 0n], true],
    ['power over all of a collection', 'sayApprovalForAll', [thief, true], false],
    ['no power over a collection', 'sayApprovalForAll', [thief, false], true],
  ])('%s', async (_, name, args, passes) => {
    const said = simulated([await trapCall(name, args)])
    if (passes) await expect(said).resolves.toMatchObject({ how: 'eth_simulateV1' })
    else await expect(said).rejects.toMatchObject({ code: 'POLICY_SIMULATION' })
  })

  test('what changes at the deadline is seen before', async () => {
    const late = await trapCall('failAfter', [4_000_000_000n])
    await expect(simulated([late], { until: 3_999_999_999 })).resolves.toMatchObject({
      how: 'eth_simulateV1',
    })
    await expect(simulated([late], { until: 4_000_000_001 })).rejects.toMatchObject({
      code: 'SIMULATION_REVERTED',
      message: expect.stringContaining('too late'),
    })
  })

  test('it runs in the next block, and not in the one that is there', async () => {
    const head = BigInt(await sandbox.chain(chainId).rpc.request<Hex>('eth_blockNumber'))
    const trapped = await trapCall('failAfterBlock', [head + 1n])
    await expect(simulated([trapped])).rejects.toMatchObject({ code: 'SIMULATION_REVERTED' })
    const later = {
      ...trapped,
      data: encodeFunctionData({ abi: trap, functionName: 'failAfterBlock', args: [head + 2n] }),
    }
    await expect(simulated([later])).resolves.toMatchObject({ how: 'eth_simulateV1' })
  })

  test('the change of the native coin is told, and is gas and nothing else', async () => {
    const { coin, gasUsed, fees } = await simulated([await trapCall('nothing', [])])
    expect(coin).toBeLessThan(0n)
    expect(coin).toBeGreaterThanOrEqual(-gasUsed[0]! * fees.maxFeePerGas)
  })
})

describe('what a node says about the wallet itself', () => {
  /** A node whose simulation answers one of the reads after the transactions otherwise. */
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
    ['more of the native coin is gone than value and gas', 0, 'native coin'],
    ['it has other code', 1, 'other code'],
  ])('%s: refused', async (_, probe, what) => {
    await expect(
      tried(depositing(), into(), { rpc: saying(probe, `0x${'00'.repeat(31)}01`) }),
    ).rejects.toMatchObject({ code: 'POLICY_SIMULATION', message: expect.stringContaining(what) })
  })
})

describe('the decimals of a token', () => {
  test('are those that it has itself', async () => {
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

describe('a withdrawal', () => {
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
    ['of what was asked for, from a pool', 'aave-v3', 100n, -100n, 100n, true],
    ['with rounding', 'aave-v3', 98n, -102n, 100n, true],
    ['of too little', 'aave-v3', 97n, -100n, 100n, false],
    ['that takes too much of the position', 'aave-v3', 100n, -103n, 100n, false],
    ['from a vault at its price', 'erc4626', 100n, -90n, 90n, true],
    ['from a vault above its price', 'erc4626', 100n, -93n, 90n, false],
  ])('%s', (_, family, out, position, shares, passes) => {
    const work = effect(family, out, position, shares)
    if (passes) expect(work).not.toThrow()
    else expect(work).toThrow(AppError)
  })
})

describe('a withdrawal of everything', () => {
  const held = 100_000_000n
  const [nothing, price, both] = [0n, 1n, 2n]
  test.each<[pays: string, says: string, kept: bigint, bigint, why: string | undefined]>([
    ['all that it says', 'what it pays', 0n, both, undefined],
    ['all but a ten thousandth', 'what it pays', 1n, both, undefined],
    ['a thousandth less', 'what it pays', 10n, both, 'too little comes out'],
    ['a hundredth', 'what it pays', 9_900n, both, 'too little comes out'],
    ['what it is worth', 'its price alone', 0n, price, undefined],
    ['a thousandth less', 'its price alone', 10n, price, 'too little comes out'],
    ['what it is worth', 'nothing', 0n, nothing, 'does not say what its STI is worth'],
  ])('from a vault that pays %s and says %s', async (_, __, kept, says, why) => {
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
          : 'the vault does not say beforehand what it pays: no less than 100 USDC by its price is accepted',
      )
    else
      await expect(work).rejects.toMatchObject({
        code: 'POLICY_SIMULATION',
        message: expect.stringContaining(why),
      })
  })
})

describe('a deposit whose price was read', () => {
  test.each<[bigint, bigint | undefined, boolean]>([
    [100_000_000n, 100_000_000n, true],
    [99_989_997n, 100_000_000n, true],
    [99_989_996n, 100_000_000n, false],
    [1n, 100_000_000n, false],
    [1n, undefined, true],
    [1n, 2n, true],
    [0n, 2n, false],
    [0n, undefined, false],
  ])('that brings %s of %s that were to come passes: %s', (brought, wanted, passes) => {
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

describe('two nodes of one chain', () => {
  test('that see the same are believed', async () => {
    const { rpc } = sandbox.chain(chainId)
    await expect(tried(depositing(), into(), { rpc: { ...rpc, peers: [rpc] } })).resolves.toMatchObject({
      how: 'eth_simulateV1',
    })
  })

  test('that do not see the same are not', async () => {
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

/** The endpoint of a test with another one beside it that refuses to simulate. */
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
  ['is down', new AppError('RPC_UNREACHABLE', 'it cannot be reached')],
  ['forbids all', new AppError('RPC_UNREACHABLE', 'HTTP status 403', { details: { status: 403 } })],
])('of two nodes the one that %s is left out and named', async (_, refusal) => {
  expect(await tried(depositing(), into(), { rpc: besideOneThat(refusal) })).toMatchObject({
    how: 'eth_simulateV1',
    silent: ['elsewhere'],
    endpoints: 1,
  })
  const { rpc } = sandbox.chain(chainId)
  const both = await tried(depositing(), into(), { rpc: { ...rpc, peers: [rpc] } })
  expect(both).toMatchObject({ silent: [], endpoints: 2 })
})

test('one node that answers for both, since the first one went down, counts as one', async () => {
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

test('a node that answers, and crashes at what another one tried, is not left out', async () => {
  const message = 'method handler crashed'
  const crash = new AppError('RPC_ERROR', message, { details: { code: -32603, message } })
  await expect(tried(depositing(), into(), { rpc: besideOneThat(crash) })).rejects.toMatchObject({
    code: 'RPC_INCONSISTENT',
    hint: expect.stringContaining('Leave elsewhere out'),
  })
})

test('where one of two nodes simulates no blocks and says so in words of its own, both are asked for less', async () => {
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
  test('calls with overrides instead, and finds the same changes', async () => {
    const best = await tried(depositing(), into())
    const weaker = await tried(depositing(), into(), { rpc: without(['eth_simulateV1']) })
    expect(weaker.how).toBe('eth_call')
    expect(weaker.gas).toEqual([])
    expect(weaker.changes.map(({ token, delta }) => [token.symbol, delta])).toEqual(
      best.changes.map(({ token, delta }) => [token.symbol, delta]),
    )
    expect(weaker.allowances).toEqual(best.allowances)
  })

  test('still names the step that would fail, and why', async () => {
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
    ['nobody there to ask', {}, false],
    ['somebody there to ask', { canAsk: true }, true],
    ['a policy that does not need one', { policy: policy('optional') }, true],
    ['a policy that needs one', { canAsk: true, policy: policy('required') }, false],
    [
      'a condition that it would have to show',
      {
        canAsk: true,
        asserts: [{ text: 'USDC>=-100', network: null, token: 'USDC', sign: '>=', amount: '-100' }],
      },
      false,
    ],
  ])('and cannot call with overrides either: with %s', async (_, terms, passes) => {
    const answer = tried(depositing(), into(), { rpc: without(nothing), terms })
    if (passes) await expect(answer).resolves.toMatchObject({ how: 'unavailable', changes: [], gas: [] })
    else await expect(answer).rejects.toMatchObject({ code: 'POLICY_SIMULATION' })
  })
})

describe('what gas may cost', () => {
  test('a cap below what the market asks is POLICY_FEE_CAP, one above it is kept', async () => {
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
