import { strictDecode } from '../../chain/calldata.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { refuse, type Verdict } from '../binding-verdict.ts'
import { bindErc4626, boundVaultCall, wantedCall } from '../erc4626/binding.ts'
import type { Intent } from '../intent.ts'
import { isUnits } from '../receipt-units.ts'
import { limitedWithdrawal } from './abi.ts'

/** Binds a call of an fToken: a partial withdrawal limits the shares that it burns, everything else is ERC-4626. */
export function bindFluid(
  transaction: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  if (intent.kind === 'deposit' || wantedCall(intent) === 'redeem')
    return bindErc4626(transaction, intent, asset)
  const found = strictDecode(limitedWithdrawal, transaction.data)
  if (!found)
    return refuse('POLICY_DECODE', 'It is not a call of withdraw of an fToken that limits the shares burned')
  const [amount, receiver, owner, maxSharesBurn] = found.args
  if (!isUnits(maxSharesBurn, intent))
    return refuse('POLICY_AMOUNT', `It burns up to ${maxSharesBurn} shares, not what the withdrawal costs`)
  return boundVaultCall({ amount, receiver, owner }, intent, asset, { maxSharesBurn })
}
