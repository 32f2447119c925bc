import { parseAbi } from 'viem/utils'
import { nativeAddress } from '../../domain/address.ts'
import { type Teller, teller } from '../call-description.ts'
import type { StrategyEntry } from '../catalog-types.ts'

/** The functions of a vault of StakeWise v3 (`@stakewise/v3-sdk` 2.0.2; stakewise/v3-core, VaultEthStaking.sol and VaultEnterExit.sol). */
const coinAbi = parseAbi([
  'function deposit(address receiver, address referrer) payable returns (uint256 shares)',
])
const tokenAbi = parseAbi([
  'function deposit(uint256 assets, address receiver, address referrer) returns (uint256 shares)',
])
const exitAbi = parseAbi([
  'function enterExitQueue(uint256 shares, address receiver) returns (uint256 positionTicket)',
  'function claimExitedAssets(uint256 positionTicket, uint256 timestamp, uint256 exitQueueIndex)',
  'function updateStateAndDeposit(address receiver, address referrer, (bytes32 rewardsRoot, int160 reward, uint160 unlockedMevReward, bytes32[] proof) harvestParams) payable returns (uint256 shares)',
])

/** What calls of a vault of StakeWise do; its shares are no token. */
export function stakewiseTellers({
  asset,
  receipt,
  name,
}: Pick<StrategyEntry, 'asset' | 'receipt' | 'name'>): readonly Teller[] {
  const coin = { ...(asset.address === nativeAddress && { paysCoinTo: 'caller' as const }) }
  return [
    ...(asset.address === nativeAddress
      ? [
          teller(coinAbi, 'deposit', 'deposit', ([receiver], say) => ({
            text: `stakes ${say.coin(say.call.value)} with ${name}${say.forWhom(receiver)}`,
            holders: [receiver],
          })),
          teller(exitAbi, 'updateStateAndDeposit', 'deposit', ([receiver], say) => ({
            text: `updates the rewards of ${name} and stakes ${say.coin(say.call.value)}${say.forWhom(receiver)}`,
            holders: [receiver],
          })),
        ]
      : [
          teller(tokenAbi, 'deposit', 'deposit', ([amount, receiver], say) => ({
            text: `stakes ${say.amount(asset.address, amount)} with ${name}${say.forWhom(receiver)}`,
            gives: [{ token: asset.address, units: amount }],
            holders: [receiver],
          })),
        ]),
    teller(exitAbi, 'enterExitQueue', 'withdraw', ([shares, receiver], say) => ({
      text: `requests the withdrawal of ${say.upTo(receipt.address, shares)} from ${name}${say.forWhom(receiver)}; it is claimed later`,
      holders: [receiver],
    })),
    teller(exitAbi, 'claimExitedAssets', 'claim', ([ticket]) => ({
      text: `claims the finished withdrawal ${ticket} of ${name}; the amount is not in the call`,
      ...coin,
    })),
  ]
}
