import type { Query, Rounds } from '../../chain/contract-query.ts'
import { erc20Abi } from '../../chain/erc20.ts'
import type { Reading } from '../../chain/reading.ts'
import type { Address } from '../../domain/address.ts'
import type { Price } from '../../domain/usd.ts'

/** What is paid beside the interest to all of a market together: so many whole tokens a second, and what one is worth in USD, by 1e8. */
export type Extra = { aSecond: number; price: Price }

/** How the USD price of a token is asked. */
export type Priced = (token: Address) => Reading<Price>

/** What a market pays beside its interest, asked in rounds, at a time in Unix seconds; `null` is not known, and no row is nothing. */
export type Extras = (now: number, priced: Priced) => Rounds<readonly Extra[] | null>

const secondsAYear = 31_536_000

/**
 * What that is a year, as a fraction of what is in the market, without compounding: it is paid in another token. `null` where a part of
 * it, or the market, has no price. To the digit as Aave's own SDK has it (`calculateIncentiveAPR`, @aave/math-utils 1.38.0).
 */
export function extraRate(
  extras: readonly Extra[] | null,
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

/** So many units a second, in whole tokens. */
export const wholeTokens = (units: bigint, decimals: number): number => Number(units) / 10 ** decimals

/** The decimals and prices of some tokens, in one round; `null` where one does not say how it counts. */
export function* pricedTokens(
  tokens: readonly Address[],
  priced: Priced,
): Rounds<readonly { decimals: number; price: Price }[] | null> {
  const prices = tokens.map(priced)
  const found = yield tokens.flatMap((token, at) => [decimalsOf(token), ...(prices[at]!.reads as Query[])])
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

const decimalsOf = (token: Address): Query => ({
  address: token,
  abi: erc20Abi,
  functionName: 'decimals',
})
