import { type Chain, read } from '../../chain/chain.ts'
import { type Reading, together } from '../../chain/reading.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../../protocols/catalog.ts'
import type { Market } from '../../protocols/market.ts'
import { hasDecimals } from '../../protocols/shared/contract-claims.ts'

/** A market that is not, on its chain, what the catalogue says that it is. */
export type FaultyMarket = { market: Market; faults: string[] }

/**
 * Asks the contracts of many markets of one chain what they are, and whether there is code at every address that is known of
 * them. Gives the markets that do not pass, with every reason; an empty list is a catalogue that holds.
 */
export async function marketFaults(chain: Chain, markets: readonly Market[]): Promise<FaultyMarket[]> {
  const claims = markets.map(
    ({ entry, claims }): Reading<string[]> =>
      joinClaims([
        ...hasDecimals(entry.asset),
        ...(entry.receipt.isShares ? [] : hasDecimals(entry.receipt)),
        ...claims,
      ]),
  )
  const [said, bare] = await Promise.all([read(chain, together(claims)), withoutCode(chain, markets)])
  return markets.flatMap((market, at) => {
    const empty = addressesOf(market.entry).filter((address) => bare.has(address))
    const faults = [...said[at]!, ...empty.map((address) => `there is no contract at ${address}`)]
    return faults.length > 0 ? [{ market, faults }] : []
  })
}

function joinClaims(claims: readonly Reading<string[]>[]): Reading<string[]> {
  const { reads, parse } = together(claims)
  return { reads, parse: (answers) => parse(answers).flat() }
}

async function withoutCode({ rpc }: Chain, markets: readonly Market[]): Promise<Set<Address>> {
  const all = [...new Set(markets.flatMap(({ entry }) => addressesOf(entry)))]
  const codes = await rpc.batch(all.map((address) => ['eth_getCode', [address, 'latest']]))
  return new Set(all.filter((_, at) => codes[at] === '0x'))
}

/** Every contract that a market is known to stand on. */
function addressesOf({ asset, receipt, constants }: StrategyEntry): Address[] {
  const texts = JSON.stringify([asset.address, receipt.address, constants]).match(/0x[0-9a-fA-F]{40}/g) ?? []
  return [...new Set(texts as Address[])].filter((address) => address !== nativeAddress)
}
