import { encodeAbiParameters, encodeFunctionData, toHex } from 'viem/utils'
import { type Hex, nativeAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { sumOf } from '../../protocols/fee-amounts.ts'
import type { SwapPath } from '../fee-tier-paths.ts'
import type { PoolSwap } from '../pool-swap.ts'
import {
  actionParameters,
  actions,
  allThatIsDue,
  callerItself,
  commands,
  feeParameters,
  planParameters,
  sweepParameters,
  universalRouterAbi,
} from './abi.ts'
import { keysOf } from './pools.ts'

type V4Swap = PoolSwap<SwapPath>

const bytesOf = (codes: readonly number[]): Hex => toHex(Uint8Array.from(codes))

/**
 * Makes a swap along a path, in which the native coin is the zero address: no pool needs it wrapped. An exact input is paid in full, an
 * exact output comes out in full, or the whole reverts. Fees are paid after it.
 */
export function swapV4(asked: V4Swap): Transaction {
  const { exact, isNativeIn = false, path, fees = [] } = asked
  const way = isNativeIn ? 'transfer' : 'permit2TransferFrom'
  const paid = fees.map(({ to, amount }) =>
    encodeAbiParameters(feeParameters[way], [path.tokens[0]!, to, amount]),
  )
  const after = isNativeIn && exact === 'out' ? [unneededCoin] : []
  const codes = bytesOf([commands.swap, ...paid.map(() => commands[way]), ...after.map(() => commands.sweep)])
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

/** The swap, its whole input as the payment, and all that is due as the payout. */
function exactIn({ path: { tokens, fees }, amountIn, amountOut, recipient }: V4Swap): Hex {
  const { exactCurrency: currencyIn, path } = keysOf({ tokens, fees }, 'in')
  const swap = { currencyIn, path, amountIn, amountOutMinimum: amountOut }
  return encodeAbiParameters(planParameters, [
    bytesOf([actions.swapExactIn, actions.settle, actions.take]),
    [
      encodeAbiParameters(actionParameters.swapExactIn, [swap]),
      encodeAbiParameters(actionParameters.settle, [tokens[0]!, amountIn, true]),
      encodeAbiParameters(actionParameters.take, [tokens.at(-1)!, recipient, allThatIsDue]),
    ],
  ])
}

/** The swap, what it costs as the payment, and its whole output as the payout: pools that give less do not settle. */
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

/** Gives the coin that a swap did not need back to the sender. */
const unneededCoin = encodeAbiParameters(sweepParameters, [nativeAddress, callerItself, 0n])
