import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount, maxUint256 } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import type { MarketIntent } from '../intent.ts'
import { writes } from './abi.ts'

/** How much a call supplies; `undefined` where it is no call of `supply`. */
export function decodeSupplied({ data }: Transaction): bigint | undefined {
  const call = strictDecode(writes, data)
  return call?.functionName === 'supply' ? call.args[1] : undefined
}

/** Checks a call of the pool against the deposit or withdrawal of `asset` that was asked for. */
export function checkAaveV3Calldata(
  { data }: Transaction,
  intent: MarketIntent,
  asset: Token,
): CalldataVerdict {
  const call = strictDecode(writes, data)
  const wanted = intent.kind === 'deposit' ? 'supply' : 'withdraw'
  if (call?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of an Aave v3 pool`)
  const [token, amount, account] = call.args
  if (!sameAddress(token, asset.address))
    return refuse('POLICY_AMOUNT', `It moves the token ${token}, not ${asset.symbol} (${asset.address})`)
  if (!sameAddress(account, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It is for the account ${account}, not for ${intent.wallet}`)
  if (call.functionName === 'supply') {
    if (amount !== intent.amount)
      return refuse('POLICY_AMOUNT', `It supplies ${amount}, not ${intent.amount}`)
    if (call.args[3] !== 0)
      return refuse('POLICY_AMOUNT', 'It carries a referral code that was not requested')
    return {
      bound: {
        name: 'supply',
        args: jsonArguments({ asset: token, amount, onBehalfOf: account, referralCode: 0 }),
        text: `Supply ${formatAmount(amount, asset)} to Aave v3`,
        value: 0n,
        spends: { token: asset.address, amount },
      },
    }
  }
  const all = intent.kind === 'withdraw' && intent.shares !== undefined
  if (amount !== (all ? maxUint256 : intent.amount))
    return refuse(
      'POLICY_AMOUNT',
      `It withdraws ${amount}, not ${all ? 'the whole position' : intent.amount}`,
    )
  return {
    bound: {
      name: 'withdraw',
      args: jsonArguments({ asset: token, amount, to: account }),
      text: `Withdraw ${all ? `all ${asset.symbol}` : formatAmount(amount, asset)} from Aave v3`,
      value: 0n,
    },
  }
}
