import { parseAbi } from 'viem/utils'
import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import { boundVaultCall, checkErc4626Calldata, wantedCall } from '../erc4626/calldata-check.ts'
import type { MarketIntent } from '../intent.ts'

/** The withdrawals with a limit on the loss. */
export const exits = parseAbi([
  'function withdraw(uint256 assets, address receiver, address owner, uint256 max_loss) returns (uint256)',
  'function redeem(uint256 shares, address receiver, address owner, uint256 max_loss) returns (uint256)',
])

/** The largest accepted loss of a withdrawal, in basis points: the cost of rounding between strategies. */
export const maxLoss = 1n

/** Checks a call of a vault of Yearn v3: a deposit is ERC-4626, a withdrawal limits the loss to the smallest one. */
export function checkYearnV3Calldata(
  transaction: Transaction,
  intent: MarketIntent,
  asset: Token,
): CalldataVerdict {
  if (intent.kind === 'deposit') return checkErc4626Calldata(transaction, intent, asset)
  const found = strictDecode(exits, transaction.data)
  const wanted = wantedCall(intent)
  if (found?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of a Yearn v3 vault that bounds its loss`)
  const [amount, receiver, owner, loss] = found.args
  if (loss > maxLoss)
    return refuse('POLICY_AMOUNT', `It accepts a loss of ${loss} basis points; the maximum is ${maxLoss}`)
  return boundVaultCall({ amount, receiver, owner }, intent, asset, { maxLoss: loss })
}
