import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import type { IntentOf, MarketIntent } from '../intent.ts'
import { matchesWithdrawal } from '../withdrawal-units.ts'
import {
  entranceOf,
  leftOfAll,
  mostRequest,
  request,
  requestWrapped,
  stakeCoin,
  stakeWrapped,
} from './abi.ts'
import type { LidoConstants } from './constants-schema.ts'

/** Checks a call of Lido against the deposit, or the request for a withdrawal, that was asked for. */
export function checkLidoCalldata(
  { to, data }: Transaction,
  intent: MarketIntent,
  asset: Token,
  receipt: Token,
  constants: LidoConstants,
): CalldataVerdict {
  const isDeposit = intent.kind === 'deposit'
  if (!sameAddress(to, isDeposit ? entranceOf(constants) : constants.queue))
    return refuse(
      'POLICY_CONTRACT_NOT_ALLOWED',
      `The contract ${to} is not the one for this action on this network`,
    )
  if (isDeposit) return boundStake(data, intent, asset, constants)
  const isPlain = constants.holds === 'stETH'
  const found = strictDecode(isPlain ? request : requestWrapped, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a request for a withdrawal from Lido')
  const [amounts, owner] = found.args
  if (!sameAddress(owner, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It makes the request for ${owner}, not for ${intent.wallet}`)
  const sum = amounts.reduce((all, one) => all + one, 0n)
  const isMeant = isPlain ? sum === (intent.shares ?? intent.amount) : matchesWithdrawal(sum, intent)
  if (!isMeant)
    return refuse('POLICY_AMOUNT', `It withdraws ${sum} of ${receipt.symbol}, not the requested amount`)
  // Each request is claimed separately: more of them than necessary only cost more gas.
  const most = isPlain ? mostRequest : mostRequest / 2n
  const needed = sum <= most ? 1 : Number((sum + most - 1n) / most)
  if (amounts.length !== needed)
    return refuse('POLICY_SHAPE', `It makes ${amounts.length} requests, but ${needed} are enough`)
  const rest = leftOfAll(constants, sum)
  const all = `all ${receipt.symbol}${rest === 0n ? '' : `, but for up to ${rest} wei that its rounding to shares leaves`}`
  const much = intent.shares === undefined ? formatAmount(intent.amount, asset) : all
  return {
    bound: {
      name: found.functionName,
      args: jsonArguments({ amounts: amounts.join(), owner }),
      text: `Request the withdrawal of ${much}, to be claimed later`,
      value: 0n,
      spends: { token: receipt.address, amount: sum },
    },
  }
}

function boundStake(
  data: Transaction['data'],
  { amount }: IntentOf<'deposit'>,
  asset: Token,
  { holds }: LidoConstants,
): CalldataVerdict {
  const found = strictDecode(holds === 'stETH' ? stakeCoin : stakeWrapped, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a call that stakes with Lido')
  const [referral] = found.args
  if (!sameAddress(referral, nativeAddress))
    return refuse('POLICY_RECIPIENT', `It names the referrer ${referral}`)
  return {
    bound: {
      name: found.functionName,
      args: jsonArguments({ referral }),
      text: `Stake ${formatAmount(amount, asset)} with Lido, for ${holds}`,
      value: amount,
    },
  }
}
