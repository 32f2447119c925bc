import type { Hex } from '../../domain/address.ts'
import type { CctpV2Constants } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import { type FeeRate, feeRatesIn, type Speed } from './cctp-fee.ts'
import type { Sought } from './sought.ts'

/** What the bridge asks of the network: its attestation service, the newest block of a chain, and a log of a chain. */
export type CctpNetwork = {
  attestation: (url: string, signal?: AbortSignal) => Promise<{ status: number; body: unknown; text: string }>
  head: (chainId: number) => Promise<bigint>
  /** The first log that is sought from a block on, as far as that is known. */
  log: (chainId: number, sought: Sought, fromBlock: bigint) => Promise<Delivered | undefined>
}

type Delivered = { transactionHash: Hex; topics: readonly Hex[]; data: Hex }

/** An end of the bridge whose attestation service is known. */
export type CctpEnd = CctpV2Constants & { attestation: string }

/** The name of the bridge among the providers. */
export const provider = 'cctp'

/** What the attestation service said is no answer. */
export const wrong = (message: string, status: number) =>
  new AppError('PROVIDER_API_ERROR', message, { details: { provider, status } })

/** Asks the attestation service; that it cannot be talked to is the bridge's fault, and not ours. */
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

/** What the attestation service takes now for a speed, or for each that it has where none is asked for, the fast one first. */
export async function ratesOf(
  network: CctpNetwork,
  { here, there }: { here: CctpEnd; there: CctpEnd },
  speed: Speed | null,
  signal: AbortSignal,
): Promise<{ speed: Speed; rate: FeeRate }[]> {
  const { status, text } = await asked(
    network,
    here,
    `/v2/burn/USDC/fees/${here.domain}/${there.domain}`,
    signal,
  )
  const rates = status === 200 ? feeRatesIn(text, speed ? [speed] : ['fast', 'standard']) : []
  if (rates.length === 0) throw wrong('The attestation service did not name its fees', status)
  return rates
}
