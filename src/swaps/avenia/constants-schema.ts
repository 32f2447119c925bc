import { z } from 'zod'
import type { Address } from '../../domain/address.ts'
import type { SwapContracts } from '../swap-contracts.ts'

/**
 * A partner (Avenia) that swaps USDC and BRLA of a chain: what is sent to its account `desk` for a ticket, it pays out later from there.
 * `chain` is its own name for the chain. `service`: the base URL of its API, and the file with the keys of the account there; without
 * these it is not asked.
 */
export type AveniaConstants = {
  chainId: number
  desk: Address
  usdc: Address
  brla: Address
  chain: string
  service: { api: string; account: string } | null
}

/** The desks of Avenia. They come from the user's account file, never from a catalogue file. */
export const aveniaContracts: SwapContracts<AveniaConstants, 'avenia', never> = {
  name: 'avenia',
  file: z.never(),
}
