import type { Abi } from 'viem'
import { keccak256, parseAbi, toBytes } from 'viem/utils'
import type { Query } from '../../chain/contract-query.ts'
import type { Address } from '../../domain/address.ts'
import type { StakedConstants } from './constants.ts'

/** A call of one function: what each of its arguments is. */
export type StakedCall = {
  to: Address
  abi: Abi
  name: string
  roles: readonly ('wallet' | 'units' | 'nobody')[]
}

/**
 * A token of staked coins whose price grows: how one gets in and out, and what there is to read. `stake` carries the coin; `leave` gives units
 * of the token back. `rate` is what 1e18 units are worth.
 */
export type Staked = {
  rate: Query
  stake: StakedCall
  leave: StakedCall
  /** Whether units are taken through an allowance. */
  takesReceipt?: true
  /** Whether it is closed both ways, or to what goes in, how much more fits in, and how much can come out at once. */
  paused?: Query
  closed?: Query
  headroom?: Query
  liquidity?: Query
  /** Where the protocol itself says that stakes go now: it may have moved. */
  registry?: Query
}

const one = 10n ** 18n

/** What each protocol is to read and to call (sources: rocket-pool/rocketpool, etherfi-protocol/smart-contracts, FraxFinance/frxETH-public, stader-labs/ethx, lista-dao/synclub-contracts, Benqi-fi/BENQI-Smart-Contracts, karpatkey/defi-kit). */
export function stakedOf(constants: StakedConstants): Staked {
  switch (constants.family) {
    case 'rocket-pool': {
      const { token, storage, depositPool } = constants
      return {
        rate: ask(token, 'function getExchangeRate() view returns (uint256)'),
        stake: call(depositPool, 'function deposit() payable', []),
        leave: call(token, 'function burn(uint256 rethAmount)', ['units']),
        headroom: ask(depositPool, 'function getMaximumDepositAmount() view returns (uint256)'),
        liquidity: ask(token, 'function getTotalCollateral() view returns (uint256)'),
        registry: ask(storage, 'function getAddress(bytes32 key) view returns (address)', [
          keccak256(toBytes('contract.addressrocketDepositPool')),
        ]),
      }
    }
    case 'stader': {
      const { manager, withdrawals } = constants
      const leave = 'function requestWithdraw(uint256 ethXAmount, address owner) returns (uint256)'
      return {
        rate: ask(manager, 'function getExchangeRate() view returns (uint256)'),
        stake: call(manager, 'function deposit(address receiver) payable returns (uint256 shares)', [
          'wallet',
        ]),
        leave: call(withdrawals, leave, ['units', 'wallet']),
        takesReceipt: true,
        headroom: ask(manager, 'function maxDeposit() view returns (uint256)'),
      }
    }
    case 'ether-fi': {
      const { token, pool, depositAdapter, withdrawAdapter } = constants
      const into = 'function depositETHForWeETH(address referral) payable returns (uint256)'
      const leave =
        'function requestWithdraw(uint256 weETHAmount, address recipient) returns (uint256 requestId)'
      return {
        rate: ask(token, 'function getRate() view returns (uint256)'),
        stake: call(depositAdapter, into, ['nobody']),
        leave: call(withdrawAdapter, leave, ['units', 'wallet']),
        takesReceipt: true,
        paused: ask(pool, 'function paused() view returns (bool)'),
      }
    }
    case 'frax-ether': {
      const { token, minter, queue } = constants
      const into = 'function submitAndDeposit(address recipient) payable returns (uint256 shares)'
      const leave =
        'function enterRedemptionQueueViaSfrxEth(address recipient, uint120 sfrxEthAmount) returns (uint256 nftId)'
      return {
        rate: ask(token, 'function pricePerShare() view returns (uint256)'),
        stake: call(minter, into, ['wallet']),
        leave: call(queue, leave, ['wallet', 'units']),
        takesReceipt: true,
        closed: ask(minter, 'function mintFrxEthPaused() view returns (bool)'),
      }
    }
    case 'lista': {
      const { manager } = constants
      const rate = 'function convertSnBnbToBnb(uint256 amountInSlisBnb) view returns (uint256)'
      return {
        rate: ask(manager, rate, [one]),
        stake: call(manager, 'function deposit() payable', []),
        leave: call(manager, 'function requestWithdraw(uint256 amountInSlisBnb)', ['units']),
        takesReceipt: true,
        paused: ask(manager, 'function paused() view returns (bool)'),
      }
    }
    case 'gnosis-sdai': {
      const { token, adapter } = constants
      const leave = 'function redeemXDAI(uint256 shares, address receiver) payable returns (uint256)'
      return {
        rate: ask(token, 'function convertToAssets(uint256 shares) view returns (uint256)', [one]),
        stake: call(adapter, 'function depositXDAI(address receiver) payable returns (uint256)', ['wallet']),
        leave: call(adapter, leave, ['units', 'wallet']),
        takesReceipt: true,
        headroom: ask(token, 'function maxDeposit(address receiver) view returns (uint256)', [adapter]),
      }
    }
    case 'benqi-staking': {
      const { token } = constants
      return {
        rate: ask(token, 'function getPooledAvaxByShares(uint256 shareAmount) view returns (uint256)', [one]),
        stake: call(token, 'function submit() payable returns (uint256)', []),
        leave: call(token, 'function requestUnlock(uint256 shareAmount)', ['units']),
        paused: ask(token, 'function paused() view returns (bool)'),
      }
    }
  }
}

const ask = (address: Address, signature: string, args: readonly unknown[] = []): Query => ({
  address,
  abi: parseAbi([signature]),
  functionName: nameIn(signature),
  args,
})
const call = (to: Address, signature: string, roles: StakedCall['roles']): StakedCall => ({
  to,
  abi: parseAbi([signature]),
  name: nameIn(signature),
  roles,
})
const nameIn = (signature: string): string => /function (\w+)/.exec(signature)![1]!
