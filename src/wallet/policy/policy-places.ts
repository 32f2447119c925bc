import { sameAddress } from '../../domain/address.ts'
import { feesOf } from '../../domain/service-fee.ts'
import { plain } from '../../domain/text.ts'
import { receiverOf } from '../guard/spends.ts'
import type { Policy } from './policy.ts'
import type { PolicyFacts, Rule } from './policy-facts.ts'

/** The rules about who is paid, and through what. */
export function placeRules({ receivers, strategies, contracts }: Policy, legs: PolicyFacts['legs']): Rule[] {
  return legs.flatMap(({ intent, action }): Rule[] => {
    const paid = [receiverOf(intent), ...feesOf(intent).map(({ to }) => to)]
    const isAmong = (list: readonly string[], one: string) => list.some((known) => sameAddress(known, one))
    return [
      ...(receivers
        ? paid.map((receiver) => ({
            rule: 'receivers',
            wanted: 'the wallet itself, or one of the list',
            found: receiver,
            met: sameAddress(receiver, intent.wallet) || isAmong(receivers, receiver),
            code: 'POLICY_RECIPIENT' as const,
          }))
        : []),
      ...(strategies && 'strategy' in intent
        ? [
            {
              rule: 'strategies',
              wanted: strategies.map(plain).join(', '),
              found: intent.strategy.slug,
              met: strategies.some((one) => one === intent.strategy.slug || one === intent.strategy.id),
              code: 'POLICY_CONTRACT_NOT_ALLOWED' as const,
            },
          ]
        : []),
      // Taking an allowance back is never what a policy is there to stop.
      ...(contracts && intent.kind !== 'revoke'
        ? [
            {
              rule: 'contracts',
              wanted: contracts.join(', '),
              found: action,
              met: isAmong(contracts, action),
              code: 'POLICY_CONTRACT_NOT_ALLOWED' as const,
            },
          ]
        : []),
    ]
  })
}
