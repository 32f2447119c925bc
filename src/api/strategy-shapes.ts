import { z } from 'zod'

import { apyBases } from '../domain/apy-basis.ts'
import { Rates } from './rates.ts'
import { Receipt } from './receipt.ts'
import { ChainId } from './transaction.ts'
import { Decimals, maybe, Numeric, ours } from './wire.ts'

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
  pausedUnknown: ours(z.boolean()),
  protocolInfo: z.unknown().optional(),
  chain: z.unknown().optional(),
  assetToken: z.unknown().optional(),
  underlyingToken: z.unknown().optional(),
  apy: maybe(z.number()),
  tvl: maybe(Numeric),
  id: ours(z.string()),
  chainId: ours(ChainId),
  category: ours(z.string()),
  underlying: ours(WireToken),
  availableActions: ours(z.array(z.string())),
  apyFraction: ours(z.number()),
  apyBasis: ours(z.enum(apyBases)),
  apyConvention: ours(z.string()),
  protocolFeeBps: ours(z.string()),
  receipt: ours(Receipt),
  inceptionApy: ours(z.number()),
  avgApy: ours(z.number()),
  fee: ours(z.union([z.string(), z.number()])),
  performanceFeeBps: ours(z.union([z.string(), z.number()])),
  isDefault: ours(z.boolean()),
  startDate: ours(z.string()),
  metadata: ours(z.record(z.string(), z.unknown())),
  logourl: ours(z.string()),
  implementationSelector: ours(z.string()),
  grade: ours(z.object({ grade: z.string(), by: z.string() })),
  rates: ours(Rates),
})

/** The id-composite form of the yield response and the quickstart list: `apy` is a fraction; `apyBasis`, `apyConvention`, `protocolFeeBps`, `receipt`, `underlyingName`, `slug` and what follows it are ours. */
export const CompositeStrategy = z.object({
  id: z.string(),
  protocol: z.string(),
  network: z.string(),
  networkId: maybe(z.union([z.string(), z.number()])),
  asset: z.string(),
  assetName: z.string(),
  assetDecimals: Decimals,
  underlyingAsset: maybe(z.string()),
  underlyingName: ours(z.string()),
  underlyingDecimals: maybe(Decimals),
  availableActions: maybe(z.array(z.string())),
  paused: maybe(z.boolean()),
  apy: maybe(z.number()),
  apyBasis: ours(z.enum(apyBases)),
  apyConvention: ours(z.string()),
  protocolFeeBps: ours(z.string()),
  receipt: ours(Receipt),
  inceptionApy: maybe(z.number()),
  avgApy: maybe(z.number()),
  fee: maybe(z.union([z.string(), z.number()])),
  performanceFeeBps: maybe(z.union([z.string(), z.number()])),
  isDefault: maybe(z.boolean()),
  metadata: maybe(z.record(z.string(), z.unknown())),
  logourl: maybe(z.string()),
  implementationSelector: maybe(z.string()),
  grade: ours(z.object({ grade: z.string(), by: z.string() })),
  startDate: maybe(z.string()),
  slug: ours(z.string()),
  name: ours(z.string()),
  category: ours(z.string()),
  tvl: ours(Numeric),
  rates: ours(Rates),
})
