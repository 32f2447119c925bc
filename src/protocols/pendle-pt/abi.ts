import type { Abi } from 'viem'
import { parseAbi } from 'viem/utils'
import { nativeAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'

const order =
  '(uint256 salt, uint256 expiry, uint256 nonce, uint8 orderType, address token, address YT, address maker, address receiver, uint256 makingAmount, uint256 lnImpliedRate, uint256 failSafeRate, bytes permit) order, bytes signature, uint256 makingAmount'
/** The fields that calls of the router share, in human-readable form (the same source as `pendleRouterAbi`). */
const limitFields =
  `(address limitRouter, uint256 epsSkipMarket, (${order})[] normalFills, (${order})[] flashFills, bytes optData) limit` as const
/** The swap of an aggregator inside a call. */
const swapDataFields = '(uint8 swapType, address extRouter, bytes extCalldata, bool needScale) swapData'
const route = `address pendleSwap, ${swapDataFields}` as const
/** What is paid out. */
const outputFields =
  `(address tokenOut, uint256 minTokenOut, address tokenRedeemSy, ${route}) output` as const

/** What is paid in. */
const inputFields = `(address tokenIn, uint256 netTokenIn, address tokenMintSy, ${route}) input` as const
/** How the router approximates. */
const guessFields =
  '(uint256 guessMin, uint256 guessMax, uint256 guessOffchain, uint256 maxIteration, uint256 eps)'

/** The three calls of PendleRouterV4 that are used here (source: @pendle/core-v2, IPActionSwapPTV3 and IPActionMiscV3). */
export const pendleRouterAbi = parseAbi([
  `function swapExactTokenForPt(address receiver, address market, uint256 minPtOut, ${guessFields} guessPtOut, ${inputFields}, ${limitFields}) payable returns (uint256 netPtOut, uint256 netSyFee, uint256 netSyInterm)`,
  `function swapExactPtForToken(address receiver, address market, uint256 exactPtIn, ${outputFields}, ${limitFields}) returns (uint256 netTokenOut, uint256 netSyFee, uint256 netSyInterm)`,
  `function redeemPyToToken(address receiver, address YT, uint256 netPyIn, ${outputFields}) returns (uint256 netTokenOut, uint256 netSyInterm)`,
])

/** Further functions of PendleRouterV4 (`@pendle/core-v2` 6.11.0, IPAllActionV3.json). */
export const furtherRouterAbi = parseAbi([
  `function swapTokensToTokens(address pendleSwap, (address tokenIn, address tokenOut, uint256 minOut, ${swapDataFields})[] swaps, uint256[] netSwaps) payable returns (uint256[] netOutFromSwaps)`,
  `function swapExactTokenForYt(address receiver, address market, uint256 minYtOut, ${guessFields} guessYtOut, ${inputFields}, ${limitFields}) payable returns (uint256 netYtOut, uint256 netSyFee, uint256 netSyInterm)`,
  `function swapExactYtForToken(address receiver, address market, uint256 exactYtIn, ${outputFields}, ${limitFields}) returns (uint256 netTokenOut, uint256 netSyFee, uint256 netSyInterm)`,
  `function swapExactPtForYt(address receiver, address market, uint256 exactPtIn, uint256 minYtOut, ${guessFields} guessTotalPtToSwap) returns (uint256 netYtOut, uint256 netSyFee)`,
  `function swapExactYtForPt(address receiver, address market, uint256 exactYtIn, uint256 minPtOut, ${guessFields} guessTotalPtFromSwap) returns (uint256 netPtOut, uint256 netSyFee)`,
  `function mintSyFromToken(address receiver, address SY, uint256 minSyOut, ${inputFields}) payable returns (uint256 netSyOut)`,
  `function redeemSyToToken(address receiver, address SY, uint256 netSyIn, ${outputFields}) returns (uint256 netTokenOut)`,
  `function mintPyFromToken(address receiver, address YT, uint256 minPyOut, ${inputFields}) payable returns (uint256 netPyOut, uint256 netSyInterm)`,
  'function mintPyFromSy(address receiver, address YT, uint256 netSyIn, uint256 minPyOut) returns (uint256 netPyOut)',
  'function redeemPyToSy(address receiver, address YT, uint256 netPyIn, uint256 minSyOut) returns (uint256 netSyOut)',
  `function exitPostExpToToken(address receiver, address market, uint256 netPtIn, uint256 netLpIn, ${outputFields}) returns (uint256 netTokenOut)`,
  'function exitPostExpToSy(address receiver, address market, uint256 netPtIn, uint256 netLpIn, uint256 minSyOut)',
  `function exitPreExpToToken(address receiver, address market, uint256 netPtIn, uint256 netYtIn, uint256 netLpIn, ${outputFields}, ${limitFields}) returns (uint256 netTokenOut)`,
  `function addLiquiditySingleToken(address receiver, address market, uint256 minLpOut, ${guessFields} guessPtReceivedFromSy, ${inputFields}, ${limitFields}) payable returns (uint256 netLpOut)`,
  `function addLiquiditySingleTokenKeepYt(address receiver, address market, uint256 minLpOut, uint256 minYtOut, ${inputFields}) payable returns (uint256 netLpOut)`,
  `function addLiquidityDualTokenAndPt(address receiver, address market, ${inputFields}, uint256 netPtDesired, uint256 minLpOut) payable returns (uint256 netLpOut)`,
  `function removeLiquiditySingleToken(address receiver, address market, uint256 netLpToRemove, ${outputFields}, ${limitFields}) returns (uint256 netTokenOut)`,
  `function removeLiquidityDualTokenAndPt(address receiver, address market, uint256 netLpToRemove, ${outputFields}, uint256 minPtOut) returns (uint256 netTokenOut)`,
  'function redeemDueInterestAndRewards(address user, address[] sys, address[] yts, address[] markets)',
  `function redeemDueInterestAndRewardsV2(address[] SYs, (address yt, bool doRedeemInterest, bool doRedeemRewards, address tokenRedeemSy, uint256 minTokenRedeemOut)[] YTs, address[] markets, address pendleSwap, (address tokenIn, address tokenOut, uint256 minOut, ${swapDataFields})[] swaps) returns (uint256[] netOutFromSwaps, uint256[] netInterests)`,
  `function swapExactTokenForPtSimple(address receiver, address market, uint256 minPtOut, ${inputFields}) payable returns (uint256 netPtOut)`,
  `function swapExactPtForTokenSimple(address receiver, address market, uint256 exactPtIn, ${outputFields}) returns (uint256 netTokenOut)`,
  `function swapExactTokenForYtSimple(address receiver, address market, uint256 minYtOut, ${inputFields}) payable returns (uint256 netYtOut)`,
  `function swapExactYtForTokenSimple(address receiver, address market, uint256 exactYtIn, ${outputFields}) returns (uint256 netTokenOut)`,
  `function addLiquiditySingleTokenSimple(address receiver, address market, uint256 minLpOut, ${inputFields}) payable returns (uint256 netLpOut)`,
  `function removeLiquiditySingleTokenSimple(address receiver, address market, uint256 netLpToRemove, ${outputFields}) returns (uint256 netTokenOut)`,
  'function multicall((bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] res)',
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
