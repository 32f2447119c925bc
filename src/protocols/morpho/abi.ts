import { parseAbi } from 'viem/utils'

/** A vault of Morpho (MetaMorpho v1.0 and v1.1) beyond EIP-4626: its markets and its fee (source: morpho-org/metamorpho). */
export const metaMorphoAbi = parseAbi([
  'function MORPHO() view returns (address)',
  'function fee() view returns (uint96)',
  'function lastTotalAssets() view returns (uint256)',
  'function lostAssets() view returns (uint256)',
  'function withdrawQueueLength() view returns (uint256)',
  'function withdrawQueue(uint256 at) view returns (bytes32)',
])

/** The lending markets of Morpho, all in one contract (source: morpho-org/morpho-blue). */
export const morphoAbi = parseAbi([
  'function idToMarketParams(bytes32 id) view returns (address loanToken, address collateralToken, address oracle, address irm, uint256 lltv)',
  'function market(bytes32 id) view returns (uint128 totalSupplyAssets, uint128 totalSupplyShares, uint128 totalBorrowAssets, uint128 totalBorrowShares, uint128 lastUpdate, uint128 fee)',
  'function position(bytes32 id, address user) view returns (uint256 supplyShares, uint128 borrowShares, uint128 collateral)',
])

/** The average borrow rate of a market since its last update, per second and scaled by 1e18 (source: morpho-org/morpho-blue, IIrm). */
export const rateModelAbi = parseAbi([
  'struct MarketParams { address loanToken; address collateralToken; address oracle; address irm; uint256 lltv; }',
  'struct Market { uint128 totalSupplyAssets; uint128 totalSupplyShares; uint128 totalBorrowAssets; uint128 totalBorrowShares; uint128 lastUpdate; uint128 fee; }',
  'function borrowRateView(MarketParams marketParams, Market market) view returns (uint256)',
])

/** The borrow rate of the adaptive model at its target at the last update of a market, per second and scaled by 1e18 (source: morpho-org/morpho-blue-irm, AdaptiveCurveIrm). */
export const adaptiveModelAbi = parseAbi(['function rateAtTarget(bytes32 id) view returns (int256)'])
