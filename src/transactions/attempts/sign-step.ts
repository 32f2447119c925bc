import { keccak256 } from 'viem/utils'
import type { ChainClient } from '../../chain/chain-client.ts'
import { refuseInconsistentHeads } from '../../chain/finality/refuse-inconsistent-heads.ts'
import { capFees, feesAt, type GasFees, readTips, withGasMargin } from '../../chain/gas-fees.ts'
import { type Head, readHead } from '../../chain/head.ts'
import { revertReason } from '../../chain/reverts/reason.ts'
import { isExecutionError, isNodeError } from '../../chain/rpc/errors.ts'
import { hexQuantity, quantity } from '../../chain/rpc/quantities.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import type { TransactionSigner } from '../../signing/signer.ts'
import type { Attempt, Step } from '../../store/journal/operation-types.ts'
import { nonceCountsFor } from '../nonces/unsafe-nonce-check.ts'
import { type FeeCap, type GasAndFees, type Run, runStopped, type WalletView } from '../run.ts'
import { type SignedAttempt, verifyNewAttempt } from './verify-signature.ts'

/** The longest delay of a timer. */
const longestMs = 2 ** 31 - 1

/**
 * Wraps a signer so that it is abandoned on interrupt or timeout, since it may wait for a person at a device. A late
 * signature is discarded, neither recorded nor sent.
 */
export const signerWithTimeout = (
  signer: TransactionSigner,
  { clock, until, signal, signerState }: Pick<Run, 'clock' | 'until' | 'signal' | 'signerState'>,
): TransactionSigner => ({
  ...signer,
  signTransaction: async (transaction) => {
    const left = until - clock.now()
    if (signal?.aborted || left <= 0) throw runStopped
    const done = new AbortController()
    const over = clock.sleep(Math.min(left, longestMs), done.signal).then(() => {
      throw new AppError('KEY_SOURCE', 'The time limit was reached before the signer had signed', {
        next: advice`Reject the request if the signer still shows it, and allow more time: ${sameWith({ '--timeout': '10m' })}`,
      })
    })
    const interrupted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(runStopped), { once: true, signal: done.signal })
    })
    signerState.isAsked = true
    try {
      return await Promise.race([(async () => signer.signTransaction(transaction))(), over, interrupted])
    } finally {
      done.abort()
    }
  },
})

const dataOf = (error: AppError): `0x${string}` | undefined => {
  const data = error.details?.data
  return typeof data === 'string' && /^0x[0-9a-f]*$/i.test(data) ? (data as `0x${string}`) : undefined
}

/**
 * Estimates the gas of a step, with margin. SIMULATION_REVERTED if it would revert; RPC_ERROR if the node gives no
 * estimate.
 */
async function gasFor(rpc: ChainClient, { wallet, transaction: { to, data, value } }: Step): Promise<bigint> {
  try {
    const call = { from: wallet, to, data, value: hexQuantity(value) }
    return withGasMargin(quantity(await rpc.request('eth_estimateGas', [call, 'latest']), 'the gas estimate'))
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'RPC_ERROR') throw error
    const said = String(error.details?.message ?? '')
    if (/insufficient funds/i.test(said))
      throw new AppError('INSUFFICIENT_FUNDS', `${wallet} cannot pay for this transaction: ${said}`, {
        cause: error,
      })
    // No gas price is set, so this is about the gas alone (geth).
    const most = /gas required exceeds allowance \((\d+)\)/i.exec(said)?.[1]
    if (most === undefined && !isExecutionError(error)) throw error
    const why = most === undefined ? revertReason(dataOf(error), said) : `${most} gas is not enough for it`
    throw new AppError('SIMULATION_REVERTED', `It would fail: ${why}`, { cause: error })
  }
}

/**
 * Known gas of a step. `exactly`: a sufficient limit. `atLeast`: a limit that sufficed when the step was simulated in
 * its own block. A node estimates in the newest block, where a market that was just used accrues no interest; in the
 * next block it does, which costs more gas.
 */
export type KnownGas = { exactly: bigint } | { atLeast: bigint }

/** The input for the first signature of a step. */
type SignQuestion = {
  signer: TransactionSigner
  step: Step
  head: Head
  gasAndFees: GasAndFees
  gas: KnownGas | undefined
  feeCap: FeeCap | undefined
}

/** Reads the gas and the tips of a step. */
async function readGasAndFees(rpc: ChainClient, step: Step): Promise<GasAndFees> {
  const [estimate, tips] = await Promise.all([
    gasFor(rpc, step).then(
      (gas) => ({ gas }),
      (error: unknown) => ({ error }),
    ),
    readTips(rpc),
  ])
  return { estimate, tips }
}

/** Reads the view of a step's wallet in one exchange. */
export async function readWalletView(run: Run, step: Step): Promise<WalletView> {
  const { chainId } = step.transaction
  const rpc = run.rpc(chainId)
  const gasAndFees = readGasAndFees(rpc, step)
  gasAndFees.catch(() => undefined) // Awaited when the step is signed.
  const reading = readHead(rpc, chainId)
  const lowest = refuseInconsistentHeads(rpc, chainId, reading)
  lowest.catch(() => undefined) // Awaited when the nonce is allocated.
  const [head, counts] = await Promise.all([reading, nonceCountsFor({ journal: run.journal, rpc, step })])
  return { head, lowest, counts, gasAndFees }
}

function limitOf({ estimate }: GasAndFees, known?: KnownGas): bigint {
  if (known && 'exactly' in known) return known.exactly
  if ('gas' in estimate) return known && known.atLeast > estimate.gas ? known.atLeast : estimate.gas
  // The step was simulated just now, so a node without an estimate does not stop it.
  if (known && isNodeError(estimate.error)) return known.atLeast
  throw estimate.error
}

/** Signs a step with its reserved nonce, and with gas and fees of the newest block. */
export async function signStep({
  signer,
  step,
  head,
  gasAndFees,
  gas,
  feeCap,
}: SignQuestion): Promise<SignedAttempt> {
  const limit = limitOf(gasAndFees, gas)
  const fees = feesAt(head, gasAndFees.tips)
  return signAttempt(signer, step, {
    kind: 'run',
    transaction: step.transaction,
    gas: limit,
    ...capFees(fees, head, feeCap?.(step, limit, 'first')),
  })
}

/**
 * Signs one attempt of a step and verifies the result before anything else sees it: the wallet's signature and every
 * field must match, else POLICY_TAMPER.
 */
export async function signAttempt(
  signer: TransactionSigner,
  step: Step,
  attempt: Pick<Attempt, 'kind' | 'transaction' | 'gas'> & GasFees,
): Promise<SignedAttempt> {
  const { nonce } = step
  if (nonce === null) throw new AppError('BUG', 'A step without a nonce cannot be signed')
  const { kind, transaction, gas, maxFeePerGas, maxPriorityFeePerGas } = attempt
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  const raw = await signer.signTransaction({ type: 'eip1559', ...transaction, nonce, gas, ...fees })
  const signed: SignedAttempt = { hash: keccak256(raw), raw, kind, nonce, transaction, gas, ...fees }
  await verifyNewAttempt(signed, step)
  return signed
}
