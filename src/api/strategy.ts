import { z } from 'zod'

import { EvmAddress } from '../domain/address.ts'
import { apyBases } from '../domain/apy-basis.ts'
import { Rates } from './rates.ts'
import { Receipt } from './receipt.ts'
import { CompositeStrategy, DetailStrategy } from './strategy-shapes.ts'
import { Decimals, decimalText, oneOf, orNull } from './wire.ts'

/** A token as strategies and positions name it. */
export const TokenRef = z.object({ symbol: z.string(), address: EvmAddress, decimals: Decimals })
export type TokenRef = z.output<typeof TokenRef>

/** A strategy. Rates are fractions a year (0.0525 is 5.25 %), `tvlUsd` is a decimal string. What the deployment did not give is `null`; `rates` is ours: of one strategy that is asked for by itself all that can be found out, and in a list the days that were read before. */
export const Strategy = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string().nullable(),
  protocol: z.string(),
  network: z.string(),
  chainId: z.int().nullable(),
  category: z.string().nullable(),
  asset: TokenRef,
  underlying: TokenRef.nullable(),
  actions: z.array(z.string()).nullable(),
  paused: z.boolean().nullable(),
  apy: z.number().nullable(),
  /** Ours: whether `apy` is what is paid now or growth of the last week, and how it is counted. */
  apyBasis: z.enum(apyBases).nullable(),
  apyConvention: z.string().nullable(),
  inceptionApy: z.number().nullable(),
  avgApy: z.number().nullable(),
  tvlUsd: z.string().nullable(),
  fee: z.string().nullable(),
  performanceFeeBps: z.string().nullable(),
  /** Ours: what the protocol keeps of what is earned before `apy`, and, of one strategy that is asked for by itself, the token that it is held in. */
  protocolFeeBps: z.string().nullable(),
  receipt: Receipt.nullable(),
  isDefault: z.boolean().nullable(),
  startDate: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  logourl: z.string().nullable(),
  implementationSelector: z.string().nullable(),
  /** Ours: how its protocol family is known to work (A, B or C), and what that rests on. */
  grade: z.object({ grade: z.string(), by: z.string() }).nullable(),
  rates: Rates.nullable(),
})
export type Strategy = z.output<typeof Strategy>
type Plain = z.input<typeof Strategy>

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
  value === null || value === undefined ? null : decimalText(value)

/** What both shapes name alike. */
const shared = (wire: Wire) => ({
  protocol: wire.protocol,
  network: wire.network,
  category: orNull(wire.category),
  actions: orNull(wire.availableActions),
  paused: 'pausedUnknown' in wire && wire.pausedUnknown ? null : orNull(wire.paused),
  apyBasis: orNull(wire.apyBasis),
  apyConvention: orNull(wire.apyConvention),
  inceptionApy: orNull(wire.inceptionApy),
  avgApy: orNull(wire.avgApy),
  tvlUsd: text(wire.tvl),
  fee: text(wire.fee),
  performanceFeeBps: text(wire.performanceFeeBps),
  protocolFeeBps: orNull(wire.protocolFeeBps),
  receipt: orNull(wire.receipt),
  isDefault: orNull(wire.isDefault),
  startDate: orNull(wire.startDate),
  metadata: orNull(wire.metadata),
  logourl: orNull(wire.logourl),
  implementationSelector: orNull(wire.implementationSelector),
  grade: orNull(wire.grade),
  rates: orNull(wire.rates),
})

function read(wire: Wire): Plain {
  if ('_id' in wire)
    return {
      ...shared(wire),
      id: wire.id ?? wire._id,
      slug: wire.slug,
      name: orNull(wire.name),
      chainId: orNull(wire.chainId),
      asset: token(wire.asset),
      underlying: wire.underlying ? token(wire.underlying) : null,
      apy: wire.apyFraction ?? (typeof wire.apy === 'number' ? wire.apy / 100 : null),
    }
  return {
    ...shared(wire),
    id: wire.id,
    slug: wire.slug ?? wire.id.toLowerCase(),
    name: orNull(wire.name),
    chainId: wire.networkId === null || wire.networkId === undefined ? null : Number(wire.networkId),
    asset: { symbol: wire.assetName, address: wire.asset, decimals: wire.assetDecimals },
    underlying: wire.underlyingAsset
      ? {
          symbol: wire.underlyingName ?? wire.assetName,
          address: wire.underlyingAsset,
          decimals: wire.underlyingDecimals ?? wire.assetDecimals,
        }
      : null,
    apy: orNull(wire.apy),
  }
}

/** A strategy on the wire: either shape is read; the detail shape is written. */
export const StrategyDetail = z.codec(oneOf([DetailStrategy, CompositeStrategy], 0), Strategy, {
  decode: read,
  encode: ({ id, chainId, asset, underlying, actions, apy, tvlUsd, paused, rates, receipt, ...rest }) => ({
    ...rest,
    ...(rates && { rates }),
    ...(receipt && { receipt }),
    _id: id,
    id,
    chainId,
    asset: wireToken(asset),
    underlying: underlying && wireToken(underlying),
    availableActions: actions,
    // What nobody knows is left out: whoever reads only the specification takes it for a number.
    ...(apy !== null && { apy: Number((apy * 100).toPrecision(12)) }),
    apyFraction: apy,
    protocolInfo: { name: rest.protocol, category: rest.category, grade: rest.grade },
    chain: { name: rest.network, chainId },
    assetToken: wireToken(asset),
    underlyingToken: underlying && wireToken(underlying),
    tvl: tvlUsd,
    // The wire has only yes and no: what nobody could find out is closed, and says why.
    paused: paused ?? true,
    ...(paused === null && { pausedUnknown: true }),
  }),
})

/** The same among the best of the totals, where four of its fields have no place. */
export const TopStrategy = z.codec(StrategyDetail.in, Strategy, {
  decode: read,
  encode: (strategy) => {
    const {
      protocolInfo: _,
      chain: __,
      assetToken: ___,
      underlyingToken: ____,
      ...top
    } = z.encode(StrategyDetail, strategy as never) as Record<string, unknown>
    return top as never
  },
})

/** A strategy on the wire: either shape is read; the id-composite form is written. */
export const StrategyComposite = z.codec(oneOf([CompositeStrategy, DetailStrategy], 0), Strategy, {
  decode: read,
  encode: ({ chainId, asset, underlying, actions, tvlUsd, rates, receipt, ...rest }) => ({
    ...rest,
    ...(rates && { rates }),
    ...(receipt && { receipt }),
    networkId: text(chainId),
    asset: asset.address,
    assetName: asset.symbol,
    assetDecimals: asset.decimals,
    underlyingAsset: underlying?.address,
    underlyingName: underlying?.symbol,
    underlyingDecimals: underlying?.decimals,
    availableActions: actions,
    tvl: tvlUsd,
  }),
})
