import type { Rounds } from '../../chain/contract-query.ts'
import type { Address, Hex } from '../../domain/address.ts'
import type { Offer } from '../../protocols/exchange.ts'
import { quoterV2Abi } from './abi.ts'
import { wayOf } from './binding.ts'
import { packPath } from './path.ts'
import { atSpot, spotQueries } from './spot-price.ts'

/** What a swap of SwapRouter02 brings now, and at the spot prices of its pools; `undefined` if it is no such swap. */
export function exchangeOfV3(quoter: Address, data: Hex): Rounds<Offer> | undefined {
  const swap = wayOf(data)
  return swap && exchangeRounds(quoter, swap)
}

function* exchangeRounds(
  quoter: Address,
  { path, exact, amountIn, amountOut }: NonNullable<ReturnType<typeof wayOf>>,
): Rounds<Offer> {
  const whole = {
    address: quoter,
    abi: quoterV2Abi,
    functionName: exact === 'in' ? 'quoteExactInput' : 'quoteExactOutput',
    args: [packPath(path, exact), exact === 'in' ? amountIn : amountOut],
  }
  const [said, ...prices] = yield [whole, ...spotQueries(quoter, path)]
  const amount = (said as readonly [bigint] | undefined)?.[0]
  if (amount === undefined) return { brings: undefined, fair: undefined }
  const [paid, brings] = exact === 'in' ? [amountIn, amount] : [amount, amountOut]
  return { brings, fair: atSpot(path, prices, paid) }
}
