import { hexToString, parseAbi } from 'viem/utils'

import { erc20Abi } from '../calls/erc20.ts'
import { type Hex, nativeAddress } from '../domain/address.ts'
import type { Catalog, StrategyEntry } from '../domain/catalog.ts'
import type { Token } from '../domain/token.ts'
import { type Chain, read } from './chain.ts'
import { type Read, type Reading, together } from './reading.ts'
import { isSymbol } from './readings/symbols.ts'

/** Tokens that are older than the custom say their symbol in one word. */
const oldAbi = parseAbi(['function symbol() view returns (bytes32)'])

/**
 * Asks tokens and receipts of one chain what they are called. A token must be called as the catalogue calls it, or as is known of it; many
 * receipts have names of ours, so one may only not be called what another of its family is. Gives what is wrong.
 */
export async function symbolFaults(chain: Chain, { tokens, strategies }: Catalog): Promise<string[]> {
  const isHere = ({ chainId }: { chainId: number }) => chainId === chain.network.chainId
  const entries = strategies.filter(isHere)
  const readings = [
    ...tokens.filter((token) => isHere(token) && token.address !== nativeAddress).map(tokenFaults),
    ...entries.flatMap((entry) => (entry.receipt.isShares ? [] : [receiptFaults(entry, entries)])),
  ]
  return (await read(chain, together(readings))).flat()
}

const tokenFaults = (token: Token): Reading<string[]> =>
  called(token, (said) =>
    isSymbol(said, token) ? [] : [`${token.address} is called ${said}, and not ${token.symbol}`],
  )

const receiptFaults = (
  { slug, receipt, constants }: StrategyEntry,
  all: readonly StrategyEntry[],
): Reading<string[]> =>
  called(receipt, (said) => {
    if (isSymbol(said, receipt)) return []
    const other = all.find((one) => one.constants.family === constants.family && said === one.receipt.symbol)
    return other ? [`the receipt of ${slug} is called ${said}, as that of ${other.slug}`] : []
  })

/** One that says nothing is judged by what else it must say. */
function called({ address }: Token, judge: (said: string) => string[]): Reading<string[]> {
  const ask = (abi: Read['abi']): Read => ({ address, abi, functionName: 'symbol' })
  return {
    reads: [ask(erc20Abi), ask(oldAbi)],
    parse: ([text, word]) => {
      const said = text ?? (word === undefined ? undefined : hexToString(word as Hex, { size: 32 }))
      return said === undefined ? [] : judge(String(said).trim())
    },
  }
}
