import { networkNamed } from '../../domain/networks.ts'
import { nativeToken } from '../../domain/token.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { ProposedLeg } from '../../planning/proposal.ts'
import type { TokenUsdPrice } from '../../planning/usd-value.ts'
import { intentTokens } from '../../protocols/intent.ts'
import type { Backend } from '../backend-types.ts'

/** The prices of the tokens that a plan moves, on each of its chains, and of their gas tokens. For display only. */
export async function planPrices(
  backend: Pick<Backend, 'prices'>,
  { catalog }: Pick<ExecutionContext, 'catalog'>,
  { legs }: { legs: readonly Pick<ProposedLeg, 'chainId' | 'intent'>[] },
): Promise<readonly TokenUsdPrice[]> {
  const coins = legs.map(({ chainId }) => nativeToken(networkNamed(catalog.networks, chainId)))
  const intents = legs.flatMap(({ intent }) => intent ?? [])
  const tokens = [
    ...coins,
    ...intents.flatMap((intent) => [
      ...intentTokens(intent),
      ...('strategy' in intent ? [intent.strategy.receipt] : []),
    ]),
  ]
  const once = new Map(tokens.map((token) => [`${token.chainId} ${token.address.toLowerCase()}`, token]))
  const perChain = Map.groupBy(once.values(), (token) => token.chainId)
  const found = await Promise.all([...perChain].map(([id, here]) => backend.prices(id, here)))
  return found.flat()
}
