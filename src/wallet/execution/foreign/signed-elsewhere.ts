import { type Hex, sameAddress } from '../../../domain/address.ts'
import { AppError } from '../../../domain/errors.ts'
import { hexQuantity } from '../../../net/quantity.ts'
import type { Rpc } from '../../../net/rpc.ts'
import type { Journal } from '../../../store/journal-words.ts'
import type { Step } from '../../../store/operation.ts'
import { ifAnswered } from '../../chain/within.ts'
import { isSame } from '../pinned.ts'
import { type Signed, verifyStep } from '../verify.ts'
import { believed, type Whole, type Written, writtenAs } from './as-hashed.ts'

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

/** The other operation of this journal that a transaction was signed for, where a nonce that was lost is had by its own step after all. */
export function otherOwner(journal: Journal, id: string, hash: Hex): string | undefined {
  const owner = journal.findHash(hash)
  return owner === id ? undefined : owner
}

/** Takes such an attempt into the journal, so that it is followed as every other one. Only for the holder of the wallet's lock. */
export function takeIn(journal: Journal, id: string, { index }: Step, attempt: Signed): void {
  const { state } = journal.find(id)!
  if (state === 'PARTIAL' || state === 'ATTENTION') journal.settle(id, 'EXECUTING', 'resumed')
  journal.sign(id, index, attempt)
  journal.sent(attempt.hash, 'found under its nonce')
}

/** A transaction by its hash, or where a node knows it by that no more, out of its block. */
async function shownAt(rpc: Rpc, { hash, blockNumber }: Holder): Promise<Whole | undefined> {
  const shown = await rpc.request<Whole | null>('eth_getTransactionByHash', [hash])
  if (shown || blockNumber === null) return shown ?? undefined
  const block = await rpc.request<{ transactions?: Whole[] } | null>('eth_getBlockByNumber', [
    hexQuantity(blockNumber),
    true,
  ])
  return block?.transactions?.find((one) => sameAddress(one.hash, hash))
}

/** The signed bytes that a node's words describe: they are those of the hash, or nothing, as where they could do more than call. */
function attemptOf(shown: Whole, { transaction, nonce }: Step): Signed | undefined {
  if (nonce === null) return undefined
  const written = writtenAs(shown, transaction.chainId)
  if (!written?.isOfHash) return undefined
  const { raw, hash, call } = written
  const fees = feesOf(call)
  return fees && { hash, raw, kind: 'run', nonce, transaction, gas: call.gas ?? 0n, ...fees }
}

/** What it pays for gas; nothing where it is of a type that could do more than call. */
function feesOf(call: Written['call']): Pick<Signed, 'maxFeePerGas' | 'maxPriorityFeePerGas'> | undefined {
  if (call.type === 'eip1559') {
    const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = call
    return { maxFeePerGas, maxPriorityFeePerGas }
  }
  if (call.type !== 'legacy' && call.type !== 'eip2930') return undefined
  const { gasPrice = 0n } = call
  return { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice }
}

const isOurs = (attempt: Signed, step: Step): Promise<boolean> =>
  verifyStep(attempt, step).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'POLICY_TAMPER') return false
      throw error
    },
  )
