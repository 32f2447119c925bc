import { type Reading, together } from '../../chain/call.ts'
import { sameAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import { usd } from '../../domain/usd.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { priceOf } from '../../protocols/oracle-prices.ts'
import { marketOf } from '../../protocols/registry.ts'

/**
 * Reads the price of one whole token in USD, as a decimal string. A receipt without a price has the value for which
 * its market redeems it. `null` is unknown.
 */
export function unitPriceUsd(catalog: Catalog, token: Token): Reading<string | null> {
  const one = 10n ** BigInt(token.decimals)
  const own = mapReading(priceOf(catalog, token), (price) => usd(one, token, price))
  const entry = catalog.strategies.find(
    ({ chainId, receipt }) => chainId === token.chainId && sameAddress(receipt.address, token.address),
  )
  if (!entry) return own
  const { asset } = entry
  const worth = together<bigint | null | undefined>([marketOf(entry).worth(one), priceOf(catalog, asset)])
  const received = mapReading(worth, ([units, price]) => usd(units ?? null, asset, price ?? null))
  return mapReading(together([own, received]), ([priced, backed]) => priced ?? backed ?? null)
}

const mapReading = <from, to>({ reads, parse }: Reading<from>, to: (value: from) => to): Reading<to> => ({
  reads,
  parse: (answers) => to(parse(answers)),
})
