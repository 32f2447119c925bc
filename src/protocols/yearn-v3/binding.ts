import { jsonArguments, strictDecode } from '../../chain/calldata.ts'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { bindErc4626 } from '../erc4626/binding.ts'
import type { Intent } from '../intent.ts'
import { refuse, type Verdict } from '../verdict.ts'
import { exits, maxLoss } from './abi.ts'

/** Binds a call of a vault of Yearn v3: going in is ERC-4626, coming out says the smallest loss. */
export function bindYearnV3(
  transaction: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  if (intent.kind === 'deposit') return bindErc4626(transaction, intent, asset)
  const found = strictDecode(exits, transaction.data)
  const isAll = intent.shares !== undefined
  const wanted = isAll ? 'redeem' : 'withdraw'
  if (found?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of a Yearn v3 vault that bounds its loss`)
  const [amount, receiver, owner, loss] = found.args
  if (!sameAddress(receiver, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${intent.wallet}`)
  if (!sameAddress(owner, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It takes the shares of ${owner}, not of ${intent.wallet}`)
  const exact = intent.shares ?? intent.amount
  if (amount !== exact) return refuse('POLICY_AMOUNT', `It is about ${amount}, not ${exact}`)
  if (loss > maxLoss)
    return refuse('POLICY_AMOUNT', `It takes a loss of ${loss} basis points, and ${maxLoss} is the most`)
  return {
    bound: {
      name: wanted,
      args: jsonArguments({ [isAll ? 'shares' : 'assets']: amount, receiver, owner, maxLoss: loss }),
      text: `Withdraw ${isAll ? `all ${asset.symbol}` : formatAmount(amount, asset)} from the vault`,
      value: 0n,
    },
  }
}
