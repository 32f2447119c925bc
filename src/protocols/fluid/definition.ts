import { decodeEventLog, parseAbi } from 'viem/utils'
import { type Call, contract } from '../../chain/call.ts'
import type { Address } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { erc4626Abi } from '../erc4626/abi.ts'
import { vaultProtocol } from '../erc4626/vault-protocol-parts.ts'
import type { MarketState, ProtocolMarket } from '../market-adapter.ts'
import { lendingDescription, type Protocol } from '../protocol.ts'
import { readAmount } from '../shared/amount-reads.ts'
import { mustAnswer } from '../shared/contract-assertions.ts'
import { callOf } from '../shared/contract-call.ts'
import { addressTopic, eventTopic } from '../shared/encode-topics.ts'
import { vaultReadings, vaultSteps } from '../shared/erc4626-vault.ts'
import { compounded } from '../shared/rate-units.ts'
import type { StakedReceipts } from '../staked-receipts.ts'
import { checkFluidCalldata, limitedWithdrawal } from './calldata-check.ts'
import type { FluidConstants } from './constants-schema.ts'

/**
 * The data of one fToken (source: Instadapp/fluid-contracts-public, deployments/arbitrum/LendingResolver.json). `supplyRate` is 100 for 1%,
 * `rewardsRate` 1e12 for 1%; both are part of the share price. `withdrawable` is what the liquidity layer pays out now, in the asset.
 */
const resolverAbi = parseAbi([
  'struct UserSupplyData { bool modeWithInterest; uint256 supply; uint256 withdrawalLimit; uint256 lastUpdateTimestamp; uint256 expandPercent; uint256 expandDuration; uint256 baseWithdrawalLimit; uint256 withdrawableUntilLimit; uint256 withdrawable; }',
  'struct FTokenDetails { address tokenAddress; bool eip2612Deposits; bool isNativeUnderlying; string name; string symbol; uint256 decimals; address asset; uint256 totalAssets; uint256 totalSupply; uint256 convertToShares; uint256 convertToAssets; uint256 rewardsRate; uint256 supplyRate; int256 rebalanceDifference; UserSupplyData liquidityUserSupplyData; }',
  'function getFTokenDetails(address fToken) view returns (FTokenDetails)',
])

/** The fields of `getFTokenDetails` that are used here. */
type Details = {
  asset: Address
  rewardsRate: bigint
  supplyRate: bigint
  liquidityUserSupplyData: { withdrawable: bigint }
}

/**
 * A lending vault of Fluid: ERC-4626, but a partial withdrawal limits the shares that it burns. Its resolver states the rate, rounded down to
 * 0.01%, and what can be withdrawn now; without its answer, or at a rate of zero, the growth of the share price is the rate.
 */
const market = (entry: StrategyEntry, { vault, resolver }: FluidConstants): ProtocolMarket => {
  const { chainId, asset } = entry
  const details: Call = contract(resolver, resolverAbi)('getFTokenDetails', vault)
  const { state, contractAssertions: claims, ...readings } = vaultReadings(entry, { vault })
  return {
    entry,
    ...readings,
    contractAssertions: [
      ...claims,
      mustAnswer(
        'the asset of the vault by the resolver',
        details,
        asset.address,
        (answer) => (answer as Details).asset,
      ),
    ],
    state: {
      reads: [...state.reads, { ...details, refused: null }],
      parse: (answers) => ({
        ...state.parse(answers.slice(0, -1)),
        ...statedBy(answers.at(-1) as Details | null),
      }),
    },
    units: (amount) => readAmount(contract(vault, erc4626Abi)('previewWithdraw', amount)),
    ...vaultSteps(entry, vault),
    withdraw: ({ amount, owner, units = 0n }) => {
      const args = [amount, owner, owner, units] as const
      const call = { abi: limitedWithdrawal, functionName: 'withdraw', args } as const
      return { transaction: callOf({ chainId, to: vault }, call) }
    },
  }
}

/** The rate and the liquidity by the resolver; nothing of what it does not say. */
function statedBy(details: Details | null): Partial<MarketState> {
  if (!details) return {}
  const { supplyRate, rewardsRate, liquidityUserSupplyData } = details
  const apr = Number(supplyRate) / 1e4 + Number(rewardsRate) / 1e14
  return {
    liquidity: liquidityUserSupplyData.withdrawable,
    ...(apr > 0 && { apr, apy: compounded(apr) }),
  }
}

/** The contract in which the shares of one fToken are staked for rewards (source: Instadapp/fluid-contracts-public, contracts/protocols/lending/stakingRewards/main.sol). */
const stakingAbi = parseAbi([
  'function stakingToken() view returns (address)',
  'function balanceOf(address account) view returns (uint256)',
  'event Staked(address indexed user, uint256 amount)',
  'event Withdrawn(address indexed user, uint256 amount)',
])

/** The shares of an fToken that are staked in its contract `at`. */
const stakingRewards = (at: Address, vault: Address): StakedReceipts => ({
  at,
  staked: (owner) => readAmount(contract(at, stakingAbi)('balanceOf', owner)),
  contractAssertions: [mustAnswer('the staked token', contract(at, stakingAbi)('stakingToken'), vault)],
  logs: (owner) =>
    (['Staked', 'Withdrawn'] as const).map((name) => ({
      address: at,
      topics: [eventTopic(stakingAbi, name), addressTopic(owner)],
    })),
  moved: ({ topics, data }) => {
    const { eventName, args } = decodeEventLog({ abi: stakingAbi, topics: topics as never, data })
    return { isStaked: eventName === 'Staked', value: args.amount }
  },
})

/** The lending vaults of Fluid (fTokens). */
export const fluid: Protocol<FluidConstants> = {
  grade: { grade: 'C', by: 'Instadapp/fluid-contracts-public, fToken/main.sol' },
  description: lendingDescription,
  rateConvention: () => 'the stated rate, to 0.01%, compounded every second over 365 days',
  ...vaultProtocol(checkFluidCalldata, { byUnits: true }),
  staking: (_, { vault, staking }) => staking && stakingRewards(staking, vault),
  market,
}
