import { encodeAbiParameters, encodeFunctionData, toHex } from 'viem/utils'
import { type Hex, nativeAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { sumOf } from '../../protocols/fee-payments.ts'
import type { SwapPath } from '../fee-tier-paths.ts'
import type { PoolSwap } from '../pool-swap.ts'
import {
  actionParameters,
  actions,
  callerAddress,
  feeParameters,
  openBalance,
  planParameters,
  routerCommands,
  sweepParameters,
  universalRouterAbi,
} from './abi.ts'
import { keysOf } from './pools.ts'

type V4Swap = PoolSwap<SwapPath>

const bytesOf = (codes: readonly number[]): Hex => toHex(Uint8Array.from(codes))

/**
 * Encodes a swap along a path, in which the zero address is the native coin, without wrapping. An exact input is spent in full and an exact
 * output is paid out in full, or the transaction reverts. Fee payments follow.
 */
export function swapV4(asked: V4Swap): Transaction {
  const { exact, isNativeIn = false, path, fees = [] } = asked
  const way = isNativeIn ? 'transfer' : 'permit2TransferFrom'
  const paid = fees.map(({ to, amount }) =>
    encodeAbiParameters(feeParameters[way], [path.tokens[0]!, to, amount]),
  )
  const after = isNativeIn && exact === 'out' ? [unneededCoin] : []
  const codes = bytesOf([
    routerCommands.swap,
    ...paid.map(() => routerCommands[way]),
    ...after.map(() => routerCommands.sweep),
  ])
  const inputs = [exact === 'in' ? exactIn(asked) : exactOut(asked), ...paid, ...after]
  return {
    to: asked.router,
    data: encodeFunctionData({
      abi: universalRouterAbi,
      functionName: 'execute',
      args: [codes, inputs, BigInt(asked.deadline)],
    }),
    value: isNativeIn ? asked.amountIn + sumOf(fees) : 0n,
    chainId: asked.chainId,
  }
}

/** The swap, its whole input as the payment, and the whole open balance as the payout. */
function exactIn({ path: { tokens, fees }, amountIn, amountOut, recipient }: V4Swap): Hex {
  const { exactCurrency: currencyIn, path } = keysOf({ tokens, fees }, 'in')
  const swap = { currencyIn, path, amountIn, amountOutMinimum: amountOut }
  return encodeAbiParameters(planParameters, [
    bytesOf([actions.swapExactIn, actions.settle, actions.take]),
    [
      encodeAbiParameters(actionParameters.swapExactIn, [swap]),
      encodeAbiParameters(actionParameters.settle, [tokens[0]!, amountIn, true]),
      encodeAbiParameters(actionParameters.take, [tokens.at(-1)!, recipient, openBalance]),
    ],
  ])
}

/** The swap, its cost as the payment, and its whole output as the payout. The transaction reverts if the pools give less. */
function exactOut({ path: { tokens, fees }, amountIn, amountOut, recipient }: V4Swap): Hex {
  const { exactCurrency: currencyOut, path } = keysOf({ tokens, fees }, 'out')
  const swap = { currencyOut, path, amountOut, amountInMaximum: amountIn }
  return encodeAbiParameters(planParameters, [
    bytesOf([actions.swapExactOut, actions.settleAll, actions.take]),
    [
      encodeAbiParameters(actionParameters.swapExactOut, [swap]),
      encodeAbiParameters(actionParameters.settleAll, [tokens[0]!, amountIn]),
      encodeAbiParameters(actionParameters.take, [tokens.at(-1)!, recipient, amountOut]),
    ],
  ])
}

/** Returns the unused coin of a swap to the sender. */
const unneededCoin = encodeAbiParameters(sweepParameters, [nativeAddress, callerAddress, 0n])
