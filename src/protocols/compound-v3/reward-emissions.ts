import { parseAbi } from 'viem/utils'
import { contract } from '../../chain/call.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import { type MarketRewards, pricedTokens } from '../shared/market-rewards.ts'
import { cometAbi } from './abi.ts'
import type { CompoundV3Constants } from './constants-schema.ts'

/** The rewards of a market of Compound v3, in its own units (source: compound-finance/comet, CometMainInterface). */
const cometSpeedAbi = parseAbi([
  'function baseTrackingSupplySpeed() view returns (uint256)',
  'function trackingIndexScale() view returns (uint256)',
  'function baseMinForRewards() view returns (uint256)',
])

/** The token of the rewards; the newer of two forms has a multiplier, scaled by 1e18 (source: compound-finance/comet, CometRewards). */
export const cometRewardsAbi = parseAbi([
  'function rewardConfig(address comet) view returns (address token, uint64 rescaleFactor, bool shouldUpscale)',
])
/** The newer form of the same function. */
const multipliedRewardsAbi = parseAbi([
  'function rewardConfig(address comet) view returns (address token, uint64 rescaleFactor, bool shouldUpscale, uint256 multiplier)',
])

const speeds = ['baseTrackingSupplySpeed', 'trackingIndexScale', 'baseMinForRewards'] as const

/**
 * The rewards of a market of Compound v3: its speed is in whole tokens per second, by the scale of its index, and zero while too little is
 * supplied (source: comet, accruedInterestIndices and getRewardAccrued).
 */
export const cometRewards = ({ comet, rewards }: CompoundV3Constants): MarketRewards | undefined =>
  rewards &&
  function* (_now, priced) {
    const [speed, scale, least, totals, plain, multiplied] = yield [
      ...speeds.map((name) => contract(comet, cometSpeedAbi)(name)),
      contract(comet, cometAbi)('totalsBasic'),
      contract(rewards, cometRewardsAbi)('rewardConfig', comet),
      contract(rewards, multipliedRewardsAbi)('rewardConfig', comet),
    ]
    if ([speed, scale, least, totals].includes(undefined)) return null
    const { totalSupplyBase } = totals as { totalSupplyBase: bigint }
    if (speed === 0n || totalSupplyBase < (least as bigint)) return []
    const [token, , , times = one] = (multiplied ?? plain ?? []) as [Address?, bigint?, boolean?, bigint?]
    if (token === undefined) return null
    if (token === nativeAddress) return []
    const known = yield* pricedTokens([token], priced)
    if (!known) return null
    const aSecond = (Number(speed) / Number(scale)) * (Number(times) / Number(one))
    return [{ aSecond, price: known[0]!.price }]
  }

const one = 10n ** 18n
