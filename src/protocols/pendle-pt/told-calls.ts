import { parseAbi } from 'viem/utils'
import { type Address, sameAddress } from '../../domain/address.ts'
import {
  type CallKind,
  joinTexts,
  kindOfAll,
  type Teller,
  type Telling,
  teller,
  type Words,
} from '../call-description.ts'
import {
  guessFields,
  inputFields,
  limitFields,
  outputFields,
  pendleRouterAbi,
  swapDataFields,
} from './abi.ts'

/** Further functions of PendleRouterV4 (`@pendle/core-v2` 6.11.0, IPAllActionV3.json). */
const others = parseAbi([
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

type Input = { tokenIn: Address; netTokenIn: bigint }
type Output = { tokenOut: Address; minTokenOut: bigint }

/** The market of the catalogue with this contract or YT. */
const entryOf = ({ catalog, chainId }: Words, at: Address) =>
  catalog.strategies.find(
    ({ constants, chainId: on }) =>
      on === chainId &&
      constants.family === 'pendle-pt' &&
      [constants.market, constants.yt].some((one) => sameAddress(one, at)),
  )

/** An amount of the PT of a market, or of its YT or LP tokens, which have the PT's decimals only if the catalogue knows them. */
function amountOf(say: Words, at: Address, units: bigint, what: 'PT' | 'YT' | 'LP' | 'SY'): string {
  const entry = entryOf(say, at)
  if (what === 'PT' && entry) return say.upTo(entry.receipt.address, units)
  return `${units} units of the ${what} of ${entry?.name ?? at}`
}

const ptOf = (say: Words, at: Address, units: bigint): Pick<Telling, 'gives'> => {
  const entry = entryOf(say, at)
  return entry ? { gives: [{ token: entry.receipt.address, units }] } : {}
}

const given = ({ tokenIn: token, netTokenIn: units }: Input) =>
  BigInt(token) === 0n ? [] : [{ token, units }]

const paid = (say: Words, { tokenIn, netTokenIn }: Input): string => say.upTo(tokenIn, netTokenIn)

const least = (say: Words, { tokenOut, minTokenOut }: Output): string =>
  `at least ${say.amount(tokenOut, minTokenOut)}`

const coinTo = ({ tokenOut }: Output, receiver: Address): Pick<Telling, 'paysCoinTo' | 'holders'> => ({
  holders: [receiver],
  ...(BigInt(tokenOut) === 0n && { paysCoinTo: receiver }),
})

/** PT of a market of the catalogue is what its deposits and withdrawals exchange. */
const kindIfListed = (what: string, kind: CallKind, say: Words, at: Address): Pick<Telling, 'kind'> =>
  what === 'PT' && entryOf(say, at) ? { kind } : {}

/** A call that swaps a token for something of a market. */
const bought = (
  what: 'PT' | 'YT' | 'LP',
  say: Words,
  receiver: Address,
  at: Address,
  units: bigint,
  input: Input,
): Telling => ({
  ...kindIfListed(what, 'deposit', say, at),
  text: `${what === 'LP' ? 'adds' : 'swaps'} ${paid(say, input)} ${what === 'LP' ? 'to the liquidity of Pendle ' : ''}for at least ${amountOf(say, at, units, what)}${say.toWhom(receiver)} by Pendle`,
  gives: given(input),
  holders: [receiver],
})

/** A call that gives something of a market for a token. */
const sold = (
  does: string,
  what: 'PT' | 'YT' | 'LP' | 'SY',
  say: Words,
  receiver: Address,
  at: Address,
  units: bigint,
  output: Output,
): Telling => ({
  ...kindIfListed(what, 'withdraw', say, at),
  text: `${does} ${amountOf(say, at, units, what)} for ${least(say, output)}${say.toWhom(receiver)} by Pendle`,
  ...(what === 'PT' && ptOf(say, at, units)),
  ...coinTo(output, receiver),
})

const parts = (say: Words, at: Address, all: readonly (readonly ['PT' | 'YT' | 'LP', bigint])[]): string =>
  all.flatMap(([what, units]) => (units === 0n ? [] : [amountOf(say, at, units, what)])).join(' and ') ||
  'nothing'

/** What calls of Pendle's router do. */
export const pendleTellers: readonly Teller[] = [
  teller(pendleRouterAbi, 'swapExactTokenForPt', 'other', ([receiver, market, min, , input], say) =>
    bought('PT', say, receiver, market, min, input),
  ),
  teller(pendleRouterAbi, 'swapExactPtForToken', 'other', ([receiver, market, units, output], say) =>
    sold('swaps', 'PT', say, receiver, market, units, output),
  ),
  teller(pendleRouterAbi, 'redeemPyToToken', 'other', ([receiver, yt, units, output], say) =>
    sold('redeems', 'PT', say, receiver, yt, units, output),
  ),
  teller(others, 'swapExactTokenForPtSimple', 'other', ([receiver, market, min, input], say) =>
    bought('PT', say, receiver, market, min, input),
  ),
  teller(others, 'swapExactPtForTokenSimple', 'other', ([receiver, market, units, output], say) =>
    sold('swaps', 'PT', say, receiver, market, units, output),
  ),
  teller(others, 'swapExactTokenForYt', 'swap', ([receiver, market, min, , input], say) =>
    bought('YT', say, receiver, market, min, input),
  ),
  teller(others, 'swapExactTokenForYtSimple', 'swap', ([receiver, market, min, input], say) =>
    bought('YT', say, receiver, market, min, input),
  ),
  teller(others, 'swapExactYtForToken', 'swap', ([receiver, market, units, output], say) =>
    sold('swaps', 'YT', say, receiver, market, units, output),
  ),
  teller(others, 'swapExactYtForTokenSimple', 'swap', ([receiver, market, units, output], say) =>
    sold('swaps', 'YT', say, receiver, market, units, output),
  ),
  teller(others, 'swapExactPtForYt', 'swap', ([receiver, market, units, min], say) => ({
    text: `swaps ${amountOf(say, market, units, 'PT')} for at least ${amountOf(say, market, min, 'YT')}${say.toWhom(receiver)} by Pendle`,
    ...ptOf(say, market, units),
    holders: [receiver],
  })),
  teller(others, 'swapExactYtForPt', 'swap', ([receiver, market, units, min], say) => ({
    text: `swaps ${amountOf(say, market, units, 'YT')} for at least ${amountOf(say, market, min, 'PT')}${say.toWhom(receiver)} by Pendle`,
    holders: [receiver],
  })),
  teller(others, 'swapTokensToTokens', 'swap', ([, swaps, amounts], say) =>
    swaps.length === amounts.length && swaps.length > 0
      ? {
          text: `${swaps.map(({ tokenIn, tokenOut, minOut }, at) => `swaps ${say.amount(tokenIn, amounts[at]!)} for at least ${say.amount(tokenOut, minOut)}`).join(', ')} by Pendle`,
          gives: swaps.flatMap(({ tokenIn: token }, at) =>
            BigInt(token) === 0n ? [] : [{ token, units: amounts[at]! }],
          ),
          ...(swaps.some(({ tokenOut }) => BigInt(tokenOut) === 0n) && { paysCoinTo: 'caller' as const }),
        }
      : undefined,
  ),
  teller(others, 'mintSyFromToken', 'other', ([receiver, sy, min, input], say) => ({
    text: `turns ${paid(say, input)} into at least ${min} units of ${say.token(sy)} (SY)${say.toWhom(receiver)} by Pendle`,
    gives: given(input),
    holders: [receiver],
  })),
  teller(others, 'redeemSyToToken', 'other', ([receiver, sy, units, output], say) => ({
    text: `turns ${units} units of ${say.token(sy)} (SY) into ${least(say, output)}${say.toWhom(receiver)} by Pendle`,
    gives: [{ token: sy, units }],
    ...coinTo(output, receiver),
  })),
  teller(others, 'mintPyFromToken', 'other', ([receiver, yt, min, input], say) => ({
    text: `splits ${paid(say, input)} into at least ${amountOf(say, yt, min, 'PT')} and as much YT${say.toWhom(receiver)} by Pendle`,
    gives: given(input),
    holders: [receiver],
  })),
  teller(others, 'mintPyFromSy', 'other', ([receiver, yt, units, min], say) => ({
    text: `splits ${units} units of SY into at least ${amountOf(say, yt, min, 'PT')} and as much YT${say.toWhom(receiver)} by Pendle`,
    holders: [receiver],
  })),
  teller(others, 'redeemPyToSy', 'withdraw', ([receiver, yt, units, min], say) => ({
    text: `redeems ${amountOf(say, yt, units, 'PT')} for at least ${min} units of SY${say.toWhom(receiver)} by Pendle`,
    ...ptOf(say, yt, units),
    holders: [receiver],
  })),
  teller(others, 'exitPostExpToToken', 'withdraw', ([receiver, market, pt, lp, output], say) => ({
    text: `redeems ${parts(say, market, [
      ['PT', pt],
      ['LP', lp],
    ])} for ${least(say, output)}${say.toWhom(receiver)} by Pendle`,
    ...coinTo(output, receiver),
  })),
  teller(others, 'exitPostExpToSy', 'withdraw', ([receiver, market, pt, lp, min], say) => ({
    text: `redeems ${parts(say, market, [
      ['PT', pt],
      ['LP', lp],
    ])} for at least ${min} units of SY${say.toWhom(receiver)} by Pendle`,
    holders: [receiver],
  })),
  teller(others, 'exitPreExpToToken', 'withdraw', ([receiver, market, pt, yt, lp, output], say) => ({
    text: `gives ${parts(say, market, [
      ['PT', pt],
      ['YT', yt],
      ['LP', lp],
    ])} for ${least(say, output)}${say.toWhom(receiver)} by Pendle`,
    ...coinTo(output, receiver),
  })),
  teller(others, 'addLiquiditySingleToken', 'other', ([receiver, market, min, , input], say) =>
    bought('LP', say, receiver, market, min, input),
  ),
  teller(others, 'addLiquiditySingleTokenSimple', 'other', ([receiver, market, min, input], say) =>
    bought('LP', say, receiver, market, min, input),
  ),
  teller(others, 'addLiquiditySingleTokenKeepYt', 'other', ([receiver, market, min, , input], say) =>
    bought('LP', say, receiver, market, min, input),
  ),
  teller(others, 'addLiquidityDualTokenAndPt', 'other', ([receiver, market, input, pt, min], say) => ({
    text: `adds ${paid(say, input)} and ${amountOf(say, market, pt, 'PT')} to the liquidity of Pendle for at least ${amountOf(say, market, min, 'LP')}${say.toWhom(receiver)}`,
    holders: [receiver],
  })),
  teller(others, 'removeLiquiditySingleToken', 'other', ([receiver, market, units, output], say) =>
    sold('takes', 'LP', say, receiver, market, units, output),
  ),
  teller(others, 'removeLiquiditySingleTokenSimple', 'other', ([receiver, market, units, output], say) =>
    sold('takes', 'LP', say, receiver, market, units, output),
  ),
  teller(others, 'removeLiquidityDualTokenAndPt', 'other', ([receiver, market, units, output, min], say) => ({
    text: `takes ${amountOf(say, market, units, 'LP')} for ${least(say, output)} and at least ${amountOf(say, market, min, 'PT')}${say.toWhom(receiver)} by Pendle`,
    ...coinTo(output, receiver),
  })),
  teller(others, 'redeemDueInterestAndRewards', 'claim', ([user], say) => ({
    text: `claims interest and rewards at Pendle${say.forWhom(user)}; the amounts are not in the call`,
    holders: [user],
  })),
  teller(others, 'redeemDueInterestAndRewardsV2', 'claim', ([, , , , swaps]) => ({
    text: 'claims interest and rewards at Pendle; the amounts are not in the call',
    ...(swaps.length > 0 && { unread: ['into what the claimed tokens are swapped'] }),
  })),
  teller(others, 'multicall', 'other', ([all], { inner, call }) => {
    const calls = all.map(({ callData }) => inner({ to: call.to, value: 0n, data: callData }))
    return { kind: kindOfAll(calls), text: `in one call: ${joinTexts(calls)}`, calls }
  }),
]
