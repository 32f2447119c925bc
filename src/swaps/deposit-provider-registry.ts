import type { BitcoinConstants } from '../protocols/bitcoin-services.ts'
import type { DepositDefinition, DepositDependencies, DepositProvider } from './deposit-provider.ts'
import { nearIntents } from './near-intents/provider.ts'
import { thorchain } from './thorchain/provider.ts'

/** All providers of swaps from Bitcoin, in order of preference for equal offers. */
export const depositDefinitions: readonly DepositDefinition[] = [thorchain, nearIntents]

export const depositProviderNames: readonly string[] = depositDefinitions.map(({ name }) => name)

/** The deposit provider with a name; `undefined` if unknown. */
export const depositDefinition = (name: string): DepositDefinition | undefined =>
  depositDefinitions.find((one) => one.name === name)

/** Describes what proves the terms of a provider's deposit; `undefined` for an unknown provider. */
export function depositProofOf(name: string): string | undefined {
  const definition = depositDefinition(name)
  return definition?.isAddressUnproven ? `${definition.proof}, all but the address` : definition?.proof
}

/** Opens every deposit provider that the catalogue has a service for. */
export const openDepositProviders = (
  bitcoin: BitcoinConstants | undefined,
  network: DepositDependencies,
): DepositProvider[] =>
  bitcoin ? depositDefinitions.flatMap(({ open }) => open(bitcoin, network) ?? []) : []
