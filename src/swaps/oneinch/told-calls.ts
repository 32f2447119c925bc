import { getAddress, numberToHex, parseAbi } from 'viem/utils'
import { type Address, sameAddress } from '../../domain/address.ts'
import { type Teller, type Telling, teller, type Words } from '../../protocols/call-description.ts'
import { aggregationRouterAbi } from './abi.ts'

/**
 * Swaps through named pools, fills of limit orders, and others. Tokens and accounts are numbers, whose lower 160 bits are an address (sources:
 * UnoswapRouter.sol, ClipperRouter.sol, OrderMixin.sol and PermitAndCall.sol of the verified AggregationRouterV6, and
 * calldata-AggregationRouterV6.json of ethereum/clear-signing-erc7730-registry).
 */
const pools = parseAbi([
  'function unoswap(uint256 token, uint256 amount, uint256 minReturn, uint256 dex) returns (uint256)',
  'function unoswap2(uint256 token, uint256 amount, uint256 minReturn, uint256 dex, uint256 dex2) returns (uint256)',
  'function unoswap3(uint256 token, uint256 amount, uint256 minReturn, uint256 dex, uint256 dex2, uint256 dex3) returns (uint256)',
  'function unoswapTo(uint256 to, uint256 token, uint256 amount, uint256 minReturn, uint256 dex) returns (uint256)',
  'function unoswapTo2(uint256 to, uint256 token, uint256 amount, uint256 minReturn, uint256 dex, uint256 dex2) returns (uint256)',
  'function unoswapTo3(uint256 to, uint256 token, uint256 amount, uint256 minReturn, uint256 dex, uint256 dex2, uint256 dex3) returns (uint256)',
  'function ethUnoswap(uint256 minReturn, uint256 dex) payable returns (uint256)',
  'function ethUnoswap2(uint256 minReturn, uint256 dex, uint256 dex2) payable returns (uint256)',
  'function ethUnoswap3(uint256 minReturn, uint256 dex, uint256 dex2, uint256 dex3) payable returns (uint256)',
  'function ethUnoswapTo(uint256 to, uint256 minReturn, uint256 dex) payable returns (uint256)',
  'function ethUnoswapTo2(uint256 to, uint256 minReturn, uint256 dex, uint256 dex2) payable returns (uint256)',
  'function ethUnoswapTo3(uint256 to, uint256 minReturn, uint256 dex, uint256 dex2, uint256 dex3) payable returns (uint256)',
  'function clipperSwap(address clipperExchange, uint256 srcToken, address dstToken, uint256 inputAmount, uint256 outputAmount, uint256 goodUntil, bytes32 r, bytes32 vs) payable returns (uint256)',
  'function clipperSwapTo(address clipperExchange, address recipient, uint256 srcToken, address dstToken, uint256 inputAmount, uint256 outputAmount, uint256 goodUntil, bytes32 r, bytes32 vs) payable returns (uint256)',
])
const order =
  '(uint256 salt, uint256 maker, uint256 receiver, uint256 makerAsset, uint256 takerAsset, uint256 makingAmount, uint256 takingAmount, uint256 makerTraits) order'
const orders = parseAbi([
  `function fillOrder(${order}, bytes32 r, bytes32 vs, uint256 amount, uint256 takerTraits) payable returns (uint256, uint256, bytes32)`,
  `function fillOrderArgs(${order}, bytes32 r, bytes32 vs, uint256 amount, uint256 takerTraits, bytes args) payable returns (uint256, uint256, bytes32)`,
  `function fillContractOrder(${order}, bytes signature, uint256 amount, uint256 takerTraits) returns (uint256, uint256, bytes32)`,
  `function fillContractOrderArgs(${order}, bytes signature, uint256 amount, uint256 takerTraits, bytes args) returns (uint256, uint256, bytes32)`,
  'function cancelOrder(uint256 makerTraits, bytes32 orderHash)',
  'function increaseEpoch(uint96 series)',
  'function permitAndCall(bytes permit, bytes action)',
])

const addressOf = (word: bigint): Address => getAddress(numberToHex(word & (2n ** 160n - 1n), { size: 20 }))

/** A pool of Uniswap's kinds pays out the wrapped coin as the coin if this bit of its word is set (ProtocolLib.sol). */
const unwraps = (dex: bigint): boolean => ((dex >> 252n) & 1n) === 1n

/** A swap through pools: what comes out is known only to the last pool. */
function unoswapped(
  say: Words,
  from: bigint | 'coin',
  units: bigint,
  least: bigint,
  dexes: readonly bigint[],
  to?: bigint,
): Telling {
  const token = from === 'coin' ? undefined : addressOf(from)
  const payee = to === undefined ? undefined : addressOf(to)
  const last = dexes.at(-1)!
  const isCoin = unwraps(last)
  return {
    text: `swaps ${token ? say.amount(token, units) : say.coin(units)} for at least ${isCoin ? say.coin(least) : `${least} units of what the last pool pays (${addressOf(last)})`}${payee ? say.toWhom(payee) : ''} by 1inch`,
    gives: token ? [{ token, units }] : [],
    holders: payee ? [payee] : [],
    ...(isCoin && { paysCoinTo: payee ?? ('caller' as const) }),
    ...(!isCoin && { unread: ['which token the last pool pays out'] }),
  }
}

type Order = {
  maker: bigint
  makerAsset: bigint
  takerAsset: bigint
  makingAmount: bigint
  takingAmount: bigint
}

/** Whether the taker's amount is in the token of the maker (TakerTraitsLib.sol). */
const isMakingAmount = (traits: bigint): boolean => traits >> 255n === 1n

function filled(
  say: Words,
  { maker, makerAsset, takerAsset, makingAmount, takingAmount }: Order,
  amount: bigint,
  traits: bigint,
): Telling {
  const [sold, paid] = [addressOf(makerAsset), addressOf(takerAsset)]
  const part = isMakingAmount(traits) ? say.amount(sold, amount) : `${say.amount(paid, amount)} worth`
  return {
    text: `fills ${part} of a limit order of ${addressOf(maker)} by 1inch, which sells ${say.amount(sold, makingAmount)} for ${say.amount(paid, takingAmount)}`,
    holders: [addressOf(maker)],
  }
}

/** What calls of the router of 1inch do. */
export const oneInchTellers: readonly Teller[] = [
  teller(
    aggregationRouterAbi,
    'swap',
    'swap',
    ([, { srcToken, dstToken, dstReceiver, amount, minReturnAmount }], say) => ({
      text: `swaps ${say.amount(srcToken, amount)} for at least ${say.amount(dstToken, minReturnAmount)}${say.toWhom(dstReceiver)} by 1inch`,
      gives: !isCoin(srcToken) ? [{ token: srcToken, units: amount }] : [],
      holders: [dstReceiver],
      ...(isCoin(dstToken) && { paysCoinTo: dstReceiver }),
    }),
  ),
  teller(pools, 'unoswap', 'swap', ([token, units, least, ...dexes], say) =>
    unoswapped(say, token, units, least, dexes),
  ),
  teller(pools, 'unoswap2', 'swap', ([token, units, least, ...dexes], say) =>
    unoswapped(say, token, units, least, dexes),
  ),
  teller(pools, 'unoswap3', 'swap', ([token, units, least, ...dexes], say) =>
    unoswapped(say, token, units, least, dexes),
  ),
  teller(pools, 'unoswapTo', 'swap', ([to, token, units, least, ...dexes], say) =>
    unoswapped(say, token, units, least, dexes, to),
  ),
  teller(pools, 'unoswapTo2', 'swap', ([to, token, units, least, ...dexes], say) =>
    unoswapped(say, token, units, least, dexes, to),
  ),
  teller(pools, 'unoswapTo3', 'swap', ([to, token, units, least, ...dexes], say) =>
    unoswapped(say, token, units, least, dexes, to),
  ),
  teller(pools, 'ethUnoswap', 'swap', ([least, ...dexes], say) =>
    unoswapped(say, 'coin', say.call.value, least, dexes),
  ),
  teller(pools, 'ethUnoswap2', 'swap', ([least, ...dexes], say) =>
    unoswapped(say, 'coin', say.call.value, least, dexes),
  ),
  teller(pools, 'ethUnoswap3', 'swap', ([least, ...dexes], say) =>
    unoswapped(say, 'coin', say.call.value, least, dexes),
  ),
  teller(pools, 'ethUnoswapTo', 'swap', ([to, least, ...dexes], say) =>
    unoswapped(say, 'coin', say.call.value, least, dexes, to),
  ),
  teller(pools, 'ethUnoswapTo2', 'swap', ([to, least, ...dexes], say) =>
    unoswapped(say, 'coin', say.call.value, least, dexes, to),
  ),
  teller(pools, 'ethUnoswapTo3', 'swap', ([to, least, ...dexes], say) =>
    unoswapped(say, 'coin', say.call.value, least, dexes, to),
  ),
  teller(pools, 'clipperSwap', 'swap', ([, from, into, units, least], say) => ({
    text: `swaps ${say.amount(addressOf(from), units)} for at least ${say.amount(into, least)} by 1inch`,
    gives: isCoin(addressOf(from)) ? [] : [{ token: addressOf(from), units }],
    ...(isCoin(into) && { paysCoinTo: 'caller' as const }),
  })),
  teller(pools, 'clipperSwapTo', 'swap', ([, to, from, into, units, least], say) => ({
    text: `swaps ${say.amount(addressOf(from), units)} for at least ${say.amount(into, least)}${say.toWhom(to)} by 1inch`,
    gives: isCoin(addressOf(from)) ? [] : [{ token: addressOf(from), units }],
    holders: [to],
    ...(isCoin(into) && { paysCoinTo: to }),
  })),
  teller(orders, 'fillOrder', 'swap', ([one, , , amount, traits], say) => filled(say, one, amount, traits)),
  teller(orders, 'fillOrderArgs', 'swap', ([one, , , amount, traits], say) =>
    filled(say, one, amount, traits),
  ),
  teller(orders, 'fillContractOrder', 'swap', ([one, , amount, traits], say) =>
    filled(say, one, amount, traits),
  ),
  teller(orders, 'fillContractOrderArgs', 'swap', ([one, , amount, traits], say) =>
    filled(say, one, amount, traits),
  ),
  teller(orders, 'cancelOrder', 'other', ([, hash]) => ({
    text: `cancels the limit order ${hash} of the caller at 1inch`,
  })),
  teller(orders, 'increaseEpoch', 'other', ([series]) => ({
    text: `cancels all limit orders of series ${series} of the caller at 1inch`,
  })),
  teller(orders, 'permitAndCall', 'swap', ([, action], { inner, call }) => {
    const inside = inner({ to: call.to, value: call.value, data: action })
    return { kind: inside.kind, text: `uses a signed allowance, and ${inside.text}`, calls: [inside] }
  }),
]

/** The addresses that stand for the native coin in calls of 1inch. */
const isCoin = (token: Address): boolean =>
  BigInt(token) === 0n || sameAddress(token, '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE')
