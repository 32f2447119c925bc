import { parseUnits } from 'viem/utils'
import { allowanceText, revokeCommand } from '../../chain/standing-allowance.ts'
import { formatAmount } from '../../domain/amount.ts'
import { networkNamed } from '../../domain/networks.ts'
import { impactShown, slippageIn } from '../../domain/slippage.ts'
import { feesOf } from '../../protocols/intent-fees.ts'
import { reachesLevel } from '../assurance.ts'
import { totalFeeBps } from '../service-fees.ts'
import { isPriced } from '../spending.ts'
import { parseGwei } from '../user-terms.ts'
import type { Policy } from './load-policy.ts'
import type { PolicyFacts, RuleResult } from './policy-facts.ts'

const minutes = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5))

/** Whether a time is within hours of UTC; a range may cross midnight. */
function isWithin(hours: string, at: number): boolean {
  const [from = '', to = ''] = hours.split('-')
  const now = minutes(new Date(at).toISOString().slice(11, 16))
  const [begins, ends] = [minutes(from), minutes(to)]
  return begins <= ends ? now >= begins && now < ends : now >= begins || now < ends
}

/** Whether the legs only revoke: a policy must not prevent that, only limit its cost. */
const isRevocation = (legs: PolicyFacts['legs']): boolean =>
  legs.every(({ intent }) => intent.kind === 'revoke')

/** The rules about price, time and assurance. */
export function termRules(
  policy: Policy,
  { legs, at, quoteAgeMs, assurance, simulation, standing, networks, untried }: PolicyFacts,
): RuleResult[] {
  const { maxSlippage, maxPriceImpact, hours, maxQuoteAge, minAssurance, minEndpoints, maxServiceFeeBps } =
    policy
  const isRescue = isRevocation(legs)
  const most = maxSlippage === undefined ? 0 : (slippageIn(maxSlippage) ?? 0)
  const swaps = legs.filter(({ intent }) => intent.kind === 'swap' || isPriced(intent))
  const is = (
    rule: string,
    code: RuleResult['code'],
    wanted: string,
    found: string,
    met: boolean,
  ): RuleResult => ({
    rule,
    wanted,
    found,
    met,
    code,
  })
  return [
    ...(maxSlippage === undefined ? [] : swaps).map(({ slippage }) =>
      is(
        'maxSlippage',
        'POLICY_LIMIT',
        `at most ${maxSlippage}`,
        slippage === undefined ? 'not known' : `${(slippage * 100).toFixed(4)}%`,
        slippage !== undefined && slippage <= most + 1e-6,
      ),
    ),
    ...(maxPriceImpact === undefined ? [] : legs).flatMap(({ impact }) =>
      impact === undefined
        ? []
        : [
            is(
              'maxPriceImpact',
              'POLICY_PRICE_IMPACT',
              `at most ${maxPriceImpact}`,
              impact === null ? 'not known' : impactShown(impact),
              impact !== null && impact <= (slippageIn(maxPriceImpact ?? '') ?? 0),
            ),
          ],
    ),
    ...(hours === undefined || isRescue
      ? []
      : [is('hours', 'POLICY_LIMIT', `${hours} UTC`, new Date(at).toISOString(), isWithin(hours, at))]),
    ...(maxQuoteAge === undefined || quoteAgeMs === null
      ? []
      : [
          is(
            'maxQuoteAge',
            'POLICY_LIMIT',
            `at most ${maxQuoteAge} s`,
            `${Math.ceil(quoteAgeMs / 1000)} s`,
            quoteAgeMs <= maxQuoteAge * 1000,
          ),
        ]),
    ...(maxServiceFeeBps === undefined
      ? []
      : legs.flatMap(({ intent }) => {
          const fees = feesOf(intent)
          if (fees.length === 0) return []
          const [wanted, found] = [`at most ${maxServiceFeeBps} bps`, `${totalFeeBps(fees)} bps`]
          return [
            is(
              'maxServiceFeeBps',
              'POLICY_SERVICE_FEE',
              wanted,
              found,
              totalFeeBps(fees) <= maxServiceFeeBps,
            ),
          ]
        })),
    ...(policy.refuseStandingAllowance ? standing : []).map(
      ({ token, spender, amount, need }): RuleResult => ({
        rule: 'refuseStandingAllowance',
        wanted: `at most ${allowanceText(need, token)} for ${spender}`,
        found: allowanceText(amount, token),
        met: false,
        code: 'POLICY_STANDING_ALLOWANCE',
        hint: revokeCommand(networkNamed(networks, token.chainId).name, token.address, spender),
      }),
    ),
    ...(policy.simulation === 'required' && simulation && !isRescue
      ? [is('simulation', 'POLICY_SIMULATION', 'required', simulation.how, simulation.how !== 'unavailable')]
      : []),
    ...(minEndpoints === undefined || !simulation || isRescue
      ? []
      : [
          is(
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
            ...is(
              'minAssurance',
              'POLICY_ASSURANCE',
              minAssurance,
              assurance,
              reachesLevel(assurance, minAssurance),
            ),
            ...(untried && {
              hint: `This machine uses the code of ${untried} for the first time. If you trust it, type the same with --trust-first-use`,
            }),
          },
        ]),
  ]
}

/** The rules about gas cost. */
export function feeRules(
  { maxFeePerGas, maxTotalFee }: Policy,
  { legs, simulation, coin }: PolicyFacts,
): RuleResult[] {
  if (!simulation) return []
  const { gas, fees, dataFee } = simulation
  const total = gas.reduce((sum, limit) => sum + limit, 0n) * fees.maxFeePerGas + (dataFee ?? 0n)
  const nothingKnown = gas.length === 0
  const rows: (RuleResult | false)[] = [
    maxFeePerGas !== undefined && {
      rule: 'maxFeePerGas',
      wanted: `at most ${maxFeePerGas} gwei`,
      found: `${Number(fees.maxFeePerGas) / 1e9} gwei`,
      met: fees.maxFeePerGas <= parseGwei(maxFeePerGas),
      code: 'POLICY_FEE_CAP',
    },
    // A leg that cannot be simulated is held to the total at signing, by the gas limit then.
    maxTotalFee !== undefined &&
      !(nothingKnown && isRevocation(legs)) && {
        rule: 'maxTotalFee',
        wanted: `at most ${maxTotalFee} ${coin.symbol}`,
        found: nothingKnown ? 'not known' : formatAmount(total, coin),
        met: !nothingKnown && total <= parseUnits(maxTotalFee, coin.decimals),
        code: 'POLICY_FEE_CAP',
      },
  ]
  return rows.filter((row) => row !== false)
}
