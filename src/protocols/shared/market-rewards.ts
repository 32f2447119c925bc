import type { Call, Reading, Rounds } from '../../chain/call.ts'
import { erc20 } from '../../chain/erc20.ts'
import type { Address } from '../../domain/address.ts'
import type { Price } from '../../domain/usd.ts'

/** A reward to all lenders of a market together: whole tokens per second, and the USD price of one, scaled by 1e8. */
export type Reward = { aSecond: number; price: Price }

/** The reading of a token's USD price. */
export type Priced = (token: Address) => Reading<Price>

/** The rewards of a market beside its interest at a time in Unix seconds, in rounds of reads; `null` is unknown, an empty list is none. */
export type MarketRewards = (now: number, priced: Priced) => Rounds<readonly Reward[] | null>

const secondsAYear = 31_536_000

/**
 * Rewards as a yearly fraction of the market's size, not compounded, because they are paid in another token. `null` if a reward or the market has no
 * price. Equal to the digit to Aave's own SDK (`calculateIncentiveAPR`, @aave/math-utils 1.38.0).
 */
export function rewardRate(
  extras: readonly Reward[] | null,
  { tvl, decimals, price }: { tvl: bigint; decimals: number; price: Price },
): number | null {
  const paid = extras?.filter(({ aSecond }) => aSecond > 0)
  if (!paid) return null
  if (paid.length === 0) return 0
  if (price === null || paid.some((one) => one.price === null)) return null
  const aYear = paid.reduce((sum, one) => sum + one.aSecond * Number(one.price), 0) * secondsAYear
  const rate = aYear / (Number(tvl * price) / 10 ** decimals)
  return Number.isFinite(rate) ? rate : null
}

export const wholeTokens = (units: bigint, decimals: number): number => Number(units) / 10 ** decimals

/** The decimals and prices of some tokens, in one round; `null` if one does not state its decimals. */
export function* pricedTokens(
  tokens: readonly Address[],
  priced: Priced,
): Rounds<readonly { decimals: number; price: Price }[] | null> {
  const prices = tokens.map(priced)
  const found = yield tokens.flatMap((token, at) => [decimalsOf(token), ...(prices[at]!.reads as Call[])])
  let next = 0
  const all = prices.map(({ reads, parse }) => {
    const [decimals, ...answers] = found.slice(next, next + 1 + reads.length)
    next += 1 + reads.length
    return { decimals, price: parse(answers) }
  })
  return all.every((one): one is { decimals: number; price: Price } => typeof one.decimals === 'number')
    ? all
    : null
}

const decimalsOf = (token: Address): Call => erc20.decimals(token)
