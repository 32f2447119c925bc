import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { Intent } from '../domain/intent.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'
import { isUnits } from './units.ts'

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

/** What the keeper says of a vault: whether it has validators, and whether it takes deposits only after its rewards were brought in (source: KeeperRewards.sol). */
export const stakewiseKeeperAbi = parseAbi([
  'function isCollateralized(address vault) view returns (bool)',
  'function isHarvestRequired(address vault) view returns (bool)',
])

/** Which vaults were made by the factories of StakeWise (source: VaultsRegistry.sol). */
export const stakewiseRegistryAbi = parseAbi(['function vaults(address vault) view returns (bool)'])

const stakeCoin = parseAbi([
  'function deposit(address receiver, address referrer) payable returns (uint256 shares)',
])
const stakeToken = parseAbi([
  'function deposit(uint256 assets, address receiver, address referrer) returns (uint256 shares)',
])
const exits = parseAbi([
  'function enterExitQueue(uint256 shares, address receiver) returns (uint256 positionTicket)',
])

type Vault = { chainId: number; vault: Address; owner: Address }

/** Stakes an amount of the native coin, or of a token through an allowance, without a referrer; the shares are the owner's. */
export const depositStake = ({
  chainId,
  vault,
  owner,
  asset,
  amount,
}: Vault & { asset: Address; amount: bigint }): Transaction =>
  asset === nativeAddress
    ? {
        to: vault,
        data: encodeFunctionData({ abi: stakeCoin, args: [owner, nativeAddress] }),
        value: amount,
        chainId,
      }
    : {
        to: vault,
        data: encodeFunctionData({ abi: stakeToken, args: [amount, owner, nativeAddress] }),
        value: 0n,
        chainId,
      }

/** Puts shares into the queue of a vault; what comes of them is the owner's to claim. */
export const requestExit = ({ chainId, vault, owner, shares }: Vault & { shares: bigint }): Transaction => ({
  to: vault,
  data: encodeFunctionData({ abi: exits, args: [shares, owner] }),
  value: 0n,
  chainId,
})

/** Binds a call of a vault to the deposit, or to the request for a withdrawal, that was asked for. */
export function bindStakewise(
  { data }: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  if (intent.kind === 'deposit') return boundStake(data, intent, asset)
  const found = strictDecode(exits, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a call of enterExitQueue of StakeWise')
  const [shares, receiver] = found.args
  if (!sameAddress(receiver, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It is for ${receiver} to claim, not for ${intent.wallet}`)
  if (!isUnits(shares, intent))
    return refuse('POLICY_AMOUNT', `It gives ${shares} shares back, not what was asked for`)
  const much = intent.shares === undefined ? formatAmount(intent.amount, asset) : `all ${asset.symbol}`
  return {
    bound: {
      name: 'enterExitQueue',
      args: printed({ shares, receiver }),
      text: `Request the withdrawal of ${much}, to be claimed later`,
      value: 0n,
    },
  }
}

function boundStake(
  data: Transaction['data'],
  { amount, wallet }: Extract<Intent, { kind: 'deposit' }>,
  asset: Token,
): Verdict {
  const isCoin = asset.address === nativeAddress
  const found = strictDecode<typeof stakeCoin | typeof stakeToken>(isCoin ? stakeCoin : stakeToken, data)
  if (!found) return refuse('POLICY_DECODE', 'It is not a call of deposit of StakeWise')
  const [receiver, referrer] = found.args.slice(-2) as [Address, Address]
  const given = found.args.length === 3 ? found.args[0] : amount
  if (!sameAddress(receiver, wallet))
    return refuse('POLICY_RECIPIENT', `Its shares are for ${receiver}, not for ${wallet}`)
  if (!sameAddress(referrer, nativeAddress))
    return refuse('POLICY_RECIPIENT', `It names ${referrer} as whoever brought the deposit`)
  if (given !== amount) return refuse('POLICY_AMOUNT', `It is about ${given}, not ${amount}`)
  return {
    bound: {
      name: 'deposit',
      args: printed({ ...(!isCoin && { assets: given }), receiver, referrer }),
      text: `Stake ${formatAmount(amount, asset)} with StakeWise`,
      value: isCoin ? amount : 0n,
      ...(!isCoin && { spends: { token: asset.address, amount } }),
    },
  }
}
