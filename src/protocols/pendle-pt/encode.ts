import type { Address } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../shared/contract-call.ts'
import { direct, guess, noOrders, pendleRouterAbi } from './abi.ts'
import type { PendlePtConstants } from './constants-schema.ts'

type Ask = { chainId: number; owner: Address; token: Address; constants: PendlePtConstants; least: bigint }

/** Buys at least `least` PT with an amount of a token. */
export const buyPt = ({ chainId, owner, token, constants, least, amount }: Ask & { amount: bigint }) =>
  callOf(
    { chainId, to: constants.router },
    {
      abi: pendleRouterAbi,
      functionName: 'swapExactTokenForPt',
      args: [
        owner,
        constants.market,
        least,
        guess,
        { tokenIn: token, netTokenIn: amount, tokenMintSy: token, ...direct },
        noOrders,
      ],
    },
  )

/** Sells PT for at least `least` of a token: on the market before maturity, to the yield contract after it. */
export function leavePt(ask: Ask & { units: bigint; isMature: boolean }): Transaction {
  const { chainId, owner, token, constants, least, units } = ask
  const paid = { tokenOut: token, minTokenOut: least, tokenRedeemSy: token, ...direct }
  const [there, abi] = [{ chainId, to: constants.router }, pendleRouterAbi]
  return ask.isMature
    ? callOf(there, { abi, functionName: 'redeemPyToToken', args: [owner, constants.yt, units, paid] })
    : callOf(there, {
        abi,
        functionName: 'swapExactPtForToken',
        args: [owner, constants.market, units, paid, noOrders],
      })
}
