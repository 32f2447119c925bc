import type { Abi } from 'viem'
import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { Intent } from '../domain/intent.ts'
import type { SparkPsm3Constants } from '../domain/market-constants.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'
import type { Exchange } from './exchange.ts'
import type { Query } from './queue.ts'
import { isUnits } from './units.ts'

const swaps = parseAbi([
  'function swapExactIn(address assetIn, address assetOut, uint256 amountIn, uint256 minAmountOut, address receiver, uint256 referralCode) returns (uint256 amountOut)',
])

/** PSM3 and the oracle of its rate (sources: sparkdotfi/spark-psm, IPSM3.sol; sparkdotfi/xchain-ssr-oracle, ISSROracle.sol). */
export const psm3Abi: Abi = [
  ...swaps,
  ...parseAbi([
    'function previewSwapExactIn(address assetIn, address assetOut, uint256 amountIn) view returns (uint256 amountOut)',
    'function getConversionRate() view returns (uint256)',
    'function getSSR() view returns (uint256)',
    'function usdc() view returns (address)',
    'function susds() view returns (address)',
    'function totalAssets() view returns (uint256)',
    'event Swap(address indexed assetIn, address indexed assetOut, address sender, address indexed receiver, uint256 amountIn, uint256 amountOut, uint256 referralCode)',
  ]),
]

type Tokens = { asset: Token; receipt: Token }

/** Gives so much of one token for at least so much of another, at the rate of the PSM. */
export const swapExactIn = (ask: {
  chainId: number
  psm: Address
  from: Address
  to: Address
  amount: bigint
  least: bigint
  owner: Address
}): Transaction => ({
  to: ask.psm,
  data: encodeFunctionData({
    abi: swaps,
    functionName: 'swapExactIn',
    args: [ask.from, ask.to, ask.amount, ask.least, ask.owner, 0n],
  }),
  value: 0n,
  chainId: ask.chainId,
})

const ray = 10n ** 27n

/** What one sUSDS is worth in USD, in rays, by the word that comes over from Ethereum. */
export const psm3Rate = ({ oracle: address }: SparkPsm3Constants): Query => ({
  address,
  abi: psm3Abi,
  functionName: 'getConversionRate',
})

/** What so many units of sUSDS, which has 18 decimals, are worth in the asset. */
export const psm3Worth = (rate: bigint, units: bigint, { decimals }: Pick<Token, 'decimals'>): bigint =>
  (units * rate) / ray / 10n ** BigInt(18 - decimals)

/** What an amount costs in units of sUSDS: as many as are worth no less. */
export const psm3Units = (rate: bigint, amount: bigint, { decimals }: Pick<Token, 'decimals'>): bigint =>
  rate === 0n ? 0n : (amount * 10n ** BigInt(18 - decimals) * ray) / rate + 1n

/** What the PSM gives, beside what the oracle says that it should. */
export function psm3Exchange(constants: SparkPsm3Constants, { asset, receipt }: Tokens): Exchange {
  const ask = (from: Token, to: Token, amount: bigint): Query => ({
    address: constants.psm,
    abi: psm3Abi,
    functionName: 'previewSwapExactIn',
    args: [from.address, to.address, amount],
  })
  const known = (value: unknown) => value as bigint | undefined
  return {
    *into(amount) {
      const [brings, rate] = (yield [ask(asset, receipt, amount), psm3Rate(constants)]).map(known)
      return { brings, fair: rate ? psm3Units(rate, amount, asset) - 1n : undefined }
    },
    *outOf(units) {
      const [brings, rate] = (yield [ask(receipt, asset, units), psm3Rate(constants)]).map(known)
      return { brings, fair: rate === undefined ? undefined : psm3Worth(rate, units, asset) }
    },
  }
}

/** Binds a call of the PSM to the purchase of sUSDS, or to its return, that was asked for. */
export function bindSparkPsm3(
  { data }: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  { asset, receipt }: Tokens,
): Verdict {
  const call = strictDecode(swaps, data)
  if (!call) return refuse('POLICY_DECODE', 'It is not a call of swapExactIn of PSM3')
  const [assetIn, assetOut, amountIn, minAmountOut, receiver, referralCode] = call.args
  const [from, to] = intent.kind === 'deposit' ? [asset, receipt] : [receipt, asset]
  if (!sameAddress(assetIn, from.address) || !sameAddress(assetOut, to.address))
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It gives ${assetIn} for ${assetOut}, not ${from.symbol} for ${to.symbol}`,
    )
  if (!sameAddress(receiver, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It pays out to ${receiver}, not to ${intent.wallet}`)
  if (referralCode !== 0n) return refuse('POLICY_RECIPIENT', `It names ${referralCode} as whoever brought it`)
  const isMeant = intent.kind === 'deposit' ? amountIn === intent.amount : isUnits(amountIn, intent)
  if (!isMeant)
    return refuse('POLICY_AMOUNT', `It gives ${amountIn} of ${from.symbol}, not what was asked for`)
  if (intent.least === undefined || minAmountOut < intent.least)
    return refuse(
      'POLICY_MIN_OUT',
      `It may bring only ${formatAmount(minAmountOut, to)}, less than ${intent.least === undefined ? 'anybody has read' : formatAmount(intent.least, to)}`,
    )
  return {
    bound: {
      name: 'swapExactIn',
      args: printed({ assetIn, assetOut, amountIn, minAmountOut, receiver, referralCode }),
      text: `Give ${formatAmount(amountIn, from)} for at least ${formatAmount(minAmountOut, to)}`,
      value: 0n,
      spends: { token: from.address, amount: amountIn },
    },
  }
}
