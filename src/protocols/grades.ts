import type { StrategyEntry } from './catalog.ts'
import type { MarketConstants } from './constants.ts'

/**
 * How a protocol family is known to work, and with it its markets. A: against the bytecode of a published package, on the embedded chains;
 * where a market has another's, `by` says whose was run. B: its calldata is that of an official SDK, byte for byte. C: by its published
 * interface; a contract of ours stood in for it.
 */
type Grade = { grade: 'A' | 'B' | 'C'; by: string }

/** What the letters mean, for whoever puts money in. */
export const gradeMeaning: Readonly<Record<Grade['grade'], string>> = {
  A: 'tested against real bytecode',
  B: 'calldata equal to that of an official SDK',
  C: 'built from the published interface',
}

/** Whether a word is one of the grades. */
export const isGrade = (word: string): word is Grade['grade'] => Object.hasOwn(gradeMeaning, word)

/** What is added where the calldata of an A is that of an SDK as well. */
const alsoEqual = (sdk: string): string => `; its calldata equals that of ${sdk}`

/** The grade of each family, and what it rests on: whose bytecode was run, or whose calldata compared. */
export const grades: Readonly<Record<MarketConstants['family'], Grade>> = {
  'aave-v3': { grade: 'A', by: `@aave/core-v3 1.19.3${alsoEqual('@aave/contract-helpers 1.38.0')}` },
  across: {
    grade: 'A',
    by: `@across-protocol/contracts 5.0.27${alsoEqual('@across-protocol/sdk 4.3.88')}`,
  },
  'compound-v2': {
    grade: 'A',
    by: `@venusprotocol/venus-protocol 10.3.0${alsoEqual('@compound-finance/compound-js 0.6.2')}`,
  },
  'compound-v3': { grade: 'B', by: '@compound-finance/compound-js 0.6.2' },
  ethena: { grade: 'C', by: 'ethena-labs/bbp-public-assets, StakedUSDeV2.sol' },
  'rocket-pool': { grade: 'C', by: 'rocket-pool/rocketpool, RocketTokenRETH and RocketDepositPool' },
  stader: { grade: 'C', by: 'stader-labs/ethx, StaderStakePoolsManager and UserWithdrawalManager' },
  'ether-fi': {
    grade: 'C',
    by: 'etherfi-protocol/smart-contracts, WeETHWithdrawAdapter and WithdrawRequestNFT',
  },
  'frax-ether': {
    grade: 'C',
    by: 'FraxFinance/frxETH-public, FraxEtherMinter and FraxEtherRedemptionQueueV2',
  },
  lista: { grade: 'C', by: 'lista-dao/synclub-contracts, ListaStakeManager.sol' },
  'benqi-staking': { grade: 'C', by: 'Benqi-fi/BENQI-Smart-Contracts, StakedAvax.sol' },
  'gnosis-sdai': { grade: 'C', by: 'karpatkey/defi-kit, savingsXdaiAdapter.json' },
  'pendle-pt': { grade: 'A', by: '@pendle/core-v2 6.11.0' },
  'spark-psm3': { grade: 'C', by: 'sparkdotfi/spark-psm, IPSM3.sol' },
  stakewise: {
    grade: 'B',
    by: '@stakewise/v3-sdk 2.0.2; where rewards of the vault are to be brought in, the SDK does that first, and this program does not',
  },
  lido: { grade: 'B', by: '@lidofinance/lido-ethereum-sdk 4.9.0' },
  erc4626: { grade: 'A', by: '@morpho-org/morpho-blue-bundlers 1.1.2' },
  morpho: { grade: 'A', by: '@morpho-org/morpho-blue-bundlers 1.1.2' },
  'yearn-v3': { grade: 'C', by: 'yearn/yearn-vaults-v3, VaultV3.vy' },
}

/** Of the families whose bytecode was run, and which others have too: whether it is that of a protocol, and whose it was. */
const ran: Partial<
  Record<MarketConstants['family'], { isOwn: (protocol: string) => boolean; whose: string }>
> = {
  'aave-v3': {
    isOwn: (protocol) => protocol === 'aave-v3' || protocol.startsWith('aave-v3-'),
    whose: 'Aave v3, of which this is a fork',
  },
  'compound-v2': {
    isOwn: (protocol) => protocol === 'venus',
    whose: 'Venus, which like this is a fork of Compound v2',
  },
  erc4626: { isOwn: () => false, whose: "Morpho's vault, which is of the same standard" },
}

/** The grade of one market, which is that of its family: where the bytecode that was run is another protocol's, it says whose. */
export function gradeOf({ protocol, constants }: Pick<StrategyEntry, 'protocol' | 'constants'>): Grade {
  const { grade, by } = grades[constants.family]
  // What the sandbox has of its own proves nothing about anybody's contracts.
  if (protocol.startsWith('sandbox-')) {
    const own = "the contract itself is the sandbox's own"
    return grade === 'B' ? { grade, by: `${by}; ${own}` } : { grade: 'C', by: own }
  }
  const other = ran[constants.family]
  if (!other || other.isOwn(protocol)) return { grade, by }
  return { grade, by: `of ${other.whose}: ${by}` }
}
