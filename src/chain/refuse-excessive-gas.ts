import { formatUnits } from 'viem/utils'
import { AppError } from '../domain/errors.ts'
import { advice, sameWith, sluice } from '../domain/text/next-step.ts'
import { type GasFees, roundFeeUp } from './gas-fees.ts'

/** The most gas of any transaction here, and the highest plausible gas price: beyond that it is an error or an attack. */
const maxGas = 30_000_000n
/** The most that one transaction may cost without a typed fee: five coins. */
const maxCost = 5n * 10n ** 18n
const maxGasPrice = 10_000n * 10n ** 9n

/**
 * Refuses excessive gas and fees. `typed`, the person's gas price limit in wei, replaces our own bound. Applied to a plan before it
 * is recorded, and again by the signer.
 */
export function refuseExcessiveGas(
  { gas, maxFeePerGas }: { gas: bigint } & Pick<GasFees, 'maxFeePerGas'>,
  typed: bigint | null,
): void {
  const most = typed ?? maxGasPrice
  if (gas <= maxGas && maxFeePerGas <= most && (typed !== null || gas * maxFeePerGas <= maxCost)) return
  const enough = roundFeeUp(maxFeePerGas)
  throw new AppError(
    'POLICY_FEE_CAP',
    gas > maxGas
      ? `${gas} gas is not signed: the maximum is ${maxGas}`
      : maxFeePerGas > most
        ? `A gas price of ${maxFeePerGas} wei is not signed: the maximum is ${most} wei`
        : `${gas} gas at ${maxFeePerGas} wei is not signed: the maximum cost is ${maxCost} wei`,
    {
      next:
        gas > maxGas
          ? advice`No transaction here needs so much gas, so the estimate of the node is wrong. Check it: ${sluice('doctor')}`
          : advice`Wait for a lower gas price. To accept this one: ${sameWith({ '--max-fee': formatUnits(enough, 9) })}`,
    },
  )
}
