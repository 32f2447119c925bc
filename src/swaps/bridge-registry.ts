import { sameAddress } from '../domain/address.ts'
import { followDeposit } from './across/follow.ts'
import { acrossOn } from './across/pairs.ts'
import type { FollowTransfer } from './bridge-delivery.ts'
import { followBurn } from './cctp-v2/follow.ts'

/** Follows a transfer to another chain as the provider does whose contract was called: Across by its pool, else CCTP v2. */
export const followTransfer: FollowTransfer = (context, awaited, told) => {
  const { chainId, to } = awaited.sent.transaction
  const pool = acrossOn(context.catalog, chainId)?.spokePool
  const follow = pool && sameAddress(pool, to) ? followDeposit : followBurn
  return follow(context, awaited, told)
}
