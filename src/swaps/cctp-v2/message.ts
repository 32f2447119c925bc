import { getAddress, size, sliceHex } from 'viem/utils'
import type { Address, Hex } from '../../domain/address.ts'

/** A bridge message with its burn. `nonce` is zero until the attestation. */
export type BurnMessage = {
  sourceDomain: number
  destinationDomain: number
  nonce: Hex
  sender: Hex
  recipient: Hex
  destinationCaller: Hex
  minFinalityThreshold: number
  finalityThresholdExecuted: number
  burnToken: Address
  mintRecipient: Address
  amount: bigint
  messageSender: Address
  maxFee: bigint
  feeExecuted: bigint
  expirationBlock: bigint
  hookData: Hex
}

/** The fields that the attestation fills in, as offset and length in a message (MessageV2.sol and BurnMessageV2.sol). */
const attestedFields = [
  [12, 32], // nonce
  [144, 4], // finalityThresholdExecuted
  [148 + 164, 32], // feeExecuted
  [148 + 196, 32], // expirationBlock
] as const

/**
 * A message as its burn sent it: the fields that the attestation fills in are zero. Two messages of the same burn are equal so; equal burns of
 * one sender are too.
 */
export const unattestedForm = (message: Hex): Hex =>
  attestedFields.reduce<string>((text, [at, length]) => {
    const start = 2 + 2 * at
    return text.length < start + 2 * length
      ? text
      : text.slice(0, start) + '00'.repeat(length) + text.slice(start + 2 * length)
  }, message.toLowerCase()) as Hex

/** The offset of the burn in a message (MessageV2.sol), and its length without hook data (BurnMessageV2.sol). */
const bodyAt = 148
const bodySize = 228

/** Decodes a message; `undefined` if it is too short or of another version. Offsets: MessageV2.sol and BurnMessageV2.sol. */
export function decodeMessage(message: Hex): BurnMessage | undefined {
  if (size(message) < bodyAt + bodySize) return undefined
  const bytes = (at: number, length: number): Hex => sliceHex(message, at, at + length)
  const number = (at: number): number => Number(bytes(at, 4))
  const word = (at: number): bigint => BigInt(bytes(bodyAt + at, 32))
  const account = (at: number): Address => getAddress(bytes(bodyAt + at + 12, 20))
  if (number(0) !== 1 || number(bodyAt) !== 1) return undefined
  return {
    sourceDomain: number(4),
    destinationDomain: number(8),
    nonce: bytes(12, 32),
    sender: bytes(44, 32),
    recipient: bytes(76, 32),
    destinationCaller: bytes(108, 32),
    minFinalityThreshold: number(140),
    finalityThresholdExecuted: number(144),
    burnToken: account(4),
    mintRecipient: account(36),
    amount: word(68),
    messageSender: account(100),
    maxFee: word(132),
    feeExecuted: word(164),
    expirationBlock: word(196),
    hookData: size(message) > bodyAt + bodySize ? sliceHex(message, bodyAt + bodySize) : '0x',
  }
}
