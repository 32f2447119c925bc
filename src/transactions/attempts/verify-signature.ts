import type {
  TransactionSerializableEIP1559,
  TransactionSerializableEIP2930,
  TransactionSerializableLegacy,
} from 'viem'
import { keccak256, parseTransaction, recoverAddress, serializeTransaction } from 'viem/utils'
import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { Attempt, Step } from '../../store/journal/operation-types.ts'

/** A signed attempt that is not in the journal yet. */
export type SignedAttempt = Omit<Attempt, 'created' | 'sends' | 'lastAnswer'>

/** Throws POLICY_TAMPER unless `raw` is exactly this attempt, of type 2 without access list, signed by the wallet. */
export async function verifyNewAttempt(signed: SignedAttempt, step: Step): Promise<void> {
  const { type, accessList } = await checkAttempt(signed, step)
  if (type !== 'eip1559' || (accessList ?? []).length > 0) throw tamperError('the requested transaction')
}

/**
 * Throws POLICY_TAMPER unless `raw` is this attempt, signed by the wallet, possibly by another program in an older transaction
 * type. Only a cancellation differs from the step.
 */
export const verifyRecordedAttempt = async (signed: SignedAttempt, step: Step): Promise<void> =>
  void (await checkAttempt(signed, step))

async function checkAttempt(
  { hash, raw, kind, transaction, gas, maxFeePerGas, maxPriorityFeePerGas, nonce }: SignedAttempt,
  step: Step,
) {
  const { from, ...read } = await decodeSigned(raw)
  const wanted =
    kind === 'cancel'
      ? { to: step.wallet, data: '0x', value: 0n, chainId: step.transaction.chainId }
      : step.transaction
  // A legacy transaction has one price, which is both the maximum and the tip.
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
  if (!same) throw tamperError('the requested transaction')
  return { type: read.type, accessList: read.type === 'legacy' ? [] : read.accessList }
}

/** Half of the order of secp256k1: a signature with a larger `s` is invalid (EIP-2). */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Decodes signed bytes and recovers the signer. POLICY_TAMPER for anything but a plain transaction in canonical
 * encoding.
 */
async function decodeSigned(raw: Hex) {
  try {
    const parsed = parseTransaction(raw)
    if (!isPlain(parsed)) throw tamperError('a plain transaction')
    const { r, s, v, yParity, ...read } = parsed
    if (r === undefined || s === undefined || yParity === undefined) throw tamperError('a signed transaction')
    // Refuse bytes that a node would refuse or hash differently, so that a transaction has one hash.
    const signature = { r, s, yParity, ...(read.type === 'legacy' && v !== undefined && { v }) }
    if (
      BigInt(s) > halfOrder ||
      serializeTransaction(read, signature as typeof signature & { v: bigint }) !== raw
    )
      throw tamperError('a transaction in canonical encoding')
    const hash = keccak256(serializeTransaction(read))
    return { ...read, from: await recoverAddress({ hash, signature: { r, s, yParity } }) }
  } catch (cause) {
    throw cause instanceof AppError ? cause : tamperError('a signed transaction', cause)
  }
}

/** Whether a transaction is of a type without blobs and authorisations. */
const isPlain = (one: { type?: string | undefined }): one is Parsed =>
  one.type === 'eip1559' || one.type === 'eip2930' || one.type === 'legacy'

type Parsed = (
  | TransactionSerializableEIP1559
  | TransactionSerializableEIP2930
  | TransactionSerializableLegacy
) & {
  type: 'eip1559' | 'eip2930' | 'legacy'
}

const tamperError = (what: string, cause?: unknown): AppError =>
  new AppError('POLICY_TAMPER', `The signer did not return ${what}`, {
    cause,
    details: { by: 'signer' },
    next: advice`Do not use this signer again until you know why. For other ways to sign: ${sluice('help', 'signing')}`,
  })
