import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import type { Intent, MarketIntent } from '../intent.ts'
import { matchesWithdrawal } from '../withdrawal-units.ts'
import { liquidity } from './abi.ts'
import { isCoin, type Pool, pooledToken } from './lp-token.ts'

/** Checks a call of the HubPool against the deposit or withdrawal that was asked for. */
export function checkAcrossPoolCalldata(
  { data }: Transaction,
  intent: MarketIntent,
  pool: Pool,
): CalldataVerdict {
  const { asset } = pool
  if (isCoin(pool) !== (pool.constants.wrapped !== undefined))
    return refuse('POLICY_AMOUNT', `The pool does not take ${asset.symbol}`)
  const call = strictDecode(liquidity, data)
  const wanted = intent.kind === 'deposit' ? 'addLiquidity' : 'removeLiquidity'
  if (call?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of the HubPool`)
  const [l1Token, amount] = call.args
  if (!sameAddress(l1Token, pooledToken(pool)))
    return refuse('POLICY_AMOUNT', `It uses the pool of ${l1Token}, not of ${asset.symbol}`)
  if (call.functionName === 'addLiquidity') {
    if (amount !== intent.amount)
      return refuse('POLICY_AMOUNT', `It deposits ${amount}, not ${intent.amount}`)
    return {
      bound: {
        name: wanted,
        args: jsonArguments({ l1Token, amount }),
        text: `Put ${formatAmount(amount, asset)} into the pool`,
        value: isCoin(pool) ? amount : 0n,
        ...(!isCoin(pool) && { spends: { token: asset.address, amount } }),
      },
    }
  }
  return boundExit({ l1Token, units: amount, sendEth: call.args[2] }, intent, pool)
}

function boundExit(
  { l1Token, units, sendEth }: { l1Token: Address; units: bigint; sendEth: boolean },
  intent: Intent,
  pool: Pool,
): CalldataVerdict {
  const { asset } = pool
  if (intent.kind !== 'withdraw' || !matchesWithdrawal(units, intent))
    return refuse('POLICY_AMOUNT', `It returns ${units} LP tokens, not the requested amount`)
  if (sendEth !== isCoin(pool)) return refuse('POLICY_AMOUNT', `It does not pay out in ${asset.symbol}`)
  const much = intent.shares === undefined ? formatAmount(intent.amount, asset) : `all ${asset.symbol}`
  return {
    bound: {
      name: 'removeLiquidity',
      args: jsonArguments({ l1Token, lpTokenAmount: units, sendEth }),
      text: `Withdraw ${much} from the pool`,
      value: 0n,
    },
  }
}
