import type { Receipt } from '../../api/strategy.ts'
import { ask } from '../../chain/ask.ts'
import type { Chain } from '../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import { symbolSaid } from '../../protocols/shared/token-symbol.ts'

/** Reads the receipt of a market, with the symbol that its contract states, or else that of the catalogue. */
export type ReceiptReader = (market: Market) => Promise<Receipt>

/**
 * Reads the receipts of one chain. Each symbol is read once, because it does not change. If the chain does
 * not answer, the symbol of the catalogue is used.
 */
export function receiptReader(chain: () => Chain): ReceiptReader {
  const cached = new Map<Market, Promise<string | undefined>>()
  const asked = async ({ entry: { receipt } }: Market) => {
    if (receipt.isShares) return undefined
    return undefinedIfUnanswered(ask(chain(), symbolSaid(receipt.address)))
  }
  return async (market) => {
    const symbol = cached.get(market) ?? asked(market)
    cached.set(market, symbol)
    const said = await symbol.catch((error: unknown) => {
      cached.delete(market)
      throw error
    })
    if (said === undefined) cached.delete(market)
    const { receipt } = market.entry
    return {
      symbol: said ?? receipt.symbol,
      address: receipt.address,
      decimals: receipt.decimals,
      symbolFrom: said === undefined ? 'catalogue' : 'contract',
    }
  }
}
