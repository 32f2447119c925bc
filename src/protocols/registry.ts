import type { Address } from '../domain/address.ts'
import { aaveV3 } from './aave-v3/definition.ts'
import { acrossPool } from './across-pool/definition.ts'
import type { Catalog, StrategyEntry } from './catalog-types.ts'
import { compoundV2 } from './compound-v2/definition.ts'
import { compoundV3 } from './compound-v3/definition.ts'
import { erc4626 } from './erc4626/definition.ts'
import { ethena } from './ethena/definition.ts'
import { fluid } from './fluid/definition.ts'
import type { IntegrationGrade } from './integration-grade.ts'
import { lido } from './lido/definition.ts'
import {
  benqiStaking,
  etherFi,
  fraxEther,
  gnosisSdai,
  lista,
  rocketPool,
  stader,
} from './liquid-staking/definitions.ts'
import type { Market } from './market-adapter.ts'
import type { MarketConstants } from './market-constants-union.ts'
import { morpho } from './morpho/definition.ts'
import type { MovingPriceMarket } from './moving-price-quotes.ts'
import { pendlePt } from './pendle-pt/definition.ts'
import type { CalldataRules, Cost, Pays, Protocol } from './protocol.ts'
import { sparkPsm3 } from './spark-psm3/definition.ts'
import { type StakedReceipts, withStaked } from './staked-receipts.ts'
import { stakewise } from './stakewise/definition.ts'
import type { Queue } from './withdrawal-queue.ts'
import { yearnV3 } from './yearn-v3/definition.ts'

/** Every yield protocol: one line each. */
const protocols: {
  readonly [family in MarketConstants['family']]: Protocol<Extract<MarketConstants, { family: family }>>
} = {
  'aave-v3': aaveV3,
  across: acrossPool,
  'benqi-staking': benqiStaking,
  'compound-v2': compoundV2,
  'compound-v3': compoundV3,
  erc4626,
  'ether-fi': etherFi,
  ethena,
  fluid,
  'frax-ether': fraxEther,
  'gnosis-sdai': gnosisSdai,
  lido,
  lista,
  morpho,
  'pendle-pt': pendlePt,
  'rocket-pool': rocketPool,
  'spark-psm3': sparkPsm3,
  stader,
  stakewise,
  'yearn-v3': yearnV3,
}

/** The protocol of a market. The type of the table guarantees that the constants belong to it. */
const protocolOf = ({ family }: Pick<MarketConstants, 'family'>): Protocol<MarketConstants> =>
  protocols[family] as Protocol<MarketConstants>

/** The rules that check the calldata of a strategy's calls. */
export const calldataRulesOf = (entry: StrategyEntry): CalldataRules => ({
  ...protocolOf(entry.constants).calldata(entry, entry.constants),
  ...withExchange(entry),
})

const withExchange = (entry: StrategyEntry): { exchange?: MovingPriceMarket } => {
  const exchange = protocolOf(entry.constants).exchange?.(entry, entry.constants)
  return exchange ? { exchange } : {}
}

/** The queue of a market; `undefined` if withdrawals pay at once. */
export const queueOf = ({ constants, chainId }: StrategyEntry): Queue | undefined =>
  protocolOf(constants).queue?.(chainId, constants)

/** The contract in which receipts of a strategy are staked; `undefined` if none is known. */
export const stakingOf = (entry: StrategyEntry): StakedReceipts | undefined =>
  protocolOf(entry.constants).staking?.(entry, entry.constants)

/** The market of a catalogue entry. */
export function marketOf(entry: StrategyEntry): Market {
  const [queue, staking] = [queueOf(entry), stakingOf(entry)]
  const own = protocolOf(entry.constants).market(entry, entry.constants)
  return {
    ...(staking ? withStaked(own, staking) : own),
    ...withExchange(entry),
    ...(queue && { queue }),
  }
}

/** Every market of a catalogue. */
export const marketsOf = (catalog: Catalog): Market[] => catalog.strategies.map(marketOf)

/**
 * What units of the receipt pay at once, by the market's own answer and after its fees. `undefined` for a market with a queue, and for an
 * exchange, whose calldata has the bound.
 */
export function paysOf(entry: StrategyEntry, units: bigint): Pays | undefined {
  if (calldataRulesOf(entry).exchange || queueOf(entry)) return undefined
  const { pays } = protocolOf(entry.constants)
  return pays ? pays(entry, entry.constants, units) : { amount: units }
}

/**
 * The least of the receipt that a deposit brings, by the market's own answer before it. `undefined` for an exchange, whose calldata has the
 * bound.
 */
export function bringsOf(
  entry: StrategyEntry,
  deposit: { amount: bigint; wallet: Address },
): Cost | undefined {
  const { cost, exchange } = calldataRulesOf(entry)
  if (exchange) return undefined
  const { brings } = protocolOf(entry.constants)
  return brings ? brings(entry.constants, deposit, cost) : cost(deposit.amount)
}

/** The grade of each protocol, with its evidence. */
export const grades = Object.fromEntries(
  Object.entries(protocols).map(([family, { grade }]) => [family, grade]),
) as Readonly<Record<MarketConstants['family'], IntegrationGrade>>

/** The grade of one market: that of its protocol; if the bytecode of another protocol was tested, it names that. */
export function gradeOf({
  protocol,
  constants,
}: Pick<StrategyEntry, 'protocol' | 'constants'>): IntegrationGrade {
  const {
    grade: { grade, by },
    forks,
  } = protocolOf(constants)
  // The sandbox's own contracts prove nothing about others.
  if (protocol.startsWith('sandbox-')) {
    const own = 'the contract exists only in the sandbox'
    return grade === 'B' ? { grade, by: `${by}; ${own}` } : { grade: 'C', by: own }
  }
  if (!forks || forks.isOwn(protocol)) return { grade, by }
  return { grade, by: `of ${forks.whose}: ${by}` }
}

/** What the markets of a protocol do with an asset, in a sentence or two. */
export const descriptionOf = (family: MarketConstants['family'], symbol: string): string =>
  protocolOf({ family }).description(symbol)

/** How the rate that a market states becomes a yearly one, in words. */
export const rateConventionOf = (constants: MarketConstants): string =>
  protocolOf(constants).rateConvention?.(constants) ??
  'the rate per second, compounded every second over 365 days'
