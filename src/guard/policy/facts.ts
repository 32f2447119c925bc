import type { StandingAllowance } from '../../chain/allowance.ts'
import type { Address } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import type { Token } from '../../domain/token.ts'
import type { Intent } from '../../protocols/intent.ts'
import type { AssuranceLevel } from '../assurance.ts'
import type { Simulation } from '../simulation/result.ts'

/** One rule of a policy against one plan. */
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
  /** What helps, where that is more than a word with whoever may change the policy. */
  hint?: string
}

/**
 * What a policy is compared with. `at` is now, in epoch ms; `quoteAgeMs` is how old the quote is at least, `null` without
 * one. `impact` is by how much less than at spot an exchange brings, `null` where nobody says; it is missing where none was looked for. `standing` is what contracts may take already beyond what this needs. `held` is what other operations of the wallet moved of an asset since a time.
 */
export type PolicyFacts = {
  legs: readonly { intent: Intent; action: Address; slippage: number | undefined; impact?: number | null }[]
  standing: readonly StandingAllowance[]
  networks: readonly Network[]
  simulation: Pick<Simulation, 'how' | 'gas' | 'fees' | 'dataFee' | 'endpoints'> | null
  coin: Token
  assurance: AssuranceLevel
  /** A contract that is used for the first time and that nobody trusts yet. */
  untried?: Address | undefined
  at: number
  quoteAgeMs: number | null
  held: (asset: string, since: number) => bigint
}
