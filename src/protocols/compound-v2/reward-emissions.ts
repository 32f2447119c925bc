import { parseAbi } from 'viem/utils'
import { type Call, contract, type Rounds } from '../../chain/call.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import {
  type MarketRewards,
  type Priced,
  pricedTokens,
  type Reward,
  wholeTokens,
} from '../shared/market-rewards.ts'
import type { CompoundV2Constants } from './constants-schema.ts'

/**
 * The functions that state the rewards of a market of the Compound v2 family: Moonwell names a contract, and Benqi answers itself, for QI
 * (0) and for the coin (1) (sources: @moonwell-fi/moonwell-sdk 1.0.0, Benqi-fi/BENQI-Smart-Contracts).
 */
const lenderRewardsAbi = parseAbi([
  'function rewardDistributor() view returns (address)',
  'function supplyRewardSpeeds(uint8 rewardType, address market) view returns (uint256)',
  'function qiAddress() view returns (address)',
])

/** The rewards of Moonwell, by market (source: @moonwell-fi/moonwell-sdk 1.0.0, multiRewardDistributorAbi). */
const rewardDistributorAbi = parseAbi([
  'struct MarketConfig { address owner; address emissionToken; uint256 endTime; uint224 supplyGlobalIndex; uint32 supplyGlobalTimestamp; uint224 borrowGlobalIndex; uint32 borrowGlobalTimestamp; uint256 supplyEmissionsPerSec; uint256 borrowEmissionsPerSec; }',
  'function getAllMarketConfigs(address mToken) view returns (MarketConfig[])',
])

type Paid = { token: Address; units: bigint }

/**
 * The rewards of a market of Moonwell or of Benqi, per second. Those of Venus are unknown: they are per block, and no contract states the block time.
 */
export const compoundV2Rewards = ({
  market,
  comptroller,
  pauses,
}: CompoundV2Constants): MarketRewards | undefined =>
  pauses === 'guardian'
    ? function* (now, priced) {
        const ask = contract(comptroller, lenderRewardsAbi)
        const [distributor, ofQi, ofCoin, qi] = (yield [
          ask('rewardDistributor'),
          ask('supplyRewardSpeeds', 0, market),
          ask('supplyRewardSpeeds', 1, market),
          ask('qiAddress'),
        ]) as [Address?, bigint?, bigint?, Address?]
        if (distributor !== undefined) return yield* byDistributor(distributor, market, now, priced)
        if (ofQi === undefined || ofCoin === undefined || qi === undefined) return null
        const paid = [
          { token: qi, units: ofQi },
          { token: nativeAddress, units: ofCoin },
        ]
        return yield* worth(paid, priced)
      }
    : undefined

/** Moonwell uses one unit per second for no rewards, because its contract does not accept zero. */
const nothing = 1n

function* byDistributor(
  distributor: Address,
  market: Address,
  now: number,
  priced: Priced,
): Rounds<readonly Reward[] | null> {
  if (distributor === nativeAddress) return []
  const [configs] = yield [contract(distributor, rewardDistributorAbi)('getAllMarketConfigs', market)]
  if (!Array.isArray(configs)) return null
  const rows = configs as { emissionToken: Address; endTime: bigint; supplyEmissionsPerSec: bigint }[]
  const running = rows.filter(
    ({ endTime, supplyEmissionsPerSec }) => endTime > BigInt(now) && supplyEmissionsPerSec > nothing,
  )
  return yield* worth(
    running.map(({ emissionToken, supplyEmissionsPerSec }) => ({
      token: emissionToken,
      units: supplyEmissionsPerSec,
    })),
    priced,
  )
}

/** The decimals of the native coin, which has no contract. */
const coinDecimals = 18

function* worth(all: readonly Paid[], priced: Priced): Rounds<readonly Reward[] | null> {
  const paid = all.filter(({ units }) => units > 0n)
  const coins = paid.filter(({ token }) => token === nativeAddress)
  const tokens = paid.filter(({ token }) => token !== nativeAddress)
  const known = yield* pricedTokens(
    tokens.map(({ token }) => token),
    priced,
  )
  if (!known) return null
  const coin = priced(nativeAddress)
  const price = coins.length > 0 ? coin.parse(yield coin.reads as Call[]) : null
  return [
    ...tokens.map(({ units }, at) => ({
      aSecond: wholeTokens(units, known[at]!.decimals),
      price: known[at]!.price,
    })),
    ...coins.map(({ units }) => ({ aSecond: wholeTokens(units, coinDecimals), price })),
  ]
}
