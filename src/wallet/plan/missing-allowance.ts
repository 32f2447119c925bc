import { decodeApprove } from '../../calls/erc20.ts'
import { nativeAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { actionAmong } from '../../domain/service-fee.ts'
import { eachRead } from '../chain/each-read.ts'
import { readsOf } from '../chain/simulate-reads.ts'
import type { Ground } from '../ground.ts'
import { allowanceOf } from '../guard/spends.ts'
import type { Proposal } from './proposal.ts'

/**
 * What the first leg of a plan that would fail lacks, where it leaves out an approval that the wallet does not have: the service that made it reads a
 * node that is behind. Anything else is the failure as it was.
 */
export async function withMissing(
  { rpc: rpcOf }: Pick<Ground, 'rpc'>,
  { legs }: Pick<Proposal, 'legs'>,
  error: unknown,
): Promise<unknown> {
  const { intent, transactions, chainId } = legs[0]!
  const spend = intent && allowanceOf(intent)
  const isPlain = !transactions.some(({ data }) => decodeApprove(data))
  if (!(error instanceof AppError) || error.code !== 'SIMULATION_REVERTED' || !spend || !isPlain) return error
  const { token, amount } = spend
  if (token.address === nativeAddress) return error
  const spender = actionAmong(intent, transactions).to
  const reads = readsOf({
    wallet: intent.wallet,
    tokens: [],
    allowances: [{ token: token.address, spender }],
  })
  const [held] = await eachRead(rpcOf(chainId), reads)
  if (held === undefined || held >= amount) return error
  return new AppError(
    'SIMULATION_REVERTED',
    `The plan approves nothing, and ${spender} may take ${formatAmount(held, token)} of the ${formatAmount(amount, token)} that it needs: the service may be a few blocks behind`,
    {
      details: { ...error.details, isBehind: true },
      hint: 'Type the same again in a few seconds.',
      cause: error,
    },
  )
}

/** Whether a failure goes away as soon as the service has the newest blocks. */
export const isBehind = (error: unknown): boolean =>
  error instanceof AppError && error.details?.isBehind === true
