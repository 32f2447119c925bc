import type { Call } from '../chain/call.ts'
import type { Address } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { CalldataVerdict } from './calldata-verdict.ts'
import type { StrategyEntry } from './catalog-types.ts'
import type { IntegrationGrade } from './integration-grade.ts'
import type { MarketIntent } from './intent.ts'
import type { ProtocolMarket } from './market-adapter.ts'
import type { MovingPriceMarket } from './moving-price-quotes.ts'
import type { StakedReceipts } from './staked-receipts.ts'
import type { Queue } from './withdrawal-queue.ts'

/** The cost of an amount in units of the receipt: a number, or a number computed from a read of the market. */
export type Cost = { units: bigint } | { read: Call<bigint>; unitsOf: (answer: bigint) => bigint }

/**
 * What the guard needs to check the calls of a market: their targets, how calldata is checked against the intent, and the cost of a withdrawal in units of
 * the receipt.
 */
export type CalldataRules = {
  /** The first is the contract that takes deposits; withdrawals may go to another. */
  targets: readonly [Address, ...Address[]]
  check: (transaction: Transaction, intent: MarketIntent) => CalldataVerdict
  cost: (amount: bigint) => Cost
  /** The calldata of a partial withdrawal names units of the receipt. */
  byUnits?: true
  /** A withdrawal needs an allowance of the receipt. */
  takesReceipt?: true
  /** The quotes of its steps, where they are exchanges at a moving price. */
  exchange?: MovingPriceMarket
}

/**
 * What a market pays for units of the receipt: a number, or a number computed from reads, each `undefined` if it reverts. `insteadOf` names, in words, the missing answer that another one replaced.
 */
export type Pays =
  | { amount: bigint }
  | {
      reads: readonly Call<bigint>[]
      amountOf: (answers: readonly (bigint | undefined)[]) => bigint | undefined
      insteadOf?: (answers: readonly (bigint | undefined)[]) => string | undefined
    }

/** A yield protocol: one folder, and one line in the registry. */
export type Protocol<constants> = {
  grade: IntegrationGrade
  /** For a family of several protocols: whether a market belongs to the protocol whose bytecode was tested, and which protocol that is. */
  forks?: { isOwn: (protocol: string) => boolean; whose: string }
  /** What its markets do with an asset, in one or two sentences. */
  description: (symbol: string) => string
  /** How a stated rate becomes a yearly one, in words. Without it: compounded every second over 365 days. */
  rateConvention?: (constants: constants) => string | undefined
  calldata: (entry: StrategyEntry, constants: constants) => Omit<CalldataRules, 'exchange'>
  /** The quotes of its steps, where they are exchanges at a moving price. */
  exchange?: (entry: StrategyEntry, constants: constants) => MovingPriceMarket
  /** The queue of withdrawals. Without it, they pay at once. */
  queue?: (chainId: number, constants: constants) => Queue | undefined
  /** The contract of the protocol in which receipts are staked, if one is known. Staked receipts are a part of the position. */
  staking?: (entry: StrategyEntry, constants: constants) => StakedReceipts | undefined
  /** What units of the receipt pay at once. Without it, one unit pays one unit of the asset. */
  pays?: (entry: StrategyEntry, constants: constants, units: bigint) => Pays
  /** The least of the receipt that a deposit brings. Without it, the cost of the same amount. */
  brings?: (
    constants: constants,
    deposit: { amount: bigint; wallet: Address },
    cost: CalldataRules['cost'],
  ) => Cost
  market: (entry: StrategyEntry, constants: constants) => ProtocolMarket
}

/** The cost with rebasing balances: one unit of the receipt for one of the asset. */
export const oneForOne = (amount: bigint): Cost => ({ units: amount })

/** A sentence about a market that lends. */
export const lendingDescription = (symbol: string): string =>
  `Lends ${symbol} to borrowers of the market against collateral. The rate depends on how much of it is borrowed.`

/** A sentence about a market that stakes. */
export const stakingDescription = (symbol: string): string =>
  `Stakes ${symbol} and holds a receipt for it, whose value grows as the validators earn. A withdrawal may have to wait.`

/** A sentence about a vault. */
export const vaultDescription = (symbol: string): string =>
  `A vault that takes ${symbol} and gives shares. The value of a share grows as the vault earns.`

/** Appended to the source of an A whose calldata also equals that of an SDK. */
export const sdkEqualityNote = (sdk: string): string => `; its calldata equals that of ${sdk}`
