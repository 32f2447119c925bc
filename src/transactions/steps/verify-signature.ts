import type {
  TransactionSerializableEIP1559,
  TransactionSerializableEIP2930,
  TransactionSerializableLegacy,
} from 'viem'
import { keccak256, parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils'
import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Attempt, Step } from '../../store/journal/operation.ts'

/** An attempt of a step before the journal has it. */
export type SignedAttempt = Omit<Attempt, 'created' | 'sends' | 'lastAnswer'>

/** Throws POLICY_TAMPER unless `raw` is exactly this attempt of this step as this program signs, by its wallet. */
export async function verifyNewAttempt(signed: SignedAttempt, step: Step): Promise<void> {
  const { type, accessList } = await readStep(signed, step)
  if (type !== 'eip1559' || (accessList ?? []).length > 0) throw untrue('what was to be signed')
}

/**
 * Throws POLICY_TAMPER unless `raw` is this attempt of this step, signed by its wallet, be it by another program and in an older form.
 * Only a cancel is other than the step: nothing, to oneself.
 */
export const verifyRecordedAttempt = async (signed: SignedAttempt, step: Step): Promise<void> =>
  void (await readStep(signed, step))

async function readStep(
  { hash, raw, kind, transaction, gas, maxFeePerGas, maxPriorityFeePerGas, nonce }: SignedAttempt,
  step: Step,
) {
  const { from, ...read } = await readBack(raw)
  const wanted =
    kind === 'cancel'
      ? { to: step.wallet, data: '0x', value: 0n, chainId: step.transaction.chainId }
      : step.transaction
  // An older form has one price, which is the most and the tip at once.
  const fees =
    read.type === 'eip1559' ? read : { maxFeePerGas: read.gasPrice, maxPriorityFeePerGas: read.gasPrice }
  const same =
    keccak256(raw) === hash &&
    sameAddress(from, step.wallet) &&
    sameAddress(read.to ?? '', wanted.to) &&
    sameAddress(transaction.to, wanted.to) &&
    (read.data ?? '0x') === wanted.data.toLowerCase() &&
    (read.value ?? 0n) === wanted.value &&
    read.chainId === wanted.chainId &&
    (read.nonce ?? 0) === nonce &&
    nonce === step.nonce &&
    read.gas === gas &&
    (fees.maxFeePerGas ?? 0n) === maxFeePerGas &&
    (fees.maxPriorityFeePerGas ?? 0n) === maxPriorityFeePerGas
  if (!same) throw untrue('what was to be signed')
  return { type: read.type, accessList: read.type === 'legacy' ? [] : read.accessList }
}

/** Half of the order of secp256k1: a signature with more in `s` is not valid (EIP-2). */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Signed bytes as a transaction and who signed it; what is none, could be told in other bytes too, or does more than call, is POLICY_TAMPER. */
async function readBack(raw: Hex) {
  try {
    const parsed = parseTransaction(raw)
    if (!isPlain(parsed)) throw untrue('a plain transaction')
    const { r, s, v, yParity, ...read } = parsed
    if (r === undefined || s === undefined || yParity === undefined) throw untrue('signed')
    // One transaction has one hash: what a node would refuse, or could know by another hash, is not sent.
    const signature = { r, s, yParity, ...(read.type === 'legacy' && v !== undefined && { v }) }
    if (
      BigInt(s) > halfOrder ||
      serializeTransaction(read, signature as typeof signature & { v: bigint }) !== raw
    )
      throw untrue('written as it must be')
    const hash = keccak256(serializeTransaction(read))
    return { ...read, from: await recoverAddress({ hash, signature: { r, s, yParity } }) }
  } catch (cause) {
    throw cause instanceof AppError ? cause : untrue('a signed transaction', cause)
  }
}

/** What can only call: neither blobs nor authorisations come with it. */
const isPlain = (one: { type?: string | undefined }): one is Parsed =>
  one.type === 'eip1559' || one.type === 'eip2930' || one.type === 'legacy'

type Parsed = (
  | TransactionSerializableEIP1559
  | TransactionSerializableEIP2930
  | TransactionSerializableLegacy
) & {
  type: 'eip1559' | 'eip2930' | 'legacy'
}

const untrue = (what: string, cause?: unknown): AppError =>
  new AppError('POLICY_TAMPER', `What came back from the signer is not ${what}`, {
    cause,
    details: { by: 'signer' },
    hint: 'Do not use this signer again before you know why. Other ways to sign: sluice help signing',
  })
