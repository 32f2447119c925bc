import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import type { MarketIntent } from '../intent.ts'
import { matchesWithdrawal } from '../withdrawal-units.ts'
import { type PsmTokens, swaps } from './abi.ts'

/** Checks a call of the PSM against the purchase or sale of sUSDS that was asked for. */
export function checkSparkPsm3Calldata(
  { data }: Transaction,
  intent: MarketIntent,
  { asset, receipt }: PsmTokens,
): CalldataVerdict {
  const call = strictDecode(swaps, data)
  if (!call) return refuse('POLICY_DECODE', 'It is not a call of swapExactIn of PSM3')
  const [assetIn, assetOut, amountIn, minAmountOut, receiver, referralCode] = call.args
  const [from, to] = intent.kind === 'deposit' ? [asset, receipt] : [receipt, asset]
  if (!sameAddress(assetIn, from.address) || !sameAddress(assetOut, to.address))
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It swaps ${assetIn} to ${assetOut}, not ${from.symbol} to ${to.symbol}`,
    )
  if (!sameAddress(receiver, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${intent.wallet}`)
  if (referralCode !== 0n) return refuse('POLICY_RECIPIENT', `It names the referrer ${referralCode}`)
  const isMeant = intent.kind === 'deposit' ? amountIn === intent.amount : matchesWithdrawal(amountIn, intent)
  if (!isMeant)
    return refuse('POLICY_AMOUNT', `It spends ${amountIn} of ${from.symbol}, not the requested amount`)
  if (intent.least === undefined || minAmountOut < intent.least)
    return refuse(
      'POLICY_MIN_OUT',
      `It may return only ${formatAmount(minAmountOut, to)}, less than ${intent.least === undefined ? 'the price read from the chain allows' : formatAmount(intent.least, to)}`,
    )
  return {
    bound: {
      name: 'swapExactIn',
      args: jsonArguments({ assetIn, assetOut, amountIn, minAmountOut, receiver, referralCode }),
      text: `Give ${formatAmount(amountIn, from)} for at least ${formatAmount(minAmountOut, to)}`,
      value: 0n,
      spends: { token: from.address, amount: amountIn },
    },
  }
}
