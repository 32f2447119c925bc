import type { Hex } from '../../domain/address.ts'
import type { AcrossConstants } from '../../protocols/catalog-types.ts'
import type { Returned, SwapProvider } from '../provider.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { spokePoolAbi as abi, filled } from './abi.ts'
import {
  accountOf,
  type Deposit,
  depositIn,
  filledIn,
  fillQuery,
  mostRefunds,
  refundedIn,
  refundQuery,
  relayHash,
} from './deposit-and-payout-events.ts'

/** From which blocks a deposit is looked for, and the least that it is to pay out. */
type Since = { minAmountOut: bigint; originFromBlock: string; destinationFromBlock: string }

/**
 * Reads from both chains how far the deposit of a mined transaction is. `told` is the hash of a fill that somebody names, for a node that does
 * not find it: it counts if the event of the pool in it matches.
 */
export function depositProgress(network: Pick<SwapDependencies, 'log' | 'logs' | 'read' | 'mined'>) {
  return async (
    [here, there]: readonly [AcrossConstants, AcrossConstants],
    origin: Hex,
    { minAmountOut, originFromBlock, destinationFromBlock }: Since,
    told: () => Promise<Hex | undefined> = async () => undefined,
  ): ReturnType<SwapProvider['status']> => {
    const sent = await network.mined(here.chainId, origin)
    const deposit = sent?.ok ? depositIn(sent.logs, here) : undefined
    if (!deposit) return { status: 'confirmed' }
    const fill = await fillOf(deposit, there, BigInt(destinationFromBlock), told)
    if (fill.isFilled) {
      if (!fill.hash) return { status: 'processing' }
      const isShort = fill.paid === undefined || fill.paid < minAmountOut
      return { status: isShort ? 'failed' : 'fulfilled', destination: fill.hash }
    }
    if (!fill.isPast) return { status: 'processing' }
    const returned = await refundOf(deposit, here, BigInt(originFromBlock), sent!.blockNumber)
    return returned ? { status: 'refunded', returned } : { status: 'processing' }
  }

  /** Whether a deposit was paid out, by which transaction, and how much it paid; `isPast`: it can be paid out no more. */
  async function fillOf(
    deposit: Deposit,
    { chainId, spokePool }: AcrossConstants,
    fromBlock: bigint,
    told: () => Promise<Hex | undefined>,
  ): Promise<{ isFilled: boolean; isPast: boolean; hash?: Hex; paid?: bigint | undefined }> {
    const status = {
      reads: [{ address: spokePool, abi, functionName: 'fillStatuses', args: [relayHash(deposit)] }],
      parse: ([state]: readonly unknown[]) => state === filled,
    }
    const time = { address: spokePool, abi, functionName: 'getCurrentTime' }
    const [isFilled, isPast] = await network.read(chainId, {
      reads: [...status.reads, time],
      parse: ([state, now]) =>
        [state === filled, typeof now === 'bigint' && now > deposit.fillDeadline] as const,
    })
    if (!isFilled) return { isFilled, isPast }
    const { address, topics } = fillQuery(spokePool, deposit)
    const query = { address: [address], topics: topics.map((topic) => [topic]) }
    const found = await network.log(chainId, { query, isThere: status }, fromBlock)
    const hash = found?.transactionHash ?? (await told())
    const mined = hash && (await network.mined(chainId, hash))
    const paid = mined?.ok ? filledIn(mined.logs, spokePool, deposit) : undefined
    // An event that the node found is one of this number, whatever else it says.
    return hash && mined?.ok && (found || paid !== undefined)
      ? { isFilled, isPast, hash, paid }
      : { isFilled, isPast }
  }

  /**
   * What a bundle has paid back of a deposit: by the first transaction since its block that moved just its amount from the pool to the
   * depositor, else by the first that moved more. A bundle adds up what one account gets.
   */
  async function refundOf(
    deposit: Deposit,
    { chainId, spokePool }: AcrossConstants,
    fromBlock: bigint,
    sentBlock: number,
  ): Promise<Returned | undefined> {
    const { address, topics } = refundQuery(spokePool, deposit)
    const query = { address: [address], topics: topics.map((topic) => [topic]) }
    const { logs } = await network.logs(chainId, query, fromBlock)
    const hashes = new Set(logs.map(({ transactionHash }) => transactionHash))
    let larger: Returned | undefined
    for (const hash of [...hashes].slice(0, mostRefunds)) {
      const mined = await network.mined(chainId, hash)
      const isLater = mined?.ok && mined.blockNumber >= sentBlock
      const amount = isLater ? refundedIn(mined.logs, spokePool, deposit) : undefined
      if (amount === undefined) continue
      const returned = { chainId, token: accountOf(deposit.inputToken), amount, hash }
      if (amount === deposit.inputAmount) return returned
      larger ??= returned
    }
    return larger
  }
}
