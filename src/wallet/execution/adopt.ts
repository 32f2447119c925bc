import { keccak256, serializeTransaction } from 'viem/utils'

import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Journal } from '../../store/journal-words.ts'
import type { Attempt, Step } from '../../store/operation.ts'
import type { Head } from '../chain/fees.ts'
import { verifySigned } from './sign.ts'
import { ownerOfNonce, seenAt } from './watch.ts'

type Question = { journal: Journal; operationId: string; step: Step; rpc: Rpc; nonce: number; head: Head }

/** A transaction as a node shows it, in the fields that its signature covers. */
type Shown = {
  hash: Hex
  type: string
  to: Hex | null
  input: Hex
  value: string
  gas: string
  maxFeePerGas?: string
  maxPriorityFeePerGas?: string
  r: Hex
  s: Hex
  yParity?: string
  v: string
  accessList?: unknown[]
}

/**
 * Looks who holds a pinned nonce. When it is this very step, signed by our own wallet elsewhere (another machine, a disk
 * that is lost), it is taken into the journal as an attempt and `ours` comes back; otherwise the hash of the stranger,
 * or `undefined` where the node shows none.
 */
export async function adopt({
  journal,
  operationId,
  step,
  rpc,
  nonce,
  head,
}: Question): Promise<'ours' | Hex | undefined> {
  const waiting = await seenAt(rpc, step.wallet, nonce)
  const hash = waiting?.hash ?? (await ownerOfNonce(rpc, step.wallet, nonce, 0))?.hash
  if (!hash) return undefined
  const shown = await rpc.request<Shown | null>('eth_getTransactionByHash', [hash])
  const attempt = shown && attemptOf(shown, step, nonce)
  if (!attempt || !(await isOurs(attempt, { ...step, nonce }))) return hash
  if (step.nonce === null) journal.reserve(operationId, step.index, nonce, Number(head.number))
  journal.sign(operationId, step.index, attempt)
  journal.sent(attempt.hash, 'found under its nonce')
  return 'ours'
}

/** The signed bytes that a node's words describe: they are those of the hash, or nothing. */
function attemptOf(
  shown: Shown,
  step: Step,
  nonce: number,
): Omit<Attempt, 'created' | 'sends' | 'lastAnswer'> | undefined {
  const { to, input, value, gas, maxFeePerGas, maxPriorityFeePerGas, r, s } = shown
  if (shown.type !== '0x2' || !to || !maxFeePerGas || !maxPriorityFeePerGas) return undefined
  const { chainId } = step.transaction
  const fees = { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) }
  const raw = serializeTransaction(
    { type: 'eip1559', chainId, nonce, to, data: input, value: BigInt(value), gas: BigInt(gas), ...fees },
    { r, s, yParity: Number(shown.yParity ?? shown.v) },
  )
  if (keccak256(raw) !== shown.hash) return undefined
  const same =
    sameAddress(to, step.transaction.to) &&
    input.toLowerCase() === step.transaction.data.toLowerCase() &&
    BigInt(value) === step.transaction.value
  if (!same) return undefined
  return {
    hash: shown.hash,
    raw,
    kind: 'run',
    nonce,
    transaction: step.transaction,
    gas: BigInt(gas),
    ...fees,
  }
}

const isOurs = (attempt: Parameters<typeof verifySigned>[0], step: Step): Promise<boolean> =>
  verifySigned(attempt, step).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'POLICY_TAMPER') return false
      throw error
    },
  )
