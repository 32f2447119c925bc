import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import type { MarketIntent } from '../intent.ts'
import { writes } from './abi.ts'

/** How much a call puts into a vault; `undefined` where it is no call of `deposit`. */
export function decodeDeposited({ data }: Transaction): bigint | undefined {
  const found = strictDecode(writes, data)
  return found?.functionName === 'deposit' ? found.args[0] : undefined
}

/** The function that an intent needs: `deposit`, `withdraw` for an exact amount, `redeem` for all shares. */
export const wantedCall = (intent: MarketIntent): 'deposit' | 'withdraw' | 'redeem' => {
  if (intent.kind === 'deposit') return 'deposit'
  return intent.shares === undefined ? 'withdraw' : 'redeem'
}

/** Checks a call of the vault against the deposit or withdrawal that was asked for. */
export function checkErc4626Calldata(
  { data }: Transaction,
  intent: MarketIntent,
  asset: Token,
): CalldataVerdict {
  const found = strictDecode(writes, data)
  const wanted = wantedCall(intent)
  if (found?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of an ERC-4626 vault`)
  const [amount, receiver, owner] = found.args
  return boundVaultCall({ amount, receiver, owner }, intent, asset)
}

/** Checks the arguments of a call of a vault: the wallet is receiver and owner, and the amount is the one asked for. `more` are further arguments to show. */
export function boundVaultCall(
  { amount, receiver, owner }: { amount: bigint; receiver: Address; owner?: Address | undefined },
  intent: MarketIntent,
  asset: Token,
  more: Record<string, bigint> = {},
): CalldataVerdict {
  const name = wantedCall(intent)
  if (!sameAddress(receiver, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${intent.wallet}`)
  if (owner !== undefined && !sameAddress(owner, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It takes the shares of ${owner}, not of ${intent.wallet}`)
  const asked = intent.kind === 'withdraw' && intent.shares !== undefined ? intent.shares : intent.amount
  if (amount !== asked) return refuse('POLICY_AMOUNT', `Its amount is ${amount}, not ${asked}`)
  const text = {
    deposit: `Deposit ${formatAmount(amount, asset)} into the vault`,
    withdraw: `Withdraw ${formatAmount(amount, asset)} from the vault`,
    redeem: `Withdraw all ${asset.symbol} from the vault`,
  }[name]
  const args = {
    [name === 'redeem' ? 'shares' : 'assets']: amount,
    receiver,
    ...(owner !== undefined && { owner }),
    ...more,
  }
  return {
    bound: {
      name,
      args: jsonArguments(args),
      text,
      value: 0n,
      ...(name === 'deposit' && { spends: { token: asset.address, amount } }),
    },
  }
}
