import { afterEach, describe, expect, test } from 'vitest'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { nativeAddress } from '../../src/domain/address.ts'
import { errorTable } from '../../src/domain/error-table.ts'
import { type ErrorCode, errorRow } from '../../src/domain/errors.ts'
import type { EngineInputs } from '../../src/engine/engine.ts'
import { type Loopback, serveLoopback } from '../../src/sandbox/loopback-server.ts'
import { withAttestation, withoutProviders } from '../support/changed-catalogs.ts'
import { engineOn, operating, over, perform } from '../support/engine.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const someone = '0x2222222222222222222222222222222222222222'
const at = (symbol: string, chainId = 31337) => sandbox.token(chainId, symbol).address
const open: Loopback[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

type Ask = ReturnType<typeof over>
type Answer = Awaited<ReturnType<Ask>>

const near = (change: object = {}) => ({
  chainIdIn: 31337,
  chainIdOut: 31337,
  tokenIn: at('USDC'),
  tokenOut: at('WETH'),
  amountIn: '1000000000',
  ...change,
})
const far = (change: object = {}) => near({ chainIdOut: 31338, tokenOut: at('USDC', 31338), ...change })
const quoteWith = (change: object) => (ask: Ask) => ask('GET', '/v2/swap/quote', near(change))
const without = (name: string) => (ask: Ask) => {
  const { [name]: _, ...rest } = near() as Record<string, unknown>
  return ask('GET', '/v2/swap/quote', rest)
}
const ramp = (from: string, to: string, amounts: () => object) => (ask: Ask) => {
  const { amountIn: _, ...rest } = near({ tokenIn: at(from), tokenOut: at(to) })
  return ask('GET', '/v2/swap/quote', { ...rest, ...amounts() })
}
const usdc = (whole: bigint, more = 0n) => String(whole * 10n ** 6n + more)
const brla = (whole: bigint, more = 0n) => String(whole * 10n ** 18n + more)

/** An attestation service with this answer to every request. No other bridge is configured. */
async function attestation(status: number, body: unknown): Promise<Partial<EngineInputs>> {
  const server = await serveLoopback(() => ({ status, body }))
  open.push(server)
  return {
    catalog: withoutProviders(
      withAttestation(sandbox.world.catalog(), server.url),
      'across',
      'lifi',
      'relay',
    ),
  }
}

/** Takes a quote and lets its swap revert, by not sending the approval. */
async function reverted(ask: Ask): Promise<Answer> {
  const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
  const taken = await ask('POST', '/v2/swap/bytecode', { quote, walletAddress: wallet })
  const { to, data } = taken.body.transactionData
  const receipt = await sandbox.sendAs(31337, wallet, { to, data })
  expect(receipt.status).toBe('0x0')
  const again = await ask('POST', '/v2/swap/bytecode', { quote, walletAddress: wallet })
  expect(again.body.error.details).toEqual({ txHash: receipt.transactionHash })
  expect((await ask('GET', `/v2/swap/status/${quote.id}`)).body.status).toBe('failed')
  return again
}

/** The request that provokes each code, on an engine that may be configured for it. */
const provoked: Record<string, (ask: Ask, engine: typeof asked) => Promise<Answer>> = {
  QUOTE_NOT_FOUND: (ask) => ask('GET', '/v2/swap/status/nothing'),
  QUOTE_EXPIRED: async (_, engine) => {
    let shift = 0
    const ask = engine({ now: () => Date.now() + shift })
    const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
    shift = 300_001
    return ask('POST', '/v2/swap/bytecode', { quote, walletAddress: wallet })
  },
  QUOTE_GENERATION_FAILED: quoteWith({ amountIn: '0' }),
  QUOTE_VALIDATION_ERROR: async (ask) => {
    const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
    return ask('POST', '/v2/swap/bytecode', { quote: { ...quote, minAmountOut: '1' }, walletAddress: wallet })
  },
  NO_ROUTE_FOUND: (ask) => ask('GET', '/v2/swap/quote', far({ tokenOut: nativeAddress })),
  INVALID_PREFERRED_PROVIDER: quoteWith({ preferredProvider: 'nobody' }),
  PREFERRED_PROVIDER_NOT_ELIGIBLE: quoteWith({ preferredProvider: 'cctp' }),
  PREFERRED_PROVIDER_QUOTE_UNAVAILABLE: (ask) => {
    const { amountIn: _, ...rest } = near({
      amountOut: `1${'0'.repeat(30)}`,
      preferredProvider: 'uniswap-v3',
    })
    return ask('GET', '/v2/swap/quote', rest)
  },
  PROVIDER_NOT_FOUND: async (ask, engine) => {
    const { quote } = (await ask('GET', '/v2/swap/quote', far())).body
    const later = engine({ catalog: withAttestation(sandbox.world.catalog(), null) })
    return later('POST', '/v2/swap/bytecode', { quote, walletAddress: wallet })
  },
  BYTECODE_GENERATION_FAILED: async (ask) => {
    const { receipt } = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
    await sandbox.chain(31337).rpc.request('anvil_setCode', [receipt.address, '0x60006000fd'])
    const query = { action: 'lend', amount: '1', wallet }
    return ask('GET', '/strategies/sandbox-vault-usdc-sandbox-one/bytecode', query)
  },
  SWAP_EXECUTION_FAILED: reverted,
  INVALID_AMOUNT_PARAMS: quoteWith({ amountOut: '1' }),
  MISSING_AMOUNT_PARAMS: without('amountIn'),
  INVALID_SLIPPAGE: quoteWith({ slippage: '0.51' }),
  AMOUNT_IN_TOO_LOW_OFFRAMP: ramp('USDC', 'BRLA', () => ({ amountIn: usdc(1n) })),
  AMOUNT_IN_TOO_HIGH_OFFRAMP: ramp('USDC', 'BRLA', () => ({ amountIn: usdc(5_000n) })),
  AMOUNT_OUT_TOO_LOW_OFFRAMP: ramp('USDC', 'BRLA', () => ({ amountOut: brla(5n) })),
  AMOUNT_OUT_TOO_HIGH_OFFRAMP: ramp('USDC', 'BRLA', () => ({ amountOut: brla(26_000n) })),
  AMOUNT_IN_TOO_LOW_ONRAMP: ramp('BRLA', 'USDC', () => ({ amountIn: brla(5n) })),
  AMOUNT_IN_TOO_HIGH_ONRAMP: ramp('BRLA', 'USDC', () => ({ amountIn: brla(75_000n) })),
  AMOUNT_OUT_TOO_LOW_ONRAMP: ramp('BRLA', 'USDC', () => ({ amountOut: usdc(1n) })),
  AMOUNT_OUT_TOO_HIGH_ONRAMP: ramp('BRLA', 'USDC', () => ({ amountOut: usdc(15_000n) })),
  TRANSFER_VALIDATION_FAILED: (ask) =>
    ask('POST', '/transfer/bytecode', {
      originAddress: wallet,
      destinationAddress: wallet,
      token: at('USDC'),
      chainId: 31337,
      amount: '1',
    }),
  INSUFFICIENT_AMOUNT_FOR_REFUND: (ask) =>
    ask('GET', '/v2/swap/quote', far({ amountIn: '1', refundAddress: wallet, transferSpeed: 'fast' })),
  DEPOSIT_NOT_FOUND: async (ask) => {
    const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
    return ask('GET', `/v2/swap/status/${quote.id}`, { btcTxHash: 'ab'.repeat(32) })
  },
  INTERNAL_SERVER_ERROR: (_, engine) => {
    // Nothing listens on this loopback port.
    const ask = engine({ rpc: () => httpRpc('http://127.0.0.1:1', { retries: 0 }) })
    return ask('GET', '/strategies')
  },
  PROVIDER_API_ERROR: async (_, engine) =>
    engine(await attestation(500, { error: 'out of order' }))('GET', '/v2/swap/quote', far()),
}

let store: EngineInputs['store'] | undefined
/** An engine of the same customer with the store of the current test. */
const asked = (needs: Partial<EngineInputs> = {}): Ask => {
  const { service, context } = engineOn(sandbox, { ...(store && { store }), ...needs })
  store = context.store
  return over(service)
}
afterEach(() => {
  store = undefined
})

const codes = (Object.keys(errorTable) as ErrorCode[]).slice(0, 28).filter((code) => code !== 'RATE_LIMITED')

describe('every error code of the specification is the answer to a request', () => {
  test.each(codes)('%s', async (code) => {
    const { status, body } = await provoked[code]!(asked(), asked)
    expect(body).toEqual({
      error: {
        code,
        message: expect.stringMatching(/.{8,}/),
        ...(body.error.details && { details: expect.any(Object) }),
      },
    })
    expect(status).toBe(errorRow(code).status)
    expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|node_modules|\.ts:|stack|SLUICE_/)
  })
})

describe('a ramp', () => {
  const inside: [string, string, string, string][] = [
    ['USDC', 'BRLA', 'amountIn', usdc(1n, 1n)],
    ['USDC', 'BRLA', 'amountIn', usdc(5_000n, -1n)],
    ['USDC', 'BRLA', 'amountOut', brla(5n, 1n)],
    ['USDC', 'BRLA', 'amountOut', brla(26_000n, -1n)],
    ['BRLA', 'USDC', 'amountIn', brla(5n, 1n)],
    ['BRLA', 'USDC', 'amountIn', brla(75_000n, -1n)],
    ['BRLA', 'USDC', 'amountOut', usdc(1n, 1n)],
    ['BRLA', 'USDC', 'amountOut', usdc(15_000n, -1n)],
  ]
  test.each(inside)(
    'from %s to %s quotes an amount just inside its limits: %s %s',
    async (from, to, name, amount) => {
      expect((await ramp(from, to, () => ({ [name]: amount }))(asked())).status).toBe(200)
    },
  )

  test('exists only between USDC and BRLA of the catalogue', async () => {
    const ask = asked()
    expect((await ramp('BRLA', 'WETH', () => ({ amountIn: brla(1n) }))(ask)).status).toBe(200)
    expect((await ramp('USDT', 'BRLA', () => ({ amountIn: usdc(6_000n) }))(ask)).status).toBe(200)
    const { tokens, ...rest } = sandbox.world.catalog()
    const catalog = { ...rest, tokens: tokens.filter(({ symbol }) => symbol !== 'BRLA') }
    expect((await ramp('USDC', 'BRLA', () => ({ amountIn: usdc(6_000n) }))(asked({ catalog }))).status).toBe(
      200,
    )
  })
})

describe('the CCTP provider', () => {
  test.each([
    ['with an error', 500, {}],
    ['with malformed fees', 200, { fees: 'high' }],
    ['without a fee for this speed', 200, []],
    ['with a fee of 100 percent', 200, [{ finalityThreshold: 1000, minimumFee: 10_000 }]],
  ])('whose fee service answers %s is PROVIDER_API_ERROR with its name', async (_, status, body) => {
    const ask = asked(await attestation(status, body))
    expect(await ask('GET', '/v2/swap/quote', far())).toMatchObject({
      status: 502,
      body: { error: { code: 'PROVIDER_API_ERROR', details: { provider: 'cctp' } } },
    })
    // When it is the preferred provider, the error is that this provider has no quote.
    expect((await ask('GET', '/v2/swap/quote', far({ preferredProvider: 'cctp' }))).body.error.code).toBe(
      'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE',
    )
  })

  test('whose status service fails is PROVIDER_API_ERROR', async () => {
    const ask = asked()
    const { quote } = (await ask('GET', '/v2/swap/quote', far())).body
    const { approveData, transactionData } = (
      await ask('POST', '/v2/swap/bytecode', { quote, walletAddress: wallet })
    ).body
    await perform(sandbox, wallet, [approveData, transactionData])
    const path = `/v2/swap/status/${quote.id}`
    for (const [status, body] of [
      [503, {}],
      [200, 'nonsense'],
      [200, {}],
    ] as const)
      expect(await asked(await attestation(status, body))('GET', path)).toMatchObject({
        status: 502,
        body: { error: { code: 'PROVIDER_API_ERROR', details: { provider: 'cctp', status } } },
      })
    const nowhere = { catalog: withAttestation(sandbox.world.catalog(), 'http://127.0.0.1:1') }
    expect((await asked(nowhere)('GET', path)).body.error).toMatchObject({
      code: 'PROVIDER_API_ERROR',
      details: { provider: 'cctp' },
    })
    expect((await asked(await attestation(404, {}))('GET', path)).body.status).toBe('confirmed')
    expect((await ask('GET', path)).status).toBe(200)
  })

  test('reports an amount too small to refund only when a refund address is given', async () => {
    const ask = asked()
    const of = async (change: object) =>
      (await ask('GET', '/v2/swap/quote', far({ transferSpeed: 'fast', ...change }))).body.error?.code
    expect(await of({ amountIn: '1' })).toBe('NO_ROUTE_FOUND')
    expect(await of({ amountIn: '1', refundAddress: someone })).toBe('INSUFFICIENT_AMOUNT_FOR_REFUND')
    expect(await of({ amountIn: '1', refundAddress: someone, preferredProvider: 'cctp' })).toBe(
      'INSUFFICIENT_AMOUNT_FOR_REFUND',
    )
    expect(await of({ amountIn: '2', refundAddress: someone })).toBeUndefined()
    expect(await of({ amountIn: '1', refundAddress: someone, transferSpeed: 'standard' })).toBeUndefined()
  })
})

test('a malformed Bitcoin hash is 422, and a valid one requires a known quote', async () => {
  const ask = asked()
  const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
  for (const btcTxHash of ['', 'ab', `0x${'ab'.repeat(32)}`, 'zz'.repeat(32)])
    expect((await ask('GET', `/v2/swap/status/${quote.id}`, { btcTxHash })).status).toBe(422)
  const known = { btcTxHash: 'AB'.repeat(32) }
  expect((await ask('GET', '/v2/swap/status/nothing', known)).body.error.code).toBe('QUOTE_NOT_FOUND')
})

test('a quote can be taken several times before its swap is sent', async () => {
  const ask = asked()
  const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
  const body = { quote, walletAddress: wallet }
  for (let times = 0; times < 3; times++) {
    const taken = await ask('POST', '/v2/swap/bytecode', body)
    expect(taken.status).toBe(200)
    if (times === 1) await perform(sandbox, wallet, [taken.body.approveData])
  }
})

describe('the errors of swap bytecode', () => {
  test('name each missing parameter, and a quote without a provider', async () => {
    const ask = asked()
    const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
    const { provider: _, ...nameless } = quote
    for (const path of ['/v2/swap/bytecode', '/swap/bytecode', '/v1/swap/bytecode']) {
      expect(await ask('POST', path, {})).toMatchObject({
        status: 422,
        body: {
          error: {
            details: {
              errors: [
                { path: 'quote', message: 'is missing' },
                { path: 'walletAddress', message: 'is missing' },
              ],
            },
          },
        },
      })
      for (const bad of [nameless, { ...quote, provider: null }, { ...quote, provider: '' }])
        expect(await ask('POST', path, { quote: bad, walletAddress: wallet })).toMatchObject({
          status: 400,
          body: { error: { code: 'QUOTE_VALIDATION_ERROR', message: 'The quote names no provider' } },
        })
      expect((await ask('POST', path, { quote, walletAddress: 'me' })).body.error.code).toBe(
        'INVALID_ADDRESS',
      )
    }
  })
})

test('a paused strategy refuses only the actions that its protocol blocks, and availableActions lists the others', async () => {
  const ask = asked()
  const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  const vault = sandbox.strategy('sandbox-vault-USDC-sandbox-one')
  const path = `/strategies/${vault.slug}`
  const bytecode = async (action: string, id = path) =>
    ask('GET', `${id}/bytecode`, { action, amount: '1000000', wallet })
  await perform(sandbox, wallet, (await bytecode('lend')).body.bytecode)
  expect((await ask('GET', path)).body).toMatchObject({
    paused: false,
    availableActions: ['lend', 'withdraw'],
  })
  const data = calldata('function setPaused(bool)', [true])
  expect((await sandbox.sendAs(31337, owner, { to: vault.receipt.address, data })).status).toBe('0x1')
  expect((await ask('GET', path)).body).toMatchObject({ paused: true, availableActions: ['withdraw'] })
  expect(await bytecode('lend')).toMatchObject({
    status: 400,
    body: { error: { code: 'STRATEGY_PAUSED', details: { action: 'lend' } } },
  })
  const out = await ask('GET', `${path}/bytecode`, { action: 'withdraw', amount: '500000', wallet })
  expect(out.status).toBe(200)
  await perform(sandbox, wallet, out.body.bytecode)
  // The protocol of this one blocks both.
  const closed = '/strategies/aave-v3-wbtc-sandbox-two'
  expect((await ask('GET', closed)).body).toMatchObject({ paused: true, availableActions: [] })
  for (const action of ['lend', 'withdraw'])
    expect((await bytecode(action, closed)).body.error.code).toBe('STRATEGY_PAUSED')
  expect((await bytecode('request-lend')).status).toBe(422)
})

describe('the transactions of a swap', () => {
  test('have every field of the specification, with a gas limit from the node', async () => {
    const ask = asked()
    const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
    const take = async () => (await ask('POST', '/v2/swap/bytecode', { quote, walletAddress: wallet })).body
    const first = await take()
    expect(Object.keys(first).toSorted()).toEqual(
      [
        'type',
        'provider',
        'chainId',
        'transactionData',
        'approveData',
        'feeData',
        'order',
        'swapDetails',
        'rawSwapData',
        'message',
      ].toSorted(),
    )
    expect(first).toMatchObject({ type: 'SAMECHAIN_SWAP', provider: 'uniswap-v3', chainId: 31337 })
    expect(first).toMatchObject({ feeData: null, order: ['approveData', 'transactionData'] })
    // The approval is still missing, so the swap is simulated after it.
    expect(first.transactionData).toMatchObject({
      gasLimit: expect.stringMatching(/^[1-9][0-9]+$/),
      gasLimitReason: null,
    })
    expect(first.swapDetails).toEqual({
      tokenIn: {
        contract: quote.tokenIn.contract,
        symbol: 'USDC',
        decimals: 6,
        chainId: 31337,
        amount: '1000000000',
        maxAmount: quote.maxAmountIn,
      },
      tokenOut: {
        contract: quote.tokenOut.contract,
        symbol: 'WETH',
        decimals: 18,
        chainId: 31337,
        amount: quote.tokenOut.amount,
        minAmount: quote.minAmountOut,
      },
      recipient: wallet,
    })
    expect(first.rawSwapData.transaction).toEqual(first.transactionData)
    await perform(sandbox, wallet, [first.approveData])
    const { transactionData, approveData } = await take()
    expect(approveData).toBeNull()
    expect(transactionData.gasLimit).toMatch(/^[1-9][0-9]+$/)
    const { to, data } = transactionData
    const receipt = await sandbox.sendAs(31337, wallet, { to, data })
    const { gasUsed } = await sandbox
      .chain(31337)
      .rpc.request<{ gasUsed: string }>('eth_getTransactionReceipt', [receipt.transactionHash])
    // The estimate covers the gas that is needed, which may exceed the gas that is used.
    expect(Number(transactionData.gasLimit) / Number(gasUsed)).toBeGreaterThan(1.2)
    expect(Number(transactionData.gasLimit) / Number(gasUsed)).toBeLessThan(1.6)
    expect(Number(first.transactionData.gasLimit) / Number(gasUsed)).toBeGreaterThan(1.3)
    expect(Number(first.transactionData.gasLimit) / Number(gasUsed)).toBeLessThan(2)
  })

  test('that would revert now have no gas limit, and state the reason', async () => {
    const ask = asked()
    const poor = someone
    const { quote } = (
      await ask('GET', '/v2/swap/quote', near({ tokenIn: at('WETH'), tokenOut: at('USDC') }))
    ).body
    const approve = calldata('function approve(address,uint256)', [
      (await ask('POST', '/v2/swap/bytecode', { quote, walletAddress: poor })).body.transactionData.to,
      quote.maxAmountIn,
    ])
    const { rpc } = sandbox.chain(31337)
    await rpc.request('anvil_setBalance', [poor, '0xde0b6b3a7640000'])
    await rpc.request('anvil_impersonateAccount', [poor])
    await perform(sandbox, poor, [{ to: at('WETH'), data: approve, value: 0n, chainId: 31337 }])
    const { body } = await ask('POST', '/v2/swap/bytecode', { quote, walletAddress: poor })
    expect(body).toMatchObject({ approveData: null, transactionData: { gasLimit: null } })
    expect(body.transactionData.gasLimitReason).toMatch(/^Gas could not be estimated: .*revert/)
  })

  test('of a wallet without funds have no gas limit, also behind an approval', async () => {
    const ask = asked()
    const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
    const poor = '0x3333333333333333333333333333333333333333'
    const { body } = await ask('POST', '/v2/swap/bytecode', { quote, walletAddress: poor })
    expect(body.approveData).not.toBeNull()
    expect(body.transactionData).toMatchObject({
      gasLimit: null,
      gasLimitReason: expect.stringMatching(/^Gas could not be estimated: ./),
    })
  })

  test.each([[null], [[]], [[{ calls: 'none' }]], [[{ calls: [{ status: '0x1' }, { status: '0x1' }] }]]])(
    'have no gas limit when the node simulates %j, and are returned anyway',
    async (answer) => {
      const { rpc } = sandbox.chain(31337)
      const odd = {
        ...rpc,
        request: (method: string, params: readonly unknown[]) =>
          method === 'eth_simulateV1' ? Promise.resolve(answer) : rpc.request(method, params),
      } as typeof rpc
      const ask = asked({ rpc: (id) => (id === 31337 ? odd : sandbox.chain(id).rpc) })
      const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
      const { status, body } = await ask('POST', '/v2/swap/bytecode', { quote, walletAddress: wallet })
      expect([status, body.transactionData.gasLimit]).toEqual([200, null])
      expect(body.transactionData.gasLimitReason).toMatch(/^Gas could not be estimated: ./)
    },
  )

  test('keep the swap as one object, with the fee transfer in a field of its own', async () => {
    const { service, context } = engineOn(sandbox)
    await operating(context, { operatorCollector: someone })
    const ask = over(service)
    const { quote } = (await ask('GET', '/v2/swap/quote', near({ preferredProvider: 'uniswap-v2' }))).body
    const { body } = await ask('POST', '/v2/swap/bytecode', { quote, walletAddress: wallet })
    expect(body.order).toEqual(['approveData', 'transactionData', 'feeData'])
    expect(body.transactionData).toMatchObject({ gasLimit: expect.stringMatching(/^[1-9]/) })
    expect(body.feeData).toEqual({
      to: at('USDC'),
      data: calldata('function transfer(address,uint256)', [someone, 2_500000n]),
      value: '0',
      chainId: 31337,
    })
    const sent = body.order.map((name: string) => ({ ...body[name], value: 0n }))
    const before = await sandbox.balanceOf(31337, at('USDC'), someone)
    await perform(sandbox, wallet, sent)
    expect((await sandbox.balanceOf(31337, at('USDC'), someone)) - before).toBe(2_500000n)
  })
})

test('a quote of a completed swap cannot be taken again', async () => {
  const ask = over(engineOn(sandbox).service)
  const { quote } = (await ask('GET', '/v2/swap/quote', near())).body
  const taken = (await ask('POST', '/v2/swap/bytecode', { quote, walletAddress: wallet })).body
  const [swap] = await perform(
    sandbox,
    wallet,
    [taken.approveData, taken.transactionData].map((one) => ({
      ...one,
      value: BigInt(one.value),
      chainId: 31337,
    })),
  ).then((receipts) => receipts.slice(-1))
  for (const walletAddress of [wallet, someone]) {
    const again = await ask('POST', '/v2/swap/bytecode', { quote, walletAddress })
    expect(again).toMatchObject({
      status: 400,
      body: { error: { code: 'QUOTE_VALIDATION_ERROR', details: { txHash: swap!.transactionHash } } },
    })
  }
})
