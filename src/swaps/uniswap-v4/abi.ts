import { parseAbi, parseAbiParameters } from 'viem/utils'

/*
 * Sources: `@uniswap/universal-router` 2.0.0 (Commands, Dispatcher, Constants), whose `deploy-addresses` are those of the catalogue, and
 * the `v4-periphery` inside it (Actions, ActionConstants, IV4Router, V4Router). `UNIVERSAL_ROUTER_ADDRESS` of
 * `@uniswap/universal-router-sdk` 5.13.0 calls these routers 2.0, too. Routers from 2.1.1 on are at other addresses, and their swaps
 * have a further field, `minHopPriceX36` (`@uniswap/v4-sdk` 2.4.0, v4Planner).
 */

/** The used function of the Universal Router: commands, the input of each, and the deadline (Unix seconds). */
export const universalRouterAbi = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
])

/**
 * Commands of the Universal Router, one byte each (Commands): `swap` runs v4 actions; `sweep` sends the router's balance; the other two pay
 * a fee, in a token of the caller through Permit2, or in the native coin sent with the call.
 */
export const routerCommands = { swap: 0x10, permit2TransferFrom: 0x02, sweep: 0x04, transfer: 0x05 } as const

/** The v4 actions in a swap, one byte each (Actions). */
export const actions = {
  swapExactIn: 0x07,
  swapExactOut: 0x09,
  settle: 0x0b,
  settleAll: 0x0c,
  take: 0x0e,
} as const

/** The input of the swap command: its actions, and the parameters of each. */
export const planParameters = parseAbiParameters('bytes actions, bytes[] params')

const pathKey =
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }'

/** Parameters of the actions: both swaps, the payment and the payout. */
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

/** The inputs of both fee payments (Dispatcher); amounts for Permit2 have 160 bits. */
export const feeParameters = {
  permit2TransferFrom: parseAbiParameters('address token, address recipient, uint160 amount'),
  transfer: parseAbiParameters('address token, address recipient, uint256 amount'),
} as const

/** The input of a sweep (Dispatcher). */
export const sweepParameters = parseAbiParameters('address token, address recipient, uint256 amountMin')

/** The address constant for the router's caller (ActionConstants.MSG_SENDER). */
export const callerAddress = '0x0000000000000000000000000000000000000001'

/** The address constant for the router itself (ActionConstants.ADDRESS_THIS). */
export const routerAddress = '0x0000000000000000000000000000000000000002'

/** The amount of `take` that means the whole open balance (ActionConstants.OPEN_DELTA). */
export const openBalance = 0n

/** V4Quoter of `@uniswap/v4-periphery` 1.0.3, for eth_call: returns the other amount of a swap now. */
export const v4QuoterAbi = parseAbi([
  pathKey,
  'struct QuoteExactParams { address exactCurrency; PathKey[] path; uint128 exactAmount; }',
  'function quoteExactInput(QuoteExactParams params) returns (uint256 amountOut, uint256 gasEstimate)',
  'function quoteExactOutput(QuoteExactParams params) returns (uint256 amountIn, uint256 gasEstimate)',
])

/** StateView of `@uniswap/v4-periphery` 1.0.3: a pool's price; all zero without a pool. */
export const stateViewAbi = parseAbi([
  'function getSlot0(bytes32 poolId) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)',
])

/** The fields of a pool key; its hash is the pool id (PoolId of `@uniswap/v4-core` 1.0.2). */
export const poolKeyParameters = parseAbiParameters(
  'address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks',
)
