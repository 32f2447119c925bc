import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import type { IntentOf, MarketIntent } from '../intent.ts'
import { entranceOf, exits, mintByRouter, mintCoin, mintToken } from './abi.ts'
import type { CompoundV2Constants } from './constants-schema.ts'

/** Checks a call of a market, or of its router, against the deposit or withdrawal that was asked for. */
export function checkCompoundV2Calldata(
  { to, data }: Transaction,
  intent: MarketIntent,
  asset: Token,
  { market, coin }: CompoundV2Constants,
): CalldataVerdict {
  const isDeposit = intent.kind === 'deposit'
  if (!sameAddress(to, isDeposit ? entranceOf({ market, coin }) : market))
    return refuse(
      'POLICY_CONTRACT_NOT_ALLOWED',
      `The contract ${to} is not the one for this action on this network`,
    )
  if (isDeposit) return boundMint(data, intent, asset, coin)
  const found = strictDecode(exits, data)
  const isAll = intent.shares !== undefined
  const wanted = isAll ? 'redeem' : 'redeemUnderlying'
  if (found?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of a lending market`)
  const [amount] = found.args
  const exact = intent.shares ?? intent.amount
  if (amount !== exact) return refuse('POLICY_AMOUNT', `Its amount is ${amount}, not ${exact}`)
  const text = `Withdraw ${isAll ? `all ${asset.symbol}` : formatAmount(amount, asset)} from the market`
  return { bound: { name: wanted, args: jsonArguments({ amount }), text, value: 0n } }
}

function boundMint(
  data: Transaction['data'],
  { wallet, amount }: IntentOf<'deposit'>,
  asset: Token,
  coin: CompoundV2Constants['coin'],
): CalldataVerdict {
  const bound = { name: 'mint', text: `Supply ${formatAmount(amount, asset)} to the market` }
  const isCoin = asset.address === nativeAddress
  if (isCoin !== (coin !== undefined))
    return refuse('POLICY_AMOUNT', `The market does not take ${asset.symbol}`)
  if (coin === undefined) {
    const found = strictDecode(mintToken, data)
    if (!found) return refuse('POLICY_DECODE', 'It is not a call of mint of a lending market')
    if (found.args[0] !== amount)
      return refuse('POLICY_AMOUNT', `It supplies ${found.args[0]}, not ${amount}`)
    return {
      bound: {
        ...bound,
        args: jsonArguments({ amount }),
        value: 0n,
        spends: { token: asset.address, amount },
      },
    }
  }
  if (coin === 'market') {
    if (!strictDecode(mintCoin, data))
      return refuse('POLICY_DECODE', 'It is not a call of mint of a market of the native coin')
    return { bound: { ...bound, args: {}, value: amount } }
  }
  const found = strictDecode(mintByRouter, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a call of mint of the router of a market')
  const [recipient] = found.args
  if (!sameAddress(recipient, wallet))
    return refuse('POLICY_RECIPIENT', `It is for the account ${recipient}, not for ${wallet}`)
  return { bound: { ...bound, args: jsonArguments({ recipient }), value: amount } }
}
