import { parseAbi, parseAbiParameters } from 'viem/utils'

/*
 * Sources: `@uniswap/universal-router` 2.0.0 (Commands, Dispatcher, Constants), whose `deploy-addresses` are those of the catalogue, and
 * the `v4-periphery` inside it (Actions, ActionConstants, IV4Router, V4Router). `UNIVERSAL_ROUTER_ADDRESS` of
 * `@uniswap/universal-router-sdk` 5.13.0 calls these routers 2.0, too. Routers from 2.1.1 on are at other addresses, and their swaps
 * have a further field, `minHopPriceX36` (`@uniswap/v4-sdk` 2.4.0, v4Planner).
 */

/** The one call of the Universal Router that is used: commands, the input of each, and the latest time (Unix seconds). */
export const universalRouterAbi = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
])

/**
 * Commands of the Universal Router, a byte each (Commands): a list of actions of v4, what it holds to somebody, and what pays a fee: so much
 * of a token from the caller by Permit2, or so much of the coin that was sent with the call.
 */
export const commands = { swap: 0x10, permit2TransferFrom: 0x02, sweep: 0x04, transfer: 0x05 } as const

/** Actions of v4 inside a swap, a byte each (Actions). */
export const actions = {
  swapExactIn: 0x07,
  swapExactOut: 0x09,
  settle: 0x0b,
  settleAll: 0x0c,
  take: 0x0e,
} as const

/** The input of a swap: its actions, and the parameters of each. */
export const planParameters = parseAbiParameters('bytes actions, bytes[] params')

const pathKey =
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }'

/** Parameters of the actions: `swap` of an exact input and output, and the tokens that go in and come out. */
export const actionParameters = {
  swapExactIn: parseAbiParameters([
    'ExactInputParams swap',
    'struct ExactInputParams { address currencyIn; PathKey[] path; uint128 amountIn; uint128 amountOutMinimum; }',
    pathKey,
  ]),
  swapExactOut: parseAbiParameters([
    'ExactOutputParams swap',
    'struct ExactOutputParams { address currencyOut; PathKey[] path; uint128 amountOut; uint128 amountInMaximum; }',
    pathKey,
  ]),
  settle: parseAbiParameters('address currency, uint256 amount, bool payerIsUser'),
  settleAll: parseAbiParameters('address currency, uint256 maxAmount'),
  take: parseAbiParameters('address currency, address recipient, uint256 amount'),
} as const

/** The input of both payments of a fee (Dispatcher); Permit2 takes 160 bits of an amount. */
export const feeParameters = {
  permit2TransferFrom: parseAbiParameters('address token, address recipient, uint160 amount'),
  transfer: parseAbiParameters('address token, address recipient, uint256 amount'),
} as const

/** The input of a sweep (Dispatcher). */
export const sweepParameters = parseAbiParameters('address token, address recipient, uint256 amountMin')

/** The recipient that stands for whoever calls the router (ActionConstants.MSG_SENDER). */
export const callerItself = '0x0000000000000000000000000000000000000001'

/** The amount of a take that stands for all that is due (ActionConstants.OPEN_DELTA). */
export const allThatIsDue = 0n

/** V4Quoter of `@uniswap/v4-periphery` 1.0.3: called with eth_call, it tells what a swap would bring, or cost, now. */
export const v4QuoterAbi = parseAbi([
  pathKey,
  'struct QuoteExactParams { address exactCurrency; PathKey[] path; uint128 exactAmount; }',
  'function quoteExactInput(QuoteExactParams params) returns (uint256 amountOut, uint256 gasEstimate)',
  'function quoteExactOutput(QuoteExactParams params) returns (uint256 amountIn, uint256 gasEstimate)',
])

/** StateView of `@uniswap/v4-periphery` 1.0.3: the price of a pool; all zero where there is none. */
export const stateViewAbi = parseAbi([
  'function getSlot0(bytes32 poolId) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)',
])

/** What names a pool (PoolId of `@uniswap/v4-core` 1.0.2): the hash of its key. */
export const poolKeyParameters = parseAbiParameters(
  'address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks',
)
