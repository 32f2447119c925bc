import type { Intent } from '../protocols/intent.ts'
import { isOrderProvider } from '../swaps/registry.ts'

/** Whether an intent is an order, which is filled after its transaction, or never. */
export const isOrder = (intent: Intent): boolean => intent.kind === 'swap' && isOrderProvider(intent.provider)
