import type { Address } from '../../domain/address.ts'
import type { EngineStore } from '../../store/engine.ts'
import type { Chain } from '../chain.ts'
import { inPassing } from '../in-passing.ts'
import type { Market } from '../markets/market.ts'
import { nameOf } from './filters.ts'

/** For so long, in ms, what was read again is left alone: there are units whose logs nobody gives. */
const apart = 86_400_000

/**
 * Forgets the logs of an owner in a market that cannot be all there are, so that they are read anew; once a day. Where several
 * nodes answer one exchange, the block may be of another one than the logs.
 */
export async function readAgain(
  { store, now }: { store: EngineStore; now: () => number },
  { network: { chainId } }: Chain,
  market: Market,
  owner: Address,
): Promise<void> {
  const place = { chainId, source: nameOf(market.logs(owner)), owner: owner.toLowerCase() }
  const name = `read again ${place.source} ${place.owner}`
  const last = await store.fact(chainId, name)
  if (last !== undefined && now() - Number(last) < apart) return
  await inPassing(store.keepFact(chainId, name, String(now())))
  await inPassing(store.forgetLogs(place, -1))
}
