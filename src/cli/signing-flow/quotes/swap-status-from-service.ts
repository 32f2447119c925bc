import type { SwapStatus } from '../../../api/swap-status.ts'
import { Hash, type Hex } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Cli } from '../../command-run-types.ts'

/**
 * The status of a bridge transfer according to the service, by the quotes of its operation, newest
 * first, because the service may know an earlier quote. The first status with a delivery wins, else the
 * newest. `undefined` without a quote.
 */
export async function serviceSwapStatus(
  cli: Cli,
  quotes: readonly string[],
  signal?: AbortSignal,
): Promise<SwapStatus | undefined> {
  if (quotes.length === 0) return undefined
  const service = await cli.service()
  let newest: SwapStatus | undefined
  let fault: AppError | undefined
  for (const id of quotes) {
    try {
      const status = await service.swapStatus({ id }, signal && { signal })
      if (status.destinationTxHash !== null) return status
      newest ??= status
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      fault ??= error
    }
  }
  if (newest) return newest
  throw fault
}

/** The transaction that the service names as the delivery. */
export const reportedDelivery = async (
  ...asked: Parameters<typeof serviceSwapStatus>
): Promise<Hex | undefined> => Hash.safeParse((await serviceSwapStatus(...asked))?.destinationTxHash).data
