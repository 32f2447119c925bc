import { parseAbi } from 'viem/utils'

/** The functions of the HubPool that add and remove liquidity. */
export const liquidity = parseAbi([
  'function addLiquidity(address l1Token, uint256 l1TokenAmount) payable',
  'function removeLiquidity(address l1Token, uint256 lpTokenAmount, bool sendEth)',
])

/** The HubPool to read (source: @across-protocol/contracts 5.0.27, HubPool.sol). */
export const hubPoolAbi = parseAbi([
  'function pooledTokens(address l1Token) view returns (address lpToken, bool isEnabled, uint32 lastLpFeeUpdate, int256 utilizedReserves, uint256 liquidReserves, uint256 undistributedLpFees)',
  'function exchangeRateCurrent(address l1Token) returns (uint256)',
  'function lpFeeRatePerSecond() view returns (uint256)',
  'function getCurrentTime() view returns (uint256)',
  'function paused() view returns (bool)',
  'function weth() view returns (address)',
  'function bondToken() view returns (address)',
  'function bondAmount() view returns (uint256)',
  'function rootBundleProposal() view returns (bytes32 poolRebalanceRoot, bytes32 relayerRefundRoot, bytes32 slowRelayRoot, uint256 claimedBitMap, address proposer, uint8 unclaimedPoolRebalanceLeafCount, uint32 challengePeriodEndTimestamp)',
  'event LiquidityAdded(address indexed l1Token, uint256 amount, uint256 lpTokensMinted, address indexed liquidityProvider)',
  'event LiquidityRemoved(address indexed l1Token, uint256 amount, uint256 lpTokensBurnt, address indexed liquidityProvider)',
])

/** The contract in which LP tokens are staked for rewards (source: @across-protocol/across-token 1.0.0, AcceleratingDistributor.sol). */
export const distributorAbi = parseAbi([
  'struct UserDeposit { uint256 cumulativeBalance; uint256 averageDepositTime; uint256 rewardsAccumulatedPerToken; uint256 rewardsOutstanding; }',
  'function getUserStake(address stakedToken, address account) view returns (UserDeposit)',
  'event Stake(address indexed token, address indexed user, uint256 amount, uint256 averageDepositTime, uint256 cumulativeBalance, uint256 tokenCumulativeStaked)',
  'event Unstake(address indexed token, address indexed user, uint256 amount, uint256 remainingCumulativeBalance, uint256 tokenCumulativeStaked)',
])
