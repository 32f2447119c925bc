import type { Address } from '../domain/address.ts'
import type { AssuranceLevel } from './assurance.ts'
import type { Exemptions } from './expectations.ts'
import type { Assertion } from './policy/assertions.ts'
import type { LoadedPolicy } from './policy/policy.ts'

/**
 * What the person allows for one operation, as data: it is kept with the plan, and applied again before each leg is
 * signed. `lowest` is the lowest assurance that is accepted, `canAsk` whether a terminal was there to ask,
 * `maxFeePerGas` wei, `maxSlippage` a fraction.
 */
export type Terms = Exemptions & {
  policy: LoadedPolicy | null
  asserts: readonly Assertion[]
  trustFirstUse: boolean
  canAsk: boolean
  lowest: AssuranceLevel
  maxFeePerGas: bigint | null
  maxSlippage: number | null
  /** The most that an exchange may bring less than at its spot price, as a fraction; what was begun before has none. */
  maxPriceImpact?: number | null
  /** Whether somebody looks at the plan before it is signed, or it is signed by nobody yet. */
  isLookedAt?: boolean
}

/** The terms of somebody who allows nothing beyond the catalogue, without a terminal. */
export const strictTerms: Terms = {
  allow: [],
  allowTokens: [],
  exactAllowance: 'refuse',
  policy: null,
  asserts: [],
  trustFirstUse: false,
  canAsk: false,
  lowest: 'L2',
  maxFeePerGas: null,
  maxSlippage: null,
}

/** Terms as the journal keeps them. */
export type TermsJson = Omit<Terms, 'maxFeePerGas'> & { maxFeePerGas: string | null }

/** Terms as JSON for the journal. */
export const encodeTerms = (terms: Terms): TermsJson => ({
  ...terms,
  maxFeePerGas: terms.maxFeePerGas === null ? null : terms.maxFeePerGas.toString(),
})

/** Terms out of the journal. */
export const decodeTerms = (json: TermsJson): Terms => ({
  ...json,
  maxFeePerGas: json.maxFeePerGas === null ? null : BigInt(json.maxFeePerGas),
})

/** The lowest fee cap that holds: that of the person and that of the policy, in wei a unit of gas. */
export function feeCapOf({ maxFeePerGas, policy }: Pick<Terms, 'maxFeePerGas' | 'policy'>): bigint | null {
  const caps = [maxFeePerGas, policy?.policy.maxFeePerGas ?? null].flatMap((cap) =>
    cap === null ? [] : [typeof cap === 'bigint' ? cap : parseGwei(cap)],
  )
  return caps.length === 0 ? null : caps.reduce((least, cap) => (cap < least ? cap : least))
}

/** `0.5` or `30`: gwei as text, in wei. */
export function parseGwei(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.slice(0, 9).padEnd(9, '0'))
}

/** Whether the person vouches for a contract. */
export const isExempt = ({ allow }: Pick<Terms, 'allow'>, address: Address): boolean =>
  allow.some((one) => one.toLowerCase() === address.toLowerCase())
