import {
  concatHex,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  getAddress,
  hashTypedData,
  keccak256,
  numberToHex,
  padHex,
  parseAbiParameters,
  stringToHex,
} from 'viem/utils'
import { type Address, type Hex, nativeAddress } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import type { Token } from '../../../src/domain/token.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import type { Intent } from '../../../src/protocols/intent.ts'
import { balancerV2Contracts } from '../../../src/swaps/balancer-v2/constants-schema.ts'
import { contractsIn } from '../../../src/swaps/swap-contracts.ts'
import {
  depositCall,
  numberOf,
  type ShownOrder,
  termsOf,
  termsParameters,
  withTerms,
} from '../services/relay-orders.ts'
import {
  aggregator,
  balancerVault,
  brla,
  catalog,
  coin,
  depository,
  desk,
  diamond,
  friend,
  lending,
  messenger,
  oneInchRouter,
  type Plan,
  pancakeRouter,
  permit2,
  pool,
  relayRouter,
  router,
  router02,
  settlement,
  solver,
  spokePool,
  universalRouter,
  usdc,
  usdcThere,
  usdt,
  vault,
  vaulted,
  vaultRelayer,
  weth,
} from './plan-fixtures.ts'
import { encoded, published } from './published-calls.ts'

/**
 * The free choices in the transactions of a request: the approvals before it, and, for a swap, a route and bounds
 * that equal the accepted ones or are better.
 */
export type Choice = {
  approvals: 'none' | 'exact' | 'reset'
  /** For a payment through Permit2: the expiration of its approval there, if there is one. */
  permit: number | undefined
  tokens: readonly Address[]
  fees: readonly number[]
  amountIn: bigint
  amountOut: bigint
  deadline: number
  fee: bigint
  finality: number
  /** Whether Circle is asked to deliver a burn. */
  isForwarded: boolean
  /** The data from the Relay service: its order, and its request ID. */
  relayed?: Relayed
  /** The data from an aggregator service for its executor. */
  route: Route
  /** The calldata from the LI.FI service; most of it is free. */
  written?: Written
}

/** A Relay order and its request ID. */
type Relayed = { order: ShownOrder; requestId: Hex }

/** A call of LI.FI's diamond: a swap on one chain with its steps, or a transfer to the other chain. */
type Written = { name: string; args: readonly unknown[] }

type Route = {
  callTarget: Address
  approveTarget: Address
  targetData: Hex
  srcReceivers: readonly Address[]
  srcAmounts: readonly bigint[]
  flags: bigint
  clientData: Hex
}

const noRoute: Route = {
  callTarget: nativeAddress,
  approveTarget: nativeAddress,
  targetData: '0x',
  srcReceivers: [],
  srcAmounts: [],
  flags: 0n,
  clientData: '0x',
}
/** The flags that do not change the output, one by one (source: the constants of MetaAggregationRouterV2). */
const idleFlags = [0x04n, 0x20n, 0x40n, 0x80n, 0x100n, 0x200n]
/** Those flags that set the meaning of fee amounts. */
const feeFlags = [0x40n, 0x80n]

const chainId = 31337
const { pools: listedPools } = contractsIn(catalog, balancerV2Contracts)[0]!
const tiers = [100, 500, 3000, 10_000]
const bytes = (random: () => number, count: number): Hex =>
  `0x${Array.from({ length: count }, () =>
    Math.floor(random() * 256)
      .toString(16)
      .padStart(2, '0'),
  ).join('')}`
const upTo = (random: () => number, most: bigint): bigint => (BigInt(bytes(random, 32)) % most) + 1n
const anAmount = (random: () => number): bigint => upTo(random, 10n ** BigInt(1 + Math.floor(random() * 27)))
const anAddress = (random: () => number): Address => {
  const address = bytes(random, 20)
  return random() < 0.5 ? getAddress(address) : address
}
const one = <value>(random: () => number, among: readonly value[]): value =>
  among[Math.floor(random() * among.length)]!

/** A request of any kind. */
function anIntent(random: () => number): Intent {
  const wallet = anAddress(random)
  const amount = anAmount(random)
  const recipient = random() < 0.5 ? wallet : anAddress(random)
  const deadline = 1_800_000_000 + Math.floor(random() * 1e8)
  switch (Math.floor(random() * 8)) {
    case 0:
      return { kind: 'deposit', wallet, strategy: one(random, [lending, vaulted]), amount }
    case 1: {
      const shares = random() < 0.5 ? {} : { shares: anAmount(random) }
      return { kind: 'withdraw', wallet, strategy: one(random, [lending, vaulted]), amount, ...shares }
    }
    case 2:
      return {
        kind: 'transfer',
        wallet,
        token: one(random, [usdc, weth, usdt, coin]),
        recipient: anAddress(random),
        amount,
      }
    case 3: {
      const fee = upTo(random, amount) - 1n
      return {
        kind: 'swap',
        wallet,
        ...one<{ provider: string; tokenIn: Token }>(random, [
          { provider: 'cctp-v2', tokenIn: usdc },
          { provider: 'across', tokenIn: usdc },
          { provider: 'lifi', tokenIn: usdc },
          { provider: 'relay', tokenIn: usdc },
          { provider: 'relay', tokenIn: coin },
        ]),
        tokenOut: usdcThere,
        exact: 'in',
        amountIn: amount,
        amountOut: amount - fee,
        recipient,
        deadline,
      }
    }
    case 4:
      return { kind: 'revoke', wallet, token: one(random, [usdc, weth, usdt]), spender: anAddress(random) }
    case 5: {
      const [tokenIn, tokenOut] = random() < 0.5 ? [usdc, brla] : [brla, usdc]
      return {
        kind: 'swap',
        wallet,
        provider: 'avenia',
        tokenIn,
        tokenOut,
        exact: one(random, ['in', 'out']),
        amountIn: amount,
        amountOut: anAmount(random),
        recipient: wallet,
        deadline,
      }
    }
    default: {
      const provider = one(random, [
        'uniswap-v3',
        'uniswap-v2',
        'kyberswap',
        'uniswap-v4',
        'cow',
        'balancer-v2',
        'pancakeswap-v3',
        'lifi',
        '1inch',
      ])
      const [tokenIn, tokenOut] = one<readonly [Token, Token]>(random, [
        [usdc, usdt],
        [usdt, usdc],
        [usdc, weth],
        [weth, usdt],
        ...(!/^(uniswap-v3|pancakeswap-v3|cow)$/.test(provider)
          ? ([
              [coin, usdc],
              [usdt, coin],
            ] as const)
          : []),
      ])
      return {
        kind: 'swap',
        wallet,
        provider,
        tokenIn,
        tokenOut,
        exact: /^(kyberswap|lifi|1inch)$/.test(provider) ? 'in' : one(random, ['in', 'out']),
        amountIn: amount,
        amountOut: anAmount(random),
        recipient,
        deadline,
      }
    }
  }
}

function aChoice(random: () => number, intent: Intent): Choice {
  const free: Choice = {
    approvals: one(random, ['none', 'exact', 'reset']),
    permit: undefined,
    tokens: [],
    fees: [],
    amountIn: 0n,
    amountOut: 0n,
    deadline: 0,
    fee: 0n,
    finality: 1000,
    isForwarded: false,
    route: noRoute,
  }
  if (intent.kind === 'withdraw' || intent.kind === 'transfer' || intent.kind === 'revoke')
    return { ...free, approvals: 'none' }
  if (intent.kind !== 'swap') return free
  const { tokenIn, tokenOut, exact, amountIn, amountOut, deadline } = intent
  if (intent.provider === 'avenia') return { ...free, approvals: 'none' }
  if (intent.provider === 'across')
    return {
      ...free,
      amountIn,
      amountOut: random() < 0.3 ? amountOut + anAmount(random) : amountOut,
      deadline: deadline + Math.floor(random() * 3_601),
      // The time when the fee was quoted, which affects only the payment of the relayer.
      fee: BigInt(deadline - Math.floor(random() * 600)),
    }
  if (intent.provider === 'relay') return { ...free, relayed: aRelayed(random, intent) }
  if (intent.provider === 'lifi') {
    const least = random() < 0.3 ? amountOut + anAmount(random) : amountOut
    return { ...free, amountIn, amountOut: least, written: aWritten(random, intent, least) }
  }
  if (intent.provider === 'cow')
    return { ...free, amountIn, amountOut, deadline: deadline + Math.floor(random() * 1_801) }
  const [first, last] = [pooled(tokenIn, intent), pooled(tokenOut, intent)]
  const middle = middleOf(intent)
  const isDirect = random() < 0.5 || first === middle || last === middle
  const tokens = isDirect ? [first, last] : [first, middle, last]
  const latest = random() < 0.5 ? deadline : deadline - Math.floor(random() * 1000)
  const isThrough = intent.provider === 'uniswap-v4' && tokenIn !== coin && random() < 0.8
  return {
    ...free,
    tokens,
    route: isAggregated(intent.provider) ? aRoute(random, intent) : noRoute,
    fees:
      intent.provider === 'balancer-v2'
        ? tokens.slice(1).map((token, at) => one(random, poolsOf(tokens[at]!, token)))
        : /^(uniswap|pancakeswap)-v[34]$/.test(intent.provider)
          ? tokens.slice(1).map(() => one(random, tiersOf(intent)))
          : [],
    amountIn: exact === 'out' && random() < 0.3 ? upTo(random, amountIn) : amountIn,
    amountOut: exact === 'in' && random() < 0.3 ? amountOut + anAmount(random) : amountOut,
    deadline: latest,
    permit: isThrough ? latest - (random() < 0.5 ? 0 : Math.floor(random() * 1000)) : undefined,
    fee: tokenOut === usdcThere ? upTo(random, amountIn - amountOut + 1n) - 1n : 0n,
    finality: one(random, [1000, 2000]),
    isForwarded: random() < 0.5,
  }
}

function aRoute(random: () => number, intent: Swap): Route {
  const { amountIn } = intent
  const part = upTo(random, amountIn)
  return {
    callTarget: anAddress(random),
    approveTarget: anAddress(random),
    targetData: bytes(random, 1 + Math.floor(random() * 200)),
    srcReceivers: [anAddress(random), anAddress(random)],
    srcAmounts: [part, amountIn - part],
    flags: flagsOf(intent)
      .filter(() => random() < 0.3)
      .reduce((sum, flag) => sum | flag, 0n),
    clientData: bytes(random, Math.floor(random() * 60)),
  }
}

type Swap = Extract<Intent, { kind: 'swap' }>

/** The router flags of the aggregator that a swap may have. */
const flagsOf = ({ fees }: Swap): bigint[] => idleFlags.filter((flag) => !fees || !feeFlags.includes(flag))

/** The part of LI.FI's function names that states whether the native coin is the input or the output. */
const lifiWay = ({ tokenIn, tokenOut }: Swap): string =>
  [tokenIn, tokenOut].map((token) => (token === coin ? 'Native' : 'ERC20')).join('To')

/** The calls that the LI.FI service may return for a swap with a minimum: a fee and a swap of the rest, a swap alone, or an Across deposit. */
function aWritten(random: () => number, intent: Swap, least: bigint): Written {
  const { wallet, recipient, tokenIn, tokenOut, amountIn, deadline } = intent
  const word = () => bytes(random, 32)
  const text = () => bytes(random, Math.floor(random() * 20)).slice(2)
  const part = (to: Address, fromAmount: bigint, requiresDeposit = true) => ({
    callTo: anAddress(random),
    approveTo: anAddress(random),
    sendingAssetId: tokenIn.address,
    receivingAssetId: to,
    fromAmount,
    callData: bytes(random, 4 + Math.floor(random() * 200)),
    requiresDeposit,
  })
  if (tokenOut === usdcThere) {
    // The fee leaves at least the minimum output; the deposit asks for a share of the remainder.
    const kept = least <= amountIn && random() < 0.5 ? upTo(random, amountIn - least + 1n) - 1n : undefined
    const left = amountIn - (kept ?? 0n)
    const share = (least * 10n ** 18n + left - 1n) / left
    return {
      name: kept === undefined ? 'startBridgeTokensViaAcrossV4' : 'swapAndStartBridgeTokensViaAcrossV4',
      args: [
        {
          transactionId: word(),
          bridge: 'across',
          integrator: text(),
          referrer: anAddress(random),
          sendingAssetId: tokenIn.address,
          receiver: recipient,
          minAmount: left,
          destinationChainId: 31338n,
          hasSourceSwaps: kept !== undefined,
          hasDestinationCall: false,
        },
        ...(kept === undefined ? [] : [[part(tokenIn.address, amountIn)]]),
        {
          receiverAddress: asWord(recipient),
          refundAddress: asWord(wallet),
          sendingAssetId: asWord(tokenIn.address),
          receivingAssetId: asWord(tokenOut.address),
          outputAmount: least,
          outputAmountMultiplier: kept === undefined ? BigInt(bytes(random, 16)) : share,
          exclusiveRelayer: word(),
          quoteTimestamp: deadline - Math.floor(random() * 600),
          fillDeadline: deadline + Math.floor(random() * 21_601),
          exclusivityParameter: Math.floor(random() * 60),
          message: '0x',
        },
      ],
    }
  }
  const fee = upTo(random, amountIn) - 1n
  const isSingle = random() < 0.5
  // The fee step takes only the fee, or the whole input and leaves the rest to the swap.
  const isWhole = random() < 0.5
  const steps = isSingle
    ? part(tokenOut.address, amountIn)
    : [part(tokenIn.address, isWhole ? amountIn : fee), part(tokenOut.address, amountIn - fee, !isWhole)]
  return {
    name: `swapTokens${isSingle ? 'Single' : 'Multiple'}V3${lifiWay(intent)}`,
    args: [word(), text(), text(), recipient, least, steps],
  }
}

/** The chains of Relay in these tests. */
const relayChains: Readonly<Record<string, number>> = { 'sandbox-one': 31337, 'sandbox-two': 31338 }

/** The tokens of a chain in which an order may be refunded. */
const tokensOf = ({ tokenIn, tokenOut }: Swap, chainId: number): Address[] =>
  [tokenIn, tokenOut, ...catalog.tokens].flatMap((token) =>
    token.chainId === chainId && token !== coin ? [token.address] : [],
  )

/** The orders that the Relay service may return for a transfer: each pays the request, and is refunded to wallet or recipient. */
function aRelayed(random: () => number, intent: Swap): Relayed {
  const { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut, deadline } = intent
  const minimum = random() < 0.3 ? amountOut + anAmount(random) : amountOut
  const until = () => deadline + Math.floor(random() * 691_201)
  const filledUntil = until()
  const refund = (chainId: string, to: Address) => {
    const currency = one(random, [nativeAddress, ...tokensOf(intent, relayChains[chainId]!)])
    const isFree = currency !== nativeAddress
    return {
      chainId,
      recipient: to,
      currency,
      minimumAmount: String(random() < 0.5 ? 0n : anAmount(random)),
      deadline: filledUntil + Math.floor(random() * 1e6),
      extraData: !isFree ? padHex(relayRouter) : random() < 0.5 ? ('0x' as const) : bytes(random, 32),
    }
  }
  const refunds = [
    refund('sandbox-one', wallet),
    ...(random() < 0.7 ? [refund('sandbox-two', random() < 0.5 ? wallet : recipient)] : []),
  ]
  const order: ShownOrder = {
    version: 'v1',
    solverChainId: 'base',
    solver,
    salt: bytes(random, 32),
    inputs: [
      {
        payment: {
          chainId: 'sandbox-one',
          currency: tokenIn.address,
          amount: String(amountIn),
          weight: '1',
        },
        refunds,
      },
    ],
    output: {
      chainId: 'sandbox-two',
      payments: [
        {
          recipient,
          currency: tokenOut.address,
          minimumAmount: String(minimum),
          expectedAmount: String(minimum + anAmount(random)),
        },
      ],
      calls: [],
      deadline: filledUntil,
      extraData: bytes(random, 32),
    },
    fees: [],
  }
  return { order, requestId: bytes(random, 32) }
}

/** Deposit calldata for an order, followed by its terms. */
const relayedCall = ({ wallet, tokenIn, amountIn }: Swap, { order, requestId }: Relayed) =>
  withTerms(
    depositCall(wallet, tokenIn.address, amountIn, numberOf(order)),
    termsOf(order, requestId, relayChains),
  )

/** Whether the order pays the request and can be refunded only to its owner; all other fields come from the request. */
function isRelayedFor(intent: Swap, { order }: Relayed): boolean {
  const { deadline, payments } = order.output
  return (
    BigInt(payments[0]!.minimumAmount) >= intent.amountOut &&
    deadline >= intent.deadline &&
    deadline <= intent.deadline + 691_200 &&
    order.inputs[0]!.refunds.length > 0 &&
    order.inputs[0]!.refunds.every(
      ({ chainId: at, recipient: to, currency, deadline: until, extraData }) =>
        (lower(to) === lower(intent.wallet) ||
          (at === 'sandbox-two' && lower(to) === lower(intent.recipient))) &&
        until >= deadline &&
        (lower(currency) === nativeAddress
          ? lower(extraData) === lower(padHex(relayRouter))
          : tokensOf(intent, relayChains[at]!).some((known) => lower(known) === lower(currency))),
    )
  )
}

/** Reads an order from the terms after a deposit; the other fields come from the request. */
function relayedIn(intent: Swap, data: Hex): Relayed {
  const { order } = aRelayed(() => 0, intent)
  const start = 2 + 8 + (intent.tokenIn === coin ? 2 : 4) * 64
  const [{ requestId, salt, minimum, expected, deadline, extraData, refunds }] = decodeAbiParameters(
    termsParameters,
    `0x${data.slice(start)}`,
  )
  const nameOf = (id: bigint) => Object.keys(relayChains).find((name) => BigInt(relayChains[name]!) === id)!
  const payment = { minimumAmount: String(minimum), expectedAmount: String(expected) }
  return {
    requestId,
    order: {
      ...order,
      salt: numberToHex(salt, { size: 32 }),
      inputs: [
        {
          ...order.inputs[0]!,
          refunds: refunds.map(({ chainId: id, minimum: least, ...refund }) => ({
            ...refund,
            chainId: nameOf(id),
            minimumAmount: String(least),
          })),
        },
      ],
      output: {
        ...order.output,
        payments: [{ ...order.output.payments[0]!, ...payment }],
        deadline,
        extraData,
      },
    },
  }
}

/** Whether the LI.FI calldata does what was requested and spends nothing else. */
function isWrittenFor(intent: Swap, { name, args }: Written): boolean {
  const { wallet, recipient, tokenIn, tokenOut, amountIn, amountOut, deadline } = intent
  const same = (one: unknown, other: string) => lower(String(one)) === lower(other)
  if (tokenOut === usdcThere) {
    const hasFee = name === 'swapAndStartBridgeTokensViaAcrossV4'
    const [bridge, across] = [args[0], args.at(-1)] as [Record<string, unknown>, Record<string, unknown>]
    const fees = hasFee ? (args[1] as Step[]) : []
    const least = bridge.minAmount as bigint
    const output = hasFee
      ? (least * (across.outputAmountMultiplier as bigint)) / 10n ** 18n
      : (across.outputAmount as bigint)
    const taken = hasFee
      ? fees.reduce((sum, { fromAmount, requiresDeposit }) => sum + (requiresDeposit ? fromAmount : 0n), 0n)
      : least
    return (
      (hasFee || name === 'startBridgeTokensViaAcrossV4') &&
      fees.every((fee) =>
        [fee.sendingAssetId, fee.receivingAssetId].every((at) => same(at, tokenIn.address)),
      ) &&
      same(bridge.sendingAssetId, tokenIn.address) &&
      same(bridge.receiver, recipient) &&
      taken === amountIn &&
      least <= taken &&
      // The remainder must cover the output, or no relayer fills it.
      (least === taken || output <= least) &&
      bridge.destinationChainId === 31338n &&
      bridge.hasSourceSwaps === hasFee &&
      bridge.hasDestinationCall === false &&
      same(across.receiverAddress, asWord(recipient)) &&
      same(across.refundAddress, asWord(wallet)) &&
      same(across.sendingAssetId, asWord(tokenIn.address)) &&
      same(across.receivingAssetId, asWord(tokenOut.address)) &&
      output >= amountOut &&
      (across.fillDeadline as number) >= deadline &&
      (across.fillDeadline as number) <= deadline + 21_600 &&
      isSoonForAll(across) &&
      across.message === '0x'
    )
  }
  const [, , , receiver, least, given] = args as [Hex, string, string, Address, bigint, Step | Step[]]
  const steps = Array.isArray(given) ? given : [{ ...given, requiresDeposit: true }]
  const paying = steps.filter(({ requiresDeposit }) => requiresDeposit)
  return (
    name.replace(/Single|Multiple/, '') === `swapTokensV3${lifiWay(intent)}` &&
    same(receiver, recipient) &&
    least >= amountOut &&
    same(steps[0]?.sendingAssetId, tokenIn.address) &&
    same(steps.at(-1)?.receivingAssetId, tokenOut.address) &&
    paying.every(({ sendingAssetId }) => same(sendingAssetId, tokenIn.address)) &&
    paying.reduce((sum, { fromAmount }) => sum + fromAmount, 0n) === amountIn
  )
}

/**
 * Whether an exclusivity names its relayer, and others may fill the deposit within ten minutes, given as a time or as seconds from its
 * block.
 */
const isSoonForAll = ({
  exclusiveRelayer,
  exclusivityParameter,
  quoteTimestamp,
}: Record<string, unknown>) => {
  const [alone, from] = [exclusivityParameter as number, quoteTimestamp as number]
  if (alone !== 0 && BigInt(exclusiveRelayer as Hex) === 0n) return false
  // A larger number than a year of seconds is a time (SpokePool.sol).
  return alone <= 600 || (alone > 31_536_000 && alone <= from + 600)
}

/** The checked fields of a LI.FI swap step. */
type Step = {
  sendingAssetId: Address
  receivingAssetId: Address
  fromAmount: bigint
  requiresDeposit: boolean
}

/** Whether the service of a provider supplies the calldata. */
const isAggregated = (provider: string | undefined): boolean =>
  provider === 'kyberswap' || provider === '1inch'

/** The fee tiers of a provider. */
const tiersOf = ({ provider }: Swap): readonly number[] =>
  provider === 'pancakeswap-v3' ? [100, 500, 2500, 10_000] : tiers

/** The tokens that a path may pass through: Uniswap v4 pools hold the native coin, the others its wrapped form. */
const middleOf = ({ provider }: Swap): Address => (provider === 'uniswap-v4' ? coin.address : weth.address)

/** The form of a token in a path. */
const pooled = (token: Token, intent: Swap): Address => (token === coin ? middleOf(intent) : token.address)

/** The Balancer v2 pools that hold two tokens, by their index in the list. */
const poolsOf = (token: Address, other: Address): number[] =>
  listedPools.flatMap(({ tokens }, at) =>
    lower(token) !== lower(other) && [token, other].every((each) => tokens.map(lower).includes(lower(each)))
      ? [at]
      : [],
  )

/** The 4-byte mark after a call of the 1inch router, if there is one. */
const markOf = (clientData: Hex): Hex => (clientData.length < 10 ? '0x' : (clientData.slice(0, 10) as Hex))

/** The form of a token in the calldata of the aggregator. */
const marked = (token: Token): Address =>
  token === coin ? '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' : token.address

const to = (target: Address, data: Hex, value = 0n): Transaction => ({ to: target, data, value, chainId })

/** The action of a request, by the published ABIs, and its spending through an allowance. */
function actionOf(
  intent: Intent,
  choice: Choice,
): { action: Transaction; spends?: { token: Address; amount: bigint; by?: Address } } {
  const { wallet } = intent
  switch (intent.kind) {
    case 'deposit': {
      const { amount, strategy } = intent
      const spends = { token: usdc.address, amount }
      return strategy === lending
        ? { action: to(pool, encoded('pool', 'supply', usdc.address, amount, wallet, 0)), spends }
        : { action: to(vault, encoded('erc4626', 'deposit', amount, wallet)), spends }
    }
    case 'withdraw': {
      const { amount, shares, strategy } = intent
      if (strategy === lending)
        return {
          action: to(
            pool,
            encoded('pool', 'withdraw', usdc.address, shares === undefined ? amount : maxUint256, wallet),
          ),
        }
      return {
        action: to(
          vault,
          shares === undefined
            ? encoded('erc4626', 'withdraw', amount, wallet, wallet)
            : encoded('erc4626', 'redeem', shares, wallet, wallet),
        ),
      }
    }
    case 'transfer':
      return intent.token === coin
        ? { action: to(intent.recipient, '0x', intent.amount) }
        : { action: to(intent.token.address, encoded('erc20', 'transfer', intent.recipient, intent.amount)) }
    case 'claim':
      throw new Error('a claim is not drawn')
    case 'deliver':
      throw new Error('a delivery is not drawn')
    case 'revoke':
      return { action: to(intent.token.address, encoded('erc20', 'approve', intent.spender, 0n)) }
    case 'swap': {
      const { recipient, tokenOut, tokenIn, amountIn, fees = [] } = intent
      const spent = fees.reduce((sum, { amount }) => sum + amount, choice.amountIn)
      if (intent.provider === 'avenia')
        return { action: to(tokenIn.address, encoded('erc20', 'transfer', desk, amountIn)) }
      if (intent.provider === 'across')
        return {
          action: to(spokePool, depositOf(intent, choice)),
          spends: { token: usdc.address, amount: choice.amountIn },
        }
      if (intent.provider === 'cow')
        return {
          action: to(settlement, encoded('settlement', 'setPreSignature', orderUid(intent, choice), true)),
          spends: { token: tokenIn.address, amount: choice.amountIn, by: vaultRelayer },
        }
      if (intent.provider === 'relay') {
        const data = relayedCall(intent, choice.relayed!)
        return {
          action: to(depository, data, tokenIn === coin ? amountIn : 0n),
          ...(tokenIn !== coin && { spends: { token: tokenIn.address, amount: amountIn } }),
        }
      }
      if (intent.provider === 'lifi') {
        const { name, args } = choice.written!
        const spends = { token: tokenIn.address, amount: amountIn }
        return {
          action: to(diamond, encoded('lifi', name, ...args), tokenIn === coin ? amountIn : 0n),
          ...(tokenIn !== coin && { spends }),
        }
      }
      if (tokenOut === usdcThere) {
        const nobody = `0x${'00'.repeat(32)}`
        const args = [amountIn, 8, asWord(recipient), usdc.address, nobody, choice.fee, choice.finality]
        const data = choice.isForwarded
          ? encoded(
              'bridge',
              'depositForBurnWithHook',
              ...args,
              `0x${'636374702d666f7277617264'.padEnd(64, '0')}`,
            )
          : encoded('bridge', 'depositForBurn', ...args)
        return { action: to(messenger, data), spends: { token: usdc.address, amount: amountIn } }
      }
      if (intent.provider === 'kyberswap') {
        const { flags, srcReceivers, srcAmounts, ...execution } = choice.route
        const desc = {
          srcToken: marked(tokenIn),
          dstToken: marked(tokenOut),
          srcReceivers,
          srcAmounts,
          feeReceivers: fees.map((fee) => fee.to),
          feeAmounts: fees.map(({ amount }) => amount),
          dstReceiver: recipient,
          amount: spent,
          minReturnAmount: choice.amountOut,
          flags,
          permit: '0x',
        }
        const data = encoded('aggregator', 'swap', { ...execution, desc })
        const spends = { token: tokenIn.address, amount: spent }
        return {
          action: to(aggregator, data, tokenIn === coin ? spent : 0n),
          ...(tokenIn !== coin && { spends }),
        }
      }
      if (intent.provider === '1inch') {
        const { callTarget: executor, srcReceivers, targetData, clientData } = choice.route
        const desc = {
          srcToken: marked(tokenIn),
          dstToken: marked(tokenOut),
          srcReceiver: srcReceivers[0],
          dstReceiver: recipient,
          amount: choice.amountIn,
          minReturnAmount: choice.amountOut,
          flags: 0n,
        }
        // The service marks its calls.
        const data = concatHex([encoded('oneInch', 'swap', executor, desc, targetData), markOf(clientData)])
        const spends = { token: tokenIn.address, amount: choice.amountIn }
        return {
          action: to(oneInchRouter, data, tokenIn === coin ? choice.amountIn : 0n),
          ...(tokenIn !== coin && { spends }),
        }
      }
      if (intent.provider === 'uniswap-v2') {
        const [data, value] = [pairSwapOf(intent, choice), tokenIn === coin ? choice.amountIn : 0n]
        const spends = { token: tokenIn.address, amount: choice.amountIn }
        return { action: to(router02, data, value), ...(tokenIn !== coin && { spends }) }
      }
      if (intent.provider === 'uniswap-v4') {
        const [data, value] = [plannedSwapOf(intent, choice), tokenIn === coin ? spent : 0n]
        const spends = { token: tokenIn.address, amount: spent, by: permit2 }
        return { action: to(universalRouter, data, value), ...(tokenIn !== coin && { spends }) }
      }
      if (intent.provider === 'balancer-v2') {
        const [data, value] = [vaultSwapOf(intent, choice), tokenIn === coin ? choice.amountIn : 0n]
        const spends = { token: tokenIn.address, amount: choice.amountIn }
        return { action: to(balancerVault, data, value), ...(tokenIn !== coin && { spends }) }
      }
      const paid = fees.flatMap((fee) => [
        encoded('router', 'pull', tokenIn.address, fee.amount),
        encoded('router', 'sweepToken', tokenIn.address, fee.amount, fee.to),
      ])
      const calls = [swapOf(intent, choice), ...paid]
      const data = encoded('router', 'multicall', BigInt(choice.deadline), calls)
      const at = intent.provider === 'pancakeswap-v3' ? pancakeRouter : router
      return { action: to(at, data), spends: { token: tokenIn.address, amount: spent } }
    }
  }
}

function swapOf({ exact, recipient }: Extract<Intent, { kind: 'swap' }>, choice: Choice): Hex {
  const { tokens, fees, amountIn, amountOut } = choice
  const bounds =
    exact === 'in' ? { amountIn, amountOutMinimum: amountOut } : { amountOut, amountInMaximum: amountIn }
  const name = exact === 'in' ? 'exactInput' : 'exactOutput'
  if (tokens.length === 2)
    return encoded('router', `${name}Single`, {
      tokenIn: tokens[0],
      tokenOut: tokens[1],
      fee: fees[0],
      recipient,
      ...bounds,
      sqrtPriceLimitX96: 0n,
    })
  const parts = tokens.flatMap((token, i) =>
    fees[i] === undefined ? [token] : [token, numberToHex(fees[i], { size: 3 })],
  )
  return encoded('router', name, {
    path: concatHex(exact === 'in' ? parts : parts.toReversed()),
    recipient,
    ...bounds,
  })
}

/** The fields of an order, as in `ORDER_TYPE_FIELDS` of `@cowprotocol/contracts` 1.8.0. */
const orderFields = [
  ...['sellToken', 'buyToken', 'receiver'].map((name) => ({ name, type: 'address' })),
  ...['sellAmount', 'buyAmount'].map((name) => ({ name, type: 'uint256' })),
  { name: 'validTo', type: 'uint32' },
  { name: 'appData', type: 'bytes32' },
  { name: 'feeAmount', type: 'uint256' },
  { name: 'kind', type: 'string' },
  { name: 'partiallyFillable', type: 'bool' },
  ...['sellTokenBalance', 'buyTokenBalance'].map((name) => ({ name, type: 'string' })),
]

/** The order of a CoW Protocol swap: its hash, its owner and its expiry. */
function orderUid({ wallet, tokenIn, tokenOut, exact, recipient }: Swap, choice: Choice): Hex {
  const hash = hashTypedData({
    domain: { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract: settlement },
    types: { Order: orderFields },
    primaryType: 'Order',
    message: {
      sellToken: tokenIn.address,
      buyToken: tokenOut.address,
      receiver: recipient,
      sellAmount: choice.amountIn,
      buyAmount: choice.amountOut,
      validTo: choice.deadline,
      appData: keccak256(stringToHex('{"appCode":"sluice","metadata":{},"version":"1.3.0"}')),
      feeAmount: 0n,
      kind: exact === 'in' ? 'sell' : 'buy',
      partiallyFillable: false,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
    },
  })
  return concatHex([hash, lower(wallet) as Address, numberToHex(choice.deadline, { size: 4 })])
}

const asWord = (address: Address): Hex => `0x${address.slice(2).padStart(64, '0')}`

function depositOf({ wallet, recipient }: Extract<Intent, { kind: 'swap' }>, choice: Choice): Hex {
  const { amountIn, amountOut, deadline, fee } = choice
  const accounts = [wallet, recipient, usdc.address, usdcThere.address].map(asWord)
  const nobody = `0x${'00'.repeat(32)}`
  const times = [Number(fee), deadline, 0]
  return encoded('spokePool', 'deposit', ...accounts, amountIn, amountOut, 31338n, nobody, ...times, '0x')
}

/** The function name of a Uniswap v2 swap. */
const pairFunction = ({ exact, tokenIn, tokenOut }: Extract<Intent, { kind: 'swap' }>): string => {
  const [paid, got] = [tokenIn, tokenOut].map((token) => (token === coin ? 'ETH' : 'Tokens'))
  return exact === 'in' ? `swapExact${paid}For${got}` : `swap${paid}ForExact${got}`
}

function pairSwapOf(intent: Extract<Intent, { kind: 'swap' }>, choice: Choice): Hex {
  const { tokens, amountIn, amountOut, deadline } = choice
  const both = intent.exact === 'in' ? [amountIn, amountOut] : [amountOut, amountIn]
  // A payment in the native coin is the transaction value.
  const amounts = intent.tokenIn === coin ? [amountOut] : both
  return encoded('router02', pairFunction(intent), ...amounts, tokens, intent.recipient, BigInt(deadline))
}

/** The Balancer v2 Vault call of a swap. */
function vaultSwapOf({ exact, wallet, recipient, tokenIn, tokenOut }: Swap, choice: Choice): Hex {
  const { tokens, fees, amountIn, amountOut, deadline } = choice
  const isIn = exact === 'in'
  const [kind, given, bound] = isIn ? [0, amountIn, amountOut] : [1, amountOut, amountIn]
  const funds = { sender: wallet, fromInternalBalance: false, recipient, toInternalBalance: false }
  const assets = [tokenIn.address, ...tokens.slice(1, -1), tokenOut.address]
  const ids = fees.map((at) => listedPools[at]!.id)
  if (ids.length === 1) {
    const [assetIn, assetOut] = assets
    const single = { poolId: ids[0], kind, assetIn, assetOut, amount: given, userData: '0x' }
    return encoded('vault', 'swap', single, funds, bound, BigInt(deadline))
  }
  const [first, second] = [
    { poolId: ids[0], assetInIndex: 0n, assetOutIndex: 1n, amount: isIn ? given : 0n, userData: '0x' },
    { poolId: ids[1], assetInIndex: 1n, assetOutIndex: 2n, amount: isIn ? 0n : given, userData: '0x' },
  ]
  const [steps, limits] = [isIn ? [first, second] : [second, first], [amountIn, 0n, -amountOut]]
  return encoded('vault', 'batchSwap', kind, steps, assets, funds, limits, BigInt(deadline))
}

/** As defined by IV4Router and V4Router of `@uniswap/v4-periphery` in `@uniswap/universal-router` 2.0.0. */
const v4Key = 'struct Key { address token; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }'
const v4Swap = parseAbiParameters([
  'Swap swap',
  'struct Swap { address exact; Key[] path; uint128 exactAmount; uint128 bound; }',
  v4Key,
])
const v4Plan = parseAbiParameters('bytes actions, bytes[] params')
const spacings: Record<number, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }

/** The Universal Router call of a Uniswap v4 swap: swap, payment, payout, and the leftover of the native coin. */
function plannedSwapOf({ exact, recipient, fees: charges = [] }: Swap, choice: Choice): Hex {
  const { tokens, fees, amountIn, amountOut, deadline } = choice
  const word = (value: bigint | Address | boolean) => `${BigInt(value).toString(16).padStart(64, '0')}`
  const isIn = exact === 'in'
  const [fixed, ...others] = isIn ? tokens : [tokens.at(-1)!, ...tokens.slice(0, -1)]
  const path = others.map((token, at) => ({
    token,
    fee: fees[at]!,
    tickSpacing: spacings[fees[at]!]!,
    hooks: coin.address,
    hookData: '0x' as const,
  }))
  const [exactAmount, bound] = isIn ? [amountIn, amountOut] : [amountOut, amountIn]
  const swap = encodeAbiParameters(v4Swap, [{ exact: fixed!, path, exactAmount, bound }])
  const paid: Hex = `0x${word(tokens[0]!)}${word(amountIn)}${isIn ? word(true) : ''}`
  const taken: Hex = `0x${word(tokens.at(-1)!)}${word(recipient)}${word(isIn ? 0n : amountOut)}`
  const plan = encodeAbiParameters(v4Plan, [isIn ? '0x070b0e' : '0x090c0e', [swap, paid, taken]])
  const rest: Hex = `0x${word(0n)}${word(1n)}${word(0n)}`
  const isCoin = tokens[0] === coin.address
  const paidOut = charges.map(({ to, amount }): Hex => `0x${word(tokens[0]!)}${word(to)}${word(amount)}`)
  const after = !isIn && isCoin ? [rest] : []
  const codes: Hex = `0x10${charges.map(() => (isCoin ? '05' : '02')).join('')}${after.map(() => '04').join('')}`
  return encodeExecute(codes, [plan, ...paidOut, ...after], BigInt(deadline))
}

const encodeExecute = (commands: Hex, inputs: readonly Hex[], deadline: bigint): Hex =>
  encoded('universalRouter', 'execute', commands, inputs, deadline)

/**
 * The fees that a request pays to the service in separate steps, and the remaining action: a swap spends less, and pays only the fees inside its
 * own call. Written independently of the program.
 */
function apart(intent: Intent): { acting: Intent; payment: Transaction[] } {
  if ((intent.kind !== 'swap' && intent.kind !== 'withdraw') || !intent.fees)
    return { acting: intent, payment: [] }
  const token = intent.kind === 'swap' ? intent.tokenIn.address : usdc.address
  const { fees, ...acting } = intent
  const [inside, after] = [fees.filter((fee) => fee.isInside), fees.filter((fee) => !fee.isInside)]
  const payment = after.map((fee) => to(token, encoded('erc20', 'transfer', fee.to, fee.amount)))
  if (acting.kind === 'withdraw') return { acting, payment }
  const amountIn = fees.reduce((rest, fee) => rest - fee.amount, acting.amountIn)
  return { acting: { ...acting, amountIn, ...(inside.length > 0 && { fees: inside }) }, payment }
}

/** The collector of the customer's share. */
const otherCollector: Address = '0x7777777777777777777777777777777777777777'

/** Whether a swap call may pay fees itself; only some calls can in the native coin. */
const paysInside = ({ provider, tokenIn }: Swap): boolean =>
  /^(uniswap-v4|kyberswap)$/.test(provider) ||
  (/^(uniswap|pancakeswap)-v3$/.test(provider) && tokenIn !== coin)

/** A request that pays the service half a percent in two parts, if the amount is large enough and it is a swap or a withdrawal. */
function charged(random: () => number, intent: Intent): Intent {
  if (intent.kind !== 'swap' && intent.kind !== 'withdraw') return intent
  const isInside = intent.kind === 'swap' && paysInside(intent) && (intent.tokenIn === coin || random() < 0.7)
  if (intent.kind === 'swap' && intent.tokenIn === coin && !isInside) return intent
  const of = intent.kind === 'swap' ? intent.amountIn : intent.amount
  const [operator, customer] = [of / 400n, of / 200n - of / 400n]
  if (operator === 0n) return intent
  const fees = [
    { to: friend, amount: operator, of, ...(isInside && { isInside }) },
    { to: otherCollector, amount: customer, of, ...(isInside && { isInside }) },
  ]
  if (intent.kind === 'withdraw' || intent.tokenOut !== usdcThere) return { ...intent, fees }
  const amount = operator + customer
  // A bridge receives the amount after fees, so its output is lower.
  return intent.amountOut > amount ? { ...intent, amountOut: intent.amountOut - amount, fees } : intent
}

/** The transactions of a request with these choices. */
export function built(intent: Intent, choice: Choice): Transaction[] {
  const { acting, payment } = apart(intent)
  return [...builtAction(acting, choice), ...payment]
}

function builtAction(intent: Intent, choice: Choice): Transaction[] {
  const { action, spends } = actionOf(intent, choice)
  if (!spends) return [action]
  const { token, amount, by = action.to } = spends
  const permits =
    choice.permit === undefined
      ? []
      : [to(permit2, encoded('permit2', 'approve', token, action.to, amount, choice.permit))]
  if (choice.approvals === 'none') return [...permits, action]
  const approve = (much: bigint) => to(token, encoded('erc20', 'approve', by, much))
  return choice.approvals === 'reset'
    ? [approve(0n), approve(amount), ...permits, action]
    : [approve(amount), ...permits, action]
}

/** A request, and transactions that do exactly what it asks; the same numbers give the same plan. */
export function honestPlan(random: () => number): Plan & { choice: Choice } {
  const free = anIntent(random)
  const intent = random() < 0.3 ? charged(random, free) : free
  const choice = aChoice(random, apart(intent).acting)
  return { intent, choice, transactions: built(intent, choice) }
}

const lower = (address: string): string => address.toLowerCase()

/** The free choices of transactions, decoded leniently; `undefined` if they cannot be decoded. */
function choiceIn(intent: Intent, transactions: readonly Transaction[], free: Choice): Choice | undefined {
  const permit = transactions.at(-2)?.data
  const hasPermit = permit?.slice(0, 10).toLowerCase() === '0x87517c45'
  const approvals = (['none', 'exact', 'reset'] as const)[transactions.length - (hasPermit ? 2 : 1)]
  if (approvals === undefined) return undefined
  if (intent.kind !== 'swap' || intent.provider === 'avenia') return { ...free, approvals }
  const { data, value } = transactions.at(-1)!
  if (intent.provider === 'uniswap-v2') {
    const args = decodeFunctionData({ abi: published.router02, data }).args as unknown[]
    const [amounts, [tokens, , deadline]] = [args.slice(0, -3) as bigint[], args.slice(-3)]
    const [one, other] = intent.tokenIn === coin ? [amounts[0], value] : [amounts[0], amounts[1]]
    const isExactIn = intent.exact === 'in' && intent.tokenIn !== coin
    return {
      ...free,
      approvals,
      tokens: tokens as Address[],
      fees: [],
      deadline: Number(deadline),
      amountIn: (isExactIn ? one : other)!,
      amountOut: (isExactIn ? other : one)!,
    }
  }
  if (intent.provider === 'kyberswap') {
    const [{ desc, ...execution }] = decodeFunctionData({ abi: published.aggregator, data }).args as [
      Omit<Route, 'flags' | 'srcReceivers' | 'srcAmounts'> & {
        desc: Pick<Route, 'flags' | 'srcReceivers' | 'srcAmounts'> &
          Record<'amount' | 'minReturnAmount', bigint>
      },
    ]
    const { flags, srcReceivers, srcAmounts, amount, minReturnAmount } = desc
    const paid = (intent.fees ?? []).reduce((sum, fee) => sum + fee.amount, 0n)
    return {
      ...free,
      approvals,
      route: { ...execution, flags, srcReceivers, srcAmounts },
      amountIn: amount - paid,
      amountOut: minReturnAmount,
    }
  }
  if (intent.provider === 'relay') return { ...free, approvals, relayed: relayedIn(intent, data) }
  if (intent.provider === 'lifi') {
    const { functionName: name, args } = decodeFunctionData({ abi: published.lifi, data })
    return { ...free, approvals, written: { name, args: args as readonly unknown[] } }
  }
  if (intent.provider === '1inch') {
    const [callTarget, desc, targetData] = decodeFunctionData({ abi: published.oneInch, data })
      .args as unknown as [
      Address,
      Record<'amount' | 'minReturnAmount', bigint> & { srcReceiver: Address },
      Hex,
    ]
    const { amount: amountIn, minReturnAmount: amountOut, srcReceiver } = desc
    const clientData: Hex = (data.length - 10) % 64 === 8 ? `0x${data.slice(-8)}` : '0x'
    const route = { ...noRoute, callTarget, targetData, srcReceivers: [srcReceiver], clientData }
    return { ...free, approvals, route, amountIn, amountOut }
  }
  if (intent.provider === 'uniswap-v4') {
    const [, inputs, deadline] = decodeFunctionData({ abi: published.universalRouter, data }).args as [
      Hex,
      Hex[],
      bigint,
    ]
    const [, [swap]] = decodeAbiParameters(v4Plan, inputs[0]!)
    const [{ exact, path, exactAmount, bound }] = decodeAbiParameters(v4Swap, swap!)
    const others = path.map(({ token }) => token)
    const isIn = intent.exact === 'in'
    return {
      ...free,
      approvals,
      permit: hasPermit
        ? ((
            decodeFunctionData({ abi: published.permit2, data: permit! }).args as readonly unknown[]
          )[3] as number)
        : undefined,
      tokens: isIn ? [exact, ...others] : [...others, exact],
      fees: path.map(({ fee }) => fee),
      deadline: Number(deadline),
      amountIn: isIn ? exactAmount : bound,
      amountOut: isIn ? bound : exactAmount,
    }
  }
  if (intent.provider === 'balancer-v2') {
    const { functionName, args } = decodeFunctionData({ abi: published.vault, data })
    const [one, other, third, , limits, until] = args as unknown as [
      { poolId: Hex; amount: bigint },
      { poolId: Hex }[],
      bigint & Address[],
      bigint,
      bigint[],
      bigint,
    ]
    const isSingle = functionName === 'swap'
    const steps = isSingle ? [one] : intent.exact === 'in' ? other : other.toReversed()
    const isIn = intent.exact === 'in'
    const [given, bound] = isSingle ? [one.amount, third as bigint] : [0n, 0n]
    return {
      ...free,
      approvals,
      tokens: [
        pooled(intent.tokenIn, intent),
        ...(isSingle ? [] : (third as Address[]).slice(1, -1)),
        pooled(intent.tokenOut, intent),
      ],
      fees: steps.map(({ poolId }) => listedPools.findIndex(({ id }) => id === poolId)),
      deadline: Number(isSingle ? (args as readonly bigint[])[3] : until),
      amountIn: isSingle ? (isIn ? given : bound) : limits[0]!,
      amountOut: isSingle ? (isIn ? bound : given) : -limits[2]!,
    }
  }
  if (intent.provider === 'across') {
    const args = decodeFunctionData({ abi: published.spokePool, data }).args as unknown[]
    return {
      ...free,
      approvals,
      amountIn: args[4] as bigint,
      amountOut: args[5] as bigint,
      fee: BigInt(args[8] as number),
      deadline: args[9] as number,
    }
  }
  if (intent.provider === 'cow') {
    const [uid] = decodeFunctionData({ abi: published.settlement, data }).args
    const { amountIn, amountOut } = intent
    return { ...free, approvals, amountIn, amountOut, deadline: Number(`0x${uid.slice(-8)}`) }
  }
  if (intent.tokenOut === usdcThere) {
    const args = decodeFunctionData({ abi: published.bridge, data }).args as unknown[]
    const isForwarded = args.length > 7
    return { ...free, approvals, fee: args[5] as bigint, finality: args[6] as number, isForwarded }
  }
  const [deadline, [call]] = decodeFunctionData({ abi: published.router, data }).args as [bigint, Hex[]]
  if (typeof deadline !== 'bigint' || call === undefined) return undefined
  const [params] = decodeFunctionData({ abi: published.router, data: call }).args as [Record<string, never>]
  const { path } = params as { path?: Hex }
  const hops = path === undefined ? undefined : hopsOf(path, intent.exact)
  return {
    ...free,
    approvals,
    deadline: Number(deadline),
    tokens: hops?.tokens ?? [params.tokenIn!, params.tokenOut!],
    fees: hops?.fees ?? [params.fee!],
    amountIn: (params.amountIn ?? params.amountInMaximum)!,
    amountOut: (params.amountOutMinimum ?? params.amountOut)!,
  }
}

function hopsOf(path: Hex, exact: 'in' | 'out') {
  const tokens: Address[] = []
  const fees: number[] = []
  for (let at = 2; at < path.length; at += 46) {
    tokens.push(`0x${path.slice(at, at + 40)}`)
    if (at + 40 < path.length) fees.push(Number(`0x${path.slice(at + 40, at + 46)}`))
  }
  return exact === 'in' ? { tokens, fees } : { tokens: tokens.reverse(), fees: fees.reverse() }
}

/** Whether choices are among those that a request leaves free. */
function isAllowed(
  intent: Intent,
  { tokens, fees, amountIn, amountOut, deadline, permit, fee, finality, route, written, relayed }: Choice,
): boolean {
  if (intent.kind !== 'swap' || intent.provider === 'avenia') return true
  if (intent.provider === 'across')
    return (
      amountIn === intent.amountIn &&
      amountOut >= intent.amountOut &&
      deadline >= intent.deadline &&
      deadline <= intent.deadline + 3_600
    )
  if (intent.provider === 'lifi') return written !== undefined && isWrittenFor(intent, written)
  if (intent.provider === 'relay') return relayed !== undefined && isRelayedFor(intent, relayed)
  if (intent.provider === 'cow') return deadline >= intent.deadline && deadline <= intent.deadline + 1_800
  if (intent.tokenOut === usdcThere)
    return (
      fee < intent.amountIn &&
      intent.amountIn - fee >= intent.amountOut &&
      (finality === 1000 || finality === 2000)
    )
  if (isAggregated(intent.provider))
    return (
      amountIn === intent.amountIn &&
      amountOut >= intent.amountOut &&
      route.srcAmounts.reduce((sum, amount) => sum + amount, 0n) <= amountIn &&
      (route.flags & ~flagsOf(intent).reduce((sum, flag) => sum | flag, 0n)) === 0n
    )
  return (
    deadline <= intent.deadline &&
    (permit === undefined || (intent.provider === 'uniswap-v4' && permit <= deadline)) &&
    (intent.provider === 'uniswap-v2' ? fees.length === 0 : tokens.length === fees.length + 1) &&
    (tokens.length === 2 ||
      (tokens.length === 3 &&
        (intent.provider === 'balancer-v2' || lower(tokens[1]!) === lower(middleOf(intent))))) &&
    lower(tokens[0]!) === lower(pooled(intent.tokenIn, intent)) &&
    lower(tokens.at(-1)!) === lower(pooled(intent.tokenOut, intent)) &&
    fees.every((fee, at) =>
      (intent.provider === 'balancer-v2' ? poolsOf(tokens[at]!, tokens[at + 1]!) : tiersOf(intent)).includes(
        fee,
      ),
    ) &&
    (intent.exact === 'in'
      ? amountIn === intent.amountIn && amountOut >= intent.amountOut
      : amountOut === intent.amountOut && amountIn >= 0n && amountIn <= intent.amountIn)
  )
}

/** Whether an address is written in checksum case or in lower case. */
const isWritten = (address: unknown): boolean =>
  typeof address === 'string' &&
  /^0x[0-9a-fA-F]{40}$/.test(address) &&
  (address === lower(address) || address === getAddress(lower(address) as Address))

/**
 * Whether transactions are, byte for byte, honest ones for a request. The guard is not used: the choices are decoded
 * leniently, checked against the request, encoded again by the published ABIs, and compared.
 */
export function isHonest(
  { intent, choice }: { intent: Intent; choice: Choice },
  transactions: readonly Transaction[],
): boolean {
  try {
    const { acting, payment } = apart(intent)
    const chosen = choiceIn(acting, transactions.slice(0, transactions.length - payment.length), choice)
    if (!chosen || !isAllowed(acting, chosen)) return false
    const wanted = built(intent, chosen)
    return (
      wanted.length === transactions.length &&
      wanted.every((one, at) => {
        const other = transactions[at]!
        return (
          Object.keys(other).sort().join() === 'chainId,data,to,value' &&
          isWritten(other.to) &&
          lower(other.to) === lower(one.to) &&
          lower(other.data) === lower(one.data) &&
          other.value === one.value &&
          other.chainId === one.chainId
        )
      })
    )
  } catch {
    return false // Undecodable, so not honest.
  }
}
