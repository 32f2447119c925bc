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
import { furtherRouterAbi, pendleRouterAbi } from './abi.ts'

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
  teller(furtherRouterAbi, 'swapExactTokenForPtSimple', 'other', ([receiver, market, min, input], say) =>
    bought('PT', say, receiver, market, min, input),
  ),
  teller(furtherRouterAbi, 'swapExactPtForTokenSimple', 'other', ([receiver, market, units, output], say) =>
    sold('swaps', 'PT', say, receiver, market, units, output),
  ),
  teller(furtherRouterAbi, 'swapExactTokenForYt', 'swap', ([receiver, market, min, , input], say) =>
    bought('YT', say, receiver, market, min, input),
  ),
  teller(furtherRouterAbi, 'swapExactTokenForYtSimple', 'swap', ([receiver, market, min, input], say) =>
    bought('YT', say, receiver, market, min, input),
  ),
  teller(furtherRouterAbi, 'swapExactYtForToken', 'swap', ([receiver, market, units, output], say) =>
    sold('swaps', 'YT', say, receiver, market, units, output),
  ),
  teller(furtherRouterAbi, 'swapExactYtForTokenSimple', 'swap', ([receiver, market, units, output], say) =>
    sold('swaps', 'YT', say, receiver, market, units, output),
  ),
  teller(furtherRouterAbi, 'swapExactPtForYt', 'swap', ([receiver, market, units, min], say) => ({
    text: `swaps ${amountOf(say, market, units, 'PT')} for at least ${amountOf(say, market, min, 'YT')}${say.toWhom(receiver)} by Pendle`,
    ...ptOf(say, market, units),
    holders: [receiver],
  })),
  teller(furtherRouterAbi, 'swapExactYtForPt', 'swap', ([receiver, market, units, min], say) => ({
    text: `swaps ${amountOf(say, market, units, 'YT')} for at least ${amountOf(say, market, min, 'PT')}${say.toWhom(receiver)} by Pendle`,
    holders: [receiver],
  })),
  teller(furtherRouterAbi, 'swapTokensToTokens', 'swap', ([, swaps, amounts], say) =>
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
  teller(furtherRouterAbi, 'mintSyFromToken', 'other', ([receiver, sy, min, input], say) => ({
    text: `turns ${paid(say, input)} into at least ${min} units of ${say.token(sy)} (SY)${say.toWhom(receiver)} by Pendle`,
    gives: given(input),
    holders: [receiver],
  })),
  teller(furtherRouterAbi, 'redeemSyToToken', 'other', ([receiver, sy, units, output], say) => ({
    text: `turns ${units} units of ${say.token(sy)} (SY) into ${least(say, output)}${say.toWhom(receiver)} by Pendle`,
    gives: [{ token: sy, units }],
    ...coinTo(output, receiver),
  })),
  teller(furtherRouterAbi, 'mintPyFromToken', 'other', ([receiver, yt, min, input], say) => ({
    text: `splits ${paid(say, input)} into at least ${amountOf(say, yt, min, 'PT')} and as much YT${say.toWhom(receiver)} by Pendle`,
    gives: given(input),
    holders: [receiver],
  })),
  teller(furtherRouterAbi, 'mintPyFromSy', 'other', ([receiver, yt, units, min], say) => ({
    text: `splits ${units} units of SY into at least ${amountOf(say, yt, min, 'PT')} and as much YT${say.toWhom(receiver)} by Pendle`,
    holders: [receiver],
  })),
  teller(furtherRouterAbi, 'redeemPyToSy', 'withdraw', ([receiver, yt, units, min], say) => ({
    text: `redeems ${amountOf(say, yt, units, 'PT')} for at least ${min} units of SY${say.toWhom(receiver)} by Pendle`,
    ...ptOf(say, yt, units),
    holders: [receiver],
  })),
  teller(furtherRouterAbi, 'exitPostExpToToken', 'withdraw', ([receiver, market, pt, lp, output], say) => ({
    text: `redeems ${parts(say, market, [
      ['PT', pt],
      ['LP', lp],
    ])} for ${least(say, output)}${say.toWhom(receiver)} by Pendle`,
    ...coinTo(output, receiver),
  })),
  teller(furtherRouterAbi, 'exitPostExpToSy', 'withdraw', ([receiver, market, pt, lp, min], say) => ({
    text: `redeems ${parts(say, market, [
      ['PT', pt],
      ['LP', lp],
    ])} for at least ${min} units of SY${say.toWhom(receiver)} by Pendle`,
    holders: [receiver],
  })),
  teller(
    furtherRouterAbi,
    'exitPreExpToToken',
    'withdraw',
    ([receiver, market, pt, yt, lp, output], say) => ({
      text: `gives ${parts(say, market, [
        ['PT', pt],
        ['YT', yt],
        ['LP', lp],
      ])} for ${least(say, output)}${say.toWhom(receiver)} by Pendle`,
      ...coinTo(output, receiver),
    }),
  ),
  teller(furtherRouterAbi, 'addLiquiditySingleToken', 'other', ([receiver, market, min, , input], say) =>
    bought('LP', say, receiver, market, min, input),
  ),
  teller(furtherRouterAbi, 'addLiquiditySingleTokenSimple', 'other', ([receiver, market, min, input], say) =>
    bought('LP', say, receiver, market, min, input),
  ),
  teller(
    furtherRouterAbi,
    'addLiquiditySingleTokenKeepYt',
    'other',
    ([receiver, market, min, , input], say) => bought('LP', say, receiver, market, min, input),
  ),
  teller(
    furtherRouterAbi,
    'addLiquidityDualTokenAndPt',
    'other',
    ([receiver, market, input, pt, min], say) => ({
      text: `adds ${paid(say, input)} and ${amountOf(say, market, pt, 'PT')} to the liquidity of Pendle for at least ${amountOf(say, market, min, 'LP')}${say.toWhom(receiver)}`,
      holders: [receiver],
    }),
  ),
  teller(furtherRouterAbi, 'removeLiquiditySingleToken', 'other', ([receiver, market, units, output], say) =>
    sold('takes', 'LP', say, receiver, market, units, output),
  ),
  teller(
    furtherRouterAbi,
    'removeLiquiditySingleTokenSimple',
    'other',
    ([receiver, market, units, output], say) => sold('takes', 'LP', say, receiver, market, units, output),
  ),
  teller(
    furtherRouterAbi,
    'removeLiquidityDualTokenAndPt',
    'other',
    ([receiver, market, units, output, min], say) => ({
      text: `takes ${amountOf(say, market, units, 'LP')} for ${least(say, output)} and at least ${amountOf(say, market, min, 'PT')}${say.toWhom(receiver)} by Pendle`,
      ...coinTo(output, receiver),
    }),
  ),
  teller(furtherRouterAbi, 'redeemDueInterestAndRewards', 'claim', ([user], say) => ({
    text: `claims interest and rewards at Pendle${say.forWhom(user)}; the amounts are not in the call`,
    holders: [user],
  })),
  teller(furtherRouterAbi, 'redeemDueInterestAndRewardsV2', 'claim', ([, , , , swaps]) => ({
    text: 'claims interest and rewards at Pendle; the amounts are not in the call',
    ...(swaps.length > 0 && { unread: ['into what the claimed tokens are swapped'] }),
  })),
  teller(furtherRouterAbi, 'multicall', 'other', ([all], { inner, call }) => {
    const calls = all.map(({ callData }) => inner({ to: call.to, value: 0n, data: callData }))
    return { kind: kindOfAll(calls), text: `in one call: ${joinTexts(calls)}`, calls }
  }),
]
