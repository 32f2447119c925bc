import type { Address } from '../domain/address.ts'
import type { AssuranceLevel } from './assurance.ts'
import type { LoadedPolicy } from './policy/policy-file.ts'
import type { Assertion } from './policy/user-assertions.ts'

/**
 * What the person allows for one operation, as data: stored with the plan and applied again before each leg is signed. `lowest` is
 * the accepted assurance level, `canAsk` whether there was a terminal, `maxFeePerGas` wei, `maxSlippage` a fraction.
 */
export type Terms = Exemptions & {
  policy: LoadedPolicy | null
  asserts: readonly Assertion[]
  trustFirstUse: boolean
  canAsk: boolean
  lowest: AssuranceLevel
  maxFeePerGas: bigint | null
  maxSlippage: number | null
  /** The largest accepted price impact of an exchange, as a fraction; missing in older plans. */
  maxPriceImpact?: number | null
  /** Whether a person reviews the plan before signing, or nothing is signed yet. */
  isLookedAt?: boolean
}

/** The strictest terms: no exemptions, no terminal. */
export const strictTerms: Terms = {
  allow: [],
  allowTokens: [],
  policy: null,
  asserts: [],
  trustFirstUse: false,
  canAsk: false,
  lowest: 'L2',
  maxFeePerGas: null,
  maxSlippage: null,
}

/** Terms as the journal stores them. */
export type TermsJson = Omit<Terms, 'maxFeePerGas'> & { maxFeePerGas: string | null }

/** Encodes terms for the journal. */
export const encodeTerms = ({ policy, ...terms }: Terms): TermsJson => ({
  ...terms,
  policy: policy && withoutPath(policy),
  maxFeePerGas: terms.maxFeePerGas === null ? null : terms.maxFeePerGas.toString(),
})

const withoutPath = ({ path: _, ...policy }: LoadedPolicy): LoadedPolicy => policy

/** Decodes terms of the journal. */
export const decodeTerms = (json: TermsJson): Terms => ({
  ...json,
  maxFeePerGas: json.maxFeePerGas === null ? null : BigInt(json.maxFeePerGas),
})

/** The lower fee cap of person and policy, in wei a unit of gas. */
export function feeCapOf({ maxFeePerGas, policy }: Pick<Terms, 'maxFeePerGas' | 'policy'>): bigint | null {
  const caps = [maxFeePerGas, policy?.policy.maxFeePerGas ?? null].flatMap((cap) =>
    cap === null ? [] : [typeof cap === 'bigint' ? cap : parseGwei(cap)],
  )
  return caps.length === 0 ? null : caps.reduce((least, cap) => (cap < least ? cap : least))
}

/** Parses gwei such as `0.5` or `30` into wei. */
export function parseGwei(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.slice(0, 9).padEnd(9, '0'))
}

/** Reads `--max-fee`, in gwei, into wei; `undefined` for anything else than an amount above zero. */
export function maxFeeIn(text: string): bigint | undefined {
  const wei = /^(0|[1-9][0-9]{0,11})(\.[0-9]{1,9})?$/.test(text) ? parseGwei(text) : 0n
  return wei > 0n ? wei : undefined
}

/** Whether the person exempts a contract. */
export const isExempt = ({ allow }: Pick<Terms, 'allow'>, address: Address): boolean =>
  allow.some((one) => one.toLowerCase() === address.toLowerCase())

/**
 * What the person exempts for one operation: contracts and tokens outside the catalogue, and the service's fee limit.
 */
export type Exemptions = {
  allow: readonly Address[]
  allowTokens: readonly Address[]
  /** The service's fee limit on what is swapped or withdrawn, in basis points; the usual one by default. */
  maxServiceFeeBps?: number
}

/** No exemptions: only the catalogue. */
export const noExemptions: Exemptions = { allow: [], allowTokens: [] }
