import { readFileSync } from 'node:fs'
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  padHex,
  toFunctionSelector,
} from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import { sandboxNetworks } from '../../src/domain/networks.ts'
import type { Token } from '../../src/domain/token.ts'
import type { SwapIntent } from '../../src/protocols/intent.ts'
import type { LoopbackAnswer } from '../../src/sandbox/loopback-server.ts'
import { spokePoolAbi } from '../../src/swaps/across/abi.ts'
import { acrossContracts } from '../../src/swaps/across/constants-schema.ts'
import { diamondAbi } from '../../src/swaps/lifi/abi.ts'
import { lifi } from '../../src/swaps/lifi/provider.ts'
import type { OfferRequest } from '../../src/swaps/provider.ts'
import type { SwapDependencies } from '../../src/swaps/provider-dependencies.ts'
import { contractsIn } from '../../src/swaps/swap-contracts.ts'
import { swapExpectation } from '../../src/swaps/swap-provider-registry.ts'
import {
  catalog,
  coin,
  diamond,
  friend,
  spokePool,
  thief,
  usdc,
  usdcThere,
  usdt,
  wallet,
  weth,
} from '../support/plans/plan-fixtures.ts'
import { encoded } from '../support/plans/published-calls.ts'
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

type Changed = Readonly<Record<string, unknown>>

/** Calldata of a swap on one chain: a fee of a tenth, then an exchange of the rest. */
function swapCall([tokenIn, tokenOut]: readonly [Token, Token], changed: Changed = {}): Hex {
  const { receiver = wallet, minimum = least, step = {}, steps, isSingle = false } = changed
  const part = {
    callTo: friend,
    approveTo: friend,
    sendingAssetId: tokenIn.address,
    receivingAssetId: tokenOut.address,
    fromAmount: 900_000n,
    callData: '0x01020304',
    requiresDeposit: true,
    ...(step as object),
  }
  const fee = { ...part, receivingAssetId: part.sendingAssetId, fromAmount: 100_000n }
  const [from, to] = [tokenIn, tokenOut].map((token) => (token === coin ? 'Native' : 'ERC20'))
  const name = `swapTokens${isSingle ? 'Single' : 'Multiple'}V3${from}To${to}`
  const given = isSingle ? { ...part, fromAmount: amountIn, ...(step as object) } : (steps ?? [fee, part])
  return encoded('lifi', name, padHex('0x01'), 'nobody', '', receiver, minimum, given)
}

const word = (address: Address) => padHex(address, { size: 32 })

/** Calldata of a transfer to the other chain, with each of `fees` as a step before it. */
function transferCall({
  bridge = {},
  across = {},
  fees,
}: {
  bridge?: Changed
  across?: Changed
  fees?: readonly Changed[]
} = {}): Hex {
  const bridgeData = {
    transactionId: padHex('0x01'),
    bridge: 'across',
    integrator: 'nobody',
    referrer: nativeAddress,
    sendingAssetId: usdc.address,
    receiver: wallet,
    minAmount: amountIn,
    destinationChainId: 31338n,
    hasSourceSwaps: false,
    hasDestinationCall: false,
    ...bridge,
  }
  const acrossData = {
    receiverAddress: word(wallet),
    refundAddress: word(wallet),
    sendingAssetId: word(usdc.address),
    receivingAssetId: word(usdcThere.address),
    outputAmount: least,
    outputAmountMultiplier: 0n,
    exclusiveRelayer: word(friend),
    quoteTimestamp: deadline - 300,
    fillDeadline: deadline + 7_200,
    exclusivityParameter: 12,
    message: '0x',
    ...across,
  }
  if (!fees) return encoded('lifi', 'startBridgeTokensViaAcrossV4', bridgeData, acrossData)
  const steps = fees.map((step) => ({
    callTo: friend,
    approveTo: friend,
    sendingAssetId: usdc.address,
    receivingAssetId: usdc.address,
    fromAmount: amountIn,
    callData: '0x01020304',
    requiresDeposit: true,
    ...step,
  }))
  return encoded('lifi', 'swapAndStartBridgeTokensViaAcrossV4', bridgeData, steps, acrossData)
}

/** Calldata of a transfer after a fee of 0.25 %: 997,500 units are deposited and 990,018 arrive. */
const feeCall = (changed: Parameters<typeof transferCall>[0] = {}): Hex =>
  transferCall({
    fees: [{}],
    ...changed,
    bridge: { minAmount: 997_500n, hasSourceSwaps: true, ...changed.bridge },
    across: { outputAmount: 0n, outputAmountMultiplier: (10n ** 18n * 9_925n) / 10_000n, ...changed.across },
  })

/** Guard verdict on calldata for a swap of a million units for at least 990,000. */
function verdict([tokenIn, tokenOut]: readonly [Token, Token], data: Hex, exact: 'in' | 'out' = 'in') {
  const intent: SwapIntent = {
    kind: 'swap',
    wallet,
    provider: 'lifi',
    tokenIn,
    tokenOut,
    exact,
    amountIn,
    amountOut: least,
    recipient: wallet,
    deadline,
  }
  const expected = swapExpectation(catalog, intent)!
  expect(expected.targets).toEqual([diamond])
  return expected.check({ to: diamond, data, value: 0n, chainId: 31337 })
}

const code = (...args: Parameters<typeof verdict>) => {
  const said = verdict(...args)
  return 'violation' in said ? said.violation.code : 'passed'
}

test('diamondAbi has the swap selectors of the contract that LI.FI published', () => {
  // Selectors in the bytecode of GenericSwapFacetV3__factory (lifinance/lifi-contract-types).
  const published = ['0x2c57e884', '0x4666fc80', '0x5fd9ae2e', '0x733214a3', '0x736eac0b', '0xaf7060fd']
  const selectors = diamondAbi.slice(0, 6).map((item) => toFunctionSelector(item))
  expect(selectors.sort()).toEqual(published)
})

describe('guard on a LI.FI call', () => {
  test.each([
    [usdc, weth],
    [coin, usdc],
    [usdc, coin],
  ])('passes a swap on one chain, and refuses each changed parameter', (...way) => {
    const said = (changed?: Changed) => code(way, swapCall(way, changed))
    const part = (changed: Changed) => said({ isSingle: true, step: changed })
    expect([said(), said({ isSingle: true })]).toEqual(['passed', 'passed'])
    expect(said({ receiver: thief })).toBe('POLICY_RECIPIENT')
    expect(said({ minimum: least - 1n })).toBe('POLICY_MIN_OUT')
    expect(said({ steps: [] })).toBe('POLICY_DECODE')
    for (const fromAmount of [amountIn + 1n, amountIn - 1n])
      expect(part({ fromAmount })).toBe('POLICY_AMOUNT')
    expect(said({ step: { fromAmount: 900_001n } })).toBe('POLICY_AMOUNT')
    const [swapped, other] = [{ sendingAssetId: usdt.address }, { receivingAssetId: usdt.address }]
    if (way[0] !== coin) expect(part(swapped)).toBe('POLICY_QUOTE_DRIFT')
    if (way[1] !== coin) expect(part(other)).toBe('POLICY_QUOTE_DRIFT')
    // A native coin where the function handles a token, or the reverse.
    expect(part({ sendingAssetId: way[0] === coin ? usdt.address : nativeAddress })).toBe('POLICY_DECODE')
    expect(part({ receivingAssetId: way[1] === coin ? usdt.address : nativeAddress })).toBe('POLICY_DECODE')
    expect(code(way, swapCall(way), 'out')).toBe('POLICY_DECODE')
    expect(code(way, transferCall())).toBe('POLICY_DECODE')
  })

  test('refuses a step that spends another token of the wallet', () => {
    const step = (token: Token, fromAmount: bigint) => ({
      callTo: friend,
      approveTo: friend,
      sendingAssetId: token.address,
      receivingAssetId: weth.address,
      fromAmount,
      callData: '0x01020304',
      requiresDeposit: true,
    })
    const both = { steps: [step(usdc, amountIn - 1n), step(usdt, 1n)] }
    expect(code([usdc, weth], swapCall([usdc, weth], both))).toBe('POLICY_AMOUNT')
  })

  test.each<[string, Parameters<typeof transferCall>[0], string]>([
    ['no change', {}, 'passed'],
    ['another receiver', { bridge: { receiver: thief } }, 'POLICY_RECIPIENT'],
    ['another receiver in the Across data', { across: { receiverAddress: word(thief) } }, 'POLICY_RECIPIENT'],
    ['another refund address', { across: { refundAddress: word(thief) } }, 'POLICY_RECIPIENT'],
    ['another destination chain', { bridge: { destinationChainId: 1n } }, 'POLICY_CHAIN'],
    ['another amount', { bridge: { minAmount: amountIn + 1n } }, 'POLICY_AMOUNT'],
    ['another token', { bridge: { sendingAssetId: usdt.address } }, 'POLICY_AMOUNT'],
    ['another token in the Across data', { across: { sendingAssetId: word(usdt.address) } }, 'POLICY_AMOUNT'],
    ['another destination token', { across: { receivingAssetId: word(usdt.address) } }, 'POLICY_QUOTE_DRIFT'],
    ['a lower output', { across: { outputAmount: least - 1n } }, 'POLICY_MIN_OUT'],
    ['a source swap flag', { bridge: { hasSourceSwaps: true } }, 'POLICY_QUOTE_DRIFT'],
    ['a destination call', { bridge: { hasDestinationCall: true } }, 'POLICY_QUOTE_DRIFT'],
    ['a message', { across: { message: '0x01' } }, 'POLICY_QUOTE_DRIFT'],
    [
      'a fill deadline before the quote deadline',
      { across: { fillDeadline: deadline - 1 } },
      'POLICY_QUOTE_DRIFT',
    ],
    ['an exclusivity of an hour', { across: { exclusivityParameter: 3_600 } }, 'POLICY_QUOTE_DRIFT'],
    ['an unlimited exclusivity', { across: { exclusivityParameter: 0xffffffff } }, 'POLICY_QUOTE_DRIFT'],
    ['a fill deadline a day later', { across: { fillDeadline: deadline + 86_400 } }, 'POLICY_QUOTE_DRIFT'],
  ])('gives the expected verdict on a transfer with %s', (_, changed, said) => {
    expect(code([usdc, usdcThere], transferCall(changed))).toBe(said)
  })

  test.each<[string, Parameters<typeof feeCall>[0], string]>([
    ['no change', {}, 'passed'],
    ['the fee in two steps', { fees: [{ fromAmount: 2_500n }, { fromAmount: 997_500n }] }, 'passed'],
    ['another receiver', { bridge: { receiver: thief } }, 'POLICY_RECIPIENT'],
    ['another refund address', { across: { refundAddress: word(thief) } }, 'POLICY_RECIPIENT'],
    ['a larger amount taken', { fees: [{ fromAmount: amountIn + 1n }] }, 'POLICY_AMOUNT'],
    ['a smaller amount taken', { fees: [{ fromAmount: amountIn - 1n }] }, 'POLICY_AMOUNT'],
    ['a deposit above the amount taken', { bridge: { minAmount: amountIn + 1n } }, 'POLICY_AMOUNT'],
    ['no token taken', { fees: [{ requiresDeposit: false }] }, 'POLICY_AMOUNT'],
    // The output would be the same only if a relayer paid more than the deposit; none would, and the fee is not refunded.
    [
      'a fee of almost the whole amount',
      { bridge: { minAmount: 2n }, across: { outputAmountMultiplier: 10n ** 18n * 500_000n } },
      'POLICY_AMOUNT',
    ],
    ['a fee that lowers the output below the minimum', { bridge: { minAmount: 997_481n } }, 'POLICY_MIN_OUT'],
    [
      'a smaller output multiplier',
      { across: { outputAmountMultiplier: 9_924n * 10n ** 14n } },
      'POLICY_MIN_OUT',
    ],
    [
      'an output amount without a multiplier',
      { across: { outputAmount: amountIn, outputAmountMultiplier: 0n } },
      'POLICY_MIN_OUT',
    ],
    ['a step in another token', { fees: [{}, { sendingAssetId: usdt.address }] }, 'POLICY_DECODE'],
    ['a swap to another token', { fees: [{ receivingAssetId: usdt.address }] }, 'POLICY_DECODE'],
    ['no step', { fees: [] }, 'POLICY_DECODE'],
    ['no source swap flag', { bridge: { hasSourceSwaps: false } }, 'POLICY_QUOTE_DRIFT'],
    ['a destination call', { bridge: { hasDestinationCall: true } }, 'POLICY_QUOTE_DRIFT'],
  ])('gives the expected verdict on a transfer after a fee with %s', (_, changed, said) => {
    expect(code([usdc, usdcThere], feeCall(changed))).toBe(said)
  })

  test('states the fee of a transfer and the amount deposited after it', () => {
    expect(verdict([usdc, usdcThere], feeCall())).toMatchObject({
      bound: {
        text: expect.stringMatching(
          /^Deposit 0\.9975 USDC for \S+ after a fee of 0\.0025 USDC, 0\.990018 USDC /,
        ),
        spends: { token: usdc.address, amount: amountIn },
      },
    })
  })

  test.each(['startBridgeTokensViaAcrossV4ERC20Min', 'startBridgeTokensViaAcrossV4ERC20Packed'])(
    'refuses %s, and a swap in place of a transfer',
    (name) => {
      const abi = JSON.parse(JSON.stringify(diamondAbi).replaceAll('startBridgeTokensViaAcrossV4', name))
      const { args } = decodeFunctionData({ abi: diamondAbi, data: transferCall() })
      const data = encodeFunctionData({ abi, functionName: name, args } as never)
      expect(code([usdc, usdcThere], data)).toBe('POLICY_DECODE')
      expect(code([usdc, usdcThere], swapCall([usdc, usdcThere]))).toBe('POLICY_DECODE')
    },
  )

  test('refuses a multicall that contains the swap', () => {
    const inner = swapCall([usdc, weth])
    const data = encoded('router', 'multicall', BigInt(deadline), [inner])
    expect(code([usdc, weth], data)).toBe('POLICY_DECODE')
  })
})

/** Events of one deposit in the pools of both chains: deposited and filled. */
const [deposited, filled] = (['FundsDeposited', 'FilledRelay'] as const).map((eventName) => {
  const { inputs } = spokePoolAbi.find((item) => item.name === eventName)!
  const told: Record<string, unknown> = {
    inputToken: word(usdc.address),
    outputToken: word(usdcThere.address),
    inputAmount: amountIn,
    outputAmount: least,
    destinationChainId: 31338n,
    originChainId: 31337n,
    repaymentChainId: 31338n,
    depositId: 1n,
    quoteTimestamp: 1,
    fillDeadline: 2,
    exclusivityDeadline: 0,
    depositor: word(wallet),
    recipient: word(wallet),
    exclusiveRelayer: padHex('0x00'),
    relayer: word(friend),
    messageHash: padHex('0x00'),
    message: '0x',
    relayExecutionInfo: {
      updatedRecipient: word(wallet),
      updatedMessageHash: padHex('0x00'),
      updatedOutputAmount: least,
      fillType: 0,
    },
  }
  const plain = inputs.filter((input) => !('indexed' in input && input.indexed))
  return {
    topics: encodeEventTopics({ abi: spokePoolAbi, eventName, args: told } as never) as Hex[],
    data: encodeAbiParameters(
      plain,
      plain.map(({ name }) => told[name!]),
    ),
  }
}) as [{ topics: Hex[]; data: Hex }, { topics: Hex[]; data: Hex }]

/** Responses of `/quote` and `/status` as LI.FI documents them (its OpenAPI, from api-evangelist/lifi). */
const [sample, documented] = ['quote', 'status'].map((name) =>
  JSON.parse(readFileSync(new URL(`./samples/lifi-${name}.json`, import.meta.url), 'utf8')),
)

describe('LI.FI API', () => {
  type Answers = (url: URL) => ReturnType<Answering>
  const serve = useProviderService()
  const at = async (answer: Answers, network: Partial<SwapDependencies> = {}) => {
    const nobody = async () => {
      throw new Error('not asked')
    }
    return lifi(
      [{ chainId: 31337, diamond, api: await serve((_, url) => answer(url)) }],
      {
        on: (id) => contractsIn(catalog, acrossContracts).find(({ chainId }) => chainId === id),
        isSupportedPair: () => true,
      },
      {
        exchangeJson: exchangeSoon,
        head: async () => 7n,
        log: nobody,
        logs: nobody,
        read: nobody,
        mined: nobody,
        ...network,
      },
    )
  }
  const ask = (tokenIn: Token = usdc, tokenOut: Token = weth): OfferRequest => ({
    from: sandboxNetworks[0]!,
    to: sandboxNetworks[tokenOut === usdcThere ? 1 : 0]!,
    tokenIn,
    tokenOut,
    exact: 'in',
    amount: amountIn,
    slippage: 0.01,
    speed: null,
    refund: null,
    isSpent: false,
  })
  type Parts = { action?: Changed; estimate?: Changed; call?: Changed }
  const answerOf = (
    { from, to, tokenIn, tokenOut }: OfferRequest,
    data: Hex,
    changed: Parts = {},
  ): LoopbackAnswer => ({
    status: 200,
    body: {
      ...sample,
      action: {
        ...sample.action,
        fromChainId: from.chainId,
        toChainId: to.chainId,
        fromToken: { ...sample.action.fromToken, address: tokenIn.address },
        toToken: { ...sample.action.toToken, address: tokenOut.address },
        fromAmount: String(amountIn),
        ...changed.action,
      },
      estimate: {
        ...sample.estimate,
        toAmount: '1000000',
        toAmountMin: '5',
        approvalAddress: diamond,
        ...changed.estimate,
      },
      transactionRequest: { ...sample.transactionRequest, to: diamond, data, value: '0x5', ...changed.call },
    },
  })
  const good = (changed?: Parts) => answerOf(ask(), swapCall([usdc, weth]), changed)
  const quoted = async (answer: Answers, what = ask()) =>
    (await at(answer)).quote(what, AbortSignal.timeout(2_000))

  test('is asked for the swap, and its calldata sets the minimum of the offer', async () => {
    let query: URLSearchParams | undefined
    const offer = await quoted((url) => {
      query = url.searchParams
      return good()
    })
    expect(Object.fromEntries(query!)).toMatchObject({ fromAmount: '1000000', slippage: '0.0099' })
    expect([...query!.keys()]).not.toContain('integrator')
    expect(offer).toMatchObject({ amountIn, amountOut: 1_000_000n, minAmountOut: least, gas: 252_364n })
  })

  test('takes the output of a transfer from the calldata, not from the estimate', async () => {
    const far = ask(usdc, usdcThere)
    const answer = answerOf(far, transferCall(), { estimate: { toAmount: '5000000' } })
    expect(await quoted(() => answer, far)).toMatchObject({
      amountOut: least,
      raw: { originFromBlock: '7', destinationFromBlock: '7' },
    })
  })

  test('reports the fee of a transfer from its calldata', async () => {
    const far = ask(usdc, usdcThere)
    const offer = await quoted(() => answerOf(far, feeCall()), far)
    expect(offer).toMatchObject({
      amountOut: 990_018n,
      fees: [
        { kind: 'provider', token: usdc.address, chainId: 31337, amount: '2500' },
        { kind: 'bridge', token: usdc.address, chainId: 31337, amount: '7482' },
      ],
    })
  })

  test('reports the fees of a swap, included or in addition, and its gas without approvals', async () => {
    const fee = (more: Changed) => ({
      name: 'LIFI Fixed Fee',
      token: { address: usdc.address, chainId: 31337 },
      amount: '9500',
      included: true,
      ...more,
    })
    const estimate = {
      feeCosts: [
        fee({}),
        fee({ name: undefined, token: { address: weth.address }, amount: '7' }),
        fee({ amount: '0' }),
        fee({ name: 'Bridge', included: false, amount: '3' }),
      ],
      gasCosts: [
        { type: 'APPROVE', estimate: '50000' },
        { type: 'SEND', estimate: '200000' },
      ],
    }
    const offer = await quoted(() => good({ estimate }))
    const paid = { chainId: 31337, token: usdc.address }
    expect(offer?.gas).toBe(200_000n)
    expect(offer?.fees).toEqual([
      { ...paid, kind: 'LIFI Fixed Fee', amount: '9500' },
      { ...paid, kind: 'provider', token: weth.address, amount: '7' },
      { ...paid, kind: 'Bridge', amount: '3', included: false },
    ])
  })

  test('has no offer for a call that takes another amount, as with a fee on top', async () => {
    const fee = { callTo: friend, approveTo: friend, callData: '0x01020304', requiresDeposit: true }
    const sides = { sendingAssetId: usdc.address, receivingAssetId: weth.address }
    const data = swapCall([usdc, weth], {
      steps: [
        { ...fee, ...sides, receivingAssetId: usdc.address, fromAmount: 2_500n },
        { ...fee, ...sides, fromAmount: amountIn },
      ],
    })
    await expect(quoted(() => good({ call: { data } }))).rejects.toThrow(
      'LI.FI takes 1.0025 USDC for a swap of 1 USDC',
    )
  })

  test('gives no quote for its no-route codes', async () => {
    for (const [status, code] of [
      [404, 1002],
      [404, 1003],
      [400, 1002],
    ] as const)
      await expect(
        quoted(() => ({ status, body: { message: 'No available quotes', code } })),
      ).rejects.toMatchObject({ code: 'NO_ROUTE_FOUND' })
  })

  test.each<[string, Answers, RegExp]>([
    [
      'the documented example',
      () => ({
        status: 200,
        body: { ...sample, transactionRequest: { ...sample.transactionRequest, data: '0x' } },
      }),
      /another swap than requested/,
    ],
    ['another contract', () => good({ call: { to: thief } }), /returned another contract/],
    ['another spender', () => good({ estimate: { approvalAddress: thief } }), /returned another contract/],
    ['another amount', () => good({ action: { fromAmount: '2' } }), /another swap than requested/],
    ['another chain', () => good({ action: { toChainId: 1 } }), /another swap than requested/],
    ['empty calldata', () => good({ call: { data: '0x' } }), /terms cannot be decoded/],
    ['calldata of a transfer', () => good({ call: { data: transferCall() } }), /terms cannot be decoded/],
    [
      'an estimate that its calldata minimum does not support',
      () => good({ estimate: { toAmount: '2000000' } }),
      /does not match its quote/,
    ],
    [
      'an amount in scientific notation',
      () => good({ estimate: { toAmount: '1e9' } }),
      /did not return a quote/,
    ],
    [
      'HTTP 400 with an error code',
      () => ({ status: 400, body: { message: 'no', code: 1011 } }),
      /did not return a quote/,
    ],
    ...serviceFailures,
    [
      'an oversized body',
      () => good({ call: { extra: 'x'.repeat(9_000_000) } }),
      /returned an invalid response/,
    ],
  ])('reports %s as a provider error', async (_, answer, message) => {
    await expect(quoted(answer)).rejects.toMatchObject({
      code: 'PROVIDER_API_ERROR',
      message: expect.stringMatching(message),
    })
  })

  const order = { wallet, recipient: friend, deadline }
  const built = async (answer: LoopbackAnswer, what = ask()) => {
    let asked = new URLSearchParams()
    const provider = await at((url) => {
      asked = url.searchParams
      return answer
    })
    const offer = {
      amountIn,
      amountOut: 1_000_000n,
      maxAmountIn: amountIn,
      minAmountOut: least,
      fees: [],
      raw: {},
    }
    return { ...(await provider.build(what, offer, order)), asked }
  }

  test('builds the transaction for wallet and recipient, and ignores the value in the response', async () => {
    const { transaction, needs, asked } = await built(good())
    expect(transaction).toMatchObject({ to: diamond, value: 0n, chainId: 31337 })
    expect(needs).toEqual({ token: usdc.address, spender: diamond, amount: amountIn })
    expect([asked.get('fromAddress'), asked.get('toAddress'), asked.get('slippage')]).toEqual([
      wallet,
      friend,
      '0.0049',
    ])
  })

  test.each<[string, () => LoopbackAnswer]>([
    ['lowers the minimum', () => good({ call: { data: swapCall([usdc, weth], { minimum: least - 1n }) } })],
    ['no longer has a route', () => ({ status: 404, body: { code: 1002 } })],
  ])('builds no transaction when it %s', async (_, answer) => {
    await expect(built(answer())).rejects.toMatchObject({ code: 'QUOTE_EXPIRED' })
  })

  /** Status of a transfer that the destination pool reports as filled but no log search finds; `fill` is its transaction. */
  const progress = async (body: LoopbackAnswer, fill?: Hex) => {
    let asked = 0
    const there = contractsIn(catalog, acrossContracts)[1]!.spokePool
    const provider = await at(
      () => {
        asked++
        return body
      },
      {
        mined: async (chainId, hash) => {
          const blockNumber = 9
          if (chainId === 31337)
            return { ok: true, blockNumber, logs: [{ address: spokePool, ...deposited }] }
          return hash === fill ? { ok: true, blockNumber, logs: [{ address: there, ...filled }] } : undefined
        },
        read: async () => [true, false] as never,
        log: async () => undefined,
      },
    )
    const raw = { originFromBlock: '1', destinationFromBlock: '1' }
    const offer = { amountIn, amountOut: least, maxAmountIn: amountIn, minAmountOut: least, fees: [], raw }
    const said = await provider.status(ask(usdc, usdcThere), offer, padHex('0x0a'), order)
    expect(asked).toBe(1)
    return said
  }

  test('never ends a transfer on the status in the response alone', async () => {
    const words = ['NOT_FOUND', 'INVALID', 'PENDING', 'FAILED', 'DONE', 'NEW_WORD']
    const bodies: LoopbackAnswer[] = [
      { status: 200, body: documented },
      ...words.flatMap((status) =>
        ['COMPLETED', 'PARTIAL', 'REFUNDED', 'REFUND_IN_PROGRESS', 'INTENT_EXECUTING'].map((substatus) => ({
          status: 200,
          body: { ...documented, status, substatus },
        })),
      ),
      { status: 429, body: {} },
      { status: 200, body: [] },
    ]
    for (const body of bodies) expect(await progress(body)).toEqual({ status: 'processing' })
  })

  test('names the fill transaction, which counts only if the chain shows it', async () => {
    const txHash = padHex('0x0b')
    const body = { ...documented, receiving: { ...documented.receiving, txHash } }
    expect(await progress({ status: 200, body }, txHash)).toEqual({
      status: 'fulfilled',
      destination: txHash,
    })
    expect(await progress({ status: 200, body }, padHex('0x0c'))).toEqual({ status: 'processing' })
  })
})

const asked = (line: string) => run(`swap execute ${line} --provider lifi --yes --json`)

describe('LI.FI', () => {
  test.each([
    ['a token', '--token-in USDC --token-out WETH --amount-in 300'],
    ['an amount too small for a fee', '--token-in USDC --token-out USDT --amount-in 0.0003'],
    ['the native coin in', '--token-in ETH --token-out USDT --amount-in 0.1'],
    [
      'the native coin out, to another recipient',
      `--token-in USDC --token-out ETH --amount-in 100 --destination ${friend}`,
    ],
  ])('swaps %s', async (_, flags) => {
    const symbol = /--token-out (\w+)/.exec(flags)![1]!
    const paid = flags.includes(friend) ? friend : sandbox.user.address
    const held = () =>
      symbol === 'ETH'
        ? sandbox.nativeBalanceOf(31337, paid)
        : sandbox.balanceOf(31337, sandbox.token(31337, symbol).address, paid)
    const before = await held()
    const { exit, json, err } = await asked(`--from sandbox-one ${flags}`)
    expect({ exit, status: json.status }, err).toEqual({ exit: 0, status: 'SUCCESS' })
    expect((await held()) - before).toBe(BigInt(json.amounts.out.raw))
  })

  test('is not eligible for an exact output', async () => {
    const line = 'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-out 0.1'
    expect((await run(`${line} --provider lifi --json`)).json.error).toMatchObject({
      code: 'PREFERRED_PROVIDER_NOT_ELIGIBLE',
      message: expect.stringContaining('an exact input only'),
    })
  })
})
