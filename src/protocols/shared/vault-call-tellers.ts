import { parseAbi } from 'viem/utils'
import { type Address, sameAddress } from '../../domain/address.ts'
import { type Teller, teller } from '../call-description.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { erc4626Abi } from '../erc4626/abi.ts'

/** `mint` of EIP-4626, which deposits for an exact number of shares. */
const mintAbi = parseAbi(['function mint(uint256 shares, address receiver) returns (uint256 assets)'])

/** Deposits with a referral code (source: sky-ecosystem/sdai, SUsds.sol, and sparkdotfi/spark-vaults-v2). */
const referredAbi = parseAbi([
  'function deposit(uint256 assets, address receiver, uint16 referral) returns (uint256 shares)',
])

/** Deposits and withdrawals with a limit (sources: yearn/yearn-vaults-v3, VaultV3.vy; Instadapp/fluid-contracts-public, fToken/main.sol). */
const limitedAbi = parseAbi([
  'function deposit(uint256 assets, address receiver, uint256 minAmountOut) returns (uint256 shares)',
  'function withdraw(uint256 assets, address receiver, address owner, uint256 limit) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner, uint256 limit) returns (uint256 assets)',
])

/** Deposits with a limit and a referral code (source: sky-ecosystem's UsdcVault.sol, which is sUSDC). */
const limitedReferredAbi = parseAbi([
  'function deposit(uint256 assets, address receiver, uint256 minShares, uint16 referral) returns (uint256 shares)',
])

/** Asynchronous vaults: requests, which are claimed later (source: EIP-7540). */
const requestsAbi = parseAbi([
  'function requestDeposit(uint256 assets, address controller, address owner) returns (uint256 requestId)',
  'function requestRedeem(uint256 shares, address controller, address owner) returns (uint256 requestId)',
])

/** The same deposit and mint of another controller's claim (source: EIP-7540). */
const controlledAbi = parseAbi([
  'function deposit(uint256 assets, address receiver, address controller) returns (uint256 shares)',
  'function mint(uint256 shares, address receiver, address controller) returns (uint256 assets)',
])

/** What calls of a vault by EIP-4626 do, with the limits and requests that its relatives add. */
export function vaultTellers({
  asset: { address: asset },
  receipt: { address: share },
  name,
}: Pick<StrategyEntry, 'asset' | 'receipt' | 'name'>): readonly Teller[] {
  type Say = Parameters<Teller['tell']>[1]
  const into = (say: Say, assets: bigint, receiver: Address, more = '') => ({
    text: `deposits ${say.upTo(asset, assets)} into ${name}${say.forWhom(receiver)}${more}`,
    gives: [{ token: asset, units: assets }],
    holders: [receiver],
  })
  const minted = (say: Say, shares: bigint, receiver: Address) => ({
    text: `deposits as much ${say.token(asset)} into ${name} as ${say.amount(share, shares)} cost${say.forWhom(receiver)}`,
    holders: [receiver],
  })
  const outOf = (say: Say, assets: bigint, receiver: Address, owner: Address, more = '') => ({
    text: `withdraws ${say.upTo(asset, assets)} from ${name}${say.toWhom(receiver)}${ofOwner(say, owner, receiver)}${more}`,
    holders: [receiver, owner],
  })
  const redeemed = (say: Say, shares: bigint, receiver: Address, owner: Address, more = '') => ({
    text: `redeems ${say.upTo(share, shares)} of ${name} for ${say.token(asset)}${say.toWhom(receiver)}${ofOwner(say, owner, receiver)}${more}`,
    gives: [{ token: share, units: shares }],
    holders: [receiver, owner],
  })
  const ofOwner = (say: Say, owner: Address, receiver: Address) =>
    say.forWhom(owner) === '' || sameAddress(owner, receiver) ? '' : `, of the shares of ${owner}`
  return [
    teller(erc4626Abi, 'deposit', 'deposit', ([assets, receiver], say) => into(say, assets, receiver)),
    teller(erc4626Abi, 'withdraw', 'withdraw', ([assets, receiver, owner], say) =>
      outOf(say, assets, receiver, owner),
    ),
    teller(erc4626Abi, 'redeem', 'withdraw', ([shares, receiver, owner], say) =>
      redeemed(say, shares, receiver, owner),
    ),
    teller(mintAbi, 'mint', 'deposit', ([shares, receiver], say) => minted(say, shares, receiver)),
    teller(referredAbi, 'deposit', 'deposit', ([assets, receiver, referral], say) =>
      into(say, assets, receiver, referral === 0 ? '' : `, with referral code ${referral}`),
    ),
    teller(limitedAbi, 'deposit', 'deposit', ([assets, receiver, least], say) =>
      into(say, assets, receiver, `, for at least ${say.amount(share, least)}`),
    ),
    teller(limitedReferredAbi, 'deposit', 'deposit', ([assets, receiver, least], say) =>
      into(say, assets, receiver, `, for at least ${say.amount(share, least)}`),
    ),
    teller(limitedAbi, 'withdraw', 'withdraw', ([assets, receiver, owner, limit], say) =>
      outOf(say, assets, receiver, owner, `, with the limit ${limit}`),
    ),
    teller(limitedAbi, 'redeem', 'withdraw', ([shares, receiver, owner, limit], say) =>
      redeemed(say, shares, receiver, owner, `, with the limit ${limit}`),
    ),
    teller(requestsAbi, 'requestDeposit', 'deposit', ([assets, controller, owner], say) => ({
      text: `requests a deposit of ${say.upTo(asset, assets)} into ${name}${say.forWhom(controller)}, which is claimed later`,
      gives: [{ token: asset, units: assets }],
      holders: [owner],
    })),
    teller(requestsAbi, 'requestRedeem', 'withdraw', ([shares, controller, owner], say) => ({
      text: `requests the redemption of ${say.upTo(share, shares)} of ${name}${say.forWhom(controller)}, which is claimed later`,
      gives: [{ token: share, units: shares }],
      holders: [owner],
    })),
    teller(controlledAbi, 'deposit', 'claim', ([assets, receiver, controller], say) => ({
      text: `claims the shares of a requested deposit of ${say.upTo(asset, assets)} into ${name} of ${controller}${say.toWhom(receiver)}`,
      holders: [receiver],
    })),
    teller(controlledAbi, 'mint', 'claim', ([shares, receiver, controller], say) => ({
      text: `claims ${say.upTo(share, shares)} of a requested deposit into ${name} of ${controller}${say.toWhom(receiver)}`,
      holders: [receiver],
    })),
  ]
}
