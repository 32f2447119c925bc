import { concatHex, encodeFunctionData, getAddress, numberToHex, parseAbi, size, sliceHex } from 'viem/utils'

import { unlessSame } from '../domain/accepted.ts'
import { type Address, type Hex, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { UniswapV3Constants } from '../domain/catalog.ts'
import { AppError } from '../domain/errors.ts'
import type { Intent } from '../domain/intent.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'

/** QuoterV2 of `@uniswap/v3-periphery`: called with eth_call, it tells what a swap would bring now. */
export const quoterV2Abi = parseAbi([
  'function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)',
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
  'function quoteExactOutputSingle((address tokenIn, address tokenOut, uint256 amount, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountIn, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)',
])

/** The factory: the pool of two tokens in a fee tier, or the zero address. */
export const uniswapV3FactoryAbi = parseAbi([
  'function getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)',
])

const outer = parseAbi(['function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])'])
const inner = parseAbi([
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)',
  'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params) payable returns (uint256 amountOut)',
  'function exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountIn)',
  'function exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountInMaximum) params) payable returns (uint256 amountIn)',
])

/** The parts of SwapRouter02 (`@uniswap/swap-router-contracts`) that are used here. */
export const swapRouter02Abi = [...outer, ...inner] as const

/** A way through pools: `fees[i]` (in millionths) is the tier of the pool between `tokens[i]` and `tokens[i + 1]`. */
export type SwapPath = { tokens: readonly Address[]; fees: readonly number[] }

/** The packed path of the router and the quoter: token (20 bytes), fee (3), token, ... Exact output wants it from the end. */
export const packPath = ({ tokens, fees }: SwapPath, exact: 'in' | 'out' = 'in'): Hex => {
  const parts = tokens.flatMap((token, i) => {
    const fee = fees[i]
    return fee === undefined ? [token] : [token, numberToHex(fee, { size: 3 })]
  })
  return concatHex(exact === 'in' ? parts : parts.reverse()).toLowerCase() as Hex
}

function unpackPath(path: Hex, exact: 'in' | 'out'): SwapPath | undefined {
  const bytes = size(path)
  if (bytes < 43 || (bytes - 20) % 23 !== 0) return undefined
  const tokens: Address[] = []
  const fees: number[] = []
  for (let at = 0; at < bytes; at += 23) {
    tokens.push(getAddress(sliceHex(path, at, at + 20)))
    if (at + 20 < bytes) fees.push(Number(sliceHex(path, at + 20, at + 23)))
  }
  return exact === 'in' ? { tokens, fees } : { tokens: tokens.reverse(), fees: fees.reverse() }
}

/**
 * Swaps along a path before `deadline` (Unix seconds). Exact input: spends `amountIn`, brings at least `amountOut`.
 * Exact output: brings `amountOut`, spends at most `amountIn`.
 */
export function swap(ask: {
  chainId: number
  router: Address
  exact: 'in' | 'out'
  path: SwapPath
  amountIn: bigint
  amountOut: bigint
  recipient: Address
  deadline: number
}): Transaction {
  const { exact, path, amountIn, amountOut, recipient } = ask
  const [tokenIn, tokenOut, ...more] = path.tokens
  const [fee] = path.fees
  if (!tokenIn || !tokenOut || fee === undefined)
    throw new AppError('BUG', 'A path has at least two tokens and one fee')
  const packed = packPath(path, exact)
  const single = { tokenIn, tokenOut, fee, recipient, sqrtPriceLimitX96: 0n }
  const bounds =
    exact === 'in' ? { amountIn, amountOutMinimum: amountOut } : { amountOut, amountInMaximum: amountIn }
  const functionName =
    `exact${exact === 'in' ? 'Input' : 'Output'}${more.length === 0 ? 'Single' : ''}` as const
  const params = more.length === 0 ? { ...single, ...bounds } : { path: packed, recipient, ...bounds }
  const data = encodeFunctionData({ abi: inner, functionName, args: [params as never] })
  return {
    to: ask.router,
    data: encodeFunctionData({ abi: outer, functionName: 'multicall', args: [BigInt(ask.deadline), [data]] }),
    value: 0n,
    chainId: ask.chainId,
  }
}

type Swap = {
  exact: 'in' | 'out'
  path: SwapPath
  recipient: Address
  amountIn: bigint
  amountOut: bigint
  priceLimit: bigint
}

/** The one swap inside a multicall, its path written from the first token to the last. */
function decodeSwap(data: Hex): Swap | undefined {
  const call = strictDecode(inner, data)
  if (!call) return undefined
  const [params] = call.args
  const exact = 'amountInMaximum' in params ? 'out' : 'in'
  const path =
    'path' in params
      ? unpackPath(params.path, exact)
      : { tokens: [params.tokenIn, params.tokenOut], fees: [params.fee] }
  if (!path) return undefined
  const amounts =
    'amountInMaximum' in params
      ? { amountIn: params.amountInMaximum, amountOut: params.amountOut }
      : { amountIn: params.amountIn, amountOut: params.amountOutMinimum }
  const priceLimit = 'sqrtPriceLimitX96' in params ? params.sqrtPriceLimitX96 : 0n
  return { exact, path, recipient: params.recipient, priceLimit, ...amounts }
}

/** The swap that a call of SwapRouter02 makes; `undefined` where it is none of ours. */
export const wayOf = (data: Hex): Omit<Swap, 'priceLimit'> | undefined =>
  decodeSwap(strictDecode(outer, data)?.args[1][0] ?? '0x')

/** Binds a call of SwapRouter02 to the swap on one chain that was asked for. */
export function bindUniswapV3(
  { data }: Transaction,
  intent: Extract<Intent, { kind: 'swap' }>,
  constants: UniswapV3Constants,
): Verdict {
  const { tokenIn, tokenOut } = intent
  const call = strictDecode(outer, data)
  if (!call) return refuse('POLICY_DECODE', 'It is not a call of multicall(uint256,bytes[]) of SwapRouter02')
  const [deadline, calls] = call.args
  const [only, ...others] = calls
  const swap = only === undefined || others.length > 0 ? undefined : decodeSwap(only)
  if (!swap) return refuse('POLICY_DECODE', 'The multicall is not exactly one swap of SwapRouter02')
  const { path, amountIn, amountOut } = swap
  if (deadline > BigInt(intent.deadline))
    return refuse('POLICY_QUOTE_DRIFT', `It may execute until ${deadline}, later than ${intent.deadline}`)
  if (swap.exact !== intent.exact) return refuse('POLICY_DECODE', 'It fixes the other side of the swap')
  const first = path.tokens[0]!
  const last = path.tokens[path.tokens.length - 1]!
  if (!sameAddress(first, tokenIn.address) || !sameAddress(last, tokenOut.address))
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It swaps ${first} to ${last}, not ${tokenIn.symbol} to ${tokenOut.symbol}`,
    )
  const middle = path.tokens.slice(1, -1)
  if (middle.length > 1 || middle.some((token) => !constants.via.some((known) => sameAddress(known, token))))
    return refuse('POLICY_QUOTE_DRIFT', 'The path goes through a token that is not on the list')
  if (path.fees.some((fee) => !constants.feeTiers.includes(fee)))
    return refuse('POLICY_QUOTE_DRIFT', 'The path goes through a fee tier that is not on the list')
  if (swap.priceLimit !== 0n)
    return refuse('POLICY_QUOTE_DRIFT', 'It has a price limit, which could spend a part only')
  if (!sameAddress(swap.recipient, intent.recipient))
    return refuse('POLICY_RECIPIENT', `It pays out to ${swap.recipient}, not to ${intent.recipient}`)
  const [spent, brought] = [formatAmount(amountIn, tokenIn), formatAmount(amountOut, tokenOut)]
  const [toSpend, toBring] = [
    formatAmount(intent.amountIn, tokenIn),
    formatAmount(intent.amountOut, tokenOut),
  ]
  if (intent.exact === 'in') {
    if (amountIn !== intent.amountIn) return refuse('POLICY_AMOUNT', `It spends ${spent}, not ${toSpend}`)
    if (amountOut < intent.amountOut)
      return refuse('POLICY_MIN_OUT', `It may bring only ${brought}, less than ${toBring}`)
  } else {
    if (amountOut !== intent.amountOut) return refuse('POLICY_AMOUNT', `It brings ${brought}, not ${toBring}`)
    if (amountIn > intent.amountIn)
      return refuse('POLICY_AMOUNT', `It may spend ${spent}, more than ${toSpend}`)
  }
  const most = intent.exact === 'out' ? 'at most ' : ''
  const least = intent.exact === 'in' ? 'at least ' : ''
  const accepted =
    intent.exact === 'in'
      ? unlessSame(amountOut, intent.amountOut, tokenOut)
      : unlessSame(amountIn, intent.amountIn, tokenIn)
  return {
    bound: {
      name: 'swap',
      args: printed({
        exact: swap.exact,
        path: path.tokens
          .map((token, i) => (path.fees[i] === undefined ? token : `${token} ${path.fees[i]}`))
          .join(' '),
        recipient: swap.recipient,
        [intent.exact === 'in' ? 'amountIn' : 'amountInMaximum']: amountIn,
        [intent.exact === 'in' ? 'amountOutMinimum' : 'amountOut']: amountOut,
        deadline,
      }),
      text: `Swap ${most}${spent} for ${least}${brought} on Uniswap v3${accepted}`,
      value: 0n,
      spends: { token: tokenIn.address, amount: amountIn },
    },
  }
}
