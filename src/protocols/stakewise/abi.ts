import { parseAbi } from 'viem/utils'

/**
 * A vault of StakeWise v3, to read: its shares are no ERC-20 (sources: @stakewise/v3-sdk 2.0.2; stakewise/v3-core, VaultState.sol,
 * VaultEnterExit.sol, VaultOsToken.sol and VaultVersion.sol).
 */
export const stakewiseAbi = parseAbi([
  'function vaultId() view returns (bytes32)',
  'function totalAssets() view returns (uint256)',
  'function capacity() view returns (uint256)',
  'function getShares(address account) view returns (uint256)',
  'function convertToShares(uint256 assets) view returns (uint256 shares)',
  'function convertToAssets(uint256 shares) view returns (uint256 assets)',
  'function getExitQueueIndex(uint256 positionTicket) view returns (int256)',
  'function calculateExitedAssets(address receiver, uint256 positionTicket, uint256 timestamp, uint256 exitQueueIndex) view returns (uint256 leftTickets, uint256 exitedTickets, uint256 exitedAssets)',
  'event Deposited(address indexed caller, address indexed receiver, uint256 assets, uint256 shares, address referrer)',
  'event Migrated(address receiver, uint256 assets, uint256 shares)',
  'event Redeemed(address indexed owner, address indexed receiver, uint256 assets, uint256 shares)',
  'event ExitQueueEntered(address indexed owner, address indexed receiver, uint256 positionTicket, uint256 shares)',
  'event V2ExitQueueEntered(address indexed owner, address indexed receiver, uint256 positionTicket, uint256 shares, uint256 assets)',
  'event ExitedAssetsClaimed(address indexed receiver, uint256 prevPositionTicket, uint256 newPositionTicket, uint256 withdrawnAssets)',
  'event OsTokenLiquidated(address indexed caller, address indexed user, address receiver, uint256 osTokenShares, uint256 shares, uint256 receivedAssets)',
  'event OsTokenRedeemed(address indexed caller, address indexed user, address receiver, uint256 osTokenShares, uint256 shares, uint256 assets)',
])

/** The keeper's data of a vault: whether it has validators, and whether it requires its rewards to be collected before deposits (source: KeeperRewards.sol). */
export const stakewiseKeeperAbi = parseAbi([
  'function isCollateralized(address vault) view returns (bool)',
  'function isHarvestRequired(address vault) view returns (bool)',
])

/** The vaults that the factories of StakeWise made (source: VaultsRegistry.sol). */
export const stakewiseRegistryAbi = parseAbi(['function vaults(address vault) view returns (bool)'])

/** Stakes the native coin. */
export const stakeCoin = parseAbi([
  'function deposit(address receiver, address referrer) payable returns (uint256 shares)',
])
/** Stakes an ERC-20. */
export const stakeToken = parseAbi([
  'function deposit(uint256 assets, address receiver, address referrer) returns (uint256 shares)',
])
/** The function that requests an exit from the vault. */
export const exits = parseAbi([
  'function enterExitQueue(uint256 shares, address receiver) returns (uint256 positionTicket)',
])
