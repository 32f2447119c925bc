import type { Abi } from 'viem'
import { keccak256, parseAbi, toBytes } from 'viem/utils'
import { type Call, contract } from '../../chain/call.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { type ContractAssertion, mustAgree, mustAnswer, mustRespond } from '../shared/contract-assertions.ts'
import type { StakedConstants } from './constants-schema.ts'

/** A call of one function, with the role of each argument. */
export type StakedCall = {
  to: Address
  abi: Abi
  name: string
  roles: readonly ('wallet' | 'units' | 'nobody')[]
}

/**
 * A liquid staking token whose price grows: its calls and reads. `stake` sends the coin; `leave` returns units of the token. `rate` is the value of 1e18
 * units.
 */
export type StakingToken = {
  rate: Call<bigint>
  stake: StakedCall
  leave: StakedCall
  /** Whether `leave` needs an allowance. */
  takesReceipt?: true
  /** Whether all is paused, whether deposits are closed, how much more can be deposited, and how much can be withdrawn at once. */
  paused?: Call
  closed?: Call
  headroom?: Call
  liquidity?: Call
  /** The contract that takes stakes now, by the protocol's registry, where it can change. */
  registry?: Call
  /** Further claims about the contracts: each address of the constants is in one of these, or in a call. */
  claims: readonly ContractAssertion[]
}

const one = 10n ** 18n

/** What each protocol is to read and to call (sources: rocket-pool/rocketpool, etherfi-protocol/smart-contracts, FraxFinance/frxETH-public, stader-labs/ethx, lista-dao/synclub-contracts, Benqi-fi/BENQI-Smart-Contracts, karpatkey/defi-kit). */
const stakingTokens: {
  [family in StakedConstants['family']]: (
    constants: Extract<StakedConstants, { family: family }>,
  ) => StakingToken
} = {
  'rocket-pool': ({ token, storage, depositPool }) => ({
    rate: ask(token, 'function getExchangeRate() view returns (uint256)'),
    stake: call(depositPool, 'function deposit() payable', []),
    leave: call(token, 'function burn(uint256 rethAmount)', ['units']),
    headroom: ask(depositPool, maximumDeposit),
    liquidity: ask(token, 'function getTotalCollateral() view returns (uint256)'),
    registry: inStorage(storage, 'rocketDepositPool'),
    claims: [
      mustAnswer('the token', inStorage(storage, 'rocketTokenRETH'), token),
      isPool(inStorage(storage, 'rocketDepositPool'), depositPool),
    ],
  }),
  stader: ({ manager, withdrawals }) => {
    const leave = 'function requestWithdraw(uint256 ethXAmount, address owner) returns (uint256)'
    return {
      rate: ask(manager, 'function getExchangeRate() view returns (uint256)'),
      stake: call(manager, 'function deposit(address receiver) payable returns (uint256 shares)', ['wallet']),
      leave: call(withdrawals, leave, ['units', 'wallet']),
      takesReceipt: true,
      headroom: ask(manager, 'function maxDeposit() view returns (uint256)'),
      claims: [
        mustAgree(
          'the configuration',
          [manager, withdrawals].map((at) => askAddress(at, 'staderConfig')),
        ),
        mustRespond('the next request', ask(withdrawals, 'function nextRequestId() view returns (uint256)')),
      ],
    }
  },
  'ether-fi': ({ token, pool, depositAdapter, withdrawAdapter, requests }) => {
    const adapters = [depositAdapter, withdrawAdapter]
    const into = 'function depositETHForWeETH(address referral) payable returns (uint256)'
    const leave =
      'function requestWithdraw(uint256 weETHAmount, address recipient) returns (uint256 requestId)'
    return {
      rate: ask(token, 'function getRate() view returns (uint256)'),
      stake: call(depositAdapter, into, ['nobody']),
      leave: call(withdrawAdapter, leave, ['units', 'wallet']),
      takesReceipt: true,
      paused: ask(pool, 'function paused() view returns (bool)'),
      claims: [
        ...adapters.map((at) => mustAnswer('the token of an adapter', askAddress(at, 'weETH'), token)),
        ...[token, requests, ...adapters].map((at) =>
          mustAnswer('the pool', askAddress(at, 'liquidityPool'), pool),
        ),
        // Only the adapter for deposits also takes other coins.
        mustRespond('what else is taken', askAddress(depositAdapter, 'wstETH')),
      ],
    }
  },
  'frax-ether': ({ token, minter, queue }) => {
    const into = 'function submitAndDeposit(address recipient) payable returns (uint256 shares)'
    const leave =
      'function enterRedemptionQueueViaSfrxEth(address recipient, uint120 sfrxEthAmount) returns (uint256 nftId)'
    return {
      rate: ask(token, 'function pricePerShare() view returns (uint256)'),
      stake: call(minter, into, ['wallet']),
      leave: call(queue, leave, ['wallet', 'units']),
      takesReceipt: true,
      closed: ask(minter, 'function mintFrxEthPaused() view returns (bool)'),
      claims: [
        mustAnswer('the token of the minter', askAddress(minter, 'sfrxEthToken'), token),
        mustAnswer('the token of the queue', askAddress(queue, 'SFRX_ETH'), token),
        // The older queue pays from its own funds, and has no router.
        mustRespond('what pays the queue', askAddress(queue, 'etherRouter')),
      ],
    }
  },
  lista: ({ token, manager }) => {
    const contracts =
      'function getContracts() view returns (address manager, address token, address validator)'
    const rate = 'function convertSnBnbToBnb(uint256 amountInSlisBnb) view returns (uint256)'
    return {
      rate: ask(manager, rate, [one]),
      stake: call(manager, 'function deposit() payable', []),
      leave: call(manager, 'function requestWithdraw(uint256 amountInSlisBnb)', ['units']),
      takesReceipt: true,
      paused: ask(manager, 'function paused() view returns (bool)'),
      claims: [
        mustAnswer(
          'the token of the manager',
          ask(manager, contracts),
          token,
          (answer) => (answer as Address[])[1],
        ),
      ],
    }
  },
  'gnosis-sdai': ({ token, adapter, wrapped }) => {
    const leave = 'function redeemXDAI(uint256 shares, address receiver) payable returns (uint256)'
    return {
      rate: ask(token, 'function convertToAssets(uint256 shares) view returns (uint256)', [one]),
      stake: call(adapter, 'function depositXDAI(address receiver) payable returns (uint256)', ['wallet']),
      leave: call(adapter, leave, ['units', 'wallet']),
      takesReceipt: true,
      headroom: ask(token, 'function maxDeposit(address receiver) view returns (uint256)', [adapter]),
      claims: [
        mustAnswer('the asset of the vault', askAddress(token, 'asset'), wrapped),
        mustAnswer('the vault of the adapter', askAddress(adapter, 'sDAI'), token),
        mustAnswer('the coin of the adapter', askAddress(adapter, 'wxdai'), wrapped),
      ],
    }
  },
  'benqi-staking': ({ token }) => ({
    rate: ask(token, 'function getPooledAvaxByShares(uint256 shareAmount) view returns (uint256)', [one]),
    stake: call(token, 'function submit() payable returns (uint256)', []),
    leave: call(token, 'function requestUnlock(uint256 shareAmount)', ['units']),
    paused: ask(token, 'function paused() view returns (bool)'),
    // One contract does everything; `rate` already asks it.
    claims: [],
  }),
}

/** What the protocol of a staking token is to read and to call. */
export const stakedOf = (constants: StakedConstants): StakingToken =>
  (stakingTokens[constants.family] as (constants: StakedConstants) => StakingToken)(constants)

const ask = <T = unknown>(address: Address, signature: string, args: readonly unknown[] = []): Call<T> =>
  contract(address, parseAbi([signature]))(nameIn(signature), ...args)
const call = (to: Address, signature: string, roles: StakedCall['roles']): StakedCall => ({
  to,
  abi: parseAbi([signature]),
  name: nameIn(signature),
  roles,
})
const nameIn = (signature: string): string => /function (\w+)/.exec(signature)![1]!
const askAddress = (address: Address, name: string): Call =>
  ask(address, `function ${name}() view returns (address)`)

const inStorage = (storage: Address, name: string): Call =>
  ask(storage, 'function getAddress(bytes32 key) view returns (address)', [
    keccak256(toBytes(`contract.address${name}`)),
  ])

/** Whether stakes go to a pool of Rocket Pool, or went there before: a former pool still answers how much it takes. */
const isPool = (place: Call, pool: Address): ContractAssertion => ({
  reads: [place, ask(pool, maximumDeposit)],
  parse: ([now, most]) => {
    if (now === undefined || sameAddress(now as Address, nativeAddress))
      return [`the pool of new stakes is not returned by ${place.address}`]
    return sameAddress(now as Address, pool) || most !== undefined
      ? []
      : [`new stakes go to ${String(now)}, and never went to ${pool}`]
  },
})

const maximumDeposit = 'function getMaximumDepositAmount() view returns (uint256)'
