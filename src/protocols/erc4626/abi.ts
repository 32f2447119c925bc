import { parseAbi } from 'viem/utils'

/** The functions of a vault that move funds: `deposit`, `withdraw` and `redeem`. */
export const writes = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
])

/** A tokenized vault, as EIP-4626 gives it. */
export const erc4626Abi = [
  ...writes,
  ...parseAbi([
    'function convertToAssets(uint256 shares) view returns (uint256)',
    'function convertToShares(uint256 assets) view returns (uint256)',
    'function previewDeposit(uint256 assets) view returns (uint256)',
    'function previewRedeem(uint256 shares) view returns (uint256)',
    'function previewWithdraw(uint256 assets) view returns (uint256)',
    'function maxDeposit(address receiver) view returns (uint256)',
    'function maxWithdraw(address owner) view returns (uint256)',
    'function maxRedeem(address owner) view returns (uint256)',
    'function totalAssets() view returns (uint256)',
    'function asset() view returns (address)',
    'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
    'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
  ]),
] as const
