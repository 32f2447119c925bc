import { parseUnits } from 'viem/utils'
import { formatAmount } from '../../domain/amount.ts'
import { shortPercent } from '../../domain/price-impact-share.ts'
import { parseSlippage } from '../../domain/slippage.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import { feesOf, totalFeeBps } from '../../protocols/service-fees-of-intent.ts'
import { isPriced } from '../intent-slippage.ts'
import { parseGwei } from '../user-limits-and-exemptions.ts'
import { isRevocation, type PolicyFacts, type RuleResult, ruleResult } from './policy-facts.ts'
import type { Policy } from './policy-file.ts'

/** The rules about price: slippage, price impact and the fee of a service. */
export function priceRules(
  { maxSlippage, maxPriceImpact, maxServiceFeeBps }: Policy,
  { legs }: PolicyFacts,
): RuleResult[] {
  const most = maxSlippage === undefined ? 0 : (parseSlippage(maxSlippage) ?? 0)
  const swaps = legs.filter(({ intent }) => intent.kind === 'swap' || isPriced(intent))
  return [
    ...(maxSlippage === undefined ? [] : swaps).map(({ slippage }): RuleResult => {
      const met = slippage !== undefined && slippage <= most + 1e-6
      const found = slippage === undefined ? 'not known' : shortPercent(slippage)
      return {
        ...ruleResult('maxSlippage', 'POLICY_LIMIT', `at most ${maxSlippage}`, found, met),
        ...(slippage !== undefined &&
          !met && {
            next: advice`Or allow no more than it does: ${sameWith({ '--slippage': maxSlippage })}`,
          }),
      }
    }),
    ...(maxPriceImpact === undefined ? [] : legs).flatMap(({ impact }) =>
      impact === undefined
        ? []
        : [
            ruleResult(
              'maxPriceImpact',
              'POLICY_PRICE_IMPACT',
              `at most ${maxPriceImpact}`,
              impact === null ? 'not known' : shortPercent(impact),
              impact !== null && impact <= (parseSlippage(maxPriceImpact ?? '') ?? 0),
            ),
          ],
    ),
    ...(maxServiceFeeBps === undefined
      ? []
      : legs.flatMap(({ intent }) => {
          const fees = feesOf(intent)
          if (fees.length === 0) return []
          const [wanted, found] = [`at most ${maxServiceFeeBps} bps`, `${totalFeeBps(fees)} bps`]
          return [
            ruleResult(
              'maxServiceFeeBps',
              'POLICY_SERVICE_FEE',
              wanted,
              found,
              totalFeeBps(fees) <= maxServiceFeeBps,
            ),
          ]
        })),
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
