import { parseAbi } from 'viem/utils'
import { type Address, sameAddress } from '../../domain/address.ts'
import {
  isEverything,
  joinTexts,
  kindOfAll,
  type Teller,
  type Telling,
  teller,
  type Words,
} from '../../protocols/call-description.ts'
import { unpackPath } from '../fee-tier-paths.ts'
import {
  callerAddress,
  coinPaymentsAbi,
  feePaymentsAbi,
  innerSwapsAbi,
  multicallAbi,
  routerItself,
} from './abi.ts'

/** Other forms of the multicall (`@uniswap/swap-router-contracts` 1.3.1, IMulticallExtended.json). */
const plainMulticall = parseAbi(['function multicall(bytes[] data) payable returns (bytes[] results)'])
const multicallAfter = parseAbi([
  'function multicall(bytes32 previousBlockhash, bytes[] data) payable returns (bytes[])',
])

/** Swaps through pools of version 2, payments and permits (the same package, SwapRouter02.json). */
const others = parseAbi([
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256 amountOut)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to) payable returns (uint256 amountIn)',
  'function unwrapWETH9WithFee(uint256 amountMinimum, address recipient, uint256 feeBips, address feeRecipient) payable',
  'function sweepTokenWithFee(address token, uint256 amountMinimum, address recipient, uint256 feeBips, address feeRecipient) payable',
  'function wrapETH(uint256 value) payable',
  'function selfPermit(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable',
  'function selfPermitIfNecessary(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable',
  'function selfPermitAllowed(address token, uint256 nonce, uint256 expiry, uint8 v, bytes32 r, bytes32 s) payable',
  'function selfPermitAllowedIfNecessary(address token, uint256 nonce, uint256 expiry, uint8 v, bytes32 r, bytes32 s) payable',
])
const ownUnwrap = parseAbi(['function unwrapWETH9(uint256 amountMinimum) payable'])
const ownSweep = parseAbi(['function sweepToken(address token, uint256 amountMinimum) payable'])

/** An amount of zero is what the router holds (Constants.CONTRACT_BALANCE), from the call before. */
const given = (say: Words, token: Address, units: bigint): string =>
  units === 0n ? `the ${say.token(token)} that the router holds` : say.upTo(token, units)

/** The recipient of a swap: the caller and the router have constants. */
function payee(say: Words, to: Address): Pick<Telling, 'holders'> & { toWhom: string } {
  if (sameAddress(to, callerAddress)) return { toWhom: '', holders: [] }
  if (sameAddress(to, routerItself) || sameAddress(to, say.call.to))
    return { toWhom: ', held by the router', holders: [] }
  return { toWhom: say.toWhom(to), holders: [to] }
}

/** What calls of SwapRouter02, or of a fork's, do. */
export function uniswapV3Tellers(title: string): readonly Teller[] {
  const swappedIn = (
    say: Words,
    [from, into]: readonly [Address, Address],
    units: bigint,
    least: bigint,
    to: Address,
  ): Telling => {
    const { toWhom, holders } = payee(say, to)
    return {
      text: `swaps ${given(say, from, units)} for at least ${say.amount(into, least)}${toWhom} by ${title}`,
      // A call that carries the coin pays with it.
      gives: units === 0n || say.call.value > 0n ? [] : [{ token: from, units }],
      holders: holders ?? [],
    }
  }
  const swappedOut = (
    say: Words,
    [from, into]: readonly [Address, Address],
    units: bigint,
    most: bigint,
    to: Address,
  ): Telling => {
    const { toWhom, holders } = payee(say, to)
    return {
      text: `swaps at most ${say.upTo(from, most)} for exactly ${say.amount(into, units)}${toWhom} by ${title}`,
      holders: holders ?? [],
    }
  }
  const ends = (tokens: readonly Address[] | undefined): readonly [Address, Address] | undefined => {
    const [first, last] = [tokens?.[0], tokens?.at(-1)]
    return tokens && tokens.length > 1 && first && last ? [first, last] : undefined
  }
  const unwrapped = (say: Words, least: bigint, to: Address | 'caller', fee = ''): Telling => ({
    text: `pays out at least ${say.coin(least)}${to === 'caller' ? '' : payee(say, to).toWhom}${fee}`,
    holders: to === 'caller' ? [] : (payee(say, to).holders ?? []),
    ...(fee === '' && {
      paysCoinTo: to === 'caller' || sameAddress(to, callerAddress) ? ('caller' as const) : to,
    }),
  })
  const swept = (say: Words, token: Address, least: bigint, to: Address | 'caller', fee = ''): Telling => ({
    text: `pays out at least ${say.amount(token, least)}${to === 'caller' ? '' : payee(say, to).toWhom}${fee}`,
    holders: to === 'caller' ? [] : (payee(say, to).holders ?? []),
  })
  const several = (all: readonly `0x${string}`[], { inner, call }: Words): Telling => {
    const calls = all.map((data) => inner({ to: call.to, value: call.value, data }))
    return { kind: kindOfAll(calls), text: `in one call: ${joinTexts(calls)}`, calls }
  }
  const permitted = (what: string): Telling => ({
    text: `lets the router spend ${what} of the caller by a signature`,
  })
  return [
    teller(innerSwapsAbi, 'exactInputSingle', 'swap', ([one], say) =>
      swappedIn(say, [one.tokenIn, one.tokenOut], one.amountIn, one.amountOutMinimum, one.recipient),
    ),
    teller(innerSwapsAbi, 'exactInput', 'swap', ([one], say) => {
      const path = ends(unpackPath(one.path, 'in')?.tokens)
      return path && swappedIn(say, path, one.amountIn, one.amountOutMinimum, one.recipient)
    }),
    teller(innerSwapsAbi, 'exactOutputSingle', 'swap', ([one], say) =>
      swappedOut(say, [one.tokenIn, one.tokenOut], one.amountOut, one.amountInMaximum, one.recipient),
    ),
    teller(innerSwapsAbi, 'exactOutput', 'swap', ([one], say) => {
      const path = ends(unpackPath(one.path, 'out')?.tokens)
      return path && swappedOut(say, path, one.amountOut, one.amountInMaximum, one.recipient)
    }),
    teller(others, 'swapExactTokensForTokens', 'swap', ([units, least, path, to], say) => {
      const tokens = ends(path)
      return tokens && swappedIn(say, tokens, units, least, to)
    }),
    teller(others, 'swapTokensForExactTokens', 'swap', ([units, most, path, to], say) => {
      const tokens = ends(path)
      return tokens && swappedOut(say, tokens, units, most, to)
    }),
    teller(multicallAbi, 'multicall', 'other', ([, all], say) => several(all, say)),
    teller(plainMulticall, 'multicall', 'other', ([all], say) => several(all, say)),
    teller(multicallAfter, 'multicall', 'other', ([, all], say) => several(all, say)),
    teller(coinPaymentsAbi, 'unwrapWETH9', 'other', ([least, to], say) => unwrapped(say, least, to)),
    teller(ownUnwrap, 'unwrapWETH9', 'other', ([least], say) => unwrapped(say, least, 'caller')),
    teller(others, 'unwrapWETH9WithFee', 'other', ([least, to, bips, collector], say) =>
      unwrapped(say, least, to, `, less a fee of ${Number(bips) / 100} % to ${collector}`),
    ),
    teller(coinPaymentsAbi, 'refundETH', 'other', () => ({ text: 'returns the coin that is left' })),
    teller(feePaymentsAbi, 'pull', 'other', ([token, units], say) => ({
      text: `takes ${say.upTo(token, units)} from the caller`,
      gives: [{ token, units }],
    })),
    teller(feePaymentsAbi, 'sweepToken', 'other', ([token, least, to], say) => swept(say, token, least, to)),
    teller(ownSweep, 'sweepToken', 'other', ([token, least], say) => swept(say, token, least, 'caller')),
    teller(others, 'sweepTokenWithFee', 'other', ([token, least, to, bips, collector], say) =>
      swept(say, token, least, to, `, less a fee of ${Number(bips) / 100} % to ${collector}`),
    ),
    teller(others, 'wrapETH', 'other', ([units], say) => ({ text: `wraps ${say.coin(units)}` })),
    teller(others, 'selfPermit', 'approve', ([token, units], say) => permitted(limit(say, token, units))),
    teller(others, 'selfPermitIfNecessary', 'approve', ([token, units], say) =>
      permitted(limit(say, token, units)),
    ),
    teller(others, 'selfPermitAllowed', 'approve', ([token], say) =>
      permitted(`unlimited ${say.token(token)}`),
    ),
    teller(others, 'selfPermitAllowedIfNecessary', 'approve', ([token], say) =>
      permitted(`unlimited ${say.token(token)}`),
    ),
  ]
}

const limit = (say: Words, token: Address, units: bigint): string =>
  isEverything(units) ? `unlimited ${say.token(token)}` : say.amount(token, units)
