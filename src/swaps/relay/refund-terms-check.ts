import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import type { RelayEnds, RelayRefund, RelayRoute, RelayTerms } from './order.ts'

/** A fault of an order's refund terms: `text` describes it, `of` is the kind of term. */
export type RefundFault = { of: 'recipient' | 'count' | 'token' | 'deadline' | 'payer'; text: string }

/** The most refund terms of an order. Relay states two: one on each chain. */
const mostRefunds = 4

/** The request of an order, its two chains, and the known tokens. */
export type RefundTerms = {
  asked: Pick<RelayRoute, 'tokenIn' | 'tokenOut' | 'recipient'> & { wallet: Address }
  ends: RelayEnds
  tokens: readonly Token[]
}

/**
 * Finds a fault in an order's refund terms; its text continues a sentence about the order. A refund must go to the wallet, or on the other
 * chain to the recipient, in a known token, and for as long as the order may be filled. A native coin must come from the catalogue's
 * contract, because any account can make another contract emit the event. The refund terms do not bound the amount.
 */
export function refundFault(
  { refunds, deadline }: Pick<RelayTerms, 'refunds' | 'deadline'>,
  { asked, ends, tokens }: RefundTerms,
): RefundFault | undefined {
  const { tokenIn, tokenOut, wallet, recipient } = asked
  if (refunds.length === 0) return { of: 'recipient', text: 'has no address for a refund' }
  if (refunds.length > mostRefunds)
    return {
      of: 'count',
      text: `names ${refunds.length} refunds, more than ${mostRefunds}`,
    }
  for (const refund of refunds) {
    const { chainId, currency, recipient: to } = refund
    const isThere = chainId !== BigInt(tokenIn.chainId)
    if (!sameAddress(to, wallet) && !(isThere && sameAddress(to, recipient)))
      return { of: 'recipient', text: `can be refunded to ${to}, not only to ${wallet}` }
    const isCoin = sameAddress(currency, nativeAddress)
    const isKnown = [tokenIn, tokenOut].some(
      (one) => BigInt(one.chainId) === chainId && sameAddress(one.address, currency),
    )
    if (!isCoin && !isKnown && !tokenAt(tokens, Number(chainId), currency))
      return { of: 'token', text: `can be refunded in ${currency}, a token that is not in the catalogue` }
    if (refund.deadline < deadline)
      return {
        of: 'deadline',
        text: `can be refunded only until ${refund.deadline}, but filled until ${deadline}`,
      }
    if (isCoin && !isPaidByRouter(refund, ends))
      return {
        of: 'payer',
        text: 'can be refunded in the coin by another contract than the one in the catalogue',
      }
  }
  return undefined
}

/** Whether a contract of Relay on the refund's chain pays the coin (`fillContract` of relayprotocol/relay-protocol-oracle). */
const isPaidByRouter = ({ chainId, extraData }: RelayRefund, ends: RelayEnds): boolean =>
  ends.some(
    (end) =>
      BigInt(end.chainId) === chainId &&
      [end.router, end.router32].some((router) =>
        sameAddress(extraData, `0x${'0'.repeat(24)}${router.slice(2)}`),
      ),
  )
