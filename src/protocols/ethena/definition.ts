import { vaultProtocol } from '../erc4626/vault-protocol.ts'
import type { Protocol } from '../protocol.ts'
import { bindEthena } from './binding.ts'
import type { EthenaConstants } from './constants.ts'
import { ethena as market } from './market.ts'
import { ethenaQueue } from './queue.ts'

/** USDe staked with Ethena. */
export const ethena: Protocol<EthenaConstants> = {
  grade: { grade: 'C', by: 'ethena-labs/bbp-public-assets, StakedUSDeV2.sol' },
  description: (symbol) => `Stakes ${symbol} and holds a share of it. A withdrawal has to wait.`,
  ...vaultProtocol(bindEthena),
  queue: ethenaQueue,
  market,
}
