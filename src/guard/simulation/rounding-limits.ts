import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import type { Intent } from '../../protocols/intent.ts'
import { roundingUnits } from './effects.ts'
import type { Simulation } from './result.ts'

type Deposit = Extract<Intent, { kind: 'deposit' }>

/** A millionth of a token, which nobody misses. */
const dustOf = ({ decimals }: Token): bigint => 10n ** BigInt(decimals) / 1_000_000n

/** Refuses a deposit of dust of which nothing is left after rounding: INVALID_AMOUNT, as no market is to blame. `shares` is what the market says that it brings. */
export function refuseDust(
  { strategy, amount }: Deposit,
  shares: bigint | undefined,
  changes: Simulation['changes'],
): void {
  const { asset, receipt, slug } = strategy
  const brought = changes.find(({ token }) => sameAddress(token.address, receipt.address))?.delta
  if (brought !== 0n || (amount > dustOf(asset) && amount > roundingUnits)) return
  if (shares === undefined || shares > roundingUnits) return
  throw new AppError(
    'INVALID_AMOUNT',
    `${formatAmount(amount, asset)} is too little for ${slug}: rounding leaves nothing of it`,
    { details: { amount: amount.toString(), strategy: slug }, hint: 'Name a larger amount.' },
  )
}

/** Whether a failure is that of dust, which another try does not change. */
export const isDust = ({ code, details }: AppError): boolean =>
  code === 'INVALID_AMOUNT' && typeof details?.strategy === 'string'

/**
 * Refuses a deposit of which rounding to whole units of the receipt may keep more than a thousandth, dust aside: so it is where somebody
 * gave a vault money beside its first few shares, to take a part of what comes next. `shares` is what the market says that it brings.
 */
export function refuseRoundingLoss({ strategy, amount }: Deposit, shares: bigint | undefined): void {
  if (shares === undefined) return
  const { asset, receipt } = strategy
  const unit = shares === 0n ? amount : amount / shares
  if ([amount / 1_000n, dustOf(asset), roundingUnits].some((bearable) => unit <= bearable)) return
  throw new AppError(
    'POLICY_SIMULATION',
    `The smallest unit of ${receipt.symbol} costs ${formatAmount(unit, asset)}, so that rounding could keep too much of this deposit`,
    { details: { token: receipt.address, unit: unit.toString() } },
  )
}
