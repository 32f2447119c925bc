import { parseAbi } from 'viem/utils'
import { type Teller, teller } from '../call-description.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { vaultTellers } from '../shared/vault-call-tellers.ts'

/** The coin of the vault whose asset is the wrapped one (Instadapp/fluid-contracts-public, fToken/nativeUnderlying). */
const native = parseAbi([
  'function depositNative(address receiver) payable returns (uint256 shares)',
  'function withdrawNative(uint256 assets, address receiver, address owner) returns (uint256 shares)',
])

/** What calls of an fToken do. */
export const fluidTellers = (entry: StrategyEntry): readonly Teller[] => [
  ...vaultTellers(entry),
  teller(native, 'depositNative', 'deposit', ([receiver], say) => ({
    text: `deposits ${say.coin(say.call.value)} into ${entry.name}${say.forWhom(receiver)}`,
    holders: [receiver],
  })),
  teller(native, 'withdrawNative', 'withdraw', ([assets, receiver], say) => ({
    text: `withdraws ${say.upTo('0x0000000000000000000000000000000000000000', assets)} from ${entry.name}${say.toWhom(receiver)}`,
    holders: [receiver],
    paysCoinTo: receiver,
  })),
]
