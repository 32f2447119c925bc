import { ask } from '../../chain/ask.ts'
import { type Reading, together } from '../../chain/call.ts'
import type { Chain } from '../../chain/network-client.ts'
import { nativeAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import { isNamedByUs } from '../../protocols/catalog-operations.ts'
import type { Catalog, StrategyEntry } from '../../protocols/catalog-types.ts'
import { symbolSaid } from '../../protocols/shared/token-symbol.ts'
import { isSymbol } from './known-symbols.ts'

/**
 * Checks the symbols of the tokens and receipts of one chain against the catalogue. A receipt without a published name, which is named
 * after its protocol, may have any symbol except that of another receipt. Returns the faults.
 */
export async function symbolFaults(chain: Chain, { tokens, strategies }: Catalog): Promise<string[]> {
  const isHere = ({ chainId }: { chainId: number }) => chainId === chain.network.chainId
  const entries = strategies.filter(isHere)
  const readings = [
    ...tokens.filter((token) => isHere(token) && token.address !== nativeAddress).map(tokenFaults),
    ...entries.flatMap((entry) => (entry.receipt.isShares ? [] : [receiptFaults(entry, entries)])),
  ]
  return (await ask(chain, together(readings))).flat()
}

const tokenFaults = (token: Token): Reading<string[]> =>
  judgeSymbol(token, (actual) =>
    isSymbol(actual, token) ? [] : [`${token.address} is called ${actual}, not ${token.symbol}`],
  )

const receiptFaults = (entry: StrategyEntry, all: readonly StrategyEntry[]): Reading<string[]> =>
  judgeSymbol(entry.receipt, (actual) => {
    const { slug, receipt } = entry
    if (isSymbol(actual, receipt)) return []
    const other = all.find((one) => one !== entry && !isNamedByUs(one) && actual === one.receipt.symbol)
    if (other) return [`the receipt of ${slug} is called ${actual}, like that of ${other.slug}`]
    return isNamedByUs(entry) ? [] : [`the receipt of ${slug} is called ${actual}, not ${receipt.symbol}`]
  })

/** Reads the symbols of the receipts of one chain that have no published name, so that the catalogue can be completed. */
export async function unnamedReceipts(chain: Chain, { strategies }: Catalog): Promise<string[]> {
  const unnamed = strategies.filter((entry) => entry.chainId === chain.network.chainId && isNamedByUs(entry))
  const actual = await ask(chain, together(unnamed.map(({ receipt }) => symbolSaid(receipt.address))))
  return unnamed.flatMap(({ slug }, at) =>
    actual[at] === undefined ? [] : [`${slug} is called ${actual[at]}`],
  )
}

/** A contract that returns no symbol is judged by its other claims. */
function judgeSymbol({ address }: Token, judge: (actual: string) => string[]): Reading<string[]> {
  const { reads, parse } = symbolSaid(address)
  return {
    reads,
    parse: (answers) => {
      const actual = parse(answers)
      return actual === undefined ? [] : judge(actual)
    },
  }
}
