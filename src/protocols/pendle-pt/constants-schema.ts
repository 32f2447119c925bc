import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'

/**
 * A PT of Pendle: a claim on one unit of its asset at `expiry` (Unix seconds), traded on `market`. `sy` wraps the yield, `yt` is the other half; `router` executes,
 * `routerStatic` quotes, `oracle` prices.
 */
export const PendlePtConstants = z.strictObject({
  family: z.literal('pendle-pt'),
  market: CatalogAddress,
  yt: CatalogAddress,
  sy: CatalogAddress,
  router: CatalogAddress,
  routerStatic: CatalogAddress,
  oracle: CatalogAddress,
  expiry: z.int().positive(),
})
export type PendlePtConstants = z.infer<typeof PendlePtConstants>
