import type { BitcoinConstants } from '../protocols/bitcoin-services.ts'
import type { DepositDefinition, DepositDependencies, DepositProvider } from './deposit-provider.ts'
import { nearIntents } from './near-intents/provider.ts'
import { thorchain } from './thorchain/provider.ts'

/** Every provider of swaps that begin on Bitcoin, in the order in which equal offers are preferred. */
export const depositDefinitions: readonly DepositDefinition[] = [thorchain, nearIntents]

/** The names of all of them. */
export const depositProviderNames: readonly string[] = depositDefinitions.map(({ name }) => name)

/** The provider of a name; `undefined` for one that is not known here. */
export const depositDefinition = (name: string): DepositDefinition | undefined =>
  depositDefinitions.find((one) => one.name === name)

/** What proves the terms of a deposit of a provider, in words; `undefined` for one that is not known here. */
export function depositProofOf(name: string): string | undefined {
  const definition = depositDefinition(name)
  return definition?.isAddressOnWord ? `${definition.proof}, all but the address` : definition?.proof
}

/** Opens every deposit provider that the catalogue has a service for. */
export const openDepositProviders = (
  bitcoin: BitcoinConstants | undefined,
  network: DepositDependencies,
): DepositProvider[] =>
  bitcoin ? depositDefinitions.flatMap(({ open }) => open(bitcoin, network) ?? []) : []
