import type { Abi } from 'viem'
import { parseAbi } from 'viem/utils'
import { nativeAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'

const order =
  '(uint256 salt, uint256 expiry, uint256 nonce, uint8 orderType, address token, address YT, address maker, address receiver, uint256 makingAmount, uint256 lnImpliedRate, uint256 failSafeRate, bytes permit) order, bytes signature, uint256 makingAmount'
/** The fields that calls of the router share, in human-readable form (the same source as `pendleRouterAbi`). */
export const limitFields =
  `(address limitRouter, uint256 epsSkipMarket, (${order})[] normalFills, (${order})[] flashFills, bytes optData) limit` as const
/** The swap of an aggregator inside a call. */
export const swapDataFields =
  '(uint8 swapType, address extRouter, bytes extCalldata, bool needScale) swapData'
const route = `address pendleSwap, ${swapDataFields}` as const
/** What is paid out. */
export const outputFields =
  `(address tokenOut, uint256 minTokenOut, address tokenRedeemSy, ${route}) output` as const

/** What is paid in. */
export const inputFields =
  `(address tokenIn, uint256 netTokenIn, address tokenMintSy, ${route}) input` as const
/** How the router approximates. */
export const guessFields =
  '(uint256 guessMin, uint256 guessMax, uint256 guessOffchain, uint256 maxIteration, uint256 eps)'

/** The three calls of PendleRouterV4 that are used here (source: @pendle/core-v2, IPActionSwapPTV3 and IPActionMiscV3). */
export const pendleRouterAbi = parseAbi([
  `function swapExactTokenForPt(address receiver, address market, uint256 minPtOut, ${guessFields} guessPtOut, ${inputFields}, ${limitFields}) payable returns (uint256 netPtOut, uint256 netSyFee, uint256 netSyInterm)`,
  `function swapExactPtForToken(address receiver, address market, uint256 exactPtIn, ${outputFields}, ${limitFields}) returns (uint256 netTokenOut, uint256 netSyFee, uint256 netSyInterm)`,
  `function redeemPyToToken(address receiver, address YT, uint256 netPyIn, ${outputFields}) returns (uint256 netTokenOut, uint256 netSyInterm)`,
])

/** The reads of a market, its standardized yield, the oracle, and the quotes of the router's calls. */
export const pendleAbi: Abi = parseAbi([
  'function readTokens() view returns (address _SY, address _PT, address _YT)',
  'function expiry() view returns (uint256)',
  'function isExpired() view returns (bool)',
  'function _storage() view returns (int128 totalPt, int128 totalSy, uint96 lastLnImpliedRate, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext)',
  'function exchangeRate() view returns (uint256 res)',
  'function assetInfo() view returns (uint8 assetType, address assetAddress, uint8 assetDecimals)',
  'function isValidTokenIn(address token) view returns (bool)',
  'function isValidTokenOut(address token) view returns (bool)',
  'function getPtToAssetRate(address market, uint32 duration) view returns (uint256)',
  'function swapExactTokenForPtStatic(address market, address tokenIn, uint256 amountTokenIn) view returns (uint256 netPtOut, uint256 netSyMinted, uint256 netSyFee, uint256 priceImpact, uint256 exchangeRateAfter)',
  'function swapExactPtForTokenStatic(address market, uint256 exactPtIn, address tokenOut) view returns (uint256 netTokenOut, uint256 netSyToRedeem, uint256 netSyFee, uint256 priceImpact, uint256 exchangeRateAfter)',
  'function redeemPyToTokenStatic(address YT, uint256 netPYToRedeem, address tokenOut) view returns (uint256 netTokenOut)',
])

/** The events of the router's calls, by caller. */
export const pendleEventsAbi = parseAbi([
  'event SwapPtAndToken(address indexed caller, address indexed market, address indexed token, address receiver, int256 netPtToAccount, int256 netTokenToAccount, uint256 netSyInterm)',
  'event RedeemPyToToken(address indexed caller, address indexed tokenOut, address indexed YT, address receiver, uint256 netPyIn, uint256 netTokenOut, uint256 netSyInterm)',
])

/** The router approximates the output by itself, to 0.01 % (source: pendle-examples-public). */
export const guess = {
  guessMin: 0n,
  guessMax: maxUint256,
  guessOffchain: 0n,
  maxIteration: 256n,
  eps: 10n ** 14n,
}

/** No swap between the token and the token of the yield contract. */
export const direct = {
  pendleSwap: nativeAddress,
  swapData: { swapType: 0, extRouter: nativeAddress, extCalldata: '0x', needScale: false },
} as const
/** No limit orders. */
export const noOrders = {
  limitRouter: nativeAddress,
  epsSkipMarket: 0n,
  normalFills: [],
  flashFills: [],
  optData: '0x',
} as const
