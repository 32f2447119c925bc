import { strictDecode } from '../../chain/calldata.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { refuse, type Verdict } from '../binding-verdict.ts'
import { bindErc4626, boundVaultCall, wantedCall } from '../erc4626/binding.ts'
import type { Intent } from '../intent.ts'
import { exits, maxLoss } from './abi.ts'

/** Binds a call of a vault of Yearn v3: a deposit is ERC-4626, a withdrawal limits the loss to the smallest one. */
export function bindYearnV3(
  transaction: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  if (intent.kind === 'deposit') return bindErc4626(transaction, intent, asset)
  const found = strictDecode(exits, transaction.data)
  const wanted = wantedCall(intent)
  if (found?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of a Yearn v3 vault that bounds its loss`)
  const [amount, receiver, owner, loss] = found.args
  if (loss > maxLoss)
    return refuse('POLICY_AMOUNT', `It takes a loss of ${loss} basis points, and ${maxLoss} is the most`)
  return boundVaultCall({ amount, receiver, owner }, intent, asset, { maxLoss: loss })
}
