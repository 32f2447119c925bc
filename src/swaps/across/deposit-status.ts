import { contract } from '../../chain/call.ts'
import type { Hex } from '../../domain/address.ts'
import type { SwapProvider, SwapRefund } from '../provider.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { spokePoolAbi as abi, filledStatus } from './abi.ts'
import type { AcrossConstants } from './constants-schema.ts'
import {
  accountOf,
  type Deposit,
  depositIn,
  filledAmountIn,
  fillQuery,
  maxRefundTransfers,
  refundAmountIn,
  refundQuery,
  relayHash,
} from './deposit-and-payout-events.ts'

/** The first blocks to search on both chains, and the minimum payout. */
type Since = { minAmountOut: bigint; originFromBlock: string; destinationFromBlock: string }

/**
 * Reads the progress of a mined deposit from both chains. `readReportedHash` names the fill for a node that does not find it; it counts if the pool's
 * event in it matches.
 */
export function depositProgress(
  network: Pick<SwapDependencies, 'log' | 'logs' | 'read' | 'mined' | 'awaited'>,
) {
  return async (
    [here, there]: readonly [AcrossConstants, AcrossConstants],
    origin: Hex,
    { minAmountOut, originFromBlock, destinationFromBlock }: Since,
    readReportedHash: () => Promise<Hex | undefined> = async () => undefined,
  ): ReturnType<SwapProvider['status']> => {
    const sent = await network.mined(here.chainId, origin)
    const deposit = sent?.ok ? depositIn(sent.logs, here) : undefined
    if (!deposit) return { status: 'confirmed' }
    const fill = await fillOf(deposit, there, BigInt(destinationFromBlock), readReportedHash)
    if (fill.isFilled) {
      if (!fill.hash) return { status: 'processing' }
      const isShort = fill.paid === undefined || fill.paid < minAmountOut
      return { status: isShort ? 'failed' : 'fulfilled', destination: fill.hash }
    }
    if (!fill.isPast) return { status: 'processing' }
    const returned = await refundOf(deposit, here, BigInt(originFromBlock), sent!.blockNumber)
    return returned ? { status: 'refunded', returned } : { status: 'processing' }
  }

  /** Reads the fill of a deposit: its transaction and its amount. `isPast`: it can no longer be filled. */
  async function fillOf(
    deposit: Deposit,
    { chainId, spokePool }: AcrossConstants,
    fromBlock: bigint,
    readReportedHash: () => Promise<Hex | undefined>,
  ): Promise<{ isFilled: boolean; isPast: boolean; hash?: Hex; paid?: bigint | undefined }> {
    const status = {
      reads: [contract(spokePool, abi)('fillStatuses', relayHash(deposit))],
      parse: ([state]: readonly unknown[]) => state === filledStatus,
    }
    const time = contract(spokePool, abi)('getCurrentTime')
    const [isFilled, isPast] = await network.read(chainId, {
      reads: [...status.reads, time],
      parse: ([state, now]) =>
        [state === filledStatus, typeof now === 'bigint' && now > deposit.fillDeadline] as const,
    })
    const { address, topics } = fillQuery(spokePool, deposit)
    const query = { address: [address], topics: topics.map((topic) => [topic]) }
    network.awaited?.(chainId, query)
    if (!isFilled) return { isFilled, isPast }
    const found = await network.log(chainId, { query, existsRead: status }, fromBlock)
    const hash = found?.transactionHash ?? (await readReportedHash())
    const mined = hash && (await network.mined(chainId, hash))
    const paid = mined?.ok ? filledAmountIn(mined.logs, spokePool, deposit) : undefined
    // The log filter has already matched this deposit's number.
    return hash && mined?.ok && (found || paid !== undefined)
      ? { isFilled, isPast, hash, paid }
      : { isFilled, isPast }
  }

  /**
   * Finds the refund of a deposit: the first later transaction that moved exactly its amount from the pool to the depositor, else the first
   * that moved more. A bundle adds up all refunds of an account.
   */
  async function refundOf(
    deposit: Deposit,
    { chainId, spokePool }: AcrossConstants,
    fromBlock: bigint,
    sentBlock: number,
  ): Promise<SwapRefund | undefined> {
    const { address, topics } = refundQuery(spokePool, deposit)
    const query = { address: [address], topics: topics.map((topic) => [topic]) }
    const { logs } = await network.logs(chainId, query, fromBlock)
    const hashes = new Set(logs.map(({ transactionHash }) => transactionHash))
    let larger: SwapRefund | undefined
    for (const hash of [...hashes].slice(0, maxRefundTransfers)) {
      const mined = await network.mined(chainId, hash)
      const isLater = mined?.ok && mined.blockNumber >= sentBlock
      const amount = isLater ? refundAmountIn(mined.logs, spokePool, deposit) : undefined
      if (amount === undefined) continue
      const returned = { chainId, token: accountOf(deposit.inputToken), amount, hash }
      if (amount === deposit.inputAmount) return returned
      larger ??= returned
    }
    return larger
  }
}
