import { createPublicKey, verify } from 'node:crypto'
import { sha256 } from 'viem/utils'
import { base58Text } from '../../domain/bitcoin.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'

type Fields = Readonly<Record<string, unknown>>

/** A quote as the service answers with it, as far as its signature is concerned. */
export type SignedQuote = { timestamp: string; signature: string; quoteRequest: Fields; quote: Fields }

/** The fields of the request that are signed always, and those that are signed where they are set. */
const requestFields = [
  'dry swapType slippageTolerance originAsset depositType destinationAsset amount refundTo refundType recipient recipientType deadline',
  'quoteWaitingTimeMs referral virtualChainRecipient virtualChainRefundRecipient customRecipientMsg',
] as const

/** The same of the quote. */
const quoteFields = [
  'amountIn amountInFormatted amountInUsd minAmountIn amountOut amountOutFormatted amountOutUsd minAmountOut',
  'depositAddress depositMemo deadline timeWhenInactive timeEstimate virtualChainRecipient virtualChainRefundRecipient customRecipientMsg refundFee withdrawFee',
] as const

const signedOf = (from: Fields, [always, where]: readonly [string, string]): [string, unknown][] => [
  ...always.split(' ').map((name): [string, unknown] => [name, from[name]]),
  ...where.split(' ').flatMap((name): [string, unknown][] => (from[name] ? [[name, from[name]]] : [])),
]

/**
 * The text that the service signs: the base58 of the SHA-256 of the signed fields as JSON with sorted keys, those of the quote over those
 * of the request (npm:@defuse-protocol/one-click-sdk-typescript@0.1.25, `quoteHash`). For a quote that is no dry one.
 */
export function quoteHash({ quoteRequest, quote, timestamp }: SignedQuote): string {
  const fields = [...signedOf(quoteRequest, requestFields), ...signedOf(quote, quoteFields)]
  const signed = Object.fromEntries([...fields, ['timestamp', timestamp]])
  return base58Text.encode(sha256(new TextEncoder().encode(canonicalJson(signed)), 'bytes'))
}

/** What stands before the 32 bytes of an ed25519 key in its DER form (RFC 8410). */
const spki = Buffer.from('302a300506032b6570032100', 'hex')

const bytesOf = (text: string): Buffer => Buffer.from(base58Text.decode(text.replace(/^ed25519:/, '')))

/** Whether the key signed the quote; the key and the signature are `ed25519:` and base58, or base58 alone. */
export function isSignedBy(publicKey: string, quote: SignedQuote): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.concat([spki, bytesOf(publicKey)]),
      format: 'der',
      type: 'spki',
    })
    return verify(null, Buffer.from(quoteHash(quote)), key, bytesOf(quote.signature))
  } catch {
    // A key or signature that is none signs nothing.
    return false
  }
}
