import { jsonArguments, strictDecode } from '../../chain/calldata.ts'
import { sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Intent } from '../intent.ts'
import { refuse, type Verdict } from '../verdict.ts'
import { writes } from './abi.ts'

/** How much a call puts into a vault; `undefined` where it is no call of `deposit`. */
export function decodeDeposited({ data }: Transaction): bigint | undefined {
  const found = strictDecode(writes, data)
  return found?.functionName === 'deposit' ? found.args[0] : undefined
}

/** Binds a call of the vault to the deposit or withdrawal that was asked for. */
export function bindErc4626(
  { data }: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  const found = strictDecode(writes, data)
  const wanted = intent.kind === 'deposit' ? 'deposit' : intent.shares === undefined ? 'withdraw' : 'redeem'
  if (found?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of an ERC-4626 vault`)
  const [amount, receiver, owner] = found.args
  if (!sameAddress(receiver, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${intent.wallet}`)
  if (owner !== undefined && !sameAddress(owner, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It takes the shares of ${owner}, not of ${intent.wallet}`)
  const asked = intent.kind === 'withdraw' && intent.shares !== undefined ? intent.shares : intent.amount
  if (amount !== asked) return refuse('POLICY_AMOUNT', `It is about ${amount}, not ${asked}`)
  const args = wanted === 'redeem' ? { shares: amount, receiver, owner } : { assets: amount, receiver, owner }
  const text = {
    deposit: `Deposit ${formatAmount(amount, asset)} into the vault`,
    withdraw: `Withdraw ${formatAmount(amount, asset)} from the vault`,
    redeem: `Withdraw all ${asset.symbol} from the vault`,
  }[wanted]
  return {
    bound: {
      name: wanted,
      args: jsonArguments(owner === undefined ? { assets: amount, receiver } : args),
      text,
      value: 0n,
      ...(wanted === 'deposit' ? { spends: { token: asset.address, amount } } : {}),
    },
  }
}
