import { z } from 'zod'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { less } from '../../domain/slippage.ts'
import { numbersAsText } from '../../http/json.ts'
import type { CctpV2Constants } from '../../protocols/catalog-types.ts'
import type { Sought } from '../provider-dependencies.ts'
import { finality } from './abi.ts'

/** A speed of the bridge. */
export type Speed = keyof typeof finality

/** The share that a bridge keeps of an amount: `parts` of each `of`. */
type FeeRate = { parts: bigint; of: bigint }

const Tiers = z.array(
  z.object({
    finalityThreshold: z.string(),
    minimumFee: z.string(),
    // What its delivery costs, in the smallest unit of the token, by how soon it gets into a block.
    forwardFee: z
      .object({ high: z.string().regex(/^\d{1,30}$/) })
      .optional()
      .catch(undefined),
  }),
)

/** The price of a speed: a share of the amount, and for its delivery by Circle so much in the smallest unit; `undefined` without delivery. */
export type Price = { rate: FeeRate; forwarding: bigint | undefined }

/** The price of a speed, from the answer of the attestation service; `undefined` if it states none, or one that takes everything. */
export function priceIn(text: string, speed: Speed): Price | undefined {
  const tiers = Tiers.safeParse(numbersAsText(text)).data
  const tier = tiers?.find(({ finalityThreshold }) => finalityThreshold === String(finality[speed]))
  const rate = tier && ofBps(tier.minimumFee)
  // A transfer that costs its whole amount delivers nothing.
  if (!rate || rate.parts >= rate.of) return undefined
  // Circle's own kit allows for the dearest delivery as well: one that is not paid for is not delivered.
  return { rate, forwarding: tier.forwardFee && BigInt(tier.forwardFee.high) }
}

/** Basis points as decimal text, which may be a fraction such as 1.3, to the last digit. */
function ofBps(text: string): FeeRate | undefined {
  const [, whole, fraction = '', exponent = '0'] =
    /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const shift = Number(exponent) - fraction.length
  const [up, down] = [10n ** BigInt(Math.max(shift, 0)), 10n ** BigInt(Math.max(-shift, 0))]
  return { parts: BigInt(whole + fraction) * up, of: 10_000n * down }
}

/** The fee of an amount, rounded up to its smallest unit. */
export const feeOf = (amount: bigint, { parts, of }: FeeRate): bigint => (amount * parts + of - 1n) / of

/** The fee with the tenth above it that Circle's own kit allows, so that one that has risen a little does not make a fast transfer slow. */
export const withHeadroom = (fee: bigint): bigint => fee + fee / 10n

/**
 * The most that the bridge may keep: the fee with its headroom and what its delivery costs, but never more than may slip. Where what arrives
 * is exact, or spent to the last unit (`isSpent`), no more than both.
 */
export function mostFee(
  { exact, isSpent, slippage }: { exact: 'in' | 'out'; isSpent: boolean; slippage: number },
  amountIn: bigint,
  { fee, forwarding }: { fee: bigint; forwarding: bigint },
): bigint {
  if (exact === 'out' || isSpent) return fee + forwarding
  const slips = amountIn - less(amountIn - fee - forwarding, slippage)
  return [withHeadroom(fee) + forwarding, slips].reduce((a, b) => (a < b ? a : b))
}

/** The smallest input that brings at least `out` after the fee. */
export function grossUp(out: bigint, rate: FeeRate): bigint {
  let amountIn = (out * rate.of) / (rate.of - rate.parts)
  while (amountIn - feeOf(amountIn, rate) < out) amountIn += 1n
  return amountIn
}

/**
 * How many seconds an attestation takes on average by the domain of the burn, fast and standard; where Circle names a span, its middle
 * (source: developers.circle.com/cctp/concepts/finality-and-block-confirmations, November 2026).
 */
const waits: Readonly<Record<number, Record<Speed, number>>> = {
  0: { fast: 20, standard: 960 },
  1: { fast: 8, standard: 8 },
  2: { fast: 8, standard: 960 },
  3: { fast: 8, standard: 960 },
  6: { fast: 8, standard: 960 },
  7: { fast: 8, standard: 8 },
  10: { fast: 8, standard: 960 },
  11: { fast: 8, standard: 68_400 },
  13: { fast: 8, standard: 8 },
}

/** How much faster a fast transfer from a domain is, in seconds; `null` is unknown. */
export function savedBy(domain: number): number | null {
  const wait = waits[domain]
  return wait ? wait.standard - wait.fast : null
}

/** How many seconds a transfer from a domain takes at a speed; `null` is unknown. */
export const waitOf = (domain: number, speed: Speed): number | null => waits[domain]?.[speed] ?? null

/** What the bridge asks of the network: its attestation service, the newest block of a chain, and a log of a chain. */
export type CctpNetwork = {
  attestation: (url: string, signal?: AbortSignal) => Promise<{ status: number; body: unknown; text: string }>
  head: (chainId: number) => Promise<bigint>
  /** The first matching log from a block on, as far as known. */
  log: (chainId: number, sought: Sought, fromBlock: bigint) => Promise<Delivered | undefined>
}

type Delivered = { transactionHash: Hex; topics: readonly Hex[]; data: Hex }

/** An end of the bridge whose attestation service is known. */
export type CctpEnd = CctpV2Constants & { attestation: string }

/** The name of the bridge among the providers. */
export const provider = 'cctp'

/** The error for an invalid answer of the attestation service. */
export const wrong = (message: string, status: number) =>
  new AppError('PROVIDER_API_ERROR', message, { details: { provider, status } })

/** Asks the attestation service; a failure is an error of the bridge, not of the request. */
export async function asked(
  network: CctpNetwork,
  { attestation }: CctpEnd,
  path: string,
  signal?: AbortSignal,
) {
  try {
    return await network.attestation(attestation + path, signal)
  } catch (cause) {
    if (cause instanceof AppError && cause.code.startsWith('SERVICE_'))
      throw new AppError('PROVIDER_API_ERROR', 'The attestation service does not answer', {
        details: { provider },
        cause,
      })
    throw cause
  }
}

/** The current price of a speed, or of each speed if none is given, the fast one first; with delivery by Circle, as nobody else delivers. */
export async function pricesOf(
  network: CctpNetwork,
  { here, there }: { here: CctpEnd; there: CctpEnd },
  speed: Speed | null,
  signal: AbortSignal,
): Promise<{ speed: Speed; rate: FeeRate; forwarding: bigint }[]> {
  const { status, text } = await asked(
    network,
    here,
    `/v2/burn/USDC/fees/${here.domain}/${there.domain}?forward=true`,
    signal,
  )
  const speeds: readonly Speed[] = speed ? [speed] : ['fast', 'standard']
  const prices = speeds.flatMap((one) => {
    const price = status === 200 ? priceIn(text, one) : undefined
    return price ? [{ speed: one, ...price }] : []
  })
  if (prices.length === 0) throw wrong('The attestation service did not name its fees', status)
  const delivered = prices.flatMap(({ forwarding, ...price }) =>
    forwarding === undefined ? [] : [{ ...price, forwarding }],
  )
  if (delivered.length === 0)
    throw wrong('Circle does not deliver what is burnt for this network, and nobody else does', status)
  return delivered
}
