import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../calldata-verdict.ts'
import { maturityOf } from '../catalog-operations.ts'
import type { MarketIntent } from '../intent.ts'
import { matchesWithdrawal } from '../withdrawal-units.ts'
import { guess, type noOrders, pendleRouterAbi } from './abi.ts'
import type { PendlePtConstants } from './constants-schema.ts'

type Tokens = { asset: Token; receipt: Token }

/** Checks every argument of a call of Pendle's router against the purchase, sale or redemption of PT that was asked for. */
export function checkPendlePtCalldata(
  { data }: Transaction,
  intent: MarketIntent,
  { asset, receipt }: Tokens,
  constants: PendlePtConstants,
): CalldataVerdict {
  const call = strictDecode(pendleRouterAbi, data)
  const isDeposit = intent.kind === 'deposit'
  if (!call || (call.functionName === 'swapExactTokenForPt') !== isDeposit)
    return refuse(
      'POLICY_DECODE',
      `It is not a call of Pendle's router that ${isDeposit ? 'buys' : 'sells or redeems'} a PT`,
    )
  const [receiver, place] = call.args
  if (!sameAddress(receiver, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${intent.wallet}`)
  const known = call.functionName === 'redeemPyToToken' ? constants.yt : constants.market
  if (!sameAddress(place, known))
    return refuse('POLICY_CONTRACT_NOT_ALLOWED', `It goes to ${place}, not to ${known}`)
  return call.functionName === 'swapExactTokenForPt'
    ? checkPurchase(call, intent, { asset, receipt }, constants)
    : checkSale(call, intent, { asset, receipt })
}

type RouterCall = NonNullable<ReturnType<typeof strictDecode<typeof pendleRouterAbi>>>
type Purchase = Extract<RouterCall, { functionName: 'swapExactTokenForPt' }>

/** A purchase of PT spends the amount of the asset, without an exchange or orders of others in between. */
function checkPurchase(
  { functionName, args: [receiver, market, least, guessed, input, limit] }: Purchase,
  intent: MarketIntent,
  { asset, receipt }: Tokens,
  constants: PendlePtConstants,
): CalldataVerdict {
  const wrong = indirect(asset, { ...input, token: input.tokenIn, made: input.tokenMintSy }) ?? orders(limit)
  if (wrong) return wrong
  if (input.netTokenIn !== intent.amount)
    return refuse('POLICY_AMOUNT', `It spends ${input.netTokenIn}, not ${intent.amount}`)
  if (Object.entries(guess).some(([name, value]) => guessed[name as keyof typeof guess] !== value))
    return refuse('POLICY_DECODE', 'It gives the router hints for the output amount')
  const low = tooLittle(least, intent, receipt)
  if (low) return low
  return {
    bound: {
      name: functionName,
      args: jsonArguments({
        receiver,
        market,
        minPtOut: least,
        tokenIn: asset.address,
        netTokenIn: intent.amount,
      }),
      text: `Buy at least ${formatAmount(least, receipt)} with ${formatAmount(intent.amount, asset)}, each worth one ${asset.symbol} on ${maturityOf({ constants })}`,
      value: 0n,
      spends: { token: asset.address, amount: intent.amount },
    },
  }
}

/** A sale of PT, or its redemption after maturity, spends the requested units, without an exchange or orders of others in between. */
function checkSale(
  call: Exclude<RouterCall, Purchase>,
  intent: MarketIntent,
  { asset, receipt }: Tokens,
): CalldataVerdict {
  const [receiver, place, units, output] = call.args
  const wrong =
    indirect(asset, { ...output, token: output.tokenOut, made: output.tokenRedeemSy }) ??
    (call.functionName === 'swapExactPtForToken' ? orders(call.args[4]) : undefined)
  if (wrong) return wrong
  if (intent.kind !== 'withdraw' || !matchesWithdrawal(units, intent))
    return refuse('POLICY_AMOUNT', `It sells ${units} of ${receipt.symbol}, not the requested amount`)
  const low = tooLittle(output.minTokenOut, intent, asset)
  if (low) return low
  return {
    bound: {
      name: call.functionName,
      args: jsonArguments({
        receiver,
        [call.functionName === 'redeemPyToToken' ? 'YT' : 'market']: place,
        units,
        tokenOut: asset.address,
        minTokenOut: output.minTokenOut,
      }),
      text: `${call.functionName === 'redeemPyToToken' ? 'Redeem' : 'Sell'} ${formatAmount(units, receipt)} for at least ${formatAmount(output.minTokenOut, asset)}`,
      value: 0n,
      spends: { token: receipt.address, amount: units },
    },
  }
}

type Route = {
  token: Address
  made: Address
  pendleSwap: Address
  swapData: { swapType: number; extRouter: Address; extCalldata: string; needScale: boolean }
}

/** The asset goes to the yield contract, and comes from it, without an exchange in between. */
function indirect({ address, symbol }: Token, { token, made, pendleSwap, swapData }: Route) {
  if (!sameAddress(token, address) || !sameAddress(made, address))
    return refuse('POLICY_QUOTE_DRIFT', `It uses ${token} through ${made}, not ${symbol}`)
  const { swapType, extRouter, extCalldata, needScale } = swapData
  const isDirect =
    pendleSwap === nativeAddress &&
    swapType === 0 &&
    extRouter === nativeAddress &&
    extCalldata === '0x' &&
    !needScale
  return isDirect ? undefined : refuse('POLICY_QUOTE_DRIFT', 'It goes through another exchange')
}

type Orders = { [name in keyof typeof noOrders]: unknown }

function orders({ limitRouter, epsSkipMarket, normalFills, flashFills, optData }: Orders) {
  const isNone =
    limitRouter === nativeAddress &&
    epsSkipMarket === 0n &&
    (normalFills as unknown[]).length === 0 &&
    (flashFills as unknown[]).length === 0 &&
    optData === '0x'
  return isNone ? undefined : refuse('POLICY_QUOTE_DRIFT', 'It fills limit orders')
}

/** The minimum in the call, compared with our own reading. */
function tooLittle(least: bigint, { least: bound }: { least?: bigint }, unit: Token) {
  if (bound === undefined)
    return refuse('POLICY_MIN_OUT', 'Its minimum cannot be checked: the price is unknown')
  return least < bound
    ? refuse(
        'POLICY_MIN_OUT',
        `It may return only ${formatAmount(least, unit)}, less than ${formatAmount(bound, unit)}`,
      )
    : undefined
}
