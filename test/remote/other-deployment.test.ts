import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { remoteService } from '../../src/remote/client.ts'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { engineOn, inTurn } from '../support/engine.ts'
import { type OtherDeployment, startOtherDeployment } from '../support/services/other-deployment.ts'
import {
  type Known,
  reference,
  specificationCodes,
  type Variant,
} from '../support/services/other-deployment-answers.ts'
import { type Document, type Ran, rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'
const iso = '2033-05-18T03:33:20.000Z'
const id = '0f8fad5b-d9cb-469f-a165-70867728950e'

let known: Known
let other: OtherDeployment
beforeEach(async () => {
  const token = (symbol: string) => {
    const { address, decimals, chainId } = sandbox.token(31337, symbol)
    return { symbol, contract: address, decimals, chainId }
  }
  const { address } = sandbox.user
  const { bytecode } = await engineOn(sandbox).service.strategyBytecode({
    id: slug,
    action: 'lend',
    amount: 100_000_000n,
    wallet: address,
  })
  known = {
    wallet: address,
    network: 'sandbox-one',
    tokenIn: token('USDC'),
    tokenOut: token('WETH'),
    slug,
    protocol: 'aave-v3',
    calls: bytecode.map(({ to, data, value }) => ({ to, data, value: value.toString() })),
  }
  other = await startOtherDeployment(known)
})
afterEach(() => other.close())

const ask = (line: string, env: Record<string, string> = {}, apiKey = 'key-12345'): Promise<Ran> =>
  run(line, {
    env: { SLUICE_BASE_URL: other.url, ...rpcEnvOf(sandbox), ...env },
    secrets: { apiKey, privateKey: sandboxKey() },
  })

/** JSON output of a command under a variant; the command must succeed. */
async function read(
  line: string,
  variant: Partial<Variant>,
  env: Record<string, string> = {},
): Promise<Document> {
  other.variant = { ...reference, ...variant }
  const ran = await ask(`${line} --json`, env)
  expect({ line, variant, exit: ran.exit, err: ran.err }).toMatchObject({ exit: 0 })
  return ran.json
}

const lines = () => ({
  list: 'strategies list',
  show: `strategies show ${slug}`,
  analytics: 'strategies analytics',
  recommend: 'yield recommend USDC',
  full: `yield recommend USDC --wallet ${known.wallet} --amount 100`,
  wallet: `wallet show ${known.wallet}`,
  history: `history ${slug} --address ${known.wallet}`,
  quote: 'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100',
  status: `swap status ${id}`,
  quotes: 'swap list',
  action: `action show ${id}`,
})
type Line = keyof ReturnType<typeof lines>
const every = Object.keys({
  list: 0,
  show: 0,
  analytics: 0,
  recommend: 0,
  full: 0,
  wallet: 0,
  history: 0,
  quote: 0,
  status: 0,
  quotes: 0,
  action: 0,
} satisfies Record<Line, 0>) as Line[]

describe('a variant of the deployment', () => {
  test.each<[Partial<Variant>]>([
    [{ envelope: 'quickstart' }],
    [{ envelope: 'older' }],
    [{ envelope: 'flat' }],
    [{ envelope: 'as quotes' }],
    [{ envelope: 'older', strategies: 230 }],
    [{ casing: 'upper' }],
    [{ casing: 'title' }],
    [{ chainId: 'text' }],
    [{ deadline: 'iso' }],
    [{ deadline: 'date alone' }],
    [{ quote: 'bare' }],
    [{ placeholder: 'object' }],
  ])('%j does not change the output of any command', async (variant) => {
    for (const name of inTurn(every, 3, JSON.stringify(variant).length)) {
      const line = lines()[name]
      const { strategies = 1 } = variant
      expect(await read(line, variant)).toEqual(await read(line, { strategies }))
    }
  })
})

/** A strategy as read from each shape. */
const told = () => {
  const asset = { symbol: 'USDC', address: known.tokenIn.contract, decimals: 6 }
  const least = {
    protocol: 'aave-v3',
    network: 'sandbox-one',
    slug,
    asset,
    apy: 0.0525,
    apyBasis: null,
    paused: false,
    name: null,
    chainId: null,
    category: null,
    underlying: null,
    actions: null,
    inceptionApy: null,
    avgApy: null,
    tvlUsd: null,
    liquidityUsd: null,
    fee: null,
    performanceFeeBps: null,
    isDefault: null,
    startDate: null,
    metadata: null,
  }
  const quickstart = {
    ...least,
    id: 'aave-v3-USDC-sandbox-one',
    // The id as given: another deployment may distinguish its case.
    slug: 'aave-v3-USDC-sandbox-one',
    fee: '0',
    actions: ['lend', 'withdraw'],
  }
  const composite = {
    ...quickstart,
    chainId: 31337,
    underlying: asset,
    inceptionApy: 0.05,
    avgApy: 0.051,
    performanceFeeBps: '500',
    isDefault: true,
    metadata: { en: { risk: 'low' } },
    startDate: '2025-01-01T00:00:00.000Z',
  }
  const detail = { ...least, id: '65f0c0ffee', name: 'A strategy', tvlUsd: '1234.56' }
  return { least: { ...detail, apy: null, tvlUsd: null }, detail, composite, quickstart }
}

const amount = (raw: string, symbol = 'USDC', decimals = 6) => ({
  raw,
  decimals,
  symbol,
  formatted: symbol === 'USDC' ? String(Number(raw) / 1e6) : '0.04',
})

describe('a strategy', () => {
  test.each<[Variant['strategy'], Variant['optional'], keyof ReturnType<typeof told>]>([
    ['detail', 'sent', 'detail'],
    ['detail', 'null', 'least'],
    ['detail', 'missing', 'least'],
    ['composite', 'sent', 'composite'],
    ['quickstart', 'sent', 'quickstart'],
  ])(
    'in the %s shape with its optional fields %s keeps the fields sent, and the rest is null',
    async (strategy, optional, as) => {
      const one = told()[as]
      const only = {
        logourl: null,
        implementationSelector: null,
        grade: null,
        rates: null,
        apyConvention: null,
        protocolFeeBps: null,
        managementFeeBps: null,
        receipt: null,
      }
      const more =
        as === 'composite'
          ? { ...only, logourl: 'https://example.org/logo.png', implementationSelector: 'v3' }
          : only
      expect(await read(lines().show, { strategy, optional })).toEqual({ ...one, ...more })
      expect(await read(lines().list, { strategy, optional })).toEqual({
        items: [one],
        page: 1,
        limit: 10,
        total: 1,
        hasMore: false,
        missing: [],
      })
      const best = strategy === 'detail' ? 'composite' : as
      expect(await read(lines().recommend, { strategy, optional })).toEqual({
        recommendedStrategyId: 'aave-v3-USDC-sandbox-one',
        destinationChain: 'sandbox-one',
        strategy: told()[best],
        spotPosition:
          optional === 'sent' ? { apy: 0.0525, tvl: '1234.56', liquidity: amount('1000000') } : null,
        transactions: null,
        compared: null,
      })
      expect(await read(lines().analytics, { strategy, optional })).toEqual({
        totalTvlUsd: '1234.56',
        unpriced: null,
        averageApy: 0.0525,
        strategyCount: 1,
        topStrategies: [optional === 'sent' ? told().detail : told().least],
      })
    },
  )

  test('is recommended with transactions when wallet and amount are sent', async () => {
    const { transactions } = await read(lines().full, {})
    expect(transactions).toEqual(known.calls.map((call) => ({ ...call, chainId: 31337 })))
    expect(other.asked.at(-1)).toContain(`wallet=${known.wallet}&amount=100000000`)
  })
})

describe('a wallet', () => {
  const position = () => ({
    balance: amount('101000000'),
    profit: amount('1000000'),
    performanceFee: null,
    principal: null,
    balanceUsd: '101',
    profitUsd: null,
    apy: null,
    staked: null,
    pending: null,
    claimable: null,
    queuedUsd: null,
  })
  test('is read from shape A', async () => {
    expect(await read(lines().wallet, { wallet: 'A' })).toEqual({
      address: known.wallet,
      positions: [{ ...position(), strategy: told().detail, profitUsd: '1' }],
      totalValueUsd: '101',
      queuedUsd: null,
      collateralUsd: null,
      debtUsd: null,
      onTheWay: [],
      onTheWayUsd: '0',
      realised: null,
      totalProfitUsd: null,
      unread: null,
      unsearched: null,
      missing: [],
    })
  })

  test('is read from shape B', async () => {
    expect(await read(lines().wallet, { wallet: 'B' })).toEqual({
      address: null,
      positions: [
        {
          ...position(),
          strategy: { ...told().quickstart, apy: null, paused: null, fee: null, actions: null },
          principal: amount('100000000'),
          apy: 0.0525,
        },
      ],
      totalValueUsd: '101',
      queuedUsd: null,
      collateralUsd: null,
      debtUsd: null,
      onTheWay: [],
      onTheWayUsd: '0',
      realised: null,
      totalProfitUsd: null,
      unread: null,
      unsearched: null,
      missing: [],
    })
  })

  test('shows a closed position as 0, not as a queue without an answer', async () => {
    await read(lines().wallet, { wallet: 'A' })
    const { positions, ...rest } = JSON.parse(other.said.at(-1)!) as { positions: object[] }
    const closed = positions.map((one) => ({ ...one, balance: '0', balanceUSD: '0' }))
    other.fails = { status: 200, body: JSON.stringify({ ...rest, positions: closed }) }
    const { exit, out } = await ask(lines().wallet)
    expect([exit, out]).toEqual([0, expect.stringContaining('0 USDC')])
    expect(out).not.toMatch(/queue/)
  })

  test('is read from shape C, on the current or the legacy endpoint', async () => {
    const { stats } = await read(lines().wallet, { wallet: 'C' })
    expect(stats).toMatchObject({
      collateral: [{ asset: { symbol: 'USDC' }, priceUsd: '1', liquidationThreshold: 0.8 }],
      debt: [{ asset: { symbol: 'WETH' }, borrowRate: 0.03 }],
      healthFactor: 2.5,
      ltv: 0.32,
      liquidationPrice: '0.4',
      maxBorrowValue: '-1.5',
    })
    const both = await read(lines().wallet, { wallet: 'A' }, { SLUICE_LEGACY_BASE_URL: other.url })
    expect(both).toEqual({ ...(await read(lines().wallet, { wallet: 'A' })), stats })
  })
})

test('history keeps the items of the deployment, and leaves the missing total null', async () => {
  const item = { timestamp: '2026-01-01T00:00:00.000Z', amount: amount('100000000'), status: 'confirmed' }
  expect(await read(lines().history, {})).toEqual({
    isWhole: null,
    items: [
      { ...item, txHash: `0x${'1'.repeat(64)}`, type: 'deposit' },
      { ...item, txHash: `0x${'2'.repeat(64)}`, type: 'withdraw' },
    ],
    page: 1,
    limit: 10,
    total: null,
    hasMore: false,
  })
})

describe('a quote', () => {
  const quoted = () => ({
    id,
    quoteId: id,
    from: { network: 'sandbox-one', chainId: 31337 },
    to: { network: 'sandbox-one', chainId: 31337 },
    tokenIn: {
      chainId: 31337,
      address: known.tokenIn.contract,
      symbol: 'USDC',
      decimals: 6,
      amount: amount('100000000'),
      priceUsd: '1.00',
    },
    tokenOut: {
      chainId: 31337,
      address: known.tokenOut.contract,
      symbol: 'WETH',
      decimals: 18,
      amount: amount('40000000000000000', 'WETH', 18),
      priceUsd: '2500.00',
    },
    provider: 'a-provider',
    minAmountOut: null,
    maxAmountIn: null,
    slippage: null,
    // Derived from the USD values of both sides.
    priceImpact: 0,
    estimatedGas: null,
    gasCostUsd: null,
    netAmountOut: null,
    netAmountIn: null,
    netUsd: null,
    durationSeconds: null,
    deadline: iso,
    status: 'pending',
    destinationAddress: null,
    refundAddress: null,
    feeSponsorship: false,
    feeSponsorshipReason: null,
    fees: null,
    alternatives: null,
  })

  test('is read alone and in a list', async () => {
    // What the client accepts, within the usual slippage of 0.5 %.
    const accepts = {
      amountIn: amount('100000000'),
      amountOut: { ...amount('39800000000000000', 'WETH', 18), formatted: '0.0398' },
    }
    expect(await read(lines().quote, {})).toEqual({ ...quoted(), accepts, priceImpactUsd: '0', refusals: [] })
    expect((await read(lines().quotes, {})).items).toEqual([{ ...quoted(), priceImpactUsd: '0' }])
  })

  test.each<[string, Partial<Variant>]>([
    ['current endpoint', { quote: 'older' }],
    ['legacy endpoint', { pages: 'older' }],
  ])('in the older shape from the %s keeps the fields sent, and the rest is null', async (_, variant) => {
    const { tokenIn, tokenOut, ...rest } = quoted()
    expect(await read(lines().quote, variant, { SLUICE_LEGACY_BASE_URL: other.url })).toEqual({
      ...rest,
      tokenIn: { ...tokenIn, priceUsd: null },
      tokenOut: { ...tokenOut, priceUsd: null },
      id: null,
      quoteId: null,
      priceImpact: null,
      estimatedGas: null,
      gasCostUsd: null,
      netAmountOut: null,
      netAmountIn: null,
      netUsd: null,
      durationSeconds: null,
      deadline: null,
      status: null,
      feeSponsorship: null,
      accepts: null,
      priceImpactUsd: null,
      // As an execution is refused.
      refusals: [
        {
          code: 'POLICY_MIN_OUT',
          message: 'The quote has no deadline, so its output cannot be checked',
          flag: null,
          missing: null,
          next: null,
        },
      ],
    })
  })

  test.each([
    ['in the older shape', 'older', 'POLICY_MIN_OUT', 0],
    ['with transactions to another contract', 'current', 'POLICY_CONTRACT_NOT_ALLOWED', 1],
  ] as const)('%s is refused, and nothing is signed', async (_, quote, code, posts) => {
    other.variant = { ...reference, quote }
    const ran = await signsNothing(() =>
      ask(`${lines().quote.replace('quote', 'execute')} --yes --json --idempotency-key other-swap-1`),
    )
    expect({ exit: ran.exit, code: ran.json.error.code }).toEqual({ exit: 8, code })
    expect(other.asked.filter((path) => path.startsWith('POST'))).toHaveLength(posts)
  })
})

describe('a 404 about a wallet', () => {
  const nothing = { exit: 0, positions: [], totalValueUsd: '0' }
  const saidIn = (code: string, message: string) => JSON.stringify({ error: { code, message } })
  const wallet = async (body: string, line = `wallet show ${known.wallet} --json`) => {
    other.fails = { status: 404, body }
    const { exit, json } = await ask(line)
    return { exit, ...json }
  }

  test.each([
    saidIn('WALLET_NOT_FOUND', 'Wallet not found'),
    saidIn('ADDRESS_NOT_FOUND', 'The address was not found'),
    saidIn('NOT_FOUND', 'Address not found or has no positions'),
    saidIn('NO_POSITIONS', 'Nothing there'),
    saidIn('NOT_FOUND', 'No positions in any strategy'),
    JSON.stringify({ message: 'No positions found' }),
    JSON.stringify({ error: 'Wallet has no positions' }),
  ])('%s is an empty wallet', async (body) => {
    expect(await wallet(body)).toMatchObject(nothing)
  })

  test.each([
    saidIn('NOT_FOUND', 'There is no endpoint GET /wallets/0x70997970C51812dc3A010C7d01b50e0d17dc79C8'),
    JSON.stringify({ message: 'Route GET:/wallets/0x7099 not found', error: 'Not Found', statusCode: 404 }),
    JSON.stringify({ message: 'Cannot GET /wallets/0x7099' }),
    '<html>Not Found</html>',
    '',
  ])('%s is a missing endpoint', async (body) => {
    expect((await wallet(body)).exit).not.toBe(0)
  })

  test('is an empty history for a history, but not if the strategy is unknown', async () => {
    const service = remoteService({ baseUrl: other.url, apiKey: 'key-12345' })
    const history = (body: string) => {
      other.fails = { status: 404, body }
      return service.walletHistory({ address: sandbox.user.address, strategyId: slug })
    }
    expect(await history(saidIn('NOT_FOUND', 'No transactions for this wallet'))).toMatchObject({
      items: [],
      total: 0,
      hasMore: false,
    })
    const unknown = saidIn('STRATEGY_NOT_FOUND', 'Strategy not found for this wallet')
    await expect(history(unknown)).rejects.toMatchObject({ code: 'STRATEGY_NOT_FOUND' })
  })
})

describe('a transaction of an action', () => {
  const hash3 = `0x${'3'.repeat(64)}`
  test.each([
    [{ chain: 'base', txHash: hash3, status: 'SUCCESS' }, 'base', null],
    [{ chain: 8453, txHash: hash3, status: 'confirmed' }, null, 8453],
    [{ chain: '8453', txHash: hash3, status: 'confirmed' }, null, 8453],
    [{ chain: { name: 'base', chainId: 8453 }, txHash: hash3, status: 'confirmed' }, 'base', 8453],
    [{ chain: { id: 8453 }, hash: hash3 }, null, 8453],
    [{ network: 'base', chainId: '8453', hash: hash3 }, 'base', 8453],
    [{ chainId: 8453, hash: hash3 }, null, 8453],
    [{ chain: ['base'], hash: hash3 }, null, null],
    [hash3, null, null],
  ])('sent as %j prints its chain', async (item, network, chainId) => {
    const amounts = { in: '5', out: { amount: '5' } }
    other.fails = {
      status: 200,
      body: JSON.stringify({ id, type: 'DEPOSIT', status: 'pending', amounts, transactions: [item] }),
    }
    const shown = await ask(`action show ${id} --json`)
    expect(shown.json.transactions).toMatchObject([{ hash: hash3, network, chainId }])
    const { out, err } = await ask(`action show ${id}`)
    expect(err).toBe('')
    expect(out).toContain(`${network ?? (chainId === null ? '-' : `chain ${chainId}`)}  ${hash3}`)
    expect(out).not.toContain('null')
    const explained = await ask(`action explain ${id}`)
    expect(explained.out).not.toContain('null')
    if (network) expect(explained.out).toContain(`on ${network}`)
    // Only the sandbox has an RPC here: what could not be asked is not called missing.
    const told = (await ask(`action explain ${id} --json`)).json
    const isNamed = network !== null || chainId !== null
    expect(told.funds).toContain(
      isNamed ? 'no RPC is set for base (SLUICE_RPC_BASE)' : 'not found on any network here',
    )
    expect(JSON.stringify(told).includes('not found')).toBe(!isNamed)
    const without = { SLUICE_RPC_SANDBOX_ONE: '', SLUICE_RPC_SANDBOX_TWO: '' }
    const blind = (await ask(`action explain ${id} --json`, without)).json
    expect(blind.funds).toMatch(
      isNamed ? /no RPC is set for base/ : /no RPC is set for \d+ others, such as [\w-]+, [\w-]+/,
    )
    expect(JSON.stringify(blind)).not.toContain('not found')
    // The next step names what to set, and is one command.
    const next = `SLUICE_RPC_BASE=URL sluice action explain ${id}`
    expect([told.next, blind.next]).toEqual(
      isNamed ? [next, next] : [`sluice action watch ${id}`, `sluice action watch ${id}`],
    )
    if (isNamed) expect(blind.funds).toContain('no RPC is set for base (SLUICE_RPC_BASE)')
  })
})

describe('a status', () => {
  test('of a swap or an action is read, with null for missing optional fields', async () => {
    expect(await read(lines().status, {})).toEqual({
      id,
      status: 'reported',
      reported: 'fulfilled',
      originTxHash: `0x${'4'.repeat(64)}`,
      destinationTxHash: `0x${'5'.repeat(64)}`,
      provider: 'a-provider',
    })
    const action = await read(lines().action, {})
    expect(action).toMatchObject({
      id,
      type: 'CROSSCHAIN_INVESTMENT_DEPOSIT',
      status: 'PENDING',
      strategySlug: slug,
      originAddress: known.wallet,
      amounts: { anything: ['goes'] },
      transactions: [{ index: 0, hash: `0x${'3'.repeat(64)}`, chainId: 31337, kind: null, nonce: null }],
      createdAt: '2026-01-01T00:00:00.000Z',
      finishedAt: null,
    })
    for (const optional of ['null', 'missing'] as const) {
      expect(await read(lines().status, { optional })).toEqual({
        id,
        status: 'reported',
        reported: 'fulfilled',
        originTxHash: null,
        destinationTxHash: null,
        provider: null,
      })
      expect(await read(lines().action, { optional })).toEqual({
        id,
        type: 'CROSSCHAIN_INVESTMENT_DEPOSIT',
        status: 'PENDING',
        strategyId: null,
        strategySlug: null,
        originAddress: null,
        receiverAddress: null,
        amounts: null,
        transactions: [],
        createdAt: null,
        updatedAt: null,
        finishedAt: null,
        source: 'service',
      })
    }
  })

  test('that is unknown is passed on unchanged, with one warning', async () => {
    const warned = async (line: string) => {
      other.variant = { ...reference, words: 'new' }
      const ran = await ask(`${line} --json`)
      expect((await ask(`${line} --json --quiet`)).err).toBe('')
      return { json: ran.json, err: ran.err.split('\n').slice(0, -1) }
    }
    const told = (word: string, of: string) =>
      `Unknown ${of} "${word}" from the service; it is passed on unchanged`
    expect(await warned(lines().status)).toMatchObject({
      json: { status: 'Teleported' },
      err: [told('Teleported', 'status of a swap')],
    })
    expect(await warned(lines().action)).toMatchObject({
      json: { status: 'Parked' },
      err: [told('Parked', 'status of an action')],
    })
    expect(await warned(lines().quotes)).toMatchObject({
      json: { items: [{ status: 'Simmering' }] },
      err: [told('Simmering', 'status of a quote')],
    })
    expect(await warned(lines().history)).toMatchObject({
      json: { items: [{ type: 'Harvest', status: 'Settled' }, { type: 'Harvest' }] },
      err: [
        told('Harvest', 'type of an event of the history'),
        told('Settled', 'status of an event of the history'),
      ],
    })
  })
})

describe('fallback to the legacy endpoints', () => {
  test.each<[Line]>([['list'], ['show'], ['recommend'], ['full'], ['status']])(
    'serves %s when the current endpoint is missing',
    async (name) => {
      const line = lines()[name]
      const env = { SLUICE_LEGACY_BASE_URL: other.url }
      expect(await read(line, { pages: 'older' }, env)).toEqual(await read(line, { strategy: 'composite' }))
      other.variant = { ...reference, pages: 'older' }
      const without = await ask(`${line} --json`)
      expect({ exit: without.exit, code: without.json.error.code }).toEqual({ exit: 4, code: 'NOT_FOUND' })
    },
  )

  test.each(['STRATEGY_NOT_FOUND', 'NOTHING_LIKE_THAT'])(
    'is not used for a 404 with the code %s',
    async (code) => {
      other.fails = { status: 404, body: JSON.stringify({ error: { code, message: 'no' } }) }
      const { exit } = await ask(`${lines().show} --json`, { SLUICE_LEGACY_BASE_URL: other.url })
      expect({ exit, asked: other.asked }).toEqual({ exit: 4, asked: [`GET /strategies/${slug}`] })
    },
  )

  test('is not used for a quote with options that the legacy endpoint lacks', async () => {
    other.variant = { ...reference, pages: 'older' }
    const env = { SLUICE_LEGACY_BASE_URL: other.url }
    for (const more of [
      '--slippage 1%',
      '--provider some',
      '--refund 0x8888888888888888888888888888888888888888',
    ])
      expect((await ask(`${lines().quote} ${more} --json`, env)).exit).toBe(4)
    expect(other.asked.filter((path) => path.includes('/v1/'))).toEqual([])
  })
})

describe('a deposit', () => {
  test.each<[Partial<Variant>]>([
    [{}],
    [{ chainId: 'text' }],
    [{ strategy: 'composite' }],
    [{ strategy: 'quickstart' }],
    [{ optional: 'missing' }],
  ])('is planned from the transactions of the variant %j', async (variant) => {
    other.variant = { ...reference, ...variant }
    const ran = await signsNothing(() => ask(`deposit ${slug} --amount 100 --dry-run --json`))
    expect({ exit: ran.exit, err: ran.err }).toMatchObject({ exit: 0 })
    const steps = ran.json.steps.map(({ to, data, value }: Document) => ({ to, data, value }))
    expect(steps).toEqual(known.calls)
    expect(ran.json.simulation.changes.length).toBeGreaterThan(0)
  })
})

describe('the transactions of a swap', () => {
  test.each<[Partial<Variant>]>([
    [{}],
    [{ swapData: 'array' }],
    [{ gasLimit: false }],
    [{ chainId: 'text' }],
    [{ optional: 'null' }],
    [{ optional: 'missing', swapData: 'array' }],
  ])('are requested with the unchanged quote, and read from the variant %j', async (variant) => {
    other.variant = { ...reference, ...variant }
    const service = remoteService({ baseUrl: other.url, apiKey: 'key-12345' })
    const { address } = sandbox.user
    const { quote } = await service.quote({
      chainIdIn: 31337,
      chainIdOut: 31337,
      tokenIn: sandbox.token(31337, 'USDC').address,
      tokenOut: sandbox.token(31337, 'WETH').address,
      amountIn: 100_000_000n,
    })
    const made = await service.swapBytecode({ quote: quote.raw as never, walletAddress: address })
    expect(other.sent).toEqual({ ...JSON.parse(other.said[0]!), walletAddress: address })
    const [approval, swap] = known.calls.map((call) => ({
      ...call,
      value: BigInt(call.value),
      chainId: 31337,
    }))
    expect(made.approvals).toMatchObject(variant.optional === 'missing' ? [] : [approval])
    expect(made.transactions).toMatchObject([swap!])
    expect(made.transactions).toHaveLength(1)
    const isSent = variant.optional === undefined
    expect(made).toMatchObject({ provider: 'a-provider', chainId: 31337, message: isSent ? 'Done' : null })
  })
})

describe('error codes of the specification', () => {
  const exitOf = (code: string, status: number) => (code === 'RATE_LIMITED' ? 5 : status >= 500 ? 6 : 4)
  const refuse = (status: number, error: object) => {
    other.fails = { status, body: JSON.stringify({ error }) }
  }

  test.each(specificationCodes)(
    '%s (%i) has its exit code, its code in the JSON and a hint',
    async (code, status) => {
      // A wait of an hour ends the command at once; other errors end it after a few retries.
      const details = { some: 'context', ...(status === 429 && { retryAfter: 3600 }) }
      refuse(status, { code, message: 'What happened', details })
      // A rate limit blocks its API key, so each command uses another key.
      for (const [line, key] of [
        [lines().status, 'key-12345'],
        [lines().show, 'key-23456'],
      ] as const) {
        const { exit, json } = await ask(`${line} --json`, {}, key)
        expect({ exit, code: json.error.code }).toEqual({ exit: exitOf(code, status), code })
        expect(json.error).toMatchObject({ message: 'What happened', details: { some: 'context' } })
        expect(json.error.hint).toMatch(
          /sluice \w+|--\w+|Wait \d+ (second|minute)s|Run the same command again/,
        )
      }
      const words = await ask(lines().status, {}, 'key-34567')
      expect({ exit: words.exit, out: words.out }).toEqual({ exit: exitOf(code, status), out: '' })
      expect(words.err).toMatch(
        new RegExp(
          `^error The service says: "What happened" \\(${code}\\)\\nnext(?: {2}|\\n {6}sluice )\\S`,
          'm',
        ),
      )
    },
  )

  test('are 28', () => {
    expect(new Set(specificationCodes.map(([code]) => code)).size).toBe(28)
  })

  test.each([
    ['no API key provided', 'MISSING_API_KEY'],
    ['invalid API key', 'INVALID_API_KEY'],
    ['invalid API key', 'QUOTE_NOT_FOUND'],
  ])('401 "%s" with the code %s is exit code 3', async (message, code) => {
    refuse(401, { code, message })
    const { exit, json } = await ask(`${lines().show} --json`)
    expect(exit).toBe(3)
    expect(json.error).toMatchObject({ code: 'UNAUTHORIZED', message, details: { code } })
    expect(json.error.hint).toContain('sluice config list --show-origin')
  })

  test('422 is exit code 2, and names the invalid field', async () => {
    const errors = [{ path: ['amount'], message: 'must be whole' }]
    refuse(422, { code: 'UNPROCESSABLE', message: 'The request is not valid', details: { errors } })
    const { exit, json } = await ask(`${lines().show} --json`)
    expect(exit).toBe(2)
    expect(json.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'The request is not valid (amount: must be whole)',
      details: { errors },
    })
    expect(json.error.hint).toContain('sluice strategies show --help')
  })

  test('an overlong ID is refused without a request', async () => {
    const { exit, json } = await ask(`strategies show ${'x'.repeat(201)} --json`)
    expect({ exit, code: json.error.code, asked: other.asked }).toEqual({
      exit: 2,
      code: 'VALIDATION_ERROR',
      asked: [],
    })
  })

  test('204 instead of a body is exit code 6', async () => {
    other.fails = { status: 204, body: '' }
    for (const line of Object.values(lines())) {
      const { exit, json } = await ask(`${line} --json`)
      expect({ line, exit, code: json.error.code }).toEqual({ line, exit: 6, code: 'SERVICE_BAD_RESPONSE' })
    }
  })
})
