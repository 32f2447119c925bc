import type { Catalog } from '../domain/catalog.ts'
import { networkNamed } from '../domain/network.ts'
import { getJson } from '../net/http.ts'
import type { Rpc } from '../net/rpc.ts'
import { type Chain, headOf, openChain, read } from './chain.ts'
import type { Ground } from './context.ts'
import { type Grown, grownOn } from './growth.ts'
import { keptMarkets, type Missed } from './kept.ts'
import { lendingOf } from './lending.ts'
import { marketsOf } from './markets/catalog.ts'
import { cctp } from './swaps/cctp.ts'
import type { SwapProvider } from './swaps/provider.ts'
import { uniswapV3 } from './swaps/uniswap-v3.ts'
import { type Sees, visible } from './visible.ts'

/** The chains and what stands on them, as far as somebody may see them. */
export function groundOf(needs: {
  catalog: Catalog
  rpc: (chainId: number) => Rpc
  sees: Sees
  missed?: Missed | undefined
  now: () => number
}): Ground {
  const { rpc, sees, missed = () => undefined, now } = needs
  const catalog = visible(needs.catalog, sees)
  const markets = marketsOf(catalog)
  const open = new Map<number, Chain>()
  const chain = (chainId: number): Chain => {
    const known = open.get(chainId) ?? openChain(networkNamed(catalog.networks, chainId), rpc(chainId))
    open.set(chainId, known)
    return known
  }
  const growths = new Map<number, Grown>()
  const grown = (chainId: number): Grown => {
    const known = growths.get(chainId) ?? grownOn(() => chain(chainId))
    growths.set(chainId, known)
    return known
  }
  return {
    catalog,
    sees,
    markets,
    grown,
    kept: keptMarkets(catalog, markets, chain, { missed, now, grown }),
    providers: providersOf(catalog, chain),
    chain,
    lending: lendingOf(catalog, chain),
  }
}

/** Every swap provider that the catalogue has contracts for. */
function providersOf(
  { uniswapV3: pools, cctpV2, attestation }: Catalog,
  chain: (chainId: number) => Chain,
): SwapProvider[] {
  const served = cctpV2.flatMap((end) => {
    const url = end.attestation ?? attestation
    return url === null ? [] : [{ ...end, attestation: url }]
  })
  const bridge =
    served.length === 0
      ? []
      : [
          cctp(served, {
            attestation: (url, signal) => getJson(url, signal ? { signal } : {}),
            head: async (chainId) => (await headOf(chain(chainId))).number,
            logs: (chainId, { address, topics, fromBlock }) =>
              chain(chainId).rpc.request('eth_getLogs', [
                { address, topics, fromBlock: `0x${fromBlock.toString(16)}`, toBlock: 'latest' },
              ]),
          }),
        ]
  return [uniswapV3(pools, (chainId, reading) => read(chain(chainId), reading)), ...bridge]
}
