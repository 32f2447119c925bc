import { sameAddress } from '../domain/address.ts'
import { followDeposit } from './across/follow.ts'
import { acrossOn } from './across/pairs.ts'
import { followRamp, isSentToDesk } from './avenia/follow.ts'
import type { FollowTransfer } from './bridge-delivery.ts'
import { followBurn } from './cctp-v2/follow.ts'
import { followOrder } from './cow/follow.ts'
import { followRelay } from './relay/follow.ts'
import { relayOn } from './relay/order.ts'

/** Follows a transfer by the provider whose contract was called; any other contract is CCTP v2. LI.FI deposits into the pool of Across. */
export const followTransfer: FollowTransfer = (context, awaited, told) => {
  if (isSentToDesk(context.catalog, awaited.sent.transaction)) return followRamp(context, awaited, told)
  const { chainId, to } = awaited.sent.transaction
  const depository = relayOn(context.catalog, chainId)?.depository
  if (depository && sameAddress(depository, to)) return followRelay(context, awaited, told)
  const pool = acrossOn(context.catalog, chainId)?.spokePool
  const isOrder = context.catalog.cow.some(
    (one) => one.chainId === chainId && sameAddress(one.settlement, to),
  )
  if (isOrder) return followOrder(context, awaited, told)
  const isLifi = context.catalog.lifi.some((one) => one.chainId === chainId && sameAddress(one.diamond, to))
  const follow = isLifi || (pool && sameAddress(pool, to)) ? followDeposit : followBurn
  return follow(context, awaited, told)
}
