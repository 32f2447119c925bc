import type { Address } from '../domain/address.ts'
import { emptyCatalog } from '../protocols/catalog-operations.ts'
import type { Catalog, StrategyEntry, SwapRow } from '../protocols/catalog-types.ts'

type CatalogJson = Omit<Catalog, 'strategies'> & {
  strategies: readonly (Omit<StrategyEntry, 'fromBlock'> & { fromBlock: string })[]
}

/** Converts a catalogue to its JSON form: block numbers are decimal strings. */
export const encodeCatalog = (catalog: Catalog): CatalogJson => ({
  ...catalog,
  strategies: catalog.strategies.map((entry) => ({ ...entry, fromBlock: entry.fromBlock.toString() })),
})

/** Worlds saved by an older version have a field for each swap provider. */
const olderFields = {
  'uniswap-v3': 'uniswapV3',
  'uniswap-v2': 'uniswapV2',
  kyberswap: 'kyberSwap',
  'uniswap-v4': 'uniswapV4',
  cctp: 'cctpV2',
  across: 'across',
  cow: 'cow',
  'balancer-v2': 'balancerV2',
  'pancakeswap-v3': 'pancakeSwapV3',
  avenia: 'avenia',
  lifi: 'lifi',
  '1inch': 'oneInch',
  relay: 'relay',
} as const
type OlderJson = Pick<CatalogJson, 'tokens'> &
  Partial<Record<(typeof olderFields)[keyof typeof olderFields], readonly SwapRow[]>>

/** The tokens that Across carried in such a world: those of one symbol on all chains. */
const tokensBySymbol = ({ tokens }: Pick<CatalogJson, 'tokens'>, chainId: number): Record<string, Address> =>
  Object.fromEntries(
    tokens
      .filter((token) => token.chainId === chainId && ['USDC', 'USDT', 'WETH', 'WBTC'].includes(token.symbol))
      .map(({ symbol, address }) => [symbol, address]),
  )

/** The rows of such a world, with the fields that they lack. */
const swapsOfOlderVersion = (json: OlderJson): Catalog['swaps'] =>
  Object.fromEntries(
    Object.entries(olderFields).map(([name, field]) => [
      name,
      (json[field] ?? []).map((one) => ({
        ...(name === 'cctp' && { attestation: null }),
        ...(name === 'across' && { api: null, tokens: tokensBySymbol(json, one.chainId) }),
        ...(name === 'relay' && 'solver' in one && { router: one.solver }),
        ...one,
      })),
    ]),
  )

/** Parses the JSON form of a catalogue. */
export function decodeCatalog(json: unknown): Catalog {
  // A world saved by an older version lacks some fields.
  const written = { ...emptyCatalog, ...(json as CatalogJson) }
  return {
    ...written,
    swaps: (json as Partial<CatalogJson>).swaps ?? swapsOfOlderVersion(json as OlderJson),
    strategies: written.strategies.map((entry) => ({ ...entry, fromBlock: BigInt(entry.fromBlock) })),
  }
}
