import { networkNamed } from '../domain/network.ts'
import { nativeToken } from '../domain/token.ts'
import type { Ground } from '../wallet/ground.ts'
import type { Price } from '../wallet/plan-json.ts'
import type { ProposedLeg } from '../wallet/proposal.ts'
import { tokensOf } from '../wallet/registry.ts'
import type { Place } from './world.ts'

/** What the tokens of a plan cost where it begins, and the coin that its gas is paid in: for display alone. */
export function planPrices(
  place: Pick<Place, 'prices'>,
  { catalog }: Pick<Ground, 'catalog'>,
  { legs }: { legs: readonly Pick<ProposedLeg, 'chainId' | 'intent'>[] },
): Promise<readonly Price[]> {
  const { chainId, intent } = legs[0]!
  const coin = nativeToken(networkNamed(catalog.networks, chainId))
  const tokens = (intent ? tokensOf(intent) : []).filter(
    (token) => token.chainId === chainId && token.address !== coin.address,
  )
  return place.prices(chainId, [coin, ...tokens])
}
