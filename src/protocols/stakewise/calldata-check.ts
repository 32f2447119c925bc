import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import type { IntentOf, MarketIntent } from '../intent.ts'
import { matchesWithdrawal } from '../withdrawal-units.ts'
import { exits, stakeCoin, stakeToken } from './abi.ts'

/** Checks a call of a vault against the deposit, or the request for a withdrawal, that was asked for. */
export function checkStakewiseCalldata(
  { data }: Transaction,
  intent: MarketIntent,
  asset: Token,
): CalldataVerdict {
  if (intent.kind === 'deposit') return boundStake(data, intent, asset)
  const found = strictDecode(exits, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a call of enterExitQueue of StakeWise')
  const [shares, receiver] = found.args
  if (!sameAddress(receiver, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It is for ${receiver} to claim, not for ${intent.wallet}`)
  if (!matchesWithdrawal(shares, intent))
    return refuse('POLICY_AMOUNT', `It returns ${shares} shares, not the requested amount`)
  const much = intent.shares === undefined ? formatAmount(intent.amount, asset) : `all ${asset.symbol}`
  return {
    bound: {
      name: 'enterExitQueue',
      args: jsonArguments({ shares, receiver }),
      text: `Request the withdrawal of ${much}, to be claimed later`,
      value: 0n,
    },
  }
}

function boundStake(
  data: Transaction['data'],
  { amount, wallet }: IntentOf<'deposit'>,
  asset: Token,
): CalldataVerdict {
  const isCoin = asset.address === nativeAddress
  const found = strictDecode<typeof stakeCoin | typeof stakeToken>(isCoin ? stakeCoin : stakeToken, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a call of deposit of StakeWise')
  const [receiver, referrer] = found.args.slice(-2) as [Address, Address]
  const given = found.args.length === 3 ? found.args[0] : amount
  if (!sameAddress(receiver, wallet))
    return refuse('POLICY_RECIPIENT', `Its shares are for ${receiver}, not for ${wallet}`)
  if (!sameAddress(referrer, nativeAddress))
    return refuse('POLICY_RECIPIENT', `It names the referrer ${referrer}`)
  if (given !== amount) return refuse('POLICY_AMOUNT', `Its amount is ${given}, not ${amount}`)
  return {
    bound: {
      name: 'deposit',
      args: jsonArguments({ ...(!isCoin && { assets: given }), receiver, referrer }),
      text: `Stake ${formatAmount(amount, asset)} with StakeWise`,
      value: isCoin ? amount : 0n,
      ...(!isCoin && { spends: { token: asset.address, amount } }),
    },
  }
}
