import type { Operation } from '../../store/journal/operation-types.ts'
import type { DeliveryResult } from './delivery-result.ts'

/** Why an operation ends without its delivery, and the result to store; `undefined` if it may still arrive. */
export function failedDelivery(
  { kind }: Pick<Operation, 'kind'>,
  seen: DeliveryResult,
): { why: string; result: unknown } | undefined {
  if ('unfilled' in seen) {
    const { unfilled } = seen
    const why = unfilled.why === 'expired' ? 'the order was not filled in time' : 'the order was cancelled'
    return { why, result: { unfilled } }
  }
  if ('refunded' in seen) {
    const { refunded: refund } = seen
    return { why: `the ${refund.by ?? 'bridge'} paid it back, in ${refund.hash}`, result: { refund } }
  }
  if (!('short' in seen)) return undefined
  const { short } = seen
  return {
    why: `the ${short.by ?? 'bridge'} brought less than was agreed, in ${short.hash}`,
    result: { short, ...(kind === 'swap' && { out: short.brought }) },
  }
}
