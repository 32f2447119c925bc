import { type Call, contract } from '../../chain/call.ts'
import type { Address } from '../../domain/address.ts'
import type { MovingPriceMarket } from '../moving-price-quotes.ts'
import { pendleAbi } from './abi.ts'
import type { PendlePtConstants } from './constants-schema.ts'

const one = 10n ** 18n

/** The price of a PT in its asset, averaged over 15 minutes (source: Pendle's documentation of its oracle), so that no single block moves it. */
export const ptPrice = ({ oracle, market }: PendlePtConstants, seconds = 900): Call<bigint> =>
  contract(oracle, pendleAbi)('getPtToAssetRate', market, seconds)

/** The quotes of a purchase and of a sale of PT: by the router, and by the oracle. */
export function pendleExchange(constants: PendlePtConstants, token: Address): MovingPriceMarket {
  const { routerStatic: address, market, yt } = constants
  const ask = contract(address, pendleAbi)
  const first = (answer: unknown) => (answer as readonly bigint[] | undefined)?.[0]
  return {
    *into(amount) {
      const [said, rate] = yield [ask('swapExactTokenForPtStatic', market, token, amount), ptPrice(constants)]
      return { brings: first(said), fair: rate ? (amount * one) / (rate as bigint) : undefined }
    },
    *outOf(units) {
      const [isMature, sold, redeemed, rate] = yield [
        contract(market, pendleAbi)('isExpired'),
        ask('swapExactPtForTokenStatic', market, units, token),
        ask('redeemPyToTokenStatic', yt, units, token),
        ptPrice(constants),
      ]
      return {
        brings: isMature === true ? (redeemed as bigint | undefined) : first(sold),
        fair: rate === undefined ? undefined : (units * (rate as bigint)) / one,
        isMature: isMature === true,
      }
    },
  }
}
