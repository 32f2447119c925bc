import { parseAbi } from 'viem/utils'
import { type Call, contract, type Rounds } from '../../chain/call.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { Price } from '../../domain/usd.ts'
import { feedAbi, freshFor } from '../oracle-prices.ts'
import { type MarketRewards, pricedTokens, type Reward, wholeTokens } from '../shared/market-rewards.ts'

/** The contract that an aToken names for its rewards (source: @aave/core-v3, IncentivizedERC20). */
const incentivizedAbi = parseAbi(['function getIncentivesController() view returns (address)'])

/** The rewards of Aave v3: their tokens, their rates, and the oracles that price them (source: @aave/periphery-v3 3.0.1, RewardsController). */
const rewardsControllerAbi = parseAbi([
  'function getRewardsByAsset(address asset) view returns (address[])',
  'function getRewardsData(address asset, address reward) view returns (uint256 index, uint256 emissionPerSecond, uint256 lastUpdateTimestamp, uint256 distributionEnd)',
  'function getRewardOracle(address reward) view returns (address)',
])

/**
 * The rewards of a reserve of Aave v3, by the contract that its aToken names. A token without a price in our own sources has the price of the oracle
 * that the protocol itself uses for rewards.
 */
export const aaveRewards = (aToken: Address): MarketRewards =>
  function* (now, priced) {
    const [controller] = yield [contract(aToken, incentivizedAbi)('getIncentivesController')]
    if (controller === undefined) return null
    if (controller === nativeAddress) return []
    const ask = contract(controller as Address, rewardsControllerAbi)
    const [listed] = yield [ask('getRewardsByAsset', aToken)]
    if (!Array.isArray(listed)) return null
    const tokens = listed as Address[]
    const found = yield tokens.flatMap((token) => [
      ask('getRewardsData', aToken, token),
      ask('getRewardOracle', token),
    ])
    const rows = tokens.map((token, at) => {
      const [data, oracle] = found.slice(2 * at, 2 * at + 2)
      const [, aSecond, , end] = (data ?? []) as bigint[]
      return { token, aSecond, end, oracle: oracle as Address | undefined }
    })
    if (rows.some(({ aSecond }) => aSecond === undefined)) return null
    const paid = rows.filter(({ aSecond, end }) => aSecond! > 0n && end! > BigInt(now))
    const known = yield* pricedTokens(
      paid.map(({ token }) => token),
      priced,
    )
    if (!known) return null
    const said = yield* byOracles(
      paid.map(({ oracle }, at) => (known[at]!.price === null ? oracle : undefined)),
      BigInt(now),
    )
    return paid.map(
      ({ aSecond }, at): Reward => ({
        aSecond: wholeTokens(aSecond!, known[at]!.decimals),
        price: known[at]!.price ?? said[at]!,
      }),
    )
  }

/** The prices of some oracles, where there are any. If an oracle states the age of its price, that must be fresh. */
function* byOracles(oracles: readonly (Address | undefined)[], now: bigint): Rounds<readonly Price[]> {
  const names = ['latestRoundData', 'latestAnswer', 'decimals']
  const asked = oracles.flatMap((oracle) => (oracle ? [oracle] : []))
  const found =
    asked.length === 0
      ? []
      : yield asked.flatMap((address) =>
          names.map((functionName): Call => contract(address, feedAbi)(functionName)),
        )
  return oracles.map((oracle) => {
    const at = oracle ? asked.indexOf(oracle) * names.length : -1
    const [round, answer, decimals] = at < 0 ? [] : found.slice(at, at + names.length)
    if (typeof answer !== 'bigint' || answer <= 0n || typeof decimals !== 'number') return null
    const updatedAt = Array.isArray(round) ? (round[3] as bigint) : undefined
    if (updatedAt !== undefined && updatedAt + freshFor < now) return null
    return (answer * 10n ** 8n) / 10n ** BigInt(decimals)
  })
}
