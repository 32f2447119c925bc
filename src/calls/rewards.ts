import { parseAbi } from 'viem/utils'

/** Whom an aToken asks for what is paid beside its interest (source: @aave/core-v3, IncentivizedERC20). */
export const incentivizedAbi = parseAbi(['function getIncentivesController() view returns (address)'])

/** What Aave v3 pays beside its interest, in which tokens, and who prices those (source: @aave/periphery-v3 3.0.1, RewardsController). */
export const rewardsControllerAbi = parseAbi([
  'function getRewardsByAsset(address asset) view returns (address[])',
  'function getRewardsData(address asset, address reward) view returns (uint256 index, uint256 emissionPerSecond, uint256 lastUpdateTimestamp, uint256 distributionEnd)',
  'function getRewardOracle(address reward) view returns (address)',
])

/** What a market of Compound v3 pays beside its interest, in units of its own (source: compound-finance/comet, CometMainInterface). */
export const cometSpeedAbi = parseAbi([
  'function baseTrackingSupplySpeed() view returns (uint256)',
  'function trackingIndexScale() view returns (uint256)',
  'function baseMinForRewards() view returns (uint256)',
])

/** In which token that is paid; the newer of two forms has a multiplier by 1e18 (source: compound-finance/comet, CometRewards). */
export const cometRewardsAbi = parseAbi([
  'function rewardConfig(address comet) view returns (address token, uint64 rescaleFactor, bool shouldUpscale)',
])
/** The newer form of the same question. */
export const multipliedRewardsAbi = parseAbi([
  'function rewardConfig(address comet) view returns (address token, uint64 rescaleFactor, bool shouldUpscale, uint256 multiplier)',
])

/**
 * Whom to ask what a market of the Compound v2 family pays beside its interest: Moonwell names a contract, and Benqi says it itself, of QI
 * (0) and of the coin (1) (sources: @moonwell-fi/moonwell-sdk 1.0.0, Benqi-fi/BENQI-Smart-Contracts).
 */
export const lenderRewardsAbi = parseAbi([
  'function rewardDistributor() view returns (address)',
  'function supplyRewardSpeeds(uint8 rewardType, address market) view returns (uint256)',
  'function qiAddress() view returns (address)',
])

/** What Moonwell pays, by market (source: @moonwell-fi/moonwell-sdk 1.0.0, multiRewardDistributorAbi). */
export const rewardDistributorAbi = parseAbi([
  'struct MarketConfig { address owner; address emissionToken; uint256 endTime; uint224 supplyGlobalIndex; uint32 supplyGlobalTimestamp; uint224 borrowGlobalIndex; uint32 borrowGlobalTimestamp; uint256 supplyEmissionsPerSec; uint256 borrowEmissionsPerSec; }',
  'function getAllMarketConfigs(address mToken) view returns (MarketConfig[])',
])
