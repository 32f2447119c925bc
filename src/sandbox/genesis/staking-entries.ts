import type { StrategyEntry } from '../../domain/catalog.ts'
import type { LidoConstants } from '../../domain/market-constants.ts'
import type { Network } from '../../domain/network.ts'
import { nativeToken } from '../../domain/token.ts'
import type { Staking } from './staking.ts'

/** The strategies of our stand-in for Lido: held as stETH, or as the token that wraps it. */
export const stakingEntries = (
  { startDate, fromBlock }: Pick<StrategyEntry, 'startDate' | 'fromBlock'>,
  { stEth, wstEth, queue }: Staking,
  network: Network,
): StrategyEntry[] => {
  const entry = (
    protocol: string,
    address: StrategyEntry['receipt']['address'],
    constants: LidoConstants,
  ) => {
    const asset = nativeToken(network)
    const id = `${protocol}-${asset.symbol}-${network.name}`
    const symbol = constants.holds
    return {
      id,
      slug: id.toLowerCase(),
      name: `Sandbox Lido ${symbol}`,
      protocol,
      network: network.name,
      chainId: network.chainId,
      category: 'staking' as const,
      asset,
      receipt: { chainId: network.chainId, address, symbol, decimals: 18, name: `Sandbox ${symbol}` },
      implementationSelector: 'lido@1',
      startDate,
      isDefault: false,
      metadata: {
        en: {
          risk: 'Sandbox: test coins on a local chain, no value at risk.',
          volatility: 'Follows the price of ETH.',
          description: `Stakes ETH with a stand-in for Lido and holds ${symbol}. A withdrawal is a request that waits a day, and is then claimed.`,
        },
      },
      logourl: null,
      constants,
      fromBlock,
    }
  }
  const shared = { family: 'lido', stEth, queue } as const
  return [
    entry('sandbox-lido', stEth, { ...shared, holds: 'stETH' }),
    entry('sandbox-lido-wsteth', wstEth, { ...shared, holds: 'wstETH', wstEth, staker: wstEth }),
  ]
}
