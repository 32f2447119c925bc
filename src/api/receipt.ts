import { z } from 'zod'

import { Decimals } from './wire.ts'

/** The token that a strategy is held in, and who says what it is called: its contract, or, where that says nothing, the catalogue. */
export const Receipt = z.object({
  symbol: z.string(),
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  decimals: Decimals,
  symbolFrom: z.enum(['contract', 'catalogue']),
})
export type Receipt = z.output<typeof Receipt>
