import { ask } from '../chain/ask.ts'
import { openChain } from '../chain/network-client.ts'
import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/networks.ts'
import type { Intent } from '../protocols/intent.ts'
import { whyRecipientLost } from '../swaps/swap-provider-registry.ts'
import type { ExecutionContext } from './execution-context-types.ts'

/** Refuses a recipient from which tokens could not be recovered, with reads of its chain. POLICY_RECIPIENT. */
export async function refuseLostRecipient(
  { catalog, rpc }: Pick<ExecutionContext, 'catalog' | 'rpc'>,
  { chainId, to }: { chainId: number; to: Address },
): Promise<void> {
  const chain = openChain(networkNamed(catalog.networks, chainId), rpc(chainId))
  const lost = await ask(chain, whyRecipientLost(catalog, { chainId, to }))
  if (lost) throw lostRecipientError(lost)
}

/** The refusal of a recipient; `lost` is the end of its sentence. */
export const lostRecipientError = (lost: string): AppError =>
  new AppError('POLICY_RECIPIENT', `The recipient is ${lost}: funds sent there are lost`, {
    hint: 'Use an address that you or the recipient has the key of.',
  })

/** The same for the recipient of a swap or transfer. The signing wallet is no pool, and a coin may be sent to contracts. */
export async function refuseLostPayee(context: ExecutionContext, intent: Intent): Promise<void> {
  if (intent.kind !== 'swap' && intent.kind !== 'transfer') return
  const { recipient: to, wallet } = intent
  const { chainId, address } = intent.kind === 'swap' ? intent.tokenOut : intent.token
  const isSentCoin = intent.kind === 'transfer' && sameAddress(address, nativeAddress)
  if (!isSentCoin && !sameAddress(to, wallet)) await refuseLostRecipient(context, { chainId, to })
}
