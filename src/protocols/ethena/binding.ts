import { jsonArguments, strictDecode } from '../../chain/calldata.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { refuse, type Verdict } from '../binding-verdict.ts'
import { bindErc4626 } from '../erc4626/binding.ts'
import type { Intent } from '../intent.ts'
import { exits } from './abi.ts'

/** Binds a call of sUSDe: a deposit is ERC-4626, a withdrawal begins a cooldown. */
export function bindEthena(
  transaction: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  if (intent.kind === 'deposit') return bindErc4626(transaction, intent, asset)
  const found = strictDecode(exits, transaction.data)
  const isAll = intent.shares !== undefined
  const wanted = isAll ? 'cooldownShares' : 'cooldownAssets'
  if (found?.functionName !== wanted) return refuse('POLICY_DECODE', `It is not a call of ${wanted} of sUSDe`)
  const [amount] = found.args
  const exact = intent.shares ?? intent.amount
  if (amount !== exact) return refuse('POLICY_AMOUNT', `It is about ${amount}, not ${exact}`)
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
