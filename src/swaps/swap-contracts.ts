import { z } from 'zod'
import { type Address, CatalogAddress } from '../domain/address.ts'
import type { Catalog, SwapRow } from '../protocols/catalog-types.ts'
import type { ContractAssertion } from '../protocols/shared/contract-assertions.ts'

const Text = z.string().min(1)

/** The base URL of a provider's service in a catalogue file; `null` where it is not asked. */
export const ServiceUrl = z.url({ protocol: /^https$/ }).nullable()

/** A hash of 32 bytes in a catalogue file, in lower case. */
export const CatalogHash = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)])

/** Tokens in a catalogue file. */
export const CatalogTokens = z.array(CatalogAddress) as z.ZodType<Address[]>

/** An entry of a file as the program uses it: without the sources of its addresses. */
type WithoutSources<value> = value extends readonly (infer one)[]
  ? readonly WithoutSources<one>[]
  : value extends object
    ? { [name in keyof value as name extends 'source' ? never : name]: WithoutSources<value[name]> }
    : value

/**
 * What catalogues know of a provider under its name: rows with its contracts on a chain. `file` is the schema of its entry in the
 * file of a network, which states its source.
 */
export type SwapContracts<row extends SwapRow = SwapRow, name extends string = string, file = unknown> = {
  name: name
  file: z.ZodType<file>
  /** Carries the type of the rows; never there. */
  row?: row
}

/** The rows of a provider's contracts. */
export type RowOf<contracts> = contracts extends { row?: infer row } ? NonNullable<row> : never

/** A provider's entry in the file of a network. */
export type FileOf<contracts> = contracts extends { file: z.ZodType<infer file> } ? file : never

/** Defines the contracts of a provider by the fields of its entry in a file. */
export const swapContracts = <const name extends string, shape extends z.ZodRawShape>(
  name: name,
  shape: shape,
): SwapContracts<
  SwapRow & WithoutSources<z.output<z.ZodObject<shape>>>,
  name,
  z.output<z.ZodObject<shape>> & { source: string }
> => ({ name, file: z.strictObject({ ...shape, source: Text }) as never })

/** The rows of a provider, each about one chain; none if the catalogue does not know it. */
export const contractsIn = <row extends SwapRow>(
  { swaps }: Pick<Catalog, 'swaps'>,
  { name }: Pick<SwapContracts<row>, 'name' | 'row'>,
): readonly row[] => (swaps[name] ?? []) as readonly row[]

/** The contracts of a provider on a chain; `undefined` if there are none. */
export const contractsOn = <row extends SwapRow>(
  catalog: Pick<Catalog, 'swaps'>,
  contracts: Pick<SwapContracts<row>, 'name' | 'row'>,
  chainId: number,
): row | undefined => contractsIn(catalog, contracts).find((one) => one.chainId === chainId)

/** The assertions about the contracts of a provider on a chain. */
export const assertionsAbout =
  <row extends SwapRow>(
    contracts: Pick<SwapContracts<row>, 'name' | 'row'>,
    assert: (here: row) => readonly ContractAssertion[],
  ) =>
  (catalog: Pick<Catalog, 'swaps'>, chainId: number): readonly ContractAssertion[] => {
    const here = contractsOn(catalog, contracts, chainId)
    return here ? assert(here) : []
  }

/** The rows of a provider as a part of `Catalog.swaps`. */
export const swapRows = <row extends SwapRow>(
  { name }: Pick<SwapContracts<row>, 'name' | 'row'>,
  rows: readonly NoInfer<row>[],
): Catalog['swaps'] => ({ [name]: rows })

/** A catalogue with other rows of a provider. */
export const withContracts = <row extends SwapRow>(
  catalog: Catalog,
  contracts: Pick<SwapContracts<row>, 'name' | 'row'>,
  change: (rows: readonly row[]) => readonly row[],
): Catalog => ({
  ...catalog,
  swaps: { ...catalog.swaps, ...swapRows(contracts, change(contractsIn(catalog, contracts))) },
})
