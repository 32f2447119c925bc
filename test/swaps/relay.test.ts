import { readFileSync } from 'node:fs'
import { encodeFunctionData, numberToHex, padHex, recoverMessageAddress, toEventSelector } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { filesOf } from '../../src/app/profiles/catalog-of-configured-networks.ts'
import { erc20Abi } from '../../src/chain/erc20.ts'
import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import { publicNetworks, sandboxNetworks } from '../../src/domain/networks.ts'
import type { Token } from '../../src/domain/token.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import type { LoopbackAnswer } from '../../src/sandbox/loopback-server.ts'
import type { OfferRequest } from '../../src/swaps/provider.ts'
import type { SwapDependencies } from '../../src/swaps/provider-dependencies.ts'
import { type RelayConstants, relayContracts } from '../../src/swaps/relay/constants-schema.ts'
import { decodeOrder, orderIdOf, type RelayEnds } from '../../src/swaps/relay/order.ts'
import { relay } from '../../src/swaps/relay/provider.ts'
import { refundFault } from '../../src/swaps/relay/refund-terms-check.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { swapExpectation } from '../../src/swaps/swap-provider-registry.ts'
import { madeBy } from '../oracles/make.ts'
import { oracles } from '../oracles/sets.ts'
import {
  catalog,
  coin,
  depository,
  friend,
  relayRouter,
  solver,
  thief,
  usdc,
  usdcThere,
  usdt,
  wallet,
} from '../support/plans/plan-fixtures.ts'
import {
  depositCall,
  depositoryAbi,
  numberOf,
  type ShownOrder,
  termsOf,
  withTerms,
} from '../support/services/relay-orders.ts'
import {
  type Answering,
  exchangeSoon,
  serviceFailures,
  useProviderService,
} from '../support/services/swap-provider-service.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const deadline = 1_900_000_000
const [amountIn, least] = [1_000_000n, 990_000n]
const requestId = padHex('0x0e')
/** A token missing from the catalogue. */
const unknown: Address = `0x${'de'.repeat(20)}`
const transferTopic = toEventSelector(erc20Abi.find(({ name }) => name === 'Transfer')!)
const chainIds = { 'sandbox-one': 31337, 'sandbox-two': 31338, elsewhere: 1 }
const sampleOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`./samples/relay-${name}.json`, import.meta.url), 'utf8'))

type Changes = {
  order?: Partial<ShownOrder>
  payment?: Partial<ShownOrder['inputs'][0]['payment']>
  refund?: Partial<ShownOrder['inputs'][0]['refunds'][0]>
  output?: Partial<ShownOrder['output']>
  paid?: Partial<ShownOrder['output']['payments'][0]>
}

/** The order of a transfer of a million units, with a minimum output of 990,000. */
function orderFor(
  tokenIn: Token,
  payee: Address,
  { order, payment, refund, output, paid }: Changes = {},
): ShownOrder {
  const back = { minimumAmount: '0', deadline: deadline + 604_800, extraData: padHex(relayRouter) }
  return {
    version: 'v1',
    solverChainId: 'base',
    solver,
    salt: padHex('0x05'),
    inputs: [
      {
        payment: {
          chainId: 'sandbox-one',
          currency: tokenIn.address,
          amount: String(amountIn),
          weight: '1',
          ...payment,
        },
        refunds: [
          { ...back, chainId: 'sandbox-one', recipient: wallet, currency: tokenIn.address, ...refund },
          { ...back, chainId: 'sandbox-two', recipient: payee, currency: usdcThere.address },
        ],
      },
    ],
    output: {
      chainId: 'sandbox-two',
      payments: [
        {
          recipient: payee,
          currency: usdcThere.address,
          minimumAmount: String(least),
          expectedAmount: '1000000',
          ...paid,
        },
      ],
      calls: [],
      deadline: deadline + 604_800,
      extraData: padHex(friend),
      ...output,
    },
    fees: [],
    ...order,
  }
}

/** Deposit calldata for an order, followed by the terms of that order. */
const deposit = (
  order: ShownOrder,
  { depositor = wallet, token = usdc.address, amount = amountIn, id = numberOf(order) } = {},
): Hex => withTerms(depositCall(depositor, token, amount, id), termsOf(order, requestId, chainIds))

/** Guard verdict on a deposit for a transfer to `recipient`. */
function verdict(data: Hex, { tokenIn = usdc, recipient = wallet, exact = 'in' }: Partial<SwapIntent> = {}) {
  const asked = { wallet, provider: 'relay', tokenIn, tokenOut: usdcThere, exact, recipient, deadline }
  const expected = swapExpectation(catalog, { kind: 'swap', ...asked, amountIn, amountOut: least })!
  expect(expected.targets).toEqual([depository])
  const value = tokenIn === coin ? amountIn : 0n
  return expected.check({ to: depository, data, value, chainId: 31337 })
}

const code = (...args: Parameters<typeof verdict>) => {
  const said = verdict(...args)
  return 'violation' in said ? said.violation.code : 'passed'
}

describe('ID of a Relay order', () => {
  const ends = (here: Partial<RelayConstants>, there: Partial<RelayConstants>): RelayEnds =>
    [here, there].map((end) => ({
      ...contractsIn(catalog, relayContracts)[0]!,
      ...end,
    })) as unknown as RelayEnds
  const madeOf = ({ inputs, output, solver: by, solverChainId, salt }: ShownOrder) => {
    const { payment, refunds } = inputs[0]!
    const [paid] = output.payments
    const both = ends(
      { chainId: 1, chain: payment.chainId, solver: by, solverChain: solverChainId },
      { chainId: 2, chain: output.chainId },
    )
    const route = {
      tokenIn: { chainId: 1, address: payment.currency },
      tokenOut: { chainId: 2, address: paid!.currency },
      amountIn: BigInt(payment.amount),
      recipient: paid!.recipient,
    }
    return orderIdOf(both, route, {
      requestId,
      salt: BigInt(salt),
      minimum: BigInt(paid!.minimumAmount),
      expected: BigInt(paid!.expectedAmount),
      deadline: output.deadline,
      extraData: output.extraData,
      refunds: refunds.map(({ chainId, minimumAmount, ...refund }) => ({
        ...refund,
        chainId: chainId === payment.chainId ? 1n : 2n,
        minimum: BigInt(minimumAmount),
      })),
    })
  }

  test("equals the ID from Relay's own package", () => {
    const path = new URL('../oracles/fixtures/relay.json', import.meta.url)
    const said = JSON.parse(readFileSync(path, 'utf8')) as {
      madeBy: string
      orders: { order: ShownOrder; id: Hex }[]
    }
    expect(said.madeBy).toBe(madeBy(oracles.find(({ name }) => name === 'relay')!))
    expect(said.orders.length).toBeGreaterThan(50)
    for (const { order, id } of said.orders) expect([madeOf(order), numberOf(order)]).toEqual([id, id])
  })

  test('equals the ID of a recorded quote, which its solver signed', async () => {
    const { orderId, orderData, orderSignature } = sampleOf('order').protocol.v2
    const lower = JSON.parse(JSON.stringify(orderData), (_, value) =>
      /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : value,
    )
    expect(madeOf(lower)).toBe(orderId)
    const signer = await recoverMessageAddress({ message: { raw: orderId }, signature: orderSignature })
    expect(signer.toLowerCase()).toBe(orderData.solver)
  })
})

describe('guard on a Relay deposit', () => {
  test('passes a deposit for an order that pays the requested minimum or more', () => {
    const said = verdict(deposit(orderFor(usdc, wallet)))
    expect(said).toMatchObject({ bound: { name: 'depositErc20', value: 0n, spends: { amount: amountIn } } })
    expect(code(deposit(orderFor(usdc, friend)), { recipient: friend })).toBe('passed')
    expect(code(deposit(orderFor(usdc, wallet, { paid: { minimumAmount: '995000' } })))).toBe('passed')
    for (const refund of [
      { currency: nativeAddress },
      { currency: usdt.address, extraData: '0x' as const },
      { deadline: deadline + 9_999_999 },
    ])
      expect(code(deposit(orderFor(usdc, wallet, { refund })))).toBe('passed')
    const paid = { token: nativeAddress }
    const native = verdict(deposit(orderFor(coin, wallet), paid), { tokenIn: coin })
    expect(native).toMatchObject({ bound: { name: 'depositNative', value: amountIn } })
  })

  test.each<[string, Changes, string]>([
    ['another recipient', { paid: { recipient: thief } }, 'POLICY_QUOTE_DRIFT'],
    ['a lower minimum', { paid: { minimumAmount: '989999' } }, 'POLICY_MIN_OUT'],
    ['another output token', { paid: { currency: usdt.address } }, 'POLICY_QUOTE_DRIFT'],
    ['another destination chain', { output: { chainId: 'elsewhere' } }, 'POLICY_QUOTE_DRIFT'],
    ['a destination call', { output: { calls: ['0x01'] } }, 'POLICY_QUOTE_DRIFT'],
    ['another input token', { payment: { currency: usdt.address } }, 'POLICY_QUOTE_DRIFT'],
    ['a higher input amount', { payment: { amount: '1000001' } }, 'POLICY_QUOTE_DRIFT'],
    ['another solver', { order: { solver: thief } }, 'POLICY_QUOTE_DRIFT'],
    ['a solver on another chain', { order: { solverChainId: 'elsewhere' } }, 'POLICY_QUOTE_DRIFT'],
    [
      'a fee',
      {
        order: {
          fees: [
            {
              recipientChainId: 'base',
              recipient: thief,
              currencyChainId: 'base',
              currency: usdc.address,
              amount: '1',
            },
          ],
        },
      },
      'POLICY_QUOTE_DRIFT',
    ],
    ['a refund to another recipient', { refund: { recipient: thief } }, 'POLICY_RECIPIENT'],
    ['a refund in an unknown token', { refund: { currency: unknown } }, 'POLICY_QUOTE_DRIFT'],
    [
      'a refund in a token of the other chain',
      { refund: { currency: usdcThere.address } },
      'POLICY_QUOTE_DRIFT',
    ],
    [
      'a refund deadline before the order deadline',
      { refund: { deadline: deadline + 604_799 } },
      'POLICY_QUOTE_DRIFT',
    ],
    ...[padHex(thief), '0x' as const, `${padHex(relayRouter)}00` as const].map(
      (extraData): [string, Changes, string] => [
        `a native coin refund with extra data ${extraData}`,
        { refund: { currency: nativeAddress, extraData } },
        'POLICY_QUOTE_DRIFT',
      ],
    ),
    ['a refund on a third chain', { refund: { chainId: 'elsewhere' } }, 'POLICY_QUOTE_DRIFT'],
    [
      'an order deadline before the quote deadline',
      { output: { deadline: deadline - 1 } },
      'POLICY_QUOTE_DRIFT',
    ],
    ['an order deadline a month later', { output: { deadline: deadline + 2_592_000 } }, 'POLICY_QUOTE_DRIFT'],
  ])('refuses an order with %s', (_, changed, said) => {
    expect(code(deposit(orderFor(usdc, wallet, changed)))).toBe(said)
  })

  test('refuses a changed deposit, and a deposit whose terms do not match its order ID', () => {
    const order = orderFor(usdc, wallet)
    expect(code(deposit(order, { depositor: thief }))).toBe('POLICY_RECIPIENT')
    expect(code(deposit(order, { token: usdt.address }))).toBe('POLICY_AMOUNT')
    for (const amount of [amountIn + 1n, amountIn - 1n])
      expect(code(deposit(order, { amount }))).toBe('POLICY_AMOUNT')
    expect(code(deposit(order, { id: padHex('0x01') }))).toBe('POLICY_QUOTE_DRIFT')
    expect(code(deposit(order), { exact: 'out' })).toBe('POLICY_DECODE')
    // The intent pays a friend, but this order pays the wallet.
    expect(code(deposit(order), { recipient: friend })).toBe('POLICY_QUOTE_DRIFT')
    const call = depositCall(wallet, usdc.address, amountIn, numberOf(order))
    const whole = encodeFunctionData({
      abi: depositoryAbi,
      functionName: 'depositErc20',
      args: [wallet, usdc.address, numberOf(order)],
    })
    const terms = termsOf(order, requestId, chainIds)
    for (const data of [call, `${deposit(order)}00`, deposit(order).slice(0, -2), withTerms(whole, terms)])
      expect(code(data as Hex)).toBe('POLICY_DECODE')
    const back = { ...order, inputs: [{ ...order.inputs[0]!, refunds: [] }] }
    expect(code(deposit(back))).toBe('POLICY_RECIPIENT')
  })
})

describe('Relay API', () => {
  type Answers = (url: URL) => ReturnType<Answering>
  const serve = useProviderService()
  const nobody = async () => {
    throw new Error('not asked')
  }
  const at = async (answer: Answering, network: Partial<SwapDependencies> = {}) => {
    const api = await serve(answer)
    return relay(
      contractsIn(catalog, relayContracts).map((one) => ({ ...one, api })),
      () => true,
      catalog.tokens,
      {
        exchangeJson: exchangeSoon,
        hasKey: () => false,
        passedOver: () => undefined,
        head: async () => 7n,
        logs: nobody,
        mined: nobody,
        callOf: nobody,
        ...network,
      },
    )
  }
  const ask: OfferRequest = {
    from: sandboxNetworks[0]!,
    to: sandboxNetworks[1]!,
    tokenIn: usdc,
    tokenOut: usdcThere,
    exact: 'in',
    amount: amountIn,
    slippage: 0.01,
    speed: null,
    refund: wallet,
    isSpent: false,
  }
  const step = (id: string, data: object, more: object = {}) => ({
    id,
    kind: 'transaction',
    requestId,
    items: [{ status: 'incomplete', data }],
    ...more,
  })
  const fee = (amount: string, chainId = 31337) => ({ currency: { chainId, address: usdc.address }, amount })
  type Parts = { order?: ShownOrder; data?: object; steps?: object[]; call?: Hex; id?: Hex; fees?: object }
  const answerWith = ({ order = orderFor(usdc, wallet), ...parts }: Parts = {}): LoopbackAnswer => {
    const id = parts.id ?? numberOf(order)
    const call = parts.call ?? depositCall(wallet, usdc.address, amountIn, id)
    const data = { from: wallet, to: depository, data: call, value: '0', chainId: 31337, ...parts.data }
    return {
      status: 200,
      body: {
        steps: parts.steps ?? [
          step('approve', { to: usdc.address, data: '0x', value: '0', chainId: 31337 }),
          step('deposit', data),
        ],
        fees: parts.fees ?? {
          gas: fee('11'),
          relayer: fee('10'),
          relayerGas: fee('3'),
          relayerService: fee('7'),
          app: fee('0'),
        },
        details: { timeEstimate: 4 },
        protocol: { v2: { orderId: id, orderData: order } },
      },
    }
  }
  const quoted = async (answer: Answers, what = ask) =>
    (await at((_, url) => answer(url))).quote(what, AbortSignal.timeout(2_000))

  test('is asked for an order of the exact input, and its order becomes the offer', async () => {
    const sent: unknown[] = []
    const provider = await at(async (request) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      sent.push(JSON.parse(Buffer.concat(parts).toString()))
      return answerWith()
    })
    const offer = await provider.quote(ask, AbortSignal.timeout(2_000))
    expect(sent).toMatchObject([
      {
        user: wallet,
        recipient: wallet,
        refundTo: wallet,
        amount: '1000000',
        tradeType: 'EXACT_INPUT',
        slippageTolerance: '99',
        explicitDeposit: true,
        disableOriginSwaps: true,
        includeProtocolData: true,
      },
    ])
    expect(offer).toMatchObject({
      amountIn,
      amountOut: 1_000_000n,
      minAmountOut: least,
      seconds: 4,
      fees: [
        { kind: 'network', amount: '3' },
        { kind: 'relayer', amount: '7' },
      ],
    })
  })

  describe('with a key', () => {
    const flatOf = (where: 'step' | 'data' | 'transaction'): LoopbackAnswer => {
      const { steps, fees, protocol, ...rest } = answerWith().body as {
        steps: { items: { data: object }[] }[]
        fees: Record<string, ReturnType<typeof fee>>
        protocol: { v2: object }
      }
      const part = ({ amount }: { amount: string }) => ({ amount, amountFormatted: '0', usd: '0' })
      return {
        status: 200,
        body: {
          ...rest,
          steps: steps.map(({ items: [item], ...one }) =>
            where === 'step' ? { ...one, ...item!.data } : { ...one, [where]: item!.data },
          ),
          fees: {
            quoted: {
              execution: part(fees.relayerGas!),
              platform: part(fees.relayerService!),
              app: part(fees.app!),
            },
            currency: { chainId: 31337, address: usdc.address },
          },
          protocol: protocol.v2,
        },
      }
    }
    const keyed = async (v3: LoopbackAnswer, v2: LoopbackAnswer) => {
      const paths: string[] = []
      const provider = await at(
        (_, { pathname }) => {
          paths.push(pathname)
          return pathname.endsWith('v3') ? v3 : v2
        },
        { hasKey: (service) => service === 'relay' },
      )
      const offer = await provider
        .quote(ask, AbortSignal.timeout(2_000))
        .catch(({ code, message }) => ({ code, message }))
      return { paths, offer }
    }
    const gone: LoopbackAnswer = { status: 410, body: { message: 'gone' } }

    test.each(['step', 'data', 'transaction'] as const)(
      'v3 is asked, and its flat answer with the call in the %s means the same as that of v2',
      async (where) => {
        const { paths, offer } = await keyed(flatOf(where), gone)
        expect(paths).toEqual(['/quote/v3'])
        expect(offer).toEqual(await quoted(() => answerWith()))
      },
    )

    test('a shape of v3 that is not known is asked again at v2, and refused when v2 is gone', async () => {
      const strange: LoopbackAnswer = { status: 200, body: { actions: [] } }
      const { paths, offer } = await keyed(strange, answerWith())
      expect(paths).toEqual(['/quote/v3', '/quote/v2'])
      expect(offer).toEqual(await quoted(() => answerWith()))
      expect((await keyed(strange, gone)).offer).toMatchObject({
        code: 'PROVIDER_API_ERROR',
        message: 'Relay did not return a quote',
      })
    })

    test('a refusal or a wrong order of v3 is final', async () => {
      const refusal: LoopbackAnswer = {
        status: 401,
        body: { errorCode: 'UNAUTHORIZED_QUOTE', message: 'no' },
      }
      expect(await keyed(refusal, answerWith())).toMatchObject({
        paths: ['/quote/v3'],
        offer: { code: 'PROVIDER_API_ERROR', message: expect.stringMatching(/UNAUTHORIZED_QUOTE/) },
      })
      const wrong = flatOf('step')
      ;(wrong.body as { protocol: { orderId: Hex } }).protocol.orderId = padHex('0x77')
      expect(await keyed(wrong, answerWith())).toMatchObject({
        paths: ['/quote/v3'],
        offer: { message: expect.stringMatching(/differs from its deposit/) },
      })
    })
  })

  test('without a key names the variable once v2 is gone', async () => {
    for (const status of [404, 410])
      await expect(quoted(() => ({ status, body: { message: 'Not Found' } }))).rejects.toMatchObject({
        code: 'PROVIDER_API_ERROR',
        hint: expect.stringContaining('SLUICE_RELAY_KEY'),
      })
  })

  test('omits fees on another chain and negative fees', async () => {
    const fees = { relayerGas: fee('-3'), relayerService: fee('7', 1), app: fee('2') }
    expect((await quoted(() => answerWith({ fees })))?.fees).toMatchObject([{ kind: 'app', amount: '2' }])
  })

  test.each(['NO_QUOTES', 'NO_SWAP_ROUTES_FOUND', 'UNSUPPORTED_ROUTE', 'INSUFFICIENT_LIQUIDITY'])(
    'gives no quote for the error %s',
    async (errorCode) => {
      const refused = quoted(() => ({ status: 400, body: { message: 'no', errorCode } }))
      await expect(refused).rejects.toMatchObject({ code: 'NO_ROUTE_FOUND' })
    },
  )

  test('reports AMOUNT_TOO_LOW as an amount too small for Relay', async () => {
    const answer = { status: 400, body: { message: 'low', errorCode: 'AMOUNT_TOO_LOW' } }
    await expect(quoted(() => answer)).rejects.toMatchObject({
      code: 'QUOTE_GENERATION_FAILED',
      message: 'Relay refuses the amount: it is too low (AMOUNT_TOO_LOW)',
      hint: 'Try a larger amount.',
    })
  })

  const ordered =
    (changed: Changes): Answers =>
    () =>
      answerWith({ order: orderFor(usdc, wallet, changed) })
  test.each<[string, Answers, RegExp]>([
    [
      'the documented example',
      () => ({ status: 200, body: sampleOf('quote-excerpt').response }),
      /returned another depository/,
    ],
    [
      'a step of another kind',
      () => answerWith({ steps: [step('swap', { to: depository })] }),
      /does not request exactly one deposit/,
    ],
    [
      'a step before the deposit',
      () => {
        const { body, ...rest } = answerWith()
        const { steps, ...shown } = body as { steps: object[] }
        return { ...rest, body: { ...shown, steps: [step('authorize', {}), ...steps] } }
      },
      /does not request exactly one deposit/,
    ],
    [
      'a message to sign',
      () => answerWith({ steps: [step('deposit', {}, { kind: 'signature' })] }),
      /does not request exactly one deposit/,
    ],
    ['another depository', () => answerWith({ data: { to: thief } }), /returned another depository/],
    ['another chain', () => answerWith({ data: { chainId: 31338 } }), /a deposit that differs from/],
    [
      'another depositor',
      () => answerWith({ call: depositCall(thief, usdc.address, amountIn, padHex('0x01')) }),
      /a deposit that differs from/,
    ],
    [
      'another amount',
      () => answerWith({ call: depositCall(wallet, usdc.address, 2n, padHex('0x01')) }),
      /a deposit that differs from/,
    ],
    ['undecodable calldata', () => answerWith({ call: '0x1234' }), /a deposit that differs from/],
    [
      'a deposit for another order',
      () => answerWith({ call: depositCall(wallet, usdc.address, amountIn, padHex('0x01')) }),
      /an order that differs from/,
    ],
    ['another order ID', () => answerWith({ id: padHex('0x01') }), /an order that differs from/],
    ['another recipient', ordered({ paid: { recipient: thief } }), /an order that differs from/],
    ['another token', ordered({ paid: { currency: usdt.address } }), /an order that differs from/],
    [
      'a destination call',
      ordered({ output: { calls: ['0x01'] } }),
      /returned an order that does not pay only/,
    ],
    ['another solver', ordered({ order: { solver: thief } }), /another solver/],
    ['a refund to another recipient', ordered({ refund: { recipient: thief } }), /refunded to 0x66/],
    [
      'a refund in an unknown token',
      ordered({ refund: { currency: unknown } }),
      /a token that is not in the catalogue/,
    ],
    [
      'a refund deadline that is too early',
      ordered({ refund: { deadline: deadline } }),
      /refunded only until/,
    ],
    [
      'a native coin refund by another contract',
      ordered({ refund: { currency: nativeAddress, extraData: padHex(thief) } }),
      /by another contract than the one in the catalogue/,
    ],
    [
      'a refund on a third chain',
      ordered({ refund: { chainId: 'elsewhere' } }),
      /an order that differs from/,
    ],
    ['a lower minimum', ordered({ paid: { minimumAmount: '980000' } }), /a lower minimum/],
    [
      'an amount in scientific notation',
      () => {
        const { body, ...rest } = answerWith()
        return { ...rest, body: JSON.parse(JSON.stringify(body).replace('"990000"', '"1e9"')) }
      },
      /returned an order that does not pay only/,
    ],
    [
      'no order',
      () => {
        const { body, ...rest } = answerWith()
        return { ...rest, body: { ...(body as object), protocol: undefined } }
      },
      /returned an order that does not pay only/,
    ],
    [
      'HTTP 400 with an error',
      () => ({ status: 400, body: { message: 'no', errorCode: 'A_NEW_CODE' } }),
      /did not return a quote/,
    ],
    ...serviceFailures,
    [
      'an oversized body',
      () => answerWith({ fees: { extra: 'x'.repeat(9_000_000) } }),
      /returned an invalid response/,
    ],
  ])('reports %s as a provider error', async (_, answer, message) => {
    await expect(quoted(answer)).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(message),
    })
  })

  const raw = { originFromBlock: '1', destinationFromBlock: '1' }
  const offer = {
    amountIn,
    amountOut: 1_000_000n,
    maxAmountIn: amountIn,
    minAmountOut: least,
    fees: [],
    raw,
  }
  const order = { wallet, recipient: friend, deadline }

  test('does not supply the deposit: it is built locally, and the guard passes it', async () => {
    const provider = await at(() => answerWith({ order: orderFor(usdc, friend) }))
    const { transaction, needs } = await provider.build(ask, offer, order)
    expect(transaction).toMatchObject({ to: depository, value: 0n, chainId: 31337 })
    expect(needs).toEqual({ token: usdc.address, spender: depository, amount: amountIn })
    expect(decodeOrder(transaction)?.terms).toMatchObject({ minimum: least, requestId })
    expect(code(transaction.data, { recipient: friend })).toBe('passed')
  })

  test.each<[string, Changes, string]>([
    ['lowers the minimum', { paid: { minimumAmount: '989999' } }, 'QUOTE_EXPIRED'],
    ['shortens the deadline', { output: { deadline: deadline - 1 } }, 'PROVIDER_API_ERROR'],
  ])('builds no transaction when it %s', async (_, changed, said) => {
    const provider = await at(() => answerWith({ order: orderFor(usdc, friend, changed) }))
    await expect(provider.build(ask, offer, order)).rejects.toMatchObject({ code: said })
  })

  /** Status of an order for a friend whose payment no log search finds; `paid` is its transaction, `of` its amount. */
  const progress = async (answer: LoopbackAnswer, paid?: Hex, of = least) => {
    const shown = orderFor(usdc, friend)
    const origin = padHex('0x0a')
    const moved = {
      address: usdcThere.address,
      topics: [transferTopic, padHex(solver), padHex(friend)],
      data: numberToHex(of, { size: 32 }),
    }
    const provider = await at(() => answer, {
      mined: async (chainId, hash) =>
        hash === origin || (chainId === 31338 && hash === paid)
          ? { ok: true, blockNumber: 9, logs: hash === paid ? [moved] : [] }
          : undefined,
      callOf: async (_, hash) => ({
        from: hash === origin ? wallet : solver,
        to: depository,
        input: hash === origin ? deposit(shown) : `0xa9059cbb${numberOf(shown).slice(2)}`,
        value: 0n,
      }),
      logs: async () => ({ logs: [], isAll: true }),
    })
    return provider.status(ask, offer, origin, order)
  }

  test('never ends an order on the status in the response alone', async () => {
    const words = ['waiting', 'depositing', 'pending', 'submitted', 'success', 'delayed', 'refund', 'failure']
    const { response } = sampleOf('intent-status')
    const bodies: LoopbackAnswer[] = [
      { status: 200, body: response },
      { status: 200, body: { status: 'waiting', quoteCreatedAt: 1 } },
      ...[...words, 'some-new-word'].map((status) => ({
        status: 200,
        body: { ...response, status, txHashes: [padHex('0x0b')], failReason: 'N/A', refundFailReason: 'NEW' },
      })),
      { status: 429, body: {} },
      { status: 200, body: [] },
    ]
    for (const body of bodies) {
      const { said = 'nothing', ...progressed } = await progress(body)
      expect(progressed).toEqual({ status: 'processing' })
      expect(said).toMatch(/^(nothing|[a-z-]+( \(NEW\))?)$/)
    }
  })

  test('names a payment or refund transaction, which counts only if a chain shows it', async () => {
    const paid = padHex('0x0b')
    const answer = { status: 200, body: { status: 'pending', txHashes: [paid] } }
    expect(await progress(answer, paid)).toEqual({ status: 'fulfilled', destination: paid })
    // Below the minimum, on a chain where the order may be refunded: it counts as a refund.
    expect(await progress(answer, paid, least - 1n)).toEqual({
      status: 'refunded',
      returned: { chainId: 31338, token: usdcThere.address, amount: least - 1n, hash: paid },
    })
  })
})

const far = '--from sandbox-one --to sandbox-two'

describe('Relay', () => {
  test('is chosen when no other bridge carries the asset, and delivers the reported amount exactly', async () => {
    const there = sandbox.token(31338, 'BRLA').address
    const before = await sandbox.balanceOf(31338, there, friend)
    const line = `swap execute ${far} --token-in BRLA --token-out BRLA --amount-in 500 --destination ${friend}`
    const { exit, json, err } = await run(`${line} --yes --json`)
    expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
    expect((await run(['swap', 'status', json.id, '--json'])).json.provider).toBe('relay')
    const got = (await sandbox.balanceOf(31338, there, friend)) - before
    expect(got).toBe(BigInt(json.amounts.out.raw))
    expect(got).toBeGreaterThan(490n * 10n ** 18n)
  })

  test('swaps the native coin into a token of another chain, and checks its price impact', async () => {
    const line = `swap execute ${far} --token-in ETH --token-out USDC --amount-in 0.1 --yes --json`
    const { exit, json, err } = await run(line)
    expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
    const plan = (await run(`${line.replace('--yes', '')} --dry-run`)).json
    expect(plan.proof).toContainEqual({ leg: 0, term: 'recipient', by: 'calldata' })
    expect(plan.proof).toContainEqual({ leg: 0, term: 'minimum', by: 'calldata' })
    const dear = await run(`${line} --max-price-impact 0.01%`)
    expect(dear.json.error.code).toBe('POLICY_PRICE_IMPACT')
  })

  test('is not eligible for an exact output or for the native coin of the destination chain', async () => {
    for (const more of ['--token-out USDC --amount-out 5', '--token-out ETH --amount-in 5'])
      expect(
        (await run(`swap quote ${far} --token-in USDC ${more} --provider relay --json`)).json.error.code,
      ).toBe('PREFERRED_PROVIDER_NOT_ELIGIBLE')
  })

  test('reports BRIDGE_STUCK with the reason in the API status when the order fails', async () => {
    await run('sandbox fault relay failed --json')
    const line = `swap execute ${far} --token-in WETH --token-out WETH --amount-in 0.1 --yes --json --timeout 3s`
    const { exit, json } = await run(line)
    expect(exit).toBe(20)
    const id = json.error.details.operation
    const explain = async () => (await run(['action', 'explain', id, '--json'])).json
    let explained = await explain()
    // A busy machine may not have sent the deposit in that time, or the order may not have failed yet.
    for (let again = 0; again < 30 && explained.situation !== 'BRIDGE_STUCK'; again++) {
      await run(['action', 'resume', id, '--json', '--timeout', '1500ms'])
      explained = await explain()
    }
    expect(explained).toMatchObject({
      situation: 'BRIDGE_STUCK',
      verdict: expect.stringContaining('reports failure (AMOUNT_TOO_LOW_TO_REFUND)'),
    })
    expect(explained.verdict).not.toContain('usual at most')
    await run('sandbox fault clear --json')
    const over = await run(['action', 'resume', id, '--json', '--timeout', '20s'])
    expect(over.exit, over.err).toBe(0)
  })
})

describe('a key of Relay', () => {
  test('makes the sandbox answer quote v3, and the swap is delivered', async () => {
    const line =
      '--from sandbox-one --to sandbox-two --token-in USDC --token-out USDT --amount-in 100 --provider relay'
    const { exit, json, err } = await run(`swap execute ${line} --yes --json`, {
      secrets: { serviceKeys: { SLUICE_RELAY_KEY: 'relay-key-0123456789' } },
    })
    expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
  })
})

describe('a refund of the native coin', async () => {
  const files = await filesOf(publicNetworks)
  const router32Of: Record<number, Address> = Object.fromEntries(
    files.flatMap((one) => contractsIn(one, relayContracts).map((row) => [row.chainId, row.router32])),
  )
  const end = (chainId: number) => ({
    chainId,
    depository: nativeAddress,
    chain: `chain-${chainId}`,
    router: '0xb92fe925dc43a0ecde6c8b1a2709c170ec4fff4f' as const,
    router32: router32Of[chainId] ?? nativeAddress,
    solver: nativeAddress,
    solverChain: 'base',
    api: null,
  })
  const old = '0xb92fe925dc43a0ecde6c8b1a2709c170ec4fff4f'
  const newer = '0x0729e2a4716d9f7dd17858d5d504426d228697f7'
  const newerOnLinea = '0x6328ea02d28131e58b28e55c6258258a30d90e05'
  test.each([
    [8453, old, true],
    [8453, newer, true],
    [59144, newerOnLinea, true],
    [8453, newerOnLinea, false],
    [59144, newer, false],
    [8453, '0x00000000000000000000000000000000000000aa', false],
  ] as const)('on chain %i may come from %s: %s', (chainId, router, isAllowed) => {
    const own = '0x00000000000000000000000000000000000000bb' as const
    const coin = { address: nativeAddress, symbol: 'ETH', decimals: 18 }
    const refund = {
      chainId: BigInt(chainId),
      recipient: own,
      currency: nativeAddress,
      minimum: 0n,
      deadline: 20,
      extraData: padHex(router),
    }
    const fault = refundFault(
      { refunds: [refund], deadline: 10 },
      {
        asked: {
          tokenIn: { ...coin, chainId },
          tokenOut: { ...coin, chainId: 1 },
          recipient: own,
          wallet: own,
        },
        ends: [end(chainId), end(1)],
        tokens: [],
      },
    )
    expect(fault?.of).toBe(isAllowed ? undefined : 'payer')
  })
})
