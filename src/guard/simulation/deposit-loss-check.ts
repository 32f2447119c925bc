import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import type { IntentOf } from '../../protocols/intent.ts'
import type { Simulation } from './simulate.ts'

type Deposit = IntentOf<'deposit'>

/** Dust: a millionth of a token. */
const dustAmount = ({ decimals }: Token): bigint => 10n ** BigInt(decimals) / 1_000_000n

/**
 * Refuses a deposit of dust that rounds to nothing: INVALID_AMOUNT, since the market is not at fault. `shares` is the market's
 * quote.
 */
export function refuseDust(
  { strategy, amount }: Deposit,
  shares: bigint | undefined,
  changes: Simulation['changes'],
): void {
  const { asset, receipt, slug } = strategy
  const brought = changes.find(({ token }) => sameAddress(token.address, receipt.address))?.delta
  if (brought !== 0n || (amount > dustAmount(asset) && amount > roundingUnits)) return
  if (shares === undefined || shares > roundingUnits) return
  throw new AppError(
    'INVALID_AMOUNT',
    `${formatAmount(amount, asset)} is too little for ${slug}: rounding leaves nothing`,
    { details: { amount: amount.toString(), strategy: slug }, next: 'Give a larger amount.' },
  )
}

/** Whether a failure is about dust, which a retry does not change. */
export const isDust = ({ code, details }: AppError): boolean =>
  code === 'INVALID_AMOUNT' && typeof details?.strategy === 'string'

/**
 * Refuses a deposit of which rounding to whole receipt units may take more than a thousandth, dust aside: an inflation attack on a
 * vault's first shares looks like that. `shares` is the market's quote.
 */
export function refuseRoundingLoss({ strategy, amount }: Deposit, shares: bigint | undefined): void {
  if (shares === undefined) return
  const { asset, receipt } = strategy
  const unit = shares === 0n ? amount : amount / shares
  if ([amount / 1_000n, dustAmount(asset), roundingUnits].some((bearable) => unit <= bearable)) return
  throw new AppError(
    'POLICY_SIMULATION',
    `The smallest unit of ${receipt.symbol} costs ${formatAmount(unit, asset)}, so that rounding could keep too much of this deposit`,
    { details: { token: receipt.address, unit: unit.toString() } },
  )
}

/** The rounding error of rebasing balances, in units. */
export const roundingUnits = 2n
