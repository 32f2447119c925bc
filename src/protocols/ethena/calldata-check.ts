import { parseAbi } from 'viem/utils'
import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import { checkErc4626Calldata } from '../erc4626/calldata-check.ts'
import type { MarketIntent } from '../intent.ts'

/** The functions that begin the cooldown. */
export const exits = parseAbi([
  'function cooldownAssets(uint256 assets) returns (uint256 shares)',
  'function cooldownShares(uint256 shares) returns (uint256 assets)',
])

/** Checks a call of sUSDe: a deposit is ERC-4626, a withdrawal begins a cooldown. */
export function checkEthenaCalldata(
  transaction: Transaction,
  intent: MarketIntent,
  asset: Token,
): CalldataVerdict {
  if (intent.kind === 'deposit') return checkErc4626Calldata(transaction, intent, asset)
  const found = strictDecode(exits, transaction.data)
  const isAll = intent.shares !== undefined
  const wanted = isAll ? 'cooldownShares' : 'cooldownAssets'
  if (found?.functionName !== wanted) return refuse('POLICY_DECODE', `It is not a call of ${wanted} of sUSDe`)
  const [amount] = found.args
  const exact = intent.shares ?? intent.amount
  if (amount !== exact) return refuse('POLICY_AMOUNT', `Its amount is ${amount}, not ${exact}`)
  const much = isAll ? `all ${asset.symbol}` : formatAmount(amount, asset)
  return {
    bound: {
      name: wanted,
      args: jsonArguments({ [isAll ? 'shares' : 'assets']: amount }),
      text: `Begin the cooldown of ${much}, to be claimed later`,
      value: 0n,
    },
  }
}
