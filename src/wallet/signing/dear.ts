import { formatUnits } from 'viem/utils'

import { AppError } from '../../domain/errors.ts'
import { roundedUp } from '../chain/fees.ts'
import type { Signable } from '../guard/plan-hash.ts'
import { gwei } from '../policy/terms.ts'
import { flag } from './argv.ts'

/** The most gas that any transaction here needs, and the dearest that gas ever was, with room: beyond that it is a mistake or an attack. */
const mostGas = 30_000_000n
/** The most that one transaction costs where nobody typed a fee: five coins. */
const mostCost = 5n * 10n ** 18n
const mostFee = 10_000n * 10n ** 9n

/** Refuses gas and fees that nobody can mean; `--max-fee` that was typed counts before our own bound. */
export function refuseDear(argv: readonly string[], { gas, maxFeePerGas }: Signable): void {
  const typed = flag(argv, '--max-fee')
  const most = typed !== undefined && /^[0-9]+(\.[0-9]{1,9})?$/.test(typed) ? gwei(typed) : mostFee
  if (gas <= mostGas && maxFeePerGas <= most && (typed !== undefined || gas * maxFeePerGas <= mostCost))
    return
  const enough = roundedUp(maxFeePerGas)
  throw new AppError(
    'POLICY_FEE_CAP',
    `${gas} gas at ${maxFeePerGas} wei is not signed: ${most} wei is the most`,
    {
      hint:
        gas > mostGas
          ? 'No transaction here takes so much gas, so the node does not say what is: sluice doctor'
          : `Wait for a quieter market, or, if you mean it: --max-fee ${formatUnits(enough, 9)}`,
    },
  )
}
