import { cometAbi } from '../../calls/compound-v3.ts'
import type { Query } from '../../calls/queue.ts'
import { cometRewardsAbi, cometSpeedAbi, multipliedRewardsAbi } from '../../calls/rewards.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { CompoundV3Constants } from '../../domain/market-constants.ts'
import { type Extras, pricedTokens } from './extra.ts'

const speeds = ['baseTrackingSupplySpeed', 'trackingIndexScale', 'baseMinForRewards'] as const

/**
 * What a market of Compound v3 pays beside its interest: its speed counts whole tokens a second, by the scale of its index, and is
 * nothing as long as too little is supplied (source: comet, accruedInterestIndices and getRewardAccrued).
 */
export const cometExtras = ({ comet, rewards }: CompoundV3Constants): Extras | undefined =>
  rewards &&
  function* (_now, priced) {
    const asked = (abi: typeof cometRewardsAbi | typeof multipliedRewardsAbi): Query => ({
      address: rewards,
      abi,
      functionName: 'rewardConfig',
      args: [comet],
    })
    const [speed, scale, least, totals, plain, multiplied] = yield [
      ...speeds.map((functionName): Query => ({ address: comet, abi: cometSpeedAbi, functionName })),
      { address: comet, abi: cometAbi, functionName: 'totalsBasic' },
      asked(cometRewardsAbi),
      asked(multipliedRewardsAbi),
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
