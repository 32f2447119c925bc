import type { StrategyEntry } from '../catalog-types.ts'
import type { IntegrationGrade } from '../integration-grade.ts'
import { type Pays, type Protocol, stakingDescription, vaultDescription } from '../protocol.ts'
import type { Queue } from '../withdrawal-queue.ts'
import { leastUnitsFor } from '../withdrawal-units.ts'
import { checkStakedCalldata } from './calldata-check.ts'
import { stakedOf } from './calls-and-reads.ts'
import type {
  BenqiStakingConstants,
  EtherFiConstants,
  FraxEtherConstants,
  GnosisSdaiConstants,
  ListaConstants,
  RocketPoolConstants,
  StaderConstants,
  StakedConstants,
} from './constants-schema.ts'
import { staked } from './market-adapter.ts'
import { etherFiQueue, fraxQueue, listaQueue, savaxQueue, staderQueue } from './queues.ts'

/** A protocol of liquid staking: its contracts are in `calls-and-reads.ts`, its queue, if it has one, in `queues.ts`. */
const liquidStaking = <constants extends StakedConstants>(
  grade: IntegrationGrade,
  queue?: (chainId: number, constants: constants) => Queue,
): Protocol<constants> => ({
  grade,
  description: stakingDescription,
  calldata: ({ asset, receipt }, constants) => {
    const protocol = stakedOf(constants)
    return {
      targets: [protocol.stake.to, protocol.leave.to],
      check: (transaction, intent) =>
        checkStakedCalldata(transaction, intent, { asset, receipt }, protocol, queue !== undefined),
      cost: (amount) => ({ read: protocol.rate, unitsOf: (rate) => leastUnitsFor(rate, amount) }),
      byUnits: true,
      ...(protocol.takesReceipt && { takesReceipt: true }),
    }
  },
  ...(queue && { queue }),
  market: (entry, constants) => staked(entry, constants, queue?.(entry.chainId, constants)),
})

/** What units pay, at the rate of the token. */
const paysAtRate = (_: StrategyEntry, constants: StakedConstants, units: bigint): Pays => ({
  reads: [stakedOf(constants).rate],
  amountOf: ([rate]) => (rate === undefined ? undefined : (units * rate) / 10n ** 18n),
})

export const etherFi = liquidStaking<EtherFiConstants>(
  { grade: 'C', by: 'etherfi-protocol/smart-contracts, WeETHWithdrawAdapter and WithdrawRequestNFT' },
  etherFiQueue,
)
/** Staked frxETH. */
export const fraxEther = liquidStaking<FraxEtherConstants>(
  { grade: 'C', by: 'FraxFinance/frxETH-public, FraxEtherMinter and FraxEtherRedemptionQueueV2' },
  fraxQueue,
)
/** Stader. */
export const stader = liquidStaking<StaderConstants>(
  { grade: 'C', by: 'stader-labs/ethx, StaderStakePoolsManager and UserWithdrawalManager' },
  staderQueue,
)
/** Lista. */
export const lista = liquidStaking<ListaConstants>(
  { grade: 'C', by: 'lista-dao/synclub-contracts, ListaStakeManager.sol' },
  listaQueue,
)
/** sAVAX of Benqi. */
export const benqiStaking = liquidStaking<BenqiStakingConstants>(
  { grade: 'C', by: 'Benqi-fi/BENQI-Smart-Contracts, StakedAvax.sol' },
  savaxQueue,
)
/**
 * Rocket Pool. It keeps less than a hundredth of a deposit (source: rocket-pool/rocketpool, RocketDAOProtocolSettingsDeposit.setSettingUint).
 */
export const rocketPool: Protocol<RocketPoolConstants> = {
  ...liquidStaking<RocketPoolConstants>({
    grade: 'C',
    by: 'rocket-pool/rocketpool, RocketTokenRETH and RocketDepositPool',
  }),
  pays: paysAtRate,
  brings: (_, { amount }, cost) => cost(amount - amount / 100n),
}
/**
 * Savings xDAI. Interest since the last claim is added before the shares are minted, which raises their price by at most a month's interest at 10 % a year.
 */
export const gnosisSdai: Protocol<GnosisSdaiConstants> = {
  ...liquidStaking<GnosisSdaiConstants>({ grade: 'C', by: 'karpatkey/defi-kit, savingsXdaiAdapter.json' }),
  description: vaultDescription,
  pays: paysAtRate,
  brings: (_, { amount }, cost) => cost(amount - amount / 100n),
}
