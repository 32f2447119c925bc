import { formatUnits } from 'viem/utils'
import type { ChainClient } from '../../chain/chain-client.ts'
import { currentFees, type GasFees, roundFeeUp, withGasMargin } from '../../chain/gas-fees.ts'
import type { Head } from '../../chain/head.ts'
import { isNodeError } from '../../chain/rpc/errors.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice, withFlags } from '../../domain/text/next-step.ts'
import type { Attempt, Step } from '../../store/journal/operation-types.ts'
import type { Run } from '../run.ts'
import { sendErrorOf } from '../steps/send-errors.ts'
import { inSendingOrder, replacementFees } from './fee-bump.ts'
import { signAttempt } from './sign-step.ts'
import type { SignedAttempt } from './verify-signature.ts'

/** The least gas of any transaction. */
const transferGas = 21_000n

/**
 * The gas limit of a cancellation if the node gives no estimate: the wallet's own code (EIP-7702) may reject the
 * call, which still uses the nonce.
 */
const unknownCancellationGas = 100_000n

/** Returns the gas of an empty transfer to itself; some chains need more than 21,000. */
async function cancellationGas(rpc: ChainClient, { wallet }: Step): Promise<bigint> {
  const call = { from: wallet, to: wallet, value: '0x0', data: '0x' }
  try {
    const gas = quantity(await rpc.request('eth_estimateGas', [call, 'latest']), 'the gas estimate')
    return gas > transferGas ? withGasMargin(gas) : transferGas
  } catch (error) {
    if (isNodeError(error)) return unknownCancellationGas
    throw error
  }
}

/** Returns the gas limit of a replacement: that of the replaced attempt, or that of a cancellation. */
const gasFor = async (rpc: ChainClient, step: Step, kind: 'bump' | 'cancel'): Promise<bigint> =>
  kind === 'cancel' ? cancellationGas(rpc, step) : step.attempts.reduce(highestGas, 0n)

/**
 * Signs a replacement of the pending transaction of a step: the same with a higher fee, or a cancellation. PENDING if the fee cap allows
 * none.
 */
export async function signReplacement(
  run: Run,
  step: Step,
  kind: 'bump' | 'cancel',
  head: Head,
): Promise<SignedAttempt> {
  const { chainId } = step.transaction
  const rpc = run.rpc(chainId)
  const gas = await gasFor(rpc, step, kind)
  const market = await currentFees(rpc, head)
  const fees = replacementFees(step.attempts, market, run.feeCap?.(step, gas, kind) ?? undefined)
  if (!fees) throw feeCapError(run, step, kind, { gas, market })
  const nothing = { to: step.wallet, data: '0x', value: 0n, chainId } as const
  // A cancellation is an empty transfer to itself, which is not part of the plan.
  if (kind === 'bump') await run.approve?.()
  const transaction = kind === 'cancel' ? nothing : step.transaction
  return signAttempt(run.signer, step, { kind, transaction, gas, ...fees })
}

const highestGas = (most: bigint, { kind, gas }: Attempt): bigint =>
  kind !== 'cancel' && gas > most ? gas : most

/** The error for a replacement above the fee cap, with the sufficient fee as a flag, or the policy as the cause. */
function feeCapError(
  run: Run,
  step: Step,
  kind: 'bump' | 'cancel',
  { gas, market }: { gas: bigint; market: GasFees },
): AppError {
  const { operationId: id } = run
  const refused = sendErrorOf(inSendingOrder(step.attempts)[0])
  const enough = roundFeeUp(replacementFees(step.attempts, market, undefined)!.maxFeePerGas)
  const cap = run.feeCap?.(step, gas, kind, enough) ?? undefined
  const isPolicy = cap !== undefined && cap < enough
  const again =
    kind === 'cancel' ? sluice('action cancel', id, { '--yes': true }) : sluice('action speed-up', id)
  return new AppError(
    'PENDING',
    `The needed fee is higher than ${isPolicy ? 'the policy allows' : 'the plan or --max-fee allows'}; ${refused ? `the node refused the signed transaction when it was sent: ${refused.words}` : 'the earlier transaction is still pending'}`,
    {
      details: { operation: id, ...(refused && { refused: refused.words }) },
      next: isPolicy
        ? advice`The owner of the policy must decide. To follow the sent transaction: ${sluice('action resume', id)}`
        : withFlags(again, { '--max-fee': formatUnits(enough, 9) }),
    },
  )
}
