import type { Chain } from '../../../chain/chain.ts'
import type { Address } from '../../../domain/address.ts'
import type { Market } from '../../../protocols/market.ts'
import type { EngineStore } from '../../../store/engine/store.ts'
import { writeInBackground } from '../../background-writes.ts'
import { filtersKey } from './filters.ts'

const dayMs = 86_400_000
/** For so long, in ms, what was read again is left alone the first time, and ten times as long each time after, up to a day. */
const firstPauseMs = 60_000

/**
 * Forgets the logs of an owner in a market that cannot be all there are, so that they are read anew; more and more seldom, as there
 * are units whose logs nobody gives. Says whether it did. Where several nodes answer one exchange, the block may be of another one
 * than the logs.
 */
export async function discardLogs(
  { store, now }: { store: EngineStore; now: () => number },
  { network: { chainId } }: Chain,
  market: Market,
  owner: Address,
): Promise<boolean> {
  const place = { chainId, source: filtersKey(market.logs(owner)), owner: owner.toLowerCase() }
  const name = `read again ${place.source} ${place.owner}`
  const [last, times] = ((await store.fact(chainId, name)) ?? '').split(' ').map(Number)
  const since = last ? now() - last : Infinity
  if (since < Math.min(dayMs, firstPauseMs * 10 ** ((times ?? 1) - 1))) return false
  // What was in order for a week begins anew.
  const again = since > 7 * dayMs ? 1 : (times ?? 1) + 1
  await writeInBackground(store.storeFact(chainId, name, `${now()} ${again}`))
  await writeInBackground(store.deleteLogs(place, -1))
  return true
}
