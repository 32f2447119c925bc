import { parseUnits } from 'viem/utils'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { advice, bothAdvices, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { type Token, tokenNamed } from '../../domain/token.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { feesOf } from '../../protocols/service-fees-of-intent.ts'
import { intentReceiver } from '../intent-recipient-and-deadline.ts'
import { assetName, type Spend, spendsByAsset } from '../spending.ts'
import type { PolicyFacts, RuleResult } from './policy-facts.ts'
import type { Policy } from './policy-file.ts'
import { feeRules, priceRules } from './price-and-fee-rules.ts'
import { timingAndAssuranceRules } from './timing-and-assurance-rules.ts'

/** The rules about recipients, strategies and contracts. */
function recipientRules(
  { receivers, strategies, contracts }: Policy,
  legs: PolicyFacts['legs'],
): RuleResult[] {
  return legs.flatMap(({ intent, action }): RuleResult[] => {
    const paid = [intentReceiver(intent), ...feesOf(intent).map(({ to }) => to)]
    const isAmong = (list: readonly string[], one: string) => list.some((known) => sameAddress(known, one))
    return [
      ...(receivers
        ? paid.map((receiver) => ({
            rule: 'receivers',
            wanted: 'the wallet itself, or a listed address',
            found: receiver,
            met: sameAddress(receiver, intent.wallet) || isAmong(receivers, receiver),
            code: 'POLICY_RECIPIENT' as const,
          }))
        : []),
      ...(strategies && 'strategy' in intent
        ? [
            {
              rule: 'strategies',
              wanted: strategies.map(sanitizeText).join(', '),
              found: intent.strategy.slug,
              met: strategies.some((one) => one === intent.strategy.slug || one === intent.strategy.id),
              code: 'POLICY_CONTRACT_NOT_ALLOWED' as const,
            },
          ]
        : []),
      // A policy must not prevent a revocation, nor the delivery of what was burned already: neither spends anything.
      ...(contracts && intent.kind !== 'revoke' && intent.kind !== 'deliver'
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

/** A day in ms: the window of the daily limits. */
export const dayMs = 86_400_000

/** The limit of each asset in a policy, in the smallest unit. CONFIG_INVALID for an unknown name, which would limit nothing. */
export function policyLimits(
  limits: Readonly<Record<string, string>> | undefined,
  { networks, tokens }: Catalog,
): Map<string, Spend> {
  return new Map(
    Object.entries(limits ?? {}).map(([name, amount]) => {
      const [network = '', symbol = ''] = name.split(':')
      try {
        const token = tokenNamed(tokens, networkNamed(networks, network), symbol)
        return [assetName(token), { token, amount: parseUnits(amount, token.decimals) }]
      } catch (cause) {
        throw new AppError(
          'CONFIG_INVALID',
          `The policy limits "${sanitizeText(name)}", which is not a known token`,
          {
            cause,
            next: advice`Write it as NETWORK:SYMBOL or NETWORK:ADDRESS. For the tokens: ${sluice('sandbox status')}`,
          },
        )
      }
    }),
  )
}

/** All policy rules for a plan, in order. */
export function policyRules(policy: Policy, catalog: Catalog, facts: PolicyFacts): RuleResult[] {
  const { legs, at } = facts
  const spends = spendsByAsset(legs.map(({ intent }) => intent))
  const dayLimits = policyLimits(policy.perDay, catalog)
  return [
    ...within('perTransaction', policyLimits(policy.perTransaction, catalog), spends, () => 0n),
    ...within('perDay', dayLimits, spends, (asset) => facts.held(asset, at - dayMs)),
    ...recipientRules(policy, legs),
    ...priceRules(policy, facts),
    ...timingAndAssuranceRules(policy, facts),
    ...feeRules(policy, facts),
  ]
}

const shown = (amount: bigint, token: Token) =>
  formatAmount(amount, { ...token, symbol: sanitizeText(token.symbol) })

function within(
  rule: string,
  limits: Map<string, Spend>,
  spends: Map<string, Spend>,
  held: (asset: string) => bigint,
): RuleResult[] {
  return [...spends].flatMap(([asset, { token, amount }]): RuleResult[] => {
    const limit = limits.get(asset)
    if (!limit) return []
    const before = held(asset)
    return [
      {
        rule: `${rule} ${sanitizeText(token.symbol)}`,
        wanted: `at most ${shown(limit.amount, token)}`,
        found:
          before === 0n
            ? shown(amount, token)
            : `${shown(amount, token)} plus ${shown(before, token)} earlier`,
        met: before + amount <= limit.amount,
        code: 'POLICY_LIMIT',
      },
    ]
  })
}

/** What a policy refuses is decided by its owner. */
export const askOwner = ({ path }: { path?: string } = {}): string =>
  `The owner of the policy must decide${path === undefined ? '.' : `: see ${sanitizeText(path)}`}`

/** Throws the first violated rule of a policy. */
export function enforceRules(rules: readonly RuleResult[], from: { path?: string }): void {
  const broken = rules.find(({ met }) => !met)
  if (!broken) return
  const { rule, wanted, found, code, next } = broken
  throw new AppError(code, `The policy does not allow this: ${rule} is ${found}, but must be ${wanted}`, {
    details: { rule, wanted, found },
    // A line without a quote of its own cannot change its slippage.
    next: rule === 'maxSlippage' && next ? bothAdvices(askOwner(from), next) : (next ?? askOwner(from)),
  })
}
