import { canonical } from '../../domain/canonical.ts'
import type { Read } from './evidence-shape.ts'

type Step = Read['operation']['steps'][number]
type Attempt = Read['attempts'][number]

/** Why the attempts of an evidence cannot be those of its steps, in words: each signs the call and the nonce of its step, or nothing, to oneself, and only once. */
export function attemptMisfit(steps: readonly Step[], attempts: readonly Attempt[]): string | undefined {
  const hashes = new Set<string>()
  for (const attempt of attempts) {
    const hash = attempt.hash.toLowerCase()
    if (hashes.has(hash)) return 'two of its attempts have the same hash'
    hashes.add(hash)
    const step = steps.find(({ index }) => index === attempt.step)
    if (!step) return 'it has an attempt of no step'
    const at = `an attempt of step ${step.index + 1}`
    if (attempt.nonce !== step.nonce) return `${at} has another nonce`
    if (called(attempt.transaction) !== called(wantedOf(step, attempt.kind)))
      return `${at} calls something else`
  }
  return undefined
}

/** What took the place of a step under its nonce is nothing, to oneself. */
const wantedOf = ({ wallet, transaction }: Step, kind: string): Step['transaction'] =>
  kind === 'cancel' ? { to: wallet, data: '0x', value: '0', chainId: transaction.chainId } : transaction

const called = ({ to, data, value, chainId }: Step['transaction']): string =>
  canonical({ to, data, value, chainId }).toLowerCase()
