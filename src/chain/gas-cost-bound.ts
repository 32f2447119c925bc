import { formatUnits } from 'viem/utils'
import { AppError } from '../domain/errors.ts'
import { type Fees, roundFeeUp } from './fees.ts'

/** The most gas that any transaction here needs, and the dearest that gas ever was, with room: beyond that it is a mistake or an attack. */
const mostGas = 30_000_000n
/** The most that one transaction costs where nobody typed a fee: five coins. */
const mostCost = 5n * 10n ** 18n
const mostFee = 10_000n * 10n ** 9n

/** Refuses gas and fees that nobody can mean: `typed`, what a person allows for a unit of gas in wei, counts before our own bound. A plan is held to it before anything is written down, and the signer by itself. */
export function refuseExcessiveGas(
  { gas, maxFeePerGas }: { gas: bigint } & Pick<Fees, 'maxFeePerGas'>,
  typed: bigint | null,
): void {
  const most = typed ?? mostFee
  if (gas <= mostGas && maxFeePerGas <= most && (typed !== null || gas * maxFeePerGas <= mostCost)) return
  const enough = roundFeeUp(maxFeePerGas)
  throw new AppError(
    'POLICY_FEE_CAP',
    gas === 0n
      ? `Gas at ${maxFeePerGas} wei a unit is not signed: ${most} wei is the most`
      : `${gas} gas at ${maxFeePerGas} wei is not signed: ${most} wei is the most`,
    {
      hint:
        gas > mostGas
          ? 'No transaction here takes so much gas, so the node does not say what is: sluice doctor'
          : `Wait for a quieter market, or, if you mean it: --max-fee ${formatUnits(enough, 9)}`,
    },
  )
}
