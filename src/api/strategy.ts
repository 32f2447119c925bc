import { z } from 'zod'

import { EvmAddress } from '../domain/address.ts'
import { maybe, orNull } from './wire.ts'

/** A token as strategies and positions name it. */
export const TokenRef = z.object({ symbol: z.string(), address: EvmAddress, decimals: z.int().nonnegative() })
export type TokenRef = z.output<typeof TokenRef>

/** A strategy. Rates are fractions a year (0.0525 is 5.25 %), `tvlUsd` is a decimal string. What the deployment did not give is `null`. */
export const Strategy = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  protocol: z.string(),
  network: z.string(),
  chainId: z.int().nullable(),
  category: z.string().nullable(),
  asset: TokenRef,
  underlying: TokenRef.nullable(),
  actions: z.array(z.string()).nullable(),
  paused: z.boolean().nullable(),
  apy: z.number().nullable(),
  inceptionApy: z.number().nullable(),
  avgApy: z.number().nullable(),
  tvlUsd: z.string().nullable(),
  fee: z.string().nullable(),
  performanceFeeBps: z.string().nullable(),
  isDefault: z.boolean().nullable(),
  startDate: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  logourl: z.string().nullable(),
  implementationSelector: z.string().nullable(),
})
export type Strategy = z.output<typeof Strategy>
type Plain = z.input<typeof Strategy>

const WireToken = z.object({ symbol: z.string(), contract: z.string(), decimals: z.int() })

/** The detail shape (`_id` form): `apy` is in percent; `apyFraction` and what follows are ours. */
export const DetailStrategy = z.object({
  _id: z.string(),
  name: z.string(),
  slug: z.string(),
  protocol: z.string(),
  network: z.string(),
  asset: WireToken,
  paused: z.boolean(),
  protocolInfo: z.unknown().optional(),
  chain: z.unknown().optional(),
  assetToken: z.unknown().optional(),
  underlyingToken: z.unknown().optional(),
  apy: maybe(z.number()),
  tvl: maybe(z.string()),
  id: maybe(z.string()),
  chainId: maybe(z.int()),
  category: maybe(z.string()),
  underlying: maybe(WireToken),
  availableActions: maybe(z.array(z.string())),
  apyFraction: maybe(z.number()),
  inceptionApy: maybe(z.number()),
  avgApy: maybe(z.number()),
  fee: maybe(z.string()),
  performanceFeeBps: maybe(z.string()),
  isDefault: maybe(z.boolean()),
  startDate: maybe(z.string()),
  metadata: maybe(z.record(z.string(), z.unknown())),
  logourl: maybe(z.string()),
  implementationSelector: maybe(z.string()),
})

/** The id-composite form of the yield response and the quickstart list: `apy` is a fraction. */
export const CompositeStrategy = z.object({
  id: z.string(),
  protocol: z.string(),
  network: z.string(),
  networkId: maybe(z.union([z.string(), z.number()])),
  asset: z.string(),
  assetName: z.string(),
  assetDecimals: z.int(),
  underlyingAsset: maybe(z.string()),
  underlyingDecimals: maybe(z.int()),
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
  startDate: maybe(z.string()),
  slug: maybe(z.string()),
  name: maybe(z.string()),
  category: maybe(z.string()),
  tvl: maybe(z.string()),
})

type Wire = z.output<typeof DetailStrategy> | z.output<typeof CompositeStrategy>

const token = (wire: { symbol: string; contract: string; decimals: number }) => ({
  symbol: wire.symbol,
  address: wire.contract,
  decimals: wire.decimals,
})
const wireToken = (ref: Plain['asset']) => ({
  symbol: ref.symbol,
  contract: ref.address,
  decimals: ref.decimals,
})
const text = (value: string | number | null | undefined) =>
  value === null || value === undefined ? null : String(value)

/** What both shapes name alike. */
const shared = (wire: Wire) => ({
  protocol: wire.protocol,
  network: wire.network,
  category: orNull(wire.category),
  actions: orNull(wire.availableActions),
  paused: orNull(wire.paused),
  inceptionApy: orNull(wire.inceptionApy),
  avgApy: orNull(wire.avgApy),
  tvlUsd: orNull(wire.tvl),
  fee: text(wire.fee),
  performanceFeeBps: text(wire.performanceFeeBps),
  isDefault: orNull(wire.isDefault),
  startDate: orNull(wire.startDate),
  metadata: orNull(wire.metadata),
  logourl: orNull(wire.logourl),
  implementationSelector: orNull(wire.implementationSelector),
})

function read(wire: Wire): Plain {
  if ('_id' in wire)
    return {
      ...shared(wire),
      id: wire.id ?? wire._id,
      slug: wire.slug,
      name: wire.name,
      chainId: orNull(wire.chainId),
      asset: token(wire.asset),
      underlying: wire.underlying ? token(wire.underlying) : null,
      apy: wire.apyFraction ?? (typeof wire.apy === 'number' ? wire.apy / 100 : null),
    }
  return {
    ...shared(wire),
    id: wire.id,
    slug: wire.slug ?? wire.id.toLowerCase(),
    name: wire.name ?? wire.id,
    chainId: wire.networkId === null || wire.networkId === undefined ? null : Number(wire.networkId),
    asset: { symbol: wire.assetName, address: wire.asset, decimals: wire.assetDecimals },
    underlying: wire.underlyingAsset
      ? {
          symbol: wire.assetName,
          address: wire.underlyingAsset,
          decimals: wire.underlyingDecimals ?? wire.assetDecimals,
        }
      : null,
    apy: orNull(wire.apy),
  }
}

/** A strategy on the wire: either shape is read; the detail shape is written. */
export const StrategyDetail = z.codec(z.union([DetailStrategy, CompositeStrategy]), Strategy, {
  decode: read,
  encode: ({ id, chainId, asset, underlying, actions, apy, tvlUsd, paused, ...rest }) => ({
    ...rest,
    _id: id,
    id,
    chainId,
    asset: wireToken(asset),
    underlying: underlying && wireToken(underlying),
    availableActions: actions,
    apy: apy === null ? null : Number((apy * 100).toPrecision(12)),
    apyFraction: apy,
    tvl: tvlUsd,
    paused: paused ?? false,
  }),
})

/** A strategy on the wire: either shape is read; the id-composite form is written. */
export const StrategyComposite = z.codec(z.union([CompositeStrategy, DetailStrategy]), Strategy, {
  decode: read,
  encode: ({ chainId, asset, underlying, actions, tvlUsd, ...rest }) => ({
    ...rest,
    networkId: text(chainId),
    asset: asset.address,
    assetName: asset.symbol,
    assetDecimals: asset.decimals,
    underlyingAsset: underlying && underlying.address,
    underlyingDecimals: underlying && underlying.decimals,
    availableActions: actions,
    tvl: tvlUsd,
  }),
})
