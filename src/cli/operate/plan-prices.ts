import { networkNamed } from '../../domain/network-named.ts'
import { nativeToken } from '../../domain/token.ts'
import type { Ground } from '../../wallet/ground.ts'
import { tokensOf } from '../../wallet/guard/registry.ts'
import type { Price } from '../../wallet/plan/priced.ts'
import type { ProposedLeg } from '../../wallet/plan/proposal.ts'
import type { Place } from '../world.ts'

/** What the tokens of a plan cost where it begins and where its swaps bring them, and the coins that its gas is paid in: for display alone. */
export async function planPrices(
  place: Pick<Place, 'prices'>,
  { catalog }: Pick<Ground, 'catalog'>,
  { legs }: { legs: readonly Pick<ProposedLeg, 'chainId' | 'intent'>[] },
): Promise<readonly Price[]> {
  const coins = legs.map(({ chainId }) => nativeToken(networkNamed(catalog.networks, chainId)))
  const intents = legs.flatMap(({ intent }) => intent ?? [])
  const tokens = [
    ...coins,
    ...intents.flatMap((intent) => [
      ...tokensOf(intent),
      ...('strategy' in intent ? [intent.strategy.receipt] : []),
    ]),
  ]
  const once = new Map(tokens.map((token) => [`${token.chainId} ${token.address.toLowerCase()}`, token]))
  const perChain = Map.groupBy(once.values(), (token) => token.chainId)
  const found = await Promise.all([...perChain].map(([id, here]) => place.prices(id, here)))
  return found.flat()
}
