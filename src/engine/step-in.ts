import type { StrategyBytecodeInput } from '../api/bytecode.ts'
import { read } from './chain.ts'
import type { Context } from './context.ts'
import { boundsIn } from './exchanged.ts'
import type { Market, Step } from './markets/market.ts'

/** The step into a market, where the protocol says that it is taken now, and for what it brings now. */
export async function stepIn(
  context: Context,
  market: Market,
  { amount, wallet, slippage }: StrategyBytecodeInput,
): Promise<Step> {
  const { entry, entrance, exchange } = market
  const bounds = await boundsIn(context, market, exchange?.into(amount), slippage)
  return market.deposit({
    amount,
    owner: wallet,
    ...(entrance && { entrance: await read(context.chain(entry.chainId), entrance) }),
    ...(bounds && { bounds }),
  })
}
