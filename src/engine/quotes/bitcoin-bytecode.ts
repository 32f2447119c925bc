import type { SwapBytecode } from '../../api/bytecode.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { bitcoinNetwork, btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import type { QuoteWithAction } from '../../store/engine/quotes.ts'
import { depositOf } from './bitcoin-deposit-lookup.ts'
import { offerOf, recipientOf } from './stored-quote.ts'

/**
 * The answer for a quote that begins on Bitcoin: no transactions, as nothing is signed here, and how to pay in `rawSwapData.deposit`.
 */
export function bitcoinBytecode(
  row: QuoteWithAction,
  { tokenOut, recipient }: { tokenOut: Token; recipient: Address },
): SwapBytecode {
  const { deposit, provider } = depositOf(row)
  const { amountIn, amountOut, minAmountOut } = offerOf(row)
  const named = recipientOf(row)
  if (named && !sameAddress(named, recipient))
    throw new AppError('QUOTE_VALIDATION_ERROR', `The quote is for ${named}, not for ${recipient}`, {
      details: { errors: [{ path: 'destinationAddress', message: `is ${named} in the quote` }] },
    })
  const side = (token: Token, amount: bigint, bound: object) => ({
    contract: token.address,
    symbol: token.symbol,
    decimals: token.decimals,
    chainId: token.chainId,
    amount: String(amount),
    ...bound,
  })
  return {
    type: 'BITCOIN_DEPOSIT',
    provider: row.provider,
    chainId: bitcoinNetwork.chainId,
    approvals: [],
    transactions: [],
    gasLimit: null,
    gasLimitReason: 'nothing is sent from an EVM wallet',
    swapDetails: {
      tokenIn: side(btc, amountIn, { maxAmount: String(amountIn) }),
      tokenOut: side(tokenOut, amountOut, { minAmount: String(minAmountOut) }),
      recipient,
    },
    rawSwapData: { deposit, provider },
    message: `Pay ${formatAmount(amountIn, btc)} to ${deposit.address} on Bitcoin before ${deposit.until}${deposit.memo === null ? '' : `, with the memo ${deposit.memo} in an OP_RETURN output`}`,
  }
}
