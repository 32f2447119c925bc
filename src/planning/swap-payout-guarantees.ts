import type { Intent } from '../protocols/intent.ts'
import { isLaterPayoutProvider, swapProofOf } from '../swaps/swap-provider-registry.ts'

/** Whether an intent is a swap on one chain that brings nothing by its transaction, and is paid out later, or never. */
export const isPaidLater = (intent: Intent): boolean =>
  intent.kind === 'swap' && isLaterPayoutProvider(intent.provider)

/** Whether what a swap brings is the word of its provider alone. */
export const isMinimumUnproven = (intent: Intent | null): boolean =>
  intent?.kind === 'swap' && isMinimumUnprovenBy(intent.provider)

/** Whether nothing proves the minimum of a known provider's swaps. */
export const isMinimumUnprovenBy = (provider: string): boolean => swapProofOf(provider)?.minimum === 'none'
