import type { StrategyBytecodeInput } from '../api/bytecode.ts'
import type { Quote } from '../api/quote.ts'
import { AppError } from '../domain/errors.ts'
import { withoutPayment } from '../domain/service-fee.ts'
import type { Opinion } from '../wallet/opinion.ts'
import type { Cli } from './cli.ts'
import { paidIn } from './stated-fee.ts'

/** The price of a bridge that burns and mints: what it brings is what it takes, less its fee. */
const oneForOne = { amountIn: 1n, amountOut: 1n }

/** Where our own engine answered, it would build what it built. */
const itself: Opinion = {
  transactions: async ({ legs: [leg, ...others] }) =>
    leg && others.length === 0 ? withoutPayment(leg.intent, leg.transactions) : undefined,
}

/** What our own engine would build for a deposit or withdrawal on one chain. Across chains the quotes differ, so there only the price of the bridge is held against its own. */
export function opinionOnStrategy({ place }: Cli, ask: StrategyBytecodeInput): Opinion | undefined {
  const { reference, kind } = place
  if (!reference) return kind === 'remote' ? undefined : itself
  return {
    price: oneForOne,
    transactions: async () => {
      const { bytecode, crossChain, fees } = await (await reference()).strategyBytecode(ask)
      return crossChain.isCrossChain ? undefined : bytecode.slice(0, bytecode.length - paidIn(fees))
    },
  }
}

/** How much our own engine would give for the same swap, where a service that is not ours quotes it. An engine that knows no way has no opinion. */
export async function opinionOnSwap(
  { place }: Cli,
  { from, to, tokenIn, tokenOut }: Quote,
  exact: 'in' | 'out',
): Promise<Opinion | undefined> {
  if (!place.reference) return undefined
  if (from.chainId !== to.chainId && tokenIn.decimals === tokenOut.decimals) return { price: oneForOne }
  try {
    const { quote } = await (await place.reference()).quote({
      chainIdIn: from.chainId,
      chainIdOut: to.chainId,
      tokenIn: tokenIn.address,
      tokenOut: tokenOut.address,
      ...(exact === 'in' ? { amountIn: tokenIn.amount } : { amountOut: tokenOut.amount }),
    })
    return { price: { amountIn: quote.tokenIn.amount, amountOut: quote.tokenOut.amount } }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
