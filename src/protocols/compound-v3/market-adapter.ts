import { contract, known, type Reading } from '../../chain/call.ts'
import { erc20 } from '../../chain/erc20.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { Log, LogFilter, MarketEvent, MarketState, ProtocolMarket } from '../market-adapter.ts'
import { balance } from '../shared/amount-reads.ts'
import { mustAnswer } from '../shared/contract-assertions.ts'
import { addressTopic, eventTopic } from '../shared/encode-topics.ts'
import { perSecond, ray } from '../shared/rate-units.ts'
import { movementOf, transferEvent, transferLogs } from '../shared/transfers.ts'
import { cometAbi as abi } from './abi.ts'
import type { CompoundV3Constants } from './constants-schema.ts'
import { supplyBase, withdrawBase } from './encode.ts'
import { cometRewards, cometRewardsAbi } from './reward-emissions.ts'

/** The scale of rates and utilization of Compound v3 (source: CometCore, FACTOR_SCALE). */
const factorScale = 10n ** 18n

/** A rate per second, scaled by 1e18, on a curve that is steeper above its kink (source: Comet.getSupplyRate, Comet.getBorrowRate). */
export function kinkedRate(curve: {
  used: bigint
  kink: bigint
  base: bigint
  low: bigint
  high: bigint
}): bigint {
  const { used, kink, base, low, high } = curve
  if (used <= kink) return base + (low * used) / factorScale
  return base + (low * kink) / factorScale + (high * (used - kink)) / factorScale
}

/** The base asset of a Compound v3 market. Balances rebase, so a balance already is the position (source: comet, balanceOf). */
export const compoundV3 = (entry: StrategyEntry, constants: CompoundV3Constants): ProtocolMarket => {
  const { comet, rewards } = constants
  const { chainId, asset } = entry
  const ask = (amount: bigint, owner: Address) => ({ chainId, comet, asset: asset.address, amount, owner })
  return {
    entry,
    contractAssertions: [
      mustAnswer('the base asset of the market', contract(comet, abi)('baseToken'), asset.address),
      ...(rewards
        ? [
            mustAnswer(
              'the reward of the market',
              contract(rewards, cometRewardsAbi)('rewardConfig', comet),
              'a token or none',
              (config) => (Array.isArray(config) ? 'a token or none' : config),
            ),
          ]
        : []),
    ],
    state: stateOf(comet, asset.address),
    index: {
      reads: [contract(comet, abi)('totalsBasic')],
      parse: ([totals]) => indexOf(totals as Totals),
    },
    rewards: cometRewards(constants),
    shares: (owner) => balance(comet, owner),
    worth: known,
    counted: (owner) => ({
      reads: [contract(comet, abi)('userBasic', owner)],
      parse: ([basic]) => suppliedBy(basic as [principal: bigint] | undefined),
    }),
    // A supply or a withdrawal updates the index, which then stays the same until the end of the block.
    grown: {
      reads: [contract(comet, abi)('totalsBasic')],
      parse: ([totals]) => (totals as Totals | undefined) && indexOf(totals as Totals),
    },
    deposit: ({ amount, owner }) => ({
      transaction: supplyBase(ask(amount, owner)),
      needs: { token: asset.address, spender: comet, amount },
    }),
    withdraw: ({ amount, owner }) => ({ transaction: withdrawBase(ask(amount, owner)) }),
    withdrawAll: ({ owner }) => ({ transaction: withdrawBase(ask(maxUint256, owner)) }),
    logs: (owner) => logsOf(comet, owner),
    event: eventOf,
  }
}

/** The principal of an owner's deposit; below zero it is a debt, which no log of the owner contains. */
const suppliedBy = (basic: [principal: bigint] | undefined): bigint | null =>
  basic === undefined ? null : basic[0] > 0n ? basic[0] : 0n

const names = [
  'getUtilization',
  'supplyKink',
  'supplyPerSecondInterestRateBase',
  'supplyPerSecondInterestRateSlopeLow',
  'supplyPerSecondInterestRateSlopeHigh',
  'totalSupply',
  'isSupplyPaused',
  'isWithdrawPaused',
  'totalsBasic',
] as const

const stateOf = (comet: Address, base: Address): Reading<MarketState> => ({
  reads: [...names.map((functionName) => contract(comet, abi)(functionName)), erc20.balanceOf(base, comet)],
  parse: (answers) => {
    const [used, kink, first, low, high, supplied] = answers as bigint[]
    const [noSupply, noWithdraw, totals] = answers.slice(6) as [boolean, boolean, Totals]
    const rate = perSecond(kinkedRate({ used: used!, kink: kink!, base: first!, low: low!, high: high! }))
    return {
      ...rate,
      tvl: supplied!,
      index: indexOf(totals),
      canDeposit: !noSupply,
      canWithdraw: !noWithdraw,
      headroom: null,
      liquidity: answers[9] as bigint,
    }
  },
})

type Totals = { baseSupplyIndex: bigint }

/** Indices are scaled by 1e15 (source: CometCore). */
const indexOf = ({ baseSupplyIndex }: Totals): bigint => (baseSupplyIndex * ray) / 10n ** 15n

const logsOf = (comet: Address, owner: Address): LogFilter[] => [
  { address: comet, topics: [eventTopic(abi, 'Supply'), null, addressTopic(owner)] },
  { address: comet, topics: [eventTopic(abi, 'Withdraw'), addressTopic(owner)] },
  ...transferLogs(comet, owner),
]

/**
 * `Transfer` from or to the zero address has the change of the supplied balance by a supply, a withdrawal, or a transfer between two owners, with
 * a rounding error of a unit. `Supply` and `Withdraw` have the exact amount, which includes repaid and new debt. No log has the index, so the units
 * that do not rebase follow from `grown`.
 */
function eventOf(log: Log, owner: Address, inSame: readonly Log[]): MarketEvent | undefined {
  const movement = movementOf(log, owner)
  if (!movement || !sameAddress(movement.other, nativeAddress)) return undefined
  const { isIncoming, value: moved } = movement
  const why = inSame.find((one) => one.topics[0] === eventTopic(abi, isIncoming ? 'Supply' : 'Withdraw'))
  if (!why) return { ...transferEvent(movement), amount: moved, shares: [] }
  const exact = BigInt(why.data)
  const off = exact - moved
  const amount = off >= -2n && off <= 2n ? exact : moved
  return { type: isIncoming ? 'deposit' : 'withdraw', amount, shares: [] }
}
