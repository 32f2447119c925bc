/**
 * A lending market of Morpho as its contract has it: at its last touch, at `lastUpdate` in Unix seconds. `rateAtTarget` is what its model asks of
 * borrowers a second at the target, by 1e18, at that time; of another model `rate` is known alone, and of none neither: it costs nothing.
 */
export type LentMarket = {
  totalSupplyAssets: bigint
  totalSupplyShares: bigint
  totalBorrowAssets: bigint
  lastUpdate: bigint
  fee: bigint
  rateAtTarget?: bigint | undefined
  rate?: bigint | undefined
}

const wad = 10n ** 18n
const secondsAYear = 31_536_000n

/** The constants of the adaptive model (source: morpho-org/morpho-blue-irm, ConstantsLib), a second and by 1e18. */
const curve = {
  steepness: 4n * wad,
  target: (9n * wad) / 10n,
  first: (4n * wad) / 100n / secondsAYear,
  speed: (50n * wad) / secondsAYear,
  least: wad / 1000n / secondsAYear,
  most: (2n * wad) / secondsAYear,
}

/**
 * A market with the interest since its last touch, as any touch would bring it in, and what its borrowers pay a second from now on. To the digit
 * as the protocol's own SDK has it (`accrueInterest` and `getEndBorrowRate` of `Market`, @morpho-org/blue-sdk 6.4.0).
 */
export function accrued(market: LentMarket, now: bigint): LentMarket & { rate: bigint } {
  const elapsed = now > market.lastUpdate ? now - market.lastUpdate : 0n
  const { average, rateAtTarget } = modelled(market, elapsed)
  const interest = (market.totalBorrowAssets * compounded(average, elapsed)) / wad
  const kept = (interest * market.fee) / wad
  const [assets, shares] = [market.totalSupplyAssets + interest, market.totalSupplyShares]
  const grown = {
    ...market,
    totalSupplyAssets: assets,
    totalBorrowAssets: market.totalBorrowAssets + interest,
    totalSupplyShares: shares + (kept * (shares + 1_000_000n)) / (assets - kept + 1n),
    lastUpdate: market.lastUpdate + elapsed,
    rateAtTarget,
  }
  return { ...grown, rate: modelled(grown, 0n).average }
}

/** How much of what is lent is borrowed, by 1e18. */
export const utilization = ({ totalSupplyAssets, totalBorrowAssets }: LentMarket): bigint =>
  totalSupplyAssets === 0n ? 0n : (totalBorrowAssets * wad) / totalSupplyAssets

/** e^(rate x seconds) - 1, by the first three terms of its series (source: morpho-blue, MathLib.wTaylorCompounded). */
function compounded(rate: bigint, seconds: bigint): bigint {
  const first = rate * seconds
  const second = (first * first) / (2n * wad)
  return first + second + (second * first) / (3n * wad)
}

/** What borrowers paid on average over some seconds, and where the rate at the target is after them (source: AdaptiveCurveIrm._borrowRate). */
function modelled(
  market: LentMarket,
  elapsed: bigint,
): { average: bigint; rateAtTarget?: bigint | undefined } {
  const { rateAtTarget: start, rate } = market
  if (start === undefined) return { average: rate ?? 0n }
  const used = utilization(market)
  const error = ((used - curve.target) * wad) / (used > curve.target ? wad - curve.target : curve.target)
  const slope = error < 0n ? wad - (wad * wad) / curve.steepness : curve.steepness - wad
  const at = (rateAtTarget: bigint) => (((slope * error) / wad + wad) * rateAtTarget) / wad
  if (start === 0n) return { average: at(curve.first), rateAtTarget: curve.first }
  const moved = ((curve.speed * error) / wad) * elapsed
  if (moved === 0n) return { average: at(start), rateAtTarget: start }
  const after = (by: bigint) => bounded((start * exponential(by)) / wad)
  const end = after(moved)
  return { average: at((start + end + 2n * after(moved / 2n)) / 4n), rateAtTarget: end }
}

const bounded = (rate: bigint): bigint =>
  rate < curve.least ? curve.least : rate > curve.most ? curve.most : rate

const ln2 = 693_147_180_559_945_309n

/** e^x, by 1e18 (source: morpho-blue-irm, ExpLib.wExp). */
function exponential(x: bigint): bigint {
  if (x < -41_446_531_673_892_822_312n) return 0n
  if (x >= 93_859_467_695_000_404_319n) return 57716089161558943949701069502944508345128422502756744429568n
  const q = (x + (x < 0n ? -(ln2 / 2n) : ln2 / 2n)) / ln2
  const r = x - q * ln2
  const part = wad + r + (r * r) / wad / 2n
  return q >= 0n ? part << q : part >> -q
}
