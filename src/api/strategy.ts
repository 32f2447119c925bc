import { z } from 'zod'
import { EvmAddress } from '../domain/address.ts'
import { apyBases } from '../domain/apy-basis.ts'
import { ChainId } from './transaction.ts'
import { anyShape, Decimals, decimalText, extension, Numeric, nullish, orNull } from './wire-fields.ts'

/**
 * The rates that a strategy paid, as fractions per year: over the last day, week and month, and per day in `points`, oldest first (`at` is
 * the end of a day's interval). `base` is the protocol's current rate, and `reward` the current rate of rewards in other tokens, without
 * compounding. `null` is unknown.
 */
export const Rates = z.object({
  base: z.number().nullable(),
  reward: z.number().nullable(),
  days1: z.number().nullable(),
  days7: z.number().nullable(),
  days30: z.number().nullable(),
  points: z.array(z.object({ at: z.string(), apy: z.number() })),
})
export type Rates = z.output<typeof Rates>

/** The receipt token of a strategy, and the source of its symbol: its contract, or the catalogue if the contract has none. */
export const Receipt = z.object({
  symbol: z.string(),
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  decimals: Decimals,
  symbolFrom: z.enum(['contract', 'catalogue']),
})
export type Receipt = z.output<typeof Receipt>

const WireToken = z.object({ symbol: z.string(), contract: z.string(), decimals: Decimals })

/** The detail shape (`_id` form). `apy` is in percent. `pausedUnknown`, and `id` and the fields after it, are extensions. */
const DetailStrategy = z.object({
  _id: z.string(),
  name: nullish(z.string()),
  slug: z.string(),
  protocol: z.string(),
  network: z.string(),
  asset: WireToken,
  paused: z.boolean(),
  pausedUnknown: extension(z.boolean()),
  protocolInfo: z.unknown().optional(),
  chain: z.unknown().optional(),
  assetToken: z.unknown().optional(),
  underlyingToken: z.unknown().optional(),
  apy: nullish(z.number()),
  tvl: nullish(Numeric),
  id: extension(z.string()),
  chainId: extension(ChainId),
  category: extension(z.string()),
  underlying: extension(WireToken),
  availableActions: extension(z.array(z.string())),
  apyFraction: extension(z.number()),
  liquidityUsd: extension(z.string()),
  apyBasis: extension(z.enum(apyBases)),
  apyConvention: extension(z.string()),
  protocolFeeBps: extension(z.string()),
  managementFeeBps: extension(z.string()),
  receipt: extension(Receipt),
  inceptionApy: extension(z.number()),
  avgApy: extension(z.number()),
  fee: extension(z.union([z.string(), z.number()])),
  performanceFeeBps: extension(z.union([z.string(), z.number()])),
  isDefault: extension(z.boolean()),
  startDate: extension(z.string()),
  metadata: extension(z.record(z.string(), z.unknown())),
  logourl: extension(z.string()),
  implementationSelector: extension(z.string()),
  grade: extension(z.object({ grade: z.string(), by: z.string() })),
  rates: extension(Rates),
})

/**
 * The id-composite form of the yield response and the quickstart list. `apy` is a fraction. Extensions: `apyBasis`, `apyConvention`,
 * `protocolFeeBps`, `managementFeeBps`, `receipt`, `underlyingName`, and `slug` and the fields after it.
 */
const CompositeStrategy = z.object({
  id: z.string(),
  protocol: z.string(),
  network: z.string(),
  networkId: nullish(z.union([z.string(), z.number()])),
  asset: z.string(),
  assetName: z.string(),
  assetDecimals: Decimals,
  underlyingAsset: nullish(z.string()),
  underlyingName: extension(z.string()),
  underlyingDecimals: nullish(Decimals),
  availableActions: nullish(z.array(z.string())),
  paused: nullish(z.boolean()),
  pausedUnknown: extension(z.boolean()),
  apy: nullish(z.number()),
  apyBasis: extension(z.enum(apyBases)),
  apyConvention: extension(z.string()),
  protocolFeeBps: extension(z.string()),
  managementFeeBps: extension(z.string()),
  receipt: extension(Receipt),
  inceptionApy: nullish(z.number()),
  avgApy: nullish(z.number()),
  fee: nullish(z.union([z.string(), z.number()])),
  performanceFeeBps: nullish(z.union([z.string(), z.number()])),
  isDefault: nullish(z.boolean()),
  metadata: nullish(z.record(z.string(), z.unknown())),
  logourl: nullish(z.string()),
  implementationSelector: nullish(z.string()),
  grade: extension(z.object({ grade: z.string(), by: z.string() })),
  startDate: nullish(z.string()),
  slug: extension(z.string()),
  name: extension(z.string()),
  category: extension(z.string()),
  tvl: extension(Numeric),
  liquidityUsd: extension(z.string()),
  rates: extension(Rates),
})

/** A token in a strategy or position. */
const TokenRef = z.object({ symbol: z.string(), address: EvmAddress, decimals: Decimals })

/**
 * A strategy. Rates are fractions per year (0.0525 is 5.25 %), `tvlUsd` is a decimal string. `null` means that the deployment sent no
 * value. `rates` is an extension: complete for a single strategy; in a list, only the days that are already cached.
 */
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
  /** Extensions: whether `apy` is the current rate or the growth of the last week, and its compounding convention. */
  apyBasis: z.enum(apyBases).nullable(),
  apyConvention: z.string().nullable(),
  inceptionApy: z.number().nullable(),
  avgApy: z.number().nullable(),
  tvlUsd: z.string().nullable(),
  /** Extension: the value in USD that can be withdrawn now, a decimal string; `null` is no limit, or not known. */
  liquidityUsd: z.string().nullable(),
  fee: z.string().nullable(),
  performanceFeeBps: z.string().nullable(),
  /** Extensions: the protocol's share of the earnings, taken before `apy`, and the receipt token (only for a single strategy). */
  protocolFeeBps: z.string().nullable(),
  managementFeeBps: z.string().nullable(),
  receipt: Receipt.nullable(),
  isDefault: z.boolean().nullable(),
  startDate: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  logourl: z.string().nullable(),
  implementationSelector: z.string().nullable(),
  /** Extension: the grade of the protocol family's verification (A, B or C), and its evidence. */
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

/** The fields that both shapes share. */
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
  liquidityUsd: orNull(wire.liquidityUsd),
  fee: text(wire.fee),
  performanceFeeBps: text(wire.performanceFeeBps),
  protocolFeeBps: orNull(wire.protocolFeeBps),
  managementFeeBps: orNull(wire.managementFeeBps),
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
    // Ids may be case-sensitive there, so a missing slug is the id as given.
    slug: wire.slug ?? wire.id,
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

/** A strategy on the wire: reads either shape and writes the detail shape. */
export const StrategyDetail = z.codec(anyShape([DetailStrategy, CompositeStrategy], 0), Strategy, {
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
    // Leave an unknown rate out: clients of the specification expect a number.
    ...(apy !== null && { apy: Number((apy * 100).toPrecision(12)) }),
    apyFraction: apy,
    protocolInfo: { name: rest.protocol, category: rest.category, grade: rest.grade },
    chain: { name: rest.network, chainId },
    assetToken: wireToken(asset),
    underlyingToken: underlying && wireToken(underlying),
    tvl: tvlUsd,
    // The wire has only true and false: an unknown state is reported as paused, with `pausedUnknown`.
    paused: paused ?? true,
    ...(paused === null && { pausedUnknown: true }),
  }),
})

/** A strategy in the analytics response, which omits four fields of the detail shape. */
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

/** A strategy on the wire: reads either shape and writes the id-composite form. */
export const StrategyComposite = z.codec(anyShape([CompositeStrategy, DetailStrategy], 0), Strategy, {
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
    // An unknown state is reported as paused, as in the detail shape.
    paused: rest.paused ?? true,
    ...(rest.paused === null && { pausedUnknown: true }),
  }),
})
