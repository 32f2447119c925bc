import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { EventSearch, SwapDependencies } from '../provider-dependencies.ts'
import { refusalError } from '../service-answers/service-refusals.ts'
import type { CctpV2Constants } from './constants-schema.ts'
import { refusals } from './refusals.ts'
import { type FeeRate, priceIn, type Speed } from './transfer-fees.ts'

/** The network access of the bridge: its attestation service, and the newest block and logs of a chain. */
export type CctpNetwork = {
  attestation: SwapDependencies['getJson']
  head: (chainId: number) => Promise<bigint>
  /** The first matching log since a block; `undefined` if none is found. */
  log: (chainId: number, sought: EventSearch, fromBlock: bigint) => Promise<Delivered | undefined>
  awaited?: SwapDependencies['awaited']
}

type Delivered = { transactionHash: Hex; topics: readonly Hex[]; data: Hex }

/** A chain of the bridge with its attestation service. */
export type CctpEnd = CctpV2Constants & { attestation: string }

/** The provider name of CCTP v2. */
export const provider = 'cctp'

/** The error for an invalid response of the attestation service. */
export const attestationServiceError = (message: string, status: number) =>
  new AppError('PROVIDER_API_ERROR', message, { details: { provider, status } })

/** Requests a path of the attestation service. PROVIDER_API_ERROR if it does not answer. */
export async function requestAttestationService(
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

/** Reads the prices of one speed, or of both with fast first. They include delivery by Circle; speeds without it are left out. */
export async function speedPrices(
  network: CctpNetwork,
  { here, there }: { here: CctpEnd; there: CctpEnd },
  speed: Speed | null,
  signal: AbortSignal,
): Promise<{ speed: Speed; rate: FeeRate; forwarding: bigint }[]> {
  const answer = await requestAttestationService(
    network,
    here,
    `/v2/burn/USDC/fees/${here.domain}/${there.domain}?forward=true`,
    signal,
  )
  const { status, text, headers = {} } = answer
  const refusal = refusalError({
    provider,
    label: 'The attestation service',
    refusals,
    takesKey: false,
    answer: { ...answer, headers },
  })
  if (refusal) throw refusal
  const speeds: readonly Speed[] = speed ? [speed] : ['fast', 'standard']
  const prices = speeds.flatMap((one) => {
    const price = status === 200 ? priceIn(text, one) : undefined
    return price ? [{ speed: one, ...price }] : []
  })
  if (prices.length === 0)
    throw attestationServiceError('The attestation service did not return its fees', status)
  const delivered = prices.flatMap(({ forwarding, ...price }) =>
    forwarding === undefined ? [] : [{ ...price, forwarding }],
  )
  if (delivered.length === 0) throw attestationServiceError('Circle does not deliver on this network', status)
  return delivered
}
