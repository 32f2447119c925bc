import type { AccessList } from 'viem'
import { keccak256, serializeTransaction } from 'viem/utils'

import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hexQuantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Journal } from '../../store/journal-words.ts'
import type { Step } from '../../store/operation.ts'
import { ifAnswered } from '../chain/within.ts'
import { believed, parityOf } from './elsewhere/as-hashed.ts'
import { isSame } from './pinned.ts'
import { type Signed, verifyStep } from './verify.ts'

/** A transaction as a node shows it, in the fields that its signature covers. */
type Shown = {
  hash: Hex
  nonce: string
  type?: string
  to: Hex | null
  input: Hex
  value: string
  gas: string
  gasPrice?: string
  maxFeePerGas?: string
  maxPriorityFeePerGas?: string
  r: Hex
  s: Hex
  yParity?: string
  v: string
  accessList?: AccessList
}

/** Whoever has the nonce of a step: in which transaction, and in which block if any. */
export type Holder = { hash: Hex; blockNumber: number | null }

/**
 * What has the nonce of a step, signed by its wallet, with the same to, value and data, is the step: it was sent elsewhere, as a
 * wallet does that speeds it up, or by this journal before an older copy of it was put back. Gives it as an attempt of the step; `another`
 * where it is another transaction, and `undefined` where the node does not show it, which proves nothing. It is of the kind `run`, for it says
 * nothing of whether this program is to cancel the step or to raise its fee.
 */
export async function asStep(rpc: Rpc, step: Step, holder: Holder): Promise<Signed | 'another' | undefined> {
  const shown = await shownAt(rpc, holder)
  if (!shown || !sameAddress(shown.hash, holder.hash) || step.nonce === null) return undefined
  if (Number(shown.nonce) !== step.nonce) return undefined
  const { wallet, nonce, transaction } = step
  // What is not as its hash says may be the step all the same.
  const whose = { wallet, chainId: transaction.chainId, nonce }
  const whole = await ifAnswered(believed(rpc, whose, shown))
  if (!whole) return undefined
  if (!isSame(whole, transaction)) return 'another'
  // The very call is never another one, in whatever form it was sent.
  const attempt = attemptOf(whole, step)
  return attempt && (await isOurs(attempt, step)) ? attempt : undefined
}

/** Takes such an attempt into the journal, so that it is followed as every other one. Only for the holder of the wallet's lock. */
export function takeIn(journal: Journal, id: string, { index }: Step, attempt: Signed): void {
  const { state } = journal.find(id)!
  if (state === 'PARTIAL' || state === 'ATTENTION') journal.settle(id, 'EXECUTING', 'resumed')
  journal.sign(id, index, attempt)
  journal.sent(attempt.hash, 'found under its nonce')
}

/** A transaction by its hash, or where a node knows it by that no more, out of its block. */
async function shownAt(rpc: Rpc, { hash, blockNumber }: Holder): Promise<Shown | undefined> {
  const shown = await rpc.request<Shown | null>('eth_getTransactionByHash', [hash])
  if (shown || blockNumber === null) return shown ?? undefined
  const block = await rpc.request<{ transactions?: Shown[] } | null>('eth_getBlockByNumber', [
    hexQuantity(blockNumber),
    true,
  ])
  return block?.transactions?.find((one) => sameAddress(one.hash, hash))
}

/** The signed bytes that a node's words describe: they are those of the hash, or nothing. */
function attemptOf(shown: Shown, { transaction, nonce }: Step): Signed | undefined {
  if (nonce === null) return undefined
  const { chainId, to, data, value } = transaction
  const gas = BigInt(shown.gas)
  const call = { chainId, nonce, to, data, value, gas }
  const priced = pricedAs(shown)
  if (!priced) return undefined
  const { r, s, v } = shown
  const yParity = parityOf(shown)
  const raw =
    priced.type === 'legacy'
      ? serializeTransaction({ ...call, ...priced }, { r, s, v: BigInt(v) })
      : serializeTransaction({ ...call, ...priced }, { r, s, yParity })
  const hash = keccak256(raw)
  if (!sameAddress(hash, shown.hash)) return undefined
  const { maxFeePerGas, maxPriorityFeePerGas } =
    priced.type === 'eip1559'
      ? priced
      : { maxFeePerGas: priced.gasPrice, maxPriorityFeePerGas: priced.gasPrice }
  return { hash, raw, kind: 'run', nonce, transaction, gas, maxFeePerGas, maxPriorityFeePerGas }
}

/** Its form, and what it pays for gas; nothing where it could do more than call. */
function pricedAs({ type = '0x0', gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList = [] }: Shown) {
  if (type === '0x0' && gasPrice) return { type: 'legacy', gasPrice: BigInt(gasPrice) } as const
  if (type === '0x1' && gasPrice) return { type: 'eip2930', gasPrice: BigInt(gasPrice), accessList } as const
  if (type !== '0x2' || !maxFeePerGas || !maxPriorityFeePerGas) return undefined
  const fees = { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) }
  return { type: 'eip1559', accessList, ...fees } as const
}

const isOurs = (attempt: Signed, step: Step): Promise<boolean> =>
  verifyStep(attempt, step).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'POLICY_TAMPER') return false
      throw error
    },
  )
