import { AppError } from '../../domain/errors.ts'
import { headRetentionMs } from '../../domain/networks.ts'
import type { ChainClient } from '../chain-client.ts'
import { type Head, maxHeadRegression } from '../head.ts'

const inconsistent = (
  message: string,
  details: Record<string, unknown>,
  hint = 'Use another RPC endpoint, or wait for this one.',
): AppError => new AppError('RPC_INCONSISTENT', message, { details, hint })

/**
 * Refuses a node that is behind a recently recorded block, or whose newest block is too old for a chain with steady blocks. `now`
 * and `seen.seen` are epoch ms; a clock that was set back does not make a block newer.
 */
export function refuseStaleHead(
  { host }: ChainClient,
  head: Head,
  seen: { number: number; seen: number } | undefined,
  maxAgeMs: number | undefined,
  now: number,
): void {
  const isBelieved = seen && Math.abs(now - seen.seen) <= headRetentionMs
  if (isBelieved && Number(head.number) < seen.number - maxHeadRegression) {
    const until = new Date(seen.seen + headRetentionMs).toISOString()
    throw inconsistent(
      `The node at ${host} is at block ${head.number}, and block ${seen.number} was seen before`,
      { host, block: Number(head.number), seen: seen.number, until },
      `Use another RPC endpoint, or wait for this one. Where it was what was seen that is wrong: it is believed until ${until}.`,
    )
  }
  const age = now - head.timestamp * 1000
  if (maxAgeMs !== undefined && age > maxAgeMs)
    throw inconsistent(
      `The newest block at ${host} is ${Math.round(age / 1000)} seconds old by the clock of this machine`,
      { host, ageMs: age },
      'Look at the clock of this machine; if it is right, use another RPC endpoint, or wait for this one.',
    )
}
