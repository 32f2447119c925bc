import { z } from 'zod'

import { Rates } from './rates.ts'
import { ChainId } from './transaction.ts'
import { Decimals, maybe, Numeric } from './wire.ts'

const WireToken = z.object({ symbol: z.string(), contract: z.string(), decimals: Decimals })

/** The detail shape (`_id` form): `apy` is in percent; `pausedUnknown`, `id` and what follows it are ours. */
export const DetailStrategy = z.object({
  _id: z.string(),
  name: maybe(z.string()),
  slug: z.string(),
  protocol: z.string(),
  network: z.string(),
  asset: WireToken,
  paused: z.boolean(),
  pausedUnknown: maybe(z.boolean()),
  protocolInfo: z.unknown().optional(),
  chain: z.unknown().optional(),
  assetToken: z.unknown().optional(),
  underlyingToken: z.unknown().optional(),
  apy: maybe(z.number()),
  tvl: maybe(Numeric),
  id: maybe(z.string()),
  chainId: maybe(ChainId),
  category: maybe(z.string()),
  underlying: maybe(WireToken),
  availableActions: maybe(z.array(z.string())),
  apyFraction: maybe(z.number()),
  inceptionApy: maybe(z.number()),
  avgApy: maybe(z.number()),
  fee: maybe(z.union([z.string(), z.number()])),
  performanceFeeBps: maybe(z.union([z.string(), z.number()])),
  isDefault: maybe(z.boolean()),
  startDate: maybe(z.string()),
  metadata: maybe(z.record(z.string(), z.unknown())),
  logourl: maybe(z.string()),
  implementationSelector: maybe(z.string()),
  grade: maybe(z.object({ grade: z.string(), by: z.string() })),
  rates: maybe(Rates),
})

/** The id-composite form of the yield response and the quickstart list: `apy` is a fraction; `underlyingName`, `slug` and what follows it are ours. */
export const CompositeStrategy = z.object({
  id: z.string(),
  protocol: z.string(),
  network: z.string(),
  networkId: maybe(z.union([z.string(), z.number()])),
  asset: z.string(),
  assetName: z.string(),
  assetDecimals: Decimals,
  underlyingAsset: maybe(z.string()),
  underlyingName: maybe(z.string()),
  underlyingDecimals: maybe(Decimals),
  availableActions: maybe(z.array(z.string())),
  paused: maybe(z.boolean()),
  apy: maybe(z.number()),
  inceptionApy: maybe(z.number()),
  avgApy: maybe(z.number()),
  fee: maybe(z.union([z.string(), z.number()])),
  performanceFeeBps: maybe(z.union([z.string(), z.number()])),
  isDefault: maybe(z.boolean()),
  metadata: maybe(z.record(z.string(), z.unknown())),
  logourl: maybe(z.string()),
  implementationSelector: maybe(z.string()),
  grade: maybe(z.object({ grade: z.string(), by: z.string() })),
  startDate: maybe(z.string()),
  slug: maybe(z.string()),
  name: maybe(z.string()),
  category: maybe(z.string()),
  tvl: maybe(Numeric),
  rates: maybe(Rates),
})
