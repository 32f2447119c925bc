import { ask } from '../../chain/ask.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Token } from '../../domain/token.ts'
import { whyLost } from '../../protocols/unrecoverable-recipients.ts'
import { whyRecipientLost } from '../../swaps/swap-provider-registry.ts'
import type { EngineContext } from '../engine.ts'

/** Refuses a recipient from which funds could not be recovered, by the catalogue alone. */
export function refuseUnrecoverable(
  { catalog }: Pick<EngineContext, 'catalog'>,
  chainId: number,
  to: Address | null | undefined,
  who = 'recipient',
): void {
  const lost = to && whyLost(catalog, chainId, to)
  if (lost) throw unrecoverableRecipient(lost, who)
}

/** The payee of a swap or transfer on its chain. `tokens` are those of the request, which may be missing from the catalogue. */
type Payee = { chainId: number; to: Address; tokens: readonly Token[]; isCoin?: boolean }

/**
 * Why tokens sent to a payee are lost, as the end of a sentence: a contract or token of the catalogue, a token of the request, or a pool.
 * Pools are recognised on the chain, and an unreachable chain is an error. `undefined` for any wallet.
 */
export async function whyPayeeLost(
  { chain, catalog }: Pick<EngineContext, 'chain' | 'catalog'>,
  { chainId, to, tokens, isCoin = false }: Payee,
): Promise<string | undefined> {
  const own = tokens.find((token) => token.chainId === chainId && sameAddress(token.address, to))
  if (own && !isCoin) return whyLost(catalog, chainId, to) ?? `the token ${own.symbol}`
  const lost = await ask(chain(chainId), whyRecipientLost(catalog, { chainId, to, isCoin }))
  return lost
}

/** Refuses such a payee of a swap; INVALID_ADDRESS. The signing `wallet` is not read, because it is no pool. */
export async function refuseRecipient(
  context: EngineContext,
  chainId: number,
  {
    to,
    tokens,
    wallet,
    who,
  }: { to: Address | null | undefined; tokens: readonly Token[]; wallet?: Address; who?: string },
): Promise<void> {
  if (!to) return
  if (wallet && sameAddress(to, wallet)) return refuseUnrecoverable(context, chainId, to, who)
  const lost = await whyPayeeLost(context, { chainId, to, tokens })
  if (lost) throw unrecoverableRecipient(lost, who)
}

const unrecoverableRecipient = (lost: string, who = 'recipient'): AppError =>
  new AppError('INVALID_ADDRESS', `The ${who} is ${lost}: funds sent there are lost`, {
    next: 'Use an address that you or the recipient has the key of.',
  })
