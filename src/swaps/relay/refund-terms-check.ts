import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import type { RelayEnds, RelayRefund, RelayRoute, RelayTerms } from './order.ts'

/** What is wrong with the ways back of an order: what it may do, and what kind of term that is against. */
export type RefundFault = { of: 'recipient' | 'token' | 'deadline' | 'payer'; text: string }

/** What an order is for, the chains of Relay that it is between, and the tokens that are known. */
export type RefundTerms = {
  asked: Pick<RelayRoute, 'tokenIn' | 'tokenOut' | 'recipient'> & { wallet: Address }
  ends: RelayEnds
  tokens: readonly Token[]
}

/**
 * What is wrong with how an order may be given back, as the rest of a sentence that begins with it; `undefined` if nothing is. It goes to
 * the wallet, or on the other chain to the recipient, in a token that is known, for as long as the order may be filled; and it comes from
 * the catalogue's contract, where it is a coin, because the event of another one is anybody's. How much it is at least, no order says.
 */
export function refundFault(
  { refunds, deadline }: Pick<RelayTerms, 'refunds' | 'deadline'>,
  { asked, ends, tokens }: RefundTerms,
): RefundFault | undefined {
  const { tokenIn, tokenOut, wallet, recipient } = asked
  if (refunds.length === 0) return { of: 'recipient', text: 'has no address that it can be given back to' }
  for (const refund of refunds) {
    const { chainId, currency, recipient: to } = refund
    const isThere = chainId !== BigInt(tokenIn.chainId)
    if (!sameAddress(to, wallet) && !(isThere && sameAddress(to, recipient)))
      return { of: 'recipient', text: `may be given back to ${to}, not to ${wallet} alone` }
    const isCoin = sameAddress(currency, nativeAddress)
    const isKnown = [tokenIn, tokenOut].some(
      (one) => BigInt(one.chainId) === chainId && sameAddress(one.address, currency),
    )
    if (!isCoin && !isKnown && !tokenAt(tokens, Number(chainId), currency))
      return { of: 'token', text: `may be given back in ${currency}, a token that is not in the catalogue` }
    if (refund.deadline < deadline)
      return {
        of: 'deadline',
        text: `may be given back only until ${refund.deadline}, and filled until ${deadline}`,
      }
    if (isCoin && !isPaidByRouter(refund, ends))
      return { of: 'payer', text: 'may be given back in the coin by another contract than the catalogue has' }
  }
  return undefined
}

/** Whether a coin comes from the contract of the catalogue on its chain (`fillContract` of relayprotocol/relay-protocol-oracle). */
const isPaidByRouter = ({ chainId, extraData }: RelayRefund, ends: RelayEnds): boolean =>
  ends.some(
    (end) =>
      BigInt(end.chainId) === chainId && sameAddress(extraData, `0x${'0'.repeat(24)}${end.router.slice(2)}`),
  )
