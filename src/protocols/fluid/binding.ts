import { jsonArguments, strictDecode } from '../../chain/calldata.ts'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { bindErc4626 } from '../erc4626/binding.ts'
import type { Intent } from '../intent.ts'
import { isUnits } from '../receipt-units.ts'
import { refuse, type Verdict } from '../verdict.ts'
import { limitedWithdrawal } from './abi.ts'

/** Binds a call of an fToken: a partial withdrawal limits the shares that it burns, everything else is ERC-4626. */
export function bindFluid(
  transaction: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  if (intent.kind === 'deposit' || intent.shares !== undefined) return bindErc4626(transaction, intent, asset)
  const found = strictDecode(limitedWithdrawal, transaction.data)
  if (!found)
    return refuse('POLICY_DECODE', 'It is not a call of withdraw of an fToken that limits the shares burned')
  const [assets, receiver, owner, maxSharesBurn] = found.args
  if (!sameAddress(receiver, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${intent.wallet}`)
  if (!sameAddress(owner, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It takes the shares of ${owner}, not of ${intent.wallet}`)
  if (assets !== intent.amount) return refuse('POLICY_AMOUNT', `It is about ${assets}, not ${intent.amount}`)
  if (!isUnits(maxSharesBurn, intent))
    return refuse('POLICY_AMOUNT', `It burns up to ${maxSharesBurn} shares, not what the withdrawal costs`)
  return {
    bound: {
      name: 'withdraw',
      args: jsonArguments({ assets, receiver, owner, maxSharesBurn }),
      text: `Withdraw ${formatAmount(assets, asset)} from the vault`,
      value: 0n,
    },
  }
}
