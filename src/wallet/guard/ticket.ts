import { queueOf } from '../../calls/queues.ts'
import type { StrategyEntry } from '../../domain/catalog.ts'
import type { Token } from '../../domain/token.ts'

/** The token (ERC-721) that stands for a request in the queue of a market, as something whose balance is watched; `undefined` where there is none. */
export function ticketOf(strategy: StrategyEntry): Token | undefined {
  const ticket = queueOf(strategy)?.ticket
  return ticket && { chainId: strategy.chainId, ...ticket, name: ticket.symbol, decimals: 0 }
}

/** Whether what is withdrawn from a market waits in a queue, and is claimed later. */
export const paysLater = (strategy: StrategyEntry): boolean => queueOf(strategy) !== undefined
