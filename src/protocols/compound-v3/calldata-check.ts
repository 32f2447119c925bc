import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { formatAmount, maxUint256 } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import type { MarketIntent } from '../intent.ts'
import { named, short } from './abi.ts'

type Write = { from: Address | undefined; to: Address | undefined; token: Address; amount: bigint }

/** The arguments of such a call in either of its two forms; the short one is about the sender. */
function writeOf(data: Transaction['data'], wanted: 'supply' | 'withdraw'): Write | undefined {
  const long = strictDecode(named, data)
  if (long?.functionName === `${wanted}From`) {
    const [from, to, token, amount] = long.args
    return { from, to, token, amount }
  }
  const found = strictDecode(short, data)
  if (found?.functionName !== wanted) return undefined
  const [token, amount] = found.args
  return { from: undefined, to: undefined, token, amount }
}

/** Checks a call of a comet against the deposit or withdrawal of its base asset that was asked for. */
export function checkCompoundV3Calldata(
  { data }: Transaction,
  intent: MarketIntent,
  asset: Token,
): CalldataVerdict {
  const wanted = intent.kind === 'deposit' ? 'supply' : 'withdraw'
  const found = writeOf(data, wanted)
  if (!found) return refuse('POLICY_DECODE', `It is not a call of ${wanted} of a Compound v3 market`)
  const { from, to, token, amount } = found
  if (from && !sameAddress(from, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It moves tokens of ${from}, not of ${intent.wallet}`)
  if (to && !sameAddress(to, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It is for ${to}, not for ${intent.wallet}`)
  if (!sameAddress(token, asset.address))
    return refuse('POLICY_AMOUNT', `It moves the token ${token}, not ${asset.symbol} (${asset.address})`)
  const isAll = intent.kind === 'withdraw' && intent.shares !== undefined
  const exact = isAll ? maxUint256 : intent.amount
  if (amount !== exact)
    return refuse('POLICY_AMOUNT', `Its amount is ${amount}, not ${isAll ? 'the whole position' : exact}`)
  // In a deposit the largest number means "repay the debt".
  if (wanted === 'supply' && amount === maxUint256)
    return refuse('POLICY_AMOUNT', 'It repays debt instead of supplying an amount')
  const shown = isAll ? `all ${asset.symbol}` : formatAmount(amount, asset)
  return {
    bound: {
      name: wanted,
      args: jsonArguments({ ...(from && { from }), ...(to && { to }), asset: token, amount }),
      text: wanted === 'supply' ? `Supply ${shown} to Compound v3` : `Withdraw ${shown} from Compound v3`,
      value: 0n,
      ...(wanted === 'supply' ? { spends: { token: asset.address, amount } } : {}),
    },
  }
}
