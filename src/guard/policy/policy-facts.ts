import type { StandingAllowance } from '../../chain/standing-allowance.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import type { Advice } from '../../domain/text/next-step.ts'
import type { Token } from '../../domain/token.ts'
import type { Intent } from '../../protocols/intent.ts'
import type { AssuranceLevel } from '../assurance.ts'
import type { Simulation } from '../simulation/simulate.ts'

/** The result of one policy rule for one plan. */
export type RuleResult = {
  rule: string
  wanted: string
  found: string
  met: boolean
  code:
    | 'POLICY_LIMIT'
    | 'POLICY_FEE_CAP'
    | 'POLICY_SERVICE_FEE'
    | 'POLICY_RECIPIENT'
    | 'POLICY_CONTRACT_NOT_ALLOWED'
    | 'POLICY_ASSURANCE'
    | 'POLICY_SIMULATION'
    | 'POLICY_MIN_OUT'
    | 'POLICY_PRICE_IMPACT'
    | 'POLICY_STANDING_ALLOWANCE'
  /** What to do, if there is something better than asking the policy's owner. */
  next?: Advice
}

/**
 * The facts of a plan that a policy is compared with. `at` is epoch ms; `quoteAgeMs` is the quote's least age, `null` without one.
 * `impact` is an exchange's price impact, `null` if unknown, missing if not applicable. `standing` are allowances beyond the need.
 * `held` is what other operations of the wallet moved of an asset since a time.
 */
export type PolicyFacts = {
  legs: readonly { intent: Intent; action: Address; slippage: number | undefined; impact?: number | null }[]
  standing: readonly StandingAllowance[]
  networks: readonly Network[]
  simulation: Pick<Simulation, 'how' | 'gas' | 'fees' | 'dataFee' | 'endpoints'> | null
  coin: Token
  assurance: AssuranceLevel
  /** A contract at first use that is not trusted yet. */
  untried?: Address | undefined
  at: number
  quoteAgeMs: number | null
  held: (asset: string, since: number) => bigint
}

/** The facts of a swap before it has transactions: nothing is simulated, and earlier operations do not count. `coin` is the one of the gas. */
export const factsWithoutTransactions = ({
  leg,
  ...known
}: { leg: Omit<PolicyFacts['legs'][number], 'action'> } & Pick<
  PolicyFacts,
  'networks' | 'coin' | 'at'
>): PolicyFacts => ({
  ...known,
  legs: [{ ...leg, action: nativeAddress }],
  standing: [],
  simulation: {
    how: 'unavailable',
    gas: [0n],
    fees: { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
    dataFee: null,
    endpoints: 0,
  },
  assurance: 'L2',
  quoteAgeMs: null,
  held: () => 0n,
})

/** One rule with what it wants, what was found and whether it is met. */
export const ruleResult = (
  rule: string,
  code: RuleResult['code'],
  wanted: string,
  found: string,
  met: boolean,
): RuleResult => ({ rule, wanted, found, met, code })

/** Whether the legs only revoke: a policy must not prevent that, only limit its cost. */
export const isRevocation = (legs: PolicyFacts['legs']): boolean =>
  legs.every(({ intent }) => intent.kind === 'revoke')
