import { parseAbi } from 'viem/utils'

/** A vault of Morpho (MetaMorpho v1.0 and v1.1) beyond EIP-4626: where it lends, and what it keeps of what that earns (source: morpho-org/metamorpho). */
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

/** What a market costs its borrowers a second, by 1e18: on average since it was last touched (source: morpho-org/morpho-blue, IIrm). */
export const rateModelAbi = parseAbi([
  'struct MarketParams { address loanToken; address collateralToken; address oracle; address irm; uint256 lltv; }',
  'struct Market { uint128 totalSupplyAssets; uint128 totalSupplyShares; uint128 totalBorrowAssets; uint128 totalBorrowShares; uint128 lastUpdate; uint128 fee; }',
  'function borrowRateView(MarketParams marketParams, Market market) view returns (uint256)',
])

/** What the adaptive model asks of borrowers at its target, a second and by 1e18, as it was when the market was last touched (source: morpho-org/morpho-blue-irm, AdaptiveCurveIrm). */
export const adaptiveModelAbi = parseAbi(['function rateAtTarget(bytes32 id) view returns (int256)'])
