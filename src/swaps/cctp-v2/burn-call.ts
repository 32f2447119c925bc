import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import type { Address, Hex } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { burnAbi } from './abi.ts'

/** The fields of a burn message that the burn fixes, named as in BurnMessageV2. `amount` is in the smallest unit. */
export type BurnFields = { burnToken: Address; mintRecipient: Hex; amount: bigint; messageSender: Address }

/** Decodes the burn of a wallet's call of depositForBurn or depositForBurnWithHook; `undefined` for other calls. */
export function decodeBurn({ data }: Transaction, wallet: Address): BurnFields | undefined {
  const call = strictDecode(burnAbi, data)
  if (!call) return undefined
  const [amount, , mintRecipient, burnToken] = call.args
  return { burnToken, mintRecipient, amount, messageSender: wallet }
}
