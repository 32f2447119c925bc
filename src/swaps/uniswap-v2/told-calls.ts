import { parseAbi } from 'viem/utils'
import { type Address, nativeAddress } from '../../domain/address.ts'
import { type Teller, type Telling, teller, type Words } from '../../protocols/call-description.ts'
import { swapsAbi } from './abi.ts'

/** Swaps of tokens that take a fee on transfers, and liquidity (`@uniswap/v2-periphery` 1.1.0-beta.0, IUniswapV2Router02.json). */
const others = parseAbi([
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB, uint256 liquidity)',
  'function addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) payable returns (uint256 amountToken, uint256 amountETH, uint256 liquidity)',
  'function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB)',
  'function removeLiquidityETH(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) returns (uint256 amountToken, uint256 amountETH)',
  'function removeLiquidityETHSupportingFeeOnTransferTokens(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) returns (uint256 amountETH)',
  'function removeLiquidityWithPermit(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline, bool approveMax, uint8 v, bytes32 r, bytes32 s) returns (uint256 amountA, uint256 amountB)',
  'function removeLiquidityETHWithPermit(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline, bool approveMax, uint8 v, bytes32 r, bytes32 s) returns (uint256 amountToken, uint256 amountETH)',
])

/** What a swap gives and gets: an exact amount or a bound; a coin side is the native coin instead of the end of the path. */
type Swap = {
  path: readonly Address[]
  to: Address
  give: { units: bigint; isCoin?: boolean; isMost?: boolean }
  get: { units: bigint; isCoin?: boolean; isExact?: boolean }
}

/** What calls of a router of Uniswap v2 or of a fork do. */
export function uniswapV2Tellers(title: string): readonly Teller[] {
  const swapped = (say: Words, { path, to, give, get }: Swap): Telling | undefined => {
    const [first, last] = [path[0], path.at(-1)]
    if (path.length < 2 || !first || !last) return undefined
    const [from, into] = [give.isCoin ? nativeAddress : first, get.isCoin ? nativeAddress : last]
    return {
      text: `swaps ${give.isMost ? 'at most ' : ''}${say.upTo(from, give.units)} for ${get.isExact ? 'exactly' : 'at least'} ${say.amount(into, get.units)}${say.toWhom(to)} by ${title}`,
      gives: give.isMost || give.isCoin ? [] : [{ token: from, units: give.units }],
      holders: [to],
      ...(get.isCoin && { paysCoinTo: to }),
    }
  }
  const liquidity = (
    say: Words,
    does: string,
    parts: readonly string[],
    to: Address,
    coin?: true,
  ): Telling => ({
    text: `${does} ${parts.join(' and ')} ${does === 'adds' ? 'to the liquidity of' : 'out of the liquidity of'} ${title}${say.toWhom(to)}`,
    holders: [to],
    ...(coin && { paysCoinTo: to }),
  })
  const removed = (
    say: Words,
    [a, b]: readonly [Address, Address],
    units: bigint,
    [leastA, leastB]: readonly [bigint, bigint],
    to: Address,
  ) =>
    liquidity(
      say,
      'takes',
      [
        `at least ${say.amount(a, leastA)}`,
        `at least ${say.amount(b, leastB)} for ${units} units of LP tokens`,
      ],
      to,
      ...(b === nativeAddress ? ([true] as const) : []),
    )
  return [
    teller(swapsAbi, 'swapExactTokensForTokens', 'swap', ([give, get, path, to], say) =>
      swapped(say, { path, to, give: { units: give }, get: { units: get } }),
    ),
    teller(swapsAbi, 'swapTokensForExactTokens', 'swap', ([get, give, path, to], say) =>
      swapped(say, { path, to, give: { units: give, isMost: true }, get: { units: get, isExact: true } }),
    ),
    teller(swapsAbi, 'swapExactETHForTokens', 'swap', ([get, path, to], say) =>
      swapped(say, { path, to, give: { units: say.call.value, isCoin: true }, get: { units: get } }),
    ),
    teller(swapsAbi, 'swapTokensForExactETH', 'swap', ([get, give, path, to], say) =>
      swapped(say, {
        path,
        to,
        give: { units: give, isMost: true },
        get: { units: get, isCoin: true, isExact: true },
      }),
    ),
    teller(swapsAbi, 'swapExactTokensForETH', 'swap', ([give, get, path, to], say) =>
      swapped(say, { path, to, give: { units: give }, get: { units: get, isCoin: true } }),
    ),
    teller(swapsAbi, 'swapETHForExactTokens', 'swap', ([get, path, to], say) =>
      swapped(say, {
        path,
        to,
        give: { units: say.call.value, isCoin: true, isMost: true },
        get: { units: get, isExact: true },
      }),
    ),
    teller(
      others,
      'swapExactTokensForTokensSupportingFeeOnTransferTokens',
      'swap',
      ([give, get, path, to], say) => swapped(say, { path, to, give: { units: give }, get: { units: get } }),
    ),
    teller(others, 'swapExactETHForTokensSupportingFeeOnTransferTokens', 'swap', ([get, path, to], say) =>
      swapped(say, { path, to, give: { units: say.call.value, isCoin: true }, get: { units: get } }),
    ),
    teller(
      others,
      'swapExactTokensForETHSupportingFeeOnTransferTokens',
      'swap',
      ([give, get, path, to], say) =>
        swapped(say, { path, to, give: { units: give }, get: { units: get, isCoin: true } }),
    ),
    teller(others, 'addLiquidity', 'other', ([a, b, mostA, mostB, , , to], say) =>
      liquidity(say, 'adds', [`at most ${say.amount(a, mostA)}`, `at most ${say.amount(b, mostB)}`], to),
    ),
    teller(others, 'addLiquidityETH', 'other', ([token, most, , , to], say) =>
      liquidity(
        say,
        'adds',
        [`at most ${say.amount(token, most)}`, `at most ${say.coin(say.call.value)}`],
        to,
      ),
    ),
    teller(others, 'removeLiquidity', 'other', ([a, b, units, leastA, leastB, to], say) =>
      removed(say, [a, b], units, [leastA, leastB], to),
    ),
    teller(others, 'removeLiquidityETH', 'other', ([a, units, leastA, leastB, to], say) =>
      removed(say, [a, nativeAddress], units, [leastA, leastB], to),
    ),
    teller(
      others,
      'removeLiquidityETHSupportingFeeOnTransferTokens',
      'other',
      ([a, units, leastA, leastB, to], say) => removed(say, [a, nativeAddress], units, [leastA, leastB], to),
    ),
    teller(others, 'removeLiquidityWithPermit', 'other', ([a, b, units, leastA, leastB, to], say) =>
      removed(say, [a, b], units, [leastA, leastB], to),
    ),
    teller(others, 'removeLiquidityETHWithPermit', 'other', ([a, units, leastA, leastB, to], say) =>
      removed(say, [a, nativeAddress], units, [leastA, leastB], to),
    ),
  ]
}
