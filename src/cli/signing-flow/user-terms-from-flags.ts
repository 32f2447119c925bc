import { AppError } from '../../domain/errors.ts'
import { parsePriceImpact } from '../../domain/price-impact-share.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { readPolicy } from '../../guard/policy/policy-file.ts'
import { parseAssertions } from '../../guard/policy/user-assertions.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import { decodeTerms, type Terms } from '../../guard/user-limits-and-exemptions.ts'
import type { JournalOperation } from '../../planning/execution-context-types.ts'
import type { Cli } from '../command-run-types.ts'
import { address, maxFee, minAssuranceOf, serviceFee, slippage } from '../options/option-values.ts'
import type { SigningOptions } from '../options/signer-and-safety-options.ts'

/** The terms of one operation, from the flags and the policy. Bad values are USAGE. */
export function termsOf({ io, backend, program, globals }: Cli, options: Partial<SigningOptions>): Terms {
  const listed = (texts: readonly string[] | undefined, flag: string) =>
    (texts ?? []).map((text) => address(text, flag))
  return {
    allow: listed(options.allowContract, '--allow-contract'),
    allowTokens: listed(options.allowToken, '--allow-token'),
    ...(options.maxServiceFee !== undefined && { maxServiceFeeBps: serviceFee(options.maxServiceFee) }),
    policy: readPolicy(options.policy, program.policyPath),
    asserts: (options.assert ?? []).flatMap(parseAssertions),
    // The contracts of the sandbox were deployed by this program.
    trustFirstUse: options.trustFirstUse === true || backend.kind === 'sandbox',
    canAsk: io.canAsk,
    lowest: minAssuranceOf(options.minAssurance),
    maxFeePerGas: options.maxFee === undefined ? null : maxFee(options.maxFee),
    maxSlippage: options.slippage === undefined ? null : slippage(options.slippage),
    maxPriceImpact: options.maxPriceImpact === undefined ? null : parsePriceImpact(options.maxPriceImpact),
    isLookedAt: options.dryRun === true || (io.canAsk && globals.input && !globals.yes),
  }
}

/**
 * Refuses another policy or condition than the operation was started with while steps are unsigned: it
 * would have no effect. The machine's current policy is checked before each leg.
 */
export function refuseChangedTerms(
  { program }: Pick<Cli, 'program'>,
  { id, plan, steps }: JournalOperation,
  { policy: file, assert }: Pick<SigningOptions, 'policy' | 'assert'>,
): void {
  if (!steps.some(isUnsigned)) return
  const { policy, asserts } = decodeTerms((plan as StoredPlan).terms)
  const isOther = (what: string, flag: string) =>
    new AppError('POLICY_LIMIT', `${id} was started with another ${what}`, {
      next: advice`To resume with the original, omit ${flag}. To stop and revoke its allowances: ${sluice('action revoke', id)}`,
    })
  if (file !== undefined && readPolicy(file, program.policyPath)?.sha256 !== policy?.sha256)
    throw isOther('policy', '--policy')
  if (assert !== undefined && canonicalJson(assert.flatMap(parseAssertions)) !== canonicalJson(asserts))
    throw isOther('condition', '--assert')
}
