import { parseAbi } from 'viem/utils'

/** The withdrawal of an exact amount with a limit on the shares that it burns (source: Instadapp/fluid-contracts-public, fToken/main.sol). */
export const limitedWithdrawal = parseAbi([
  'function withdraw(uint256 assets, address receiver, address owner, uint256 maxSharesBurn) returns (uint256 shares)',
])

/**
 * The data of one fToken (source: Instadapp/fluid-contracts-public, deployments/arbitrum/LendingResolver.json). `supplyRate` is 100 for 1 %,
 * `rewardsRate` 1e12 for 1 %; both are part of the share price. `withdrawable` is what the liquidity layer pays out now, in the asset.
 */
export const resolverAbi = parseAbi([
  'struct UserSupplyData { bool modeWithInterest; uint256 supply; uint256 withdrawalLimit; uint256 lastUpdateTimestamp; uint256 expandPercent; uint256 expandDuration; uint256 baseWithdrawalLimit; uint256 withdrawableUntilLimit; uint256 withdrawable; }',
  'struct FTokenDetails { address tokenAddress; bool eip2612Deposits; bool isNativeUnderlying; string name; string symbol; uint256 decimals; address asset; uint256 totalAssets; uint256 totalSupply; uint256 convertToShares; uint256 convertToAssets; uint256 rewardsRate; uint256 supplyRate; int256 rebalanceDifference; UserSupplyData liquidityUserSupplyData; }',
  'function getFTokenDetails(address fToken) view returns (FTokenDetails)',
])
