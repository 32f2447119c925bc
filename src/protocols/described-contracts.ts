import { sameAddress } from '../domain/address.ts'
import { aaveV3Tellers } from './aave-v3/told-calls.ts'
import { acrossPoolTellers } from './across-pool/told-calls.ts'
import type { DescribedContract } from './call-description.ts'
import type { Catalog, StrategyEntry } from './catalog-types.ts'
import { entranceOf } from './compound-v2/abi.ts'
import { compoundV2RouterTellers, compoundV2Tellers } from './compound-v2/told-calls.ts'
import { compoundV3RewardTellers, compoundV3Tellers } from './compound-v3/told-calls.ts'
import { ethenaTellers } from './ethena/told-calls.ts'
import { fluidTellers } from './fluid/told-calls.ts'
import { lidoQueueTellers, lidoStakerTellers, stEthTellers, wstEthTellers } from './lido/told-calls.ts'
import { stakingContracts } from './liquid-staking/told-calls.ts'
import type { MarketConstants } from './market-constants-union.ts'
import { morphoTellers, morphoVaultMulticall } from './morpho/told-calls.ts'
import { pendleTellers } from './pendle-pt/told-calls.ts'
import { vaultTellers } from './shared/vault-call-tellers.ts'
import { psm3Tellers } from './spark-psm3/told-calls.ts'
import { stakewiseTellers } from './stakewise/told-calls.ts'

type Contracts<family> = (
  entry: StrategyEntry,
  constants: Extract<MarketConstants, { family: family }>,
) => readonly DescribedContract[]

/** The contracts of the markets of each protocol whose calls are described: one line each, loaded only for that. */
const contractsOf: { readonly [family in MarketConstants['family']]: Contracts<family> } = {
  'aave-v3': ({ name, asset }, { pool }) => [
    { address: pool, name: name.replace(` ${asset.symbol}`, ''), tellers: aaveV3Tellers },
  ],
  across: (_, { hubPool }) => [{ address: hubPool, name: 'Across', tellers: acrossPoolTellers }],
  'benqi-staking': stakingContracts,
  'compound-v2': (entry, constants) => [
    { address: constants.market, name: entry.name, tellers: compoundV2Tellers(entry) },
    ...(sameAddress(entranceOf(constants), constants.market)
      ? []
      : [{ address: entranceOf(constants), name: entry.name, tellers: compoundV2RouterTellers(entry) }]),
  ],
  'compound-v3': ({ name }, { comet, rewards }) => [
    { address: comet, name, tellers: compoundV3Tellers },
    ...(rewards ? [{ address: rewards, name: 'Compound v3', tellers: compoundV3RewardTellers }] : []),
  ],
  erc4626: (entry, { vault }) => [{ address: vault, name: entry.name, tellers: vaultTellers(entry) }],
  'ether-fi': stakingContracts,
  ethena: (entry, { vault }) => [{ address: vault, name: entry.name, tellers: ethenaTellers(entry) }],
  fluid: (entry, { vault }) => [{ address: vault, name: entry.name, tellers: fluidTellers(entry) }],
  'frax-ether': stakingContracts,
  'gnosis-sdai': stakingContracts,
  lido: ({ name }, constants) => {
    const { stEth, queue } = constants
    const wstEth = constants.holds === 'wstETH' ? constants.wstEth : undefined
    return [
      { address: stEth, name: 'Lido', tellers: stEthTellers },
      { address: queue, name: 'Lido', tellers: lidoQueueTellers(stEth, wstEth) },
      ...(constants.holds === 'wstETH'
        ? [
            { address: constants.wstEth, name, tellers: wstEthTellers(stEth, constants.wstEth) },
            { address: constants.staker, name, tellers: lidoStakerTellers },
          ]
        : []),
    ]
  },
  lista: stakingContracts,
  morpho: (entry, { vault, morpho }) => [
    { address: vault, name: entry.name, tellers: [...vaultTellers(entry), morphoVaultMulticall] },
    { address: morpho, name: 'Morpho', tellers: morphoTellers },
  ],
  'pendle-pt': (_, { router }) => [{ address: router, name: 'Pendle', tellers: pendleTellers }],
  'rocket-pool': stakingContracts,
  'spark-psm3': (_, { psm }) => [{ address: psm, name: 'Spark PSM', tellers: psm3Tellers }],
  stader: stakingContracts,
  stakewise: (entry, { vault }) => [{ address: vault, name: entry.name, tellers: stakewiseTellers(entry) }],
  'yearn-v3': (entry, { vault }) => [{ address: vault, name: entry.name, tellers: vaultTellers(entry) }],
}

/** The contracts of a chain's markets whose calls are described; a contract of several markets appears once for each. */
export const describedMarketContracts = ({ strategies }: Catalog, chainId: number): DescribedContract[] =>
  strategies.flatMap((entry) =>
    entry.chainId === chainId
      ? (contractsOf[entry.constants.family] as Contracts<unknown>)(entry, entry.constants as never)
      : [],
  )
