import { decodeEventLog, keccak256, toBytes } from 'viem/utils'
import { contract } from '../../chain/call.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { Log, LogFilter, MarketEvent, MarketState, ProtocolMarket } from '../market-adapter.ts'
import { readAmount } from '../shared/amount-reads.ts'
import { mustAnswer } from '../shared/contract-assertions.ts'
import { addressTopic, eventTopic } from '../shared/encode-topics.ts'
import { ray } from '../shared/rate-units.ts'
import {
  stakewiseAbi as abi,
  stakewiseKeeperAbi as keeperAbi,
  stakewiseRegistryAbi as registryAbi,
} from './abi.ts'
import type { StakewiseConstants } from './constants-schema.ts'
import { depositStake, requestExit } from './encode.ts'

/**
 * ETH or GNO staked in the Genesis vault of StakeWise v3, which is open to everyone. The share price grows as rewards are collected; the rate is that
 * growth. A withdrawal is a request to the queue of the vault, which is claimed once it is paid.
 */
export const stakewise = (entry: StrategyEntry, constants: StakewiseConstants): ProtocolMarket => {
  const { chainId, asset } = entry
  const { vault, keeper, registry } = constants
  const ask = contract(vault, abi)
  const keeps = (functionName: string) => contract(keeper, keeperAbi)(functionName, vault)
  const leave = (shares: bigint, owner: Address) => ({
    transaction: requestExit({ chainId, vault, owner, shares }),
  })
  return {
    entry,
    contractAssertions: [
      mustAnswer('the kind of the vault', ask('vaultId'), kindOf(asset.address)),
      mustAnswer(
        'whether StakeWise made the vault',
        contract(registry, registryAbi)('vaults', vault),
        'true',
      ),
      mustAnswer('whether the vault has validators', keeps('isCollateralized'), 'true'),
    ],
    state: {
      reads: [
        ask('convertToAssets', ray),
        ask('totalAssets'),
        ask('capacity'),
        keeps('isHarvestRequired'),
        keeps('isCollateralized'),
      ],
      parse: ([worth, held, most, isBehind, hasValidators]) =>
        stateOf(
          { worth: worth as bigint, held: held as bigint, most: most as bigint },
          isBehind as boolean,
          hasValidators as boolean,
        ),
    },
    index: { reads: [ask('convertToAssets', ray)], parse: ([said]) => said as bigint },
    shares: (owner) => readAmount(ask('getShares', owner)),
    worth: (shares) => readAmount(ask('convertToAssets', shares)),
    units: (amount) => readAmount(ask('convertToShares', amount)),
    deposit: ({ amount, owner }) => ({
      transaction: depositStake({ chainId, vault, owner, asset: asset.address, amount }),
      ...(asset.address !== nativeAddress && { needs: { token: asset.address, spender: vault, amount } }),
    }),
    withdraw: ({ owner, units }) => leave(units ?? 0n, owner),
    withdrawAll: ({ owner, shares }) => leave(shares, owner),
    logs: (owner) => logsOf(vault, owner),
    event: eventOf,
  }
}

/**
 * The vaultId of the Genesis vault, by its asset (source: stakewise/v3-core, EthGenesisVault.sol and GnoGenesisVault.sol). Anyone can create vaults of
 * other kinds, and sets their fee.
 */
const kindOf = (asset: Address): string =>
  keccak256(toBytes(asset === nativeAddress ? 'EthGenesisVault' : 'GnoGenesisVault'))

type Amounts = Record<'worth' | 'held' | 'most', bigint>

const stateOf = ({ worth, held, most }: Amounts, isBehind: boolean, hasValidators: boolean): MarketState => ({
  apr: null,
  apy: null,
  tvl: held,
  index: worth,
  canDeposit: !isBehind,
  canWithdraw: hasValidators,
  headroom: most >= 2n ** 255n ? null : most > held ? most - held : 0n,
  liquidity: null,
  closed: {
    ...(isBehind && {
      deposit:
        'accepts deposits again once its rewards are updated (updateState of its vault), which needs a proof that no contract provides',
    }),
    ...(!hasValidators && {
      withdraw: 'has no validators yet: its vault would pay at once, which is not supported',
    }),
  },
})

const asOwner = ['Redeemed', 'ExitQueueEntered', 'V2ExitQueueEntered', 'ExitedAssetsClaimed'] as const
const asSecond = [
  'Deposited',
  'ExitQueueEntered',
  'V2ExitQueueEntered',
  'OsTokenLiquidated',
  'OsTokenRedeemed',
] as const

const logsOf = (address: Address, owner: Address): LogFilter[] => [
  ...asOwner.map((name) => ({ address, topics: [eventTopic(abi, name), addressTopic(owner)] })),
  ...asSecond.map((name) => ({ address, topics: [eventTopic(abi, name), null, addressTopic(owner)] })),
  // No topic of a migration from StakeWise v2 names the owner (source: IEthGenesisVault.sol, IGnoGenesisVault.sol).
  {
    address,
    topics: [eventTopic(abi, 'Migrated')],
    isAbout: ({ data }) => sameAddress(`0x${data.slice(26, 66)}`, owner),
  },
]

/** Shares in the queue no longer belong to the owner: a request is a withdrawal, and a claim only pays it. */
function eventOf(log: Log, owner: Address): MarketEvent | undefined {
  const { eventName, args } = decodeEventLog({ abi, topics: log.topics as never, data: log.data })
  switch (eventName) {
    case 'Deposited': {
      const type = sameAddress(args.caller, owner) ? 'deposit' : 'transfer_in'
      return { type, amount: args.assets, shares: [args.shares] }
    }
    case 'Migrated':
      return { type: 'transfer_in', amount: args.assets, shares: [args.shares] }
    case 'Redeemed':
    case 'ExitQueueEntered':
    case 'V2ExitQueueEntered': {
      if (!sameAddress(args.owner, owner)) return undefined
      const type = sameAddress(args.receiver, owner) ? 'withdraw' : 'transfer_out'
      return { type, amount: 'assets' in args ? args.assets : null, shares: [args.shares] }
    }
    case 'ExitedAssetsClaimed':
      return { type: 'claim', amount: args.withdrawnAssets, shares: [] }
    case 'OsTokenLiquidated':
      return { type: 'transfer_out', amount: args.receivedAssets, shares: [args.shares] }
    case 'OsTokenRedeemed':
      return { type: 'transfer_out', amount: args.assets, shares: [args.shares] }
    default:
      return undefined
  }
}
