import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import type { MarketIntent } from '../intent.ts'
import { matchesWithdrawal } from '../withdrawal-units.ts'
import type { StakingToken } from './calls-and-reads.ts'

/** Checks a call against the deposit or withdrawal that was asked for. */
export function checkStakedCalldata(
  { to, data }: Transaction,
  intent: MarketIntent,
  { asset, receipt }: { asset: Token; receipt: Token },
  { stake: into, leave, takesReceipt }: StakingToken,
  isQueued: boolean,
): CalldataVerdict {
  const isDeposit = intent.kind === 'deposit'
  const [mine, other] = isDeposit ? [into, leave] : [leave, into]
  if (sameAddress(to, other.to) && !sameAddress(to, mine.to))
    return refuse(
      'POLICY_CONTRACT_NOT_ALLOWED',
      `The contract ${to} is not the one for this action on this network`,
    )
  const found = strictDecode(mine.abi, data) as { args?: readonly unknown[] } | undefined
  if (!found) return refuse('POLICY_DECODE', `It is not a call of ${mine.name} of this protocol`)
  const args = found.args ?? []
  const [given, wanted] = [args[mine.roles.indexOf('units')], args[mine.roles.indexOf('wallet')]]
  if (typeof wanted === 'string' && !sameAddress(wanted, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It is for ${wanted}, not for ${intent.wallet}`)
  const referral = args[mine.roles.indexOf('nobody')]
  if (typeof referral === 'string' && !sameAddress(referral, nativeAddress))
    return refuse('POLICY_RECIPIENT', `It names the referrer ${referral}`)
  const shown = jsonArguments(Object.fromEntries(args.map((value, at) => [mine.roles[at]!, value])))
  if (isDeposit) {
    const text = `Stake ${formatAmount(intent.amount, asset)} for ${receipt.symbol}`
    return { bound: { name: mine.name, args: shown, text, value: intent.amount } }
  }
  if (typeof given !== 'bigint' || !matchesWithdrawal(given, intent))
    return refuse('POLICY_AMOUNT', `It returns ${given} of ${receipt.symbol}, not the requested amount`)
  const much = intent.shares === undefined ? formatAmount(intent.amount, asset) : `all ${receipt.symbol}`
  return {
    bound: {
      name: mine.name,
      args: shown,
      text: isQueued ? `Request the withdrawal of ${much}, to be claimed later` : `Withdraw ${much}`,
      value: 0n,
      ...(takesReceipt && { spends: { token: receipt.address, amount: given } }),
    },
  }
}
