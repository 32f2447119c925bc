import { canonical } from '../../domain/canonical.ts'
import { AppError } from '../../domain/errors.ts'
import { serviceFeeIn } from '../../domain/service-fee.ts'
import { plain } from '../../domain/text.ts'
import type { Planned } from '../../wallet/execution/carry-out.ts'
import type { KeptPlan } from '../../wallet/plan/intent-json.ts'
import { parseAssertions } from '../../wallet/policy/asserts.ts'
import { type Level, levels } from '../../wallet/policy/assurance.ts'
import { readPolicy } from '../../wallet/policy/policy.ts'
import { decodeTerms, gwei, type Terms } from '../../wallet/policy/terms.ts'
import type { Cli } from '../cli.ts'
import { address, type SigningOptions, slippage } from '../options.ts'

/** What the flags allow for one operation, with the policy that holds here. Bad values are USAGE. */
export function termsOf({ io, place, world }: Cli, options: Partial<SigningOptions>): Terms {
  const listed = (texts: readonly string[] | undefined, flag: string) =>
    (texts ?? []).map((text) => address(text, flag))
  return {
    allow: listed(options.allowContract, '--allow-contract'),
    allowTokens: listed(options.allowToken, '--allow-token'),
    exactAllowance: exactAllowance(options.exactAllowance),
    ...(options.maxServiceFee !== undefined && { maxServiceFeeBps: serviceFee(options.maxServiceFee) }),
    policy: readPolicy(options.policy, world.policyPath),
    asserts: (options.assert ?? []).flatMap(parseAssertions),
    // What stands on the embedded chains was put there by this program.
    trustFirstUse: options.trustFirstUse === true || place.kind === 'sandbox',
    canAsk: io.canAsk,
    lowest: lowest(options.maxAssuranceLoss),
    maxFeePerGas: options.maxFee === undefined ? null : maxFee(options.maxFee),
    maxSlippage: options.slippage === undefined ? null : slippage(options.slippage),
  }
}

/**
 * An operation goes on by the terms that it was begun with, and by what the policy of the machine says when it goes on (`beforeLeg`). Where another policy is named than that, or another condition, it would be
 * without force, and nothing more is signed; what is signed to its end is only followed.
 */
export function refuseOtherTerms(
  { world }: Pick<Cli, 'world'>,
  { id, plan, steps }: Planned,
  { policy: file, assert }: Pick<SigningOptions, 'policy' | 'assert'>,
): void {
  if (steps.every(({ state }) => state !== 'PLANNED' && state !== 'RESERVED')) return
  const { policy, asserts } = decodeTerms((plan as KeptPlan).terms)
  const isOther = (what: string, flag: string) =>
    new AppError('POLICY_LIMIT', `${id} was begun with another ${what}`, {
      hint: `To go on with that one, leave ${flag} out; to go no further: sluice action revoke ${id}`,
    })
  if (file !== undefined && readPolicy(file, world.policyPath)?.sha256 !== policy?.sha256)
    throw isOther('policy', '--policy')
  if (assert !== undefined && canonical(assert.flatMap(parseAssertions)) !== canonical(asserts))
    throw isOther('condition', '--assert')
}

/** What the service may charge at most, in basis points, from what was typed with its unit. */
function serviceFee(text: string): number {
  const most = serviceFeeIn(text)
  if (most !== undefined) return most
  throw new AppError(
    'USAGE',
    `--max-service-fee is a share of the amount in whole basis points, and "${plain(text)}" is none`,
    { hint: '--max-service-fee 1% or --max-service-fee 100bps' },
  )
}

function exactAllowance(text: string | undefined): Terms['exactAllowance'] {
  if (text === undefined || text === 'refuse') return 'refuse'
  if (text === 'rewrite') return 'rewrite'
  throw new AppError('USAGE', `--exact-allowance is refuse or rewrite, not "${plain(text)}"`, {
    hint: '--exact-allowance rewrite',
  })
}

function lowest(text: string | true | undefined): Level {
  if (text === undefined) return 'L2'
  if (text === true) return 'L1'
  const level = levels.find((one) => one === text.toUpperCase())
  if (level) return level
  throw new AppError('USAGE', `There is no level of assurance "${plain(text)}"`, {
    hint: `--max-assurance-loss ${levels.join(', ')}`,
  })
}

/** What a unit of gas may cost at most, from what was typed in gwei, in wei. */
export function maxFee(text: string): bigint {
  if (/^(0|[1-9][0-9]{0,11})(\.[0-9]{1,9})?$/.test(text) && gwei(text) > 0n) return gwei(text)
  throw new AppError('USAGE', `--max-fee is in gwei, and "${plain(text)}" is no amount of it`, {
    hint: '--max-fee 30',
  })
}
