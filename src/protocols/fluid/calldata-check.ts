import { parseAbi } from 'viem/utils'
import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import { boundVaultCall, checkErc4626Calldata, wantedCall } from '../erc4626/calldata-check.ts'
import type { MarketIntent } from '../intent.ts'
import { matchesWithdrawal } from '../withdrawal-units.ts'

/** The withdrawal of an exact amount with a limit on the shares that it burns (source: Instadapp/fluid-contracts-public, fToken/main.sol). */
export const limitedWithdrawal = parseAbi([
  'function withdraw(uint256 assets, address receiver, address owner, uint256 maxSharesBurn) returns (uint256 shares)',
])

/** Checks a call of an fToken: a partial withdrawal limits the shares that it burns, everything else is ERC-4626. */
export function checkFluidCalldata(
  transaction: Transaction,
  intent: MarketIntent,
  asset: Token,
): CalldataVerdict {
  if (intent.kind === 'deposit' || wantedCall(intent) === 'redeem')
    return checkErc4626Calldata(transaction, intent, asset)
  const found = strictDecode(limitedWithdrawal, transaction.data)
  if (!found)
    return refuse('POLICY_DECODE', 'It is not a call of withdraw of an fToken that limits the shares burned')
  const [amount, receiver, owner, maxSharesBurn] = found.args
  if (!matchesWithdrawal(maxSharesBurn, intent))
    return refuse('POLICY_AMOUNT', `It burns up to ${maxSharesBurn} shares, not what the withdrawal costs`)
  return boundVaultCall({ amount, receiver, owner }, intent, asset, { maxSharesBurn })
}
