import { createPublicKey, verify } from 'node:crypto'
import { sha256 } from 'viem/utils'
import { base58Text } from '../../domain/bitcoin.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'

type Fields = Readonly<Record<string, unknown>>

/** The parts of a quote response that the signature concerns. */
export type SignedQuote = { timestamp: string; signature: string; quoteRequest: Fields; quote: Fields }

/** The signed fields of the request: those that are always signed, and those that are signed if set. */
const requestFields = [
  'dry swapType slippageTolerance originAsset depositType destinationAsset amount refundTo refundType recipient recipientType deadline',
  'quoteWaitingTimeMs referral virtualChainRecipient virtualChainRefundRecipient customRecipientMsg',
] as const

/** The signed fields of the quote, in the same two groups. */
const quoteFields = [
  'amountIn amountInFormatted amountInUsd minAmountIn amountOut amountOutFormatted amountOutUsd minAmountOut',
  'depositAddress depositMemo deadline timeWhenInactive timeEstimate virtualChainRecipient virtualChainRefundRecipient customRecipientMsg refundFee withdrawFee',
] as const

const signedOf = (from: Fields, [always, where]: readonly [string, string]): [string, unknown][] => [
  ...always.split(' ').map((name): [string, unknown] => [name, from[name]]),
  ...where.split(' ').flatMap((name): [string, unknown][] => (from[name] ? [[name, from[name]]] : [])),
]

/**
 * The text that the service signs: base58 of the SHA-256 of the signed fields as JSON with sorted keys. Quote fields override request
 * fields (npm:@defuse-protocol/one-click-sdk-typescript@0.1.25, `quoteHash`). Not for dry quotes.
 */
export function quoteHash({ quoteRequest, quote, timestamp }: SignedQuote): string {
  const fields = [...signedOf(quoteRequest, requestFields), ...signedOf(quote, quoteFields)]
  const signed = Object.fromEntries([...fields, ['timestamp', timestamp]])
  return base58Text.encode(sha256(new TextEncoder().encode(canonicalJson(signed)), 'bytes'))
}

/** The DER prefix of a 32-byte ed25519 key (RFC 8410). */
const spki = Buffer.from('302a300506032b6570032100', 'hex')

const bytesOf = (text: string): Buffer => Buffer.from(base58Text.decode(text.replace(/^ed25519:/, '')))

/** Whether the key signed the quote; key and signature are base58, with or without `ed25519:`. */
export function isSignedBy(publicKey: string, quote: SignedQuote): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.concat([spki, bytesOf(publicKey)]),
      format: 'der',
      type: 'spki',
    })
    return verify(null, Buffer.from(quoteHash(quote)), key, bytesOf(quote.signature))
  } catch {
    // A malformed key or signature proves nothing.
    return false
  }
}
