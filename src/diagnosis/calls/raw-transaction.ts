import { parseTransaction, recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { getAddress, keccak256, size } from 'viem/utils'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import type { RawCall } from '../../protocols/call-description.ts'

/**
 * A serialised transaction: its chain (`undefined` for an old one that is valid on all), its call, its sender and hash if it is signed, and
 * the most that it pays for gas, in wei.
 */
export type SignedCall = {
  chainId: number | undefined
  call: RawCall
  from: Address | undefined
  hash: Hex | null
  maxFee: bigint | null
}

/** The length that the head of an RLP list states, with its head; `undefined` if it does not begin with one. */
function listLength(data: Hex, at: number): number | undefined {
  const first = Number.parseInt(data.slice(2 + 2 * at, 4 + 2 * at), 16)
  if (Number.isNaN(first) || first < 0xc0) return undefined
  if (first < 0xf8) return at + 1 + first - 0xc0
  const bytes = first - 0xf7
  const stated = Number.parseInt(data.slice(4 + 2 * at, 4 + 2 * at + 2 * bytes), 16)
  return Number.isNaN(stated) ? undefined : at + 1 + bytes + stated
}

/** How many bytes a transaction has that begins like these; `undefined` if it does not begin like one. */
function statedLength(data: Hex): number | undefined {
  const type = Number.parseInt(data.slice(2, 4), 16)
  return type >= 1 && type <= 4 ? listLength(data, 1) : type >= 0xc0 ? listLength(data, 0) : undefined
}

/** Fewer bytes than these have no head of their own length, whose meaning is certain. */
const shortest = 58

/** A stated length beyond this many bytes is no transaction's, but the selector of a call. */
const longest = 1_000_000

/**
 * Reads a raw transaction, signed or not; `undefined` for bytes that do not begin like one. USAGE for one that is cut, has further bytes, or
 * cannot be parsed.
 */
export async function readTransaction(data: Hex): Promise<SignedCall | undefined> {
  const stated = statedLength(data)
  if (stated === undefined || stated > longest) return undefined
  const given = size(data)
  // The selector of a call may look like the head of a short list; only a whole one is taken for it.
  if (given !== stated && stated < shortest) return undefined
  if (given !== stated)
    throw new AppError(
      'USAGE',
      given < stated
        ? `It begins like a raw transaction of ${stated} bytes, but has ${given}: ${stated - given} are missing`
        : `It begins like a raw transaction of ${stated} bytes, but has ${given - stated} more`,
      { next: advice`Copy it again, whole. If it is calldata: ${sameWith({ '--to': 'CONTRACT' })}` },
    )
  try {
    return await parsed(data)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('USAGE', 'It begins like a raw transaction, but cannot be parsed as one', {
      next: advice`Copy it again, whole. If it is calldata: ${sameWith({ '--to': 'CONTRACT' })}`,
    })
  }
}

async function parsed(data: Hex): Promise<SignedCall> {
  const transaction = parseTransaction(data as TransactionSerialized)
  const { to, value = 0n, data: input = '0x', chainId, gas = 0n, r } = transaction
  const isSigned = r !== undefined
  const price = transaction.maxFeePerGas ?? transaction.gasPrice
  return {
    chainId,
    call: { to: to ? getAddress(to) : null, value, data: input },
    from: isSigned
      ? await recoverTransactionAddress({ serializedTransaction: data as TransactionSerialized })
      : undefined,
    hash: isSigned ? keccak256(data) : null,
    maxFee: price === undefined ? null : gas * price,
  }
}
