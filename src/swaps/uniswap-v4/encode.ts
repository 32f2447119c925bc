import { encodeAbiParameters, encodeFunctionData, toHex } from 'viem/utils'
import { type Hex, nativeAddress } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { SwapPath } from '../fee-path.ts'
import type { PoolSwap } from '../pool-swap.ts'
import {
  actionParameters,
  actions,
  allThatIsDue,
  callerItself,
  commands,
  planParameters,
  sweepParameters,
  universalRouterAbi,
} from './abi.ts'
import { keysOf } from './pools.ts'

const bytesOf = (codes: readonly number[]): Hex => toHex(Uint8Array.from(codes))

/**
 * Makes a swap along a path, in which the native coin is the zero address: no pool needs it wrapped. An exact input is paid in full, an
 * exact output comes out in full, or the whole reverts.
 */
export function swapV4(asked: PoolSwap<SwapPath>): Transaction {
  const { exact, path, amountOut, isNativeIn = false, amountIn } = asked
  const after = isNativeIn && exact === 'out' ? [unneededCoin] : []
  const inputs = [planOf(asked), ...after]
  return {
    to: asked.router,
    data: encodeFunctionData({
      abi: universalRouterAbi,
      functionName: 'execute',
      args: [bytesOf([commands.swap, ...after.map(() => commands.sweep)]), inputs, BigInt(asked.deadline)],
    }),
    value: isNativeIn ? amountIn : 0n,
    chainId: asked.chainId,
  }

  function planOf({ recipient }: PoolSwap<SwapPath>): Hex {
    const { exactCurrency, path: keys } = keysOf(path, exact)
    const [first, last] = [path.tokens[0]!, path.tokens.at(-1)!]
    const steps =
      exact === 'in'
        ? ([
            [
              actions.swapExactIn,
              encodeAbiParameters(actionParameters.swapExactIn, [
                { currencyIn: exactCurrency, path: keys, amountIn, amountOutMinimum: amountOut },
              ]),
            ],
            [actions.settle, encodeAbiParameters(actionParameters.settle, [first, amountIn, true])],
            [actions.take, encodeAbiParameters(actionParameters.take, [last, recipient, allThatIsDue])],
          ] as const)
        : ([
            [
              actions.swapExactOut,
              encodeAbiParameters(actionParameters.swapExactOut, [
                { currencyOut: exactCurrency, path: keys, amountOut, amountInMaximum: amountIn },
              ]),
            ],
            [actions.settleAll, encodeAbiParameters(actionParameters.settleAll, [first, amountIn])],
            [actions.take, encodeAbiParameters(actionParameters.take, [last, recipient, amountOut])],
          ] as const)
    return encodeAbiParameters(planParameters, [
      bytesOf(steps.map(([code]) => code)),
      steps.map(([, params]) => params),
    ])
  }
}

/** Gives the coin that a swap did not need back to the sender. */
const unneededCoin = encodeAbiParameters(sweepParameters, [nativeAddress, callerItself, 0n])
