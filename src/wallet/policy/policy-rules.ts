import { parseUnits } from 'viem/utils'

import { formatAmount } from '../../domain/amount.ts'
import type { Catalog } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import { plain } from '../../domain/text.ts'
import { type Token, tokenNamed } from '../../domain/token.ts'
import { assetName, type Spend, spendsByAsset } from '../guard/spends.ts'
import type { Policy } from './policy.ts'
import type { PolicyFacts, Rule } from './policy-facts.ts'
import { placeRules } from './policy-places.ts'
import { feeRules, termRules } from './policy-terms.ts'

/** A day, in ms: the window of the limits per day. */
export const day = 86_400_000

/** The limit of a policy for each asset it names, in the smallest unit. A name that nothing has is CONFIG_INVALID: it would limit nothing. */
export function limitsOf(
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
        throw new AppError('CONFIG_INVALID', `The policy limits "${plain(name)}", which is no token here`, {
          cause,
          hint: 'Name it NETWORK:SYMBOL or NETWORK:ADDRESS, as sluice sandbox status lists them.',
        })
      }
    }),
  )
}

/** Every rule of a policy against a plan, in the order in which they are applied. */
export function policyRules(policy: Policy, catalog: Catalog, facts: PolicyFacts): Rule[] {
  const { legs, at } = facts
  const spends = spendsByAsset(legs.map(({ intent }) => intent))
  const dayLimits = limitsOf(policy.perDay, catalog)
  return [
    ...within('perTransaction', limitsOf(policy.perTransaction, catalog), spends, () => 0n),
    ...within('perDay', dayLimits, spends, (asset) => facts.held(asset, at - day)),
    ...placeRules(policy, legs),
    ...termRules(policy, facts),
    ...feeRules(policy, facts),
  ]
}

const shown = (amount: bigint, token: Token) =>
  formatAmount(amount, { ...token, symbol: plain(token.symbol) })

function within(
  rule: string,
  limits: Map<string, Spend>,
  spends: Map<string, Spend>,
  held: (asset: string) => bigint,
): Rule[] {
  return [...spends].flatMap(([asset, { token, amount }]): Rule[] => {
    const limit = limits.get(asset)
    if (!limit) return []
    const before = held(asset)
    return [
      {
        rule: `${rule} ${plain(token.symbol)}`,
        wanted: `at most ${shown(limit.amount, token)}`,
        found:
          before === 0n ? shown(amount, token) : `${shown(amount, token)} beside ${shown(before, token)}`,
        met: before + amount <= limit.amount,
        code: 'POLICY_LIMIT',
      },
    ]
  })
}

/** Throws the first rule that is not met. */
export function enforce(rules: readonly Rule[]): void {
  const broken = rules.find(({ met }) => !met)
  if (!broken) return
  const { rule, wanted, found, code, hint } = broken
  throw new AppError(code, `The policy does not allow this: ${rule} is ${found}, and it says ${wanted}`, {
    details: { rule, wanted, found },
    hint: hint ?? 'Somebody who may change the policy has to decide: see policy.json, or --policy FILE',
  })
}
