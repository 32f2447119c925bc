import { allowanceText, revokeCommand } from '../../chain/standing-allowance.ts'
import { networkNamed } from '../../domain/networks.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import { reachesLevel } from '../assurance.ts'
import { isRevocation, type PolicyFacts, type RuleResult, ruleResult } from './policy-facts.ts'
import type { Policy } from './policy-file.ts'

const minutes = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5))

/** Whether a time is within hours of UTC; a range may cross midnight. */
function isWithin(hours: string, at: number): boolean {
  const [from = '', to = ''] = hours.split('-')
  const now = minutes(new Date(at).toISOString().slice(11, 16))
  const [begins, ends] = [minutes(from), minutes(to)]
  return begins <= ends ? now >= begins && now < ends : now >= begins || now < ends
}

/** The rules about time, standing allowances, simulation and assurance. */
export function timingAndAssuranceRules(
  policy: Policy,
  { legs, at, quoteAgeMs, assurance, simulation, standing, networks, untried }: PolicyFacts,
): RuleResult[] {
  const { hours, maxQuoteAge, minAssurance, minEndpoints } = policy
  const isRescue = isRevocation(legs)
  return [
    ...(hours === undefined || isRescue
      ? []
      : [ruleResult('hours', 'POLICY_LIMIT', `${hours} UTC`, momentText(at), isWithin(hours, at))]),
    ...(maxQuoteAge === undefined || quoteAgeMs === null
      ? []
      : [
          ruleResult(
            'maxQuoteAge',
            'POLICY_LIMIT',
            `at most ${maxQuoteAge} s`,
            `${Math.ceil(quoteAgeMs / 1000)} s`,
            quoteAgeMs <= maxQuoteAge * 1000,
          ),
        ]),
    ...(policy.refuseStandingAllowance ? standing : []).map(
      ({ token, spender, amount, need }): RuleResult => ({
        rule: 'refuseStandingAllowance',
        wanted: `at most ${allowanceText(need, token)} for ${spender}`,
        found: allowanceText(amount, token),
        met: false,
        code: 'POLICY_STANDING_ALLOWANCE',
        next: revokeCommand(networkNamed(networks, token.chainId).name, token.address, spender),
      }),
    ),
    ...(policy.simulation === 'required' && simulation && !isRescue
      ? [
          ruleResult(
            'simulation',
            'POLICY_SIMULATION',
            'required',
            simulation.how,
            simulation.how !== 'unavailable',
          ),
        ]
      : []),
    ...(minEndpoints === undefined || !simulation || isRescue
      ? []
      : [
          ruleResult(
            'minEndpoints',
            'POLICY_SIMULATION',
            `at least ${minEndpoints}`,
            `${simulation.endpoints}`,
            simulation.endpoints >= minEndpoints,
          ),
        ]),
    ...(minAssurance === undefined || isRescue
      ? []
      : [
          {
            ...ruleResult(
              'minAssurance',
              'POLICY_ASSURANCE',
              minAssurance,
              assurance,
              reachesLevel(assurance, minAssurance),
            ),
            ...(untried && {
              next: advice`This machine uses the code of ${untried} for the first time. If you trust it: ${sameWith({ '--trust-first-use': true })}`,
            }),
          },
        ]),
  ]
}
