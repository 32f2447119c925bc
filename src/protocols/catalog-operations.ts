import type { Catalog, StrategyEntry } from './catalog-types.ts'
import { atSetUrl, type ServiceUrls } from './public-services.ts'

/** Whether a receipt has no published symbol, and is named after its protocol until its contract is read. */
export const isNamedByUs = ({ protocol, receipt }: Pick<StrategyEntry, 'protocol' | 'receipt'>): boolean =>
  receipt.symbol.startsWith(`${protocol}-`)

/** The fields of a catalogue that are lists of rows, each about one chain. */
const lists = ['networks', 'tokens', 'strategies', 'priceFeeds'] as const satisfies readonly (keyof Catalog)[]

type Lists = Pick<Catalog, (typeof lists)[number]>

/** All lists of a catalogue, each made for its field. */
const eachList = (make: (field: keyof Lists) => readonly unknown[]): Lists =>
  Object.fromEntries(lists.map((field) => [field, make(field)])) as Lists

/** The contracts of swap providers in several catalogues. */
function joinedSwaps(parts: readonly Catalog[]): Catalog['swaps'] {
  const names = new Set(parts.flatMap(({ swaps }) => Object.keys(swaps)))
  return Object.fromEntries([...names].map((name) => [name, parts.flatMap(({ swaps }) => swaps[name] ?? [])]))
}

/** Several catalogues as one. */
export function joined(parts: readonly Catalog[]): Catalog {
  const bitcoin = parts.find((one) => one.bitcoin)?.bitcoin
  return {
    ...eachList((field) => parts.flatMap((one): readonly unknown[] => one[field])),
    swaps: joinedSwaps(parts),
    priceOracles: Object.assign({}, ...parts.map(({ priceOracles }) => priceOracles)),
    ...(bitcoin && { bitcoin }),
  }
}

/** A catalogue that asks the services of its swap providers at the URLs that are set. */
export function withServiceUrls(catalog: Catalog, urls: ServiceUrls): Catalog {
  const at = <row extends object>(row: row): row =>
    Object.fromEntries(
      Object.entries(row).map(([field, value]) => [
        field,
        typeof value === 'string' ? atSetUrl(value, urls) : value,
      ]),
    ) as row
  const swaps = Object.entries(catalog.swaps).map(([name, rows]) => [name, rows.map(at)])
  return { ...catalog, swaps: Object.fromEntries(swaps) }
}

/** A catalogue of nothing. */
export const emptyCatalog: Catalog = joined([])

/** The part of a catalogue that is about some chains. */
export function catalogOn(catalog: Catalog, has: (chainId: number) => boolean): Catalog {
  const here = ({ chainId }: { chainId: number }) => has(chainId)
  return {
    ...catalog,
    ...eachList((field) => (catalog[field] as readonly { chainId: number }[]).filter(here)),
    swaps: Object.fromEntries(Object.entries(catalog.swaps).map(([name, rows]) => [name, rows.filter(here)])),
    priceOracles: Object.fromEntries(
      Object.entries(catalog.priceOracles).filter(([chainId]) => has(Number(chainId))),
    ),
  }
}

/** The day on which a strategy of fixed yield pays what it promised, such as `2027-12-30`; others have none. */
export const maturityOf = ({ constants }: Pick<StrategyEntry, 'constants'>): string | undefined =>
  constants.family === 'pendle-pt' ? new Date(constants.expiry * 1000).toISOString().slice(0, 10) : undefined
