import { concat, numberToHex, size, slice } from 'viem/utils'
import type { Hex } from '../../domain/address.ts'

/** A zero word: any caller may deliver, or no address. */
export const zeroWord: Hex = `0x${'0'.repeat(64)}`

/** The fields of a CCTP v2 burn message, header and body. */
export type BurnMessage = {
  version: number
  sourceDomain: number
  destinationDomain: number
  nonce: Hex
  sender: Hex
  recipient: Hex
  destinationCaller: Hex
  minFinalityThreshold: number
  finalityThresholdExecuted: number
  body: Hex
  burn: {
    burnToken: Hex
    mintRecipient: Hex
    amount: bigint
    messageSender: Hex
    maxFee: bigint
    feeExecuted: bigint
    expirationBlock: bigint
    hookData: Hex
  }
}

const bodyAt = 148
const hookAt = bodyAt + 228

/** Decodes a message; `undefined` if it is too short for a burn. */
export function decodeMessage(message: Hex): BurnMessage | undefined {
  if (size(message) < hookAt) return undefined
  const number = (at: number): number => Number(slice(message, at, at + 4))
  const word = (at: number): Hex => slice(message, at, at + 32)
  const inBody = (at: number): Hex => word(bodyAt + at)
  return {
    version: number(0),
    sourceDomain: number(4),
    destinationDomain: number(8),
    nonce: word(12),
    sender: word(44),
    recipient: word(76),
    destinationCaller: word(108),
    minFinalityThreshold: number(140),
    finalityThresholdExecuted: number(144),
    body: slice(message, bodyAt),
    burn: {
      burnToken: inBody(4),
      mintRecipient: inBody(36),
      amount: BigInt(inBody(68)),
      messageSender: inBody(100),
      maxFee: BigInt(inBody(132)),
      feeExecuted: BigInt(inBody(164)),
      expirationBlock: BigInt(inBody(196)),
      hookData: size(message) === hookAt ? '0x' : slice(message, hookAt),
    },
  }
}

/** The terms that the attester puts into a message before signing it. */
export type AttestationTerms = { nonce: Hex; finality: number; fee: bigint; expirationBlock: bigint }

/** Puts the attester's terms into an emitted message. */
export const fillMessage = (message: Hex, { nonce, finality, fee, expirationBlock }: AttestationTerms): Hex =>
  concat([
    slice(message, 0, 12),
    nonce,
    slice(message, 44, 144),
    numberToHex(finality, { size: 4 }),
    slice(message, bodyAt, bodyAt + 164),
    numberToHex(fee, { size: 32 }),
    numberToHex(expirationBlock, { size: 32 }),
    ...(size(message) > hookAt ? [slice(message, hookAt)] : []),
  ])

/**
 * Fills a message with a fee of `percent` of the amount and raises `maxFee` to it, as a bridge that keeps too much
 * would.
 */
export function overchargedMessage(message: Hex, verdict: AttestationTerms, percent: number): Hex {
  const fee = (decodeMessage(message)!.burn.amount * BigInt(percent)) / 100n
  const filled = fillMessage(message, { ...verdict, fee })
  const maxFeeAt = bodyAt + 132
  return concat([slice(filled, 0, maxFeeAt), numberToHex(fee, { size: 32 }), slice(filled, maxFeeAt + 32)])
}
