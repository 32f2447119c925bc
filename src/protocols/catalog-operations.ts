import type { AveniaConstants, Catalog, StrategyEntry } from './catalog-types.ts'
import { atSetUrl, type ServiceUrls } from './public-services.ts'

/** Whether a receipt has no published symbol, and is named after its protocol until its contract is read. */
export const isNamedByUs = ({ protocol, receipt }: Pick<StrategyEntry, 'protocol' | 'receipt'>): boolean =>
  receipt.symbol.startsWith(`${protocol}-`)

/** The fields of a catalogue that are lists of rows, each about one chain. */
const lists = [
  'networks',
  'tokens',
  'strategies',
  'uniswapV3',
  'uniswapV2',
  'kyberSwap',
  'uniswapV4',
  'cctpV2',
  'across',
  'cow',
  'balancerV2',
  'pancakeSwapV3',
  'lifi',
  'oneInch',
  'relay',
  'priceFeeds',
] as const satisfies readonly (keyof Catalog)[]

type Lists = Pick<Catalog, (typeof lists)[number]>

/** All lists of a catalogue, each made for its field. */
const eachList = (make: (field: keyof Lists) => readonly unknown[]): Lists =>
  Object.fromEntries(lists.map((field) => [field, make(field)])) as Lists

/** The partner for ramps, as a part of a catalogue that has it. */
export const aveniaOf = (avenia: readonly AveniaConstants[]): Pick<Catalog, 'avenia'> =>
  avenia.length > 0 ? { avenia } : {}

/** Several catalogues as one. The attestation service, and that of Across, are those of the first that has one. */
export function joined(parts: readonly Catalog[]): Catalog {
  const bitcoin = parts.find((one) => one.bitcoin)?.bitcoin
  return {
    ...eachList((field) => parts.flatMap((one): readonly unknown[] => one[field])),
    attestation: parts.find(({ attestation }) => attestation !== null)?.attestation ?? null,
    acrossApi: parts.find(({ acrossApi }) => acrossApi !== null)?.acrossApi ?? null,
    priceOracles: Object.assign({}, ...parts.map(({ priceOracles }) => priceOracles)),
    ...aveniaOf(parts.flatMap(({ avenia = [] }) => avenia)),
    ...(bitcoin && { bitcoin }),
  }
}

/** A catalogue that asks the services at the URLs that are set. */
export function withServiceUrls(catalog: Catalog, urls: ServiceUrls): Catalog {
  const at = <row extends { api: string | null }>(rows: readonly row[]): row[] =>
    rows.map((row) => ({ ...row, api: row.api && atSetUrl(row.api, urls) }))
  const { attestation, acrossApi, cctpV2, across, kyberSwap, cow, lifi, oneInch, relay } = catalog
  return {
    ...catalog,
    attestation: attestation && atSetUrl(attestation, urls),
    acrossApi: acrossApi && atSetUrl(acrossApi, urls),
    cctpV2: cctpV2.map((one) => ({
      ...one,
      ...(one.attestation !== undefined && { attestation: atSetUrl(one.attestation, urls) }),
    })),
    across: across.map((one) => ({ ...one, ...(one.api !== undefined && { api: atSetUrl(one.api, urls) }) })),
    kyberSwap: at(kyberSwap),
    cow: at(cow),
    lifi: at(lifi),
    oneInch: at(oneInch),
    relay: at(relay),
  }
}

/** A catalogue of nothing. */
export const emptyCatalog: Catalog = joined([])

/** The part of a catalogue that is about some chains. */
export function catalogOn({ avenia = [], ...catalog }: Catalog, has: (chainId: number) => boolean): Catalog {
  const here = ({ chainId }: { chainId: number }) => has(chainId)
  return {
    ...catalog,
    ...eachList((field) => (catalog[field] as readonly { chainId: number }[]).filter(here)),
    priceOracles: Object.fromEntries(
      Object.entries(catalog.priceOracles).filter(([chainId]) => has(Number(chainId))),
    ),
    ...aveniaOf(avenia.filter(here)),
  }
}

/** The day on which a strategy of fixed yield pays what it promised, such as `2027-12-30`; others have none. */
export const maturityOf = ({ constants }: Pick<StrategyEntry, 'constants'>): string | undefined =>
  constants.family === 'pendle-pt' ? new Date(constants.expiry * 1000).toISOString().slice(0, 10) : undefined
