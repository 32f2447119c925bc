import { nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Catalog } from '../../domain/catalog.ts'
import { AppError } from '../../domain/errors.ts'
import type { Intent } from '../../domain/intent.ts'
import { whyLost } from '../../domain/lost.ts'

/** Whoever asked for it: what a swap or a transfer pays goes to nobody from whom it would never come back. */
export function refuseLost({
  intent,
  chainId,
  catalog,
}: {
  intent: Intent
  chainId: number
  catalog: Catalog
}): void {
  if (intent.kind !== 'swap' && intent.kind !== 'transfer') return
  const { recipient } = intent
  const isCoin = intent.kind === 'transfer' && sameAddress(intent.token.address, nativeAddress)
  const at = intent.kind === 'swap' ? intent.tokenOut.chainId : chainId
  const paid = intent.kind === 'swap' ? intent.tokenOut : intent.token
  const isItself = !isCoin && sameAddress(paid.address, recipient)
  const lost = isItself ? 'the token itself' : whyLost(catalog, at, recipient, isCoin)
  if (lost)
    throw new AppError('POLICY_RECIPIENT', `The recipient is ${lost}: what is sent there is lost`, {
      hint: 'Name an address that somebody has the key of.',
    })
}
