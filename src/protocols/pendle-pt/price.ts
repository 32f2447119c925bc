import type { Query } from '../../chain/contract-query.ts'
import type { Address } from '../../domain/address.ts'
import type { Exchange } from '../exchange.ts'
import { pendleAbi } from './abi.ts'
import type { PendlePtConstants } from './constants.ts'

const one = 10n ** 18n

/** The price of a PT in its asset, over the last quarter of an hour (source: Pendle's documentation of its oracle): nobody moves it in one block. */
export const ptPrice = ({ oracle, market }: PendlePtConstants, seconds = 900): Query => ({
  address: oracle,
  abi: pendleAbi,
  functionName: 'getPtToAssetRate',
  args: [market, seconds],
})

/** What so much of an asset brings of a PT, and what so many PT bring: the router's own view, beside the oracle. */
export function pendleExchange(constants: PendlePtConstants, token: Address): Exchange {
  const { routerStatic: address, market, yt } = constants
  const ask = (functionName: string, args: readonly unknown[]): Query => ({
    address,
    abi: pendleAbi,
    functionName,
    args,
  })
  const first = (answer: unknown) => (answer as readonly bigint[] | undefined)?.[0]
  return {
    *into(amount) {
      const [said, rate] = yield [
        ask('swapExactTokenForPtStatic', [market, token, amount]),
        ptPrice(constants),
      ]
      return { brings: first(said), fair: rate ? (amount * one) / (rate as bigint) : undefined }
    },
    *outOf(units) {
      const [isMature, sold, redeemed, rate] = yield [
        { address: market, abi: pendleAbi, functionName: 'isExpired' },
        ask('swapExactPtForTokenStatic', [market, units, token]),
        ask('redeemPyToTokenStatic', [yt, units, token]),
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
