import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/**
 * A market of the Compound v2 family. `rate`: its contract states the rate a second or a block; `compounds`: its protocol shows it compounded daily. `pauses`: which contract
 * says whether it is paused. `coin`: the asset is the native coin, which goes to the market itself or to a router; it always comes out of the market.
 */
export const CompoundV2Constants = z.strictObject({
  family: z.literal('compound-v2'),
  market: CatalogAddress,
  comptroller: CatalogAddress,
  rate: z.enum(['second', 'block']),
  compounds: z.literal('daily').optional(),
  pauses: z.enum(['guardian', 'action']),
  coin: z.union([z.literal('market'), z.strictObject({ router: CatalogAddress })]).optional(),
})
export type CompoundV2Constants = z.infer<typeof CompoundV2Constants>
