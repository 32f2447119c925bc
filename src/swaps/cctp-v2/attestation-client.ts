import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { CctpV2Constants } from '../../protocols/catalog-types.ts'
import type { Sought } from '../provider-dependencies.ts'
import { type FeeRate, priceIn, type Speed } from './transfer-fees.ts'

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
    throw wrong('Circle does not deliver on this network, and no one else does', status)
  return delivered
}
