import { parseAbi } from 'viem/utils'
import { type Address, sameAddress } from '../../domain/address.ts'
import { type CallKind, type Teller, teller, type Words } from '../call-description.ts'
import { swaps } from './abi.ts'

/** Further functions of the PSM (`sparkdotfi/spark-psm`, IPSM3.sol). */
const others = parseAbi([
  'function swapExactOut(address assetIn, address assetOut, uint256 amountOut, uint256 maxAmountIn, address receiver, uint256 referralCode) returns (uint256 amountIn)',
  'function deposit(address asset, address receiver, uint256 assetsToDeposit) returns (uint256 newShares)',
  'function withdraw(address asset, address receiver, uint256 maxAssetsToWithdraw) returns (uint256 assetsWithdrawn)',
])

/** A swap into or out of the receipt of a market is its deposit or withdrawal. */
function kindOf({ catalog, chainId, call }: Words, from: Address, to: Address): CallKind {
  const markets = catalog.strategies.filter(
    ({ constants, chainId: on }) =>
      on === chainId && constants.family === 'spark-psm3' && sameAddress(constants.psm, call.to),
  )
  const has = (asset: Address, receipt: Address) =>
    markets.some((one) => sameAddress(one.asset.address, asset) && sameAddress(one.receipt.address, receipt))
  return has(from, to) ? 'deposit' : has(to, from) ? 'withdraw' : 'swap'
}

/** What calls of Spark's PSM on a rollup do. */
export const psm3Tellers: readonly Teller[] = [
  teller(swaps, 'swapExactIn', 'swap', ([from, to, paid, least, receiver], say) => ({
    kind: kindOf(say, from, to),
    text: `swaps ${say.amount(from, paid)} for at least ${say.amount(to, least)} in the Spark PSM${say.toWhom(receiver)}`,
    gives: [{ token: from, units: paid }],
    holders: [receiver],
  })),
  teller(others, 'swapExactOut', 'swap', ([from, to, got, most, receiver], say) => ({
    kind: kindOf(say, from, to),
    text: `swaps at most ${say.amount(from, most)} for exactly ${say.amount(to, got)} in the Spark PSM${say.toWhom(receiver)}`,
    holders: [receiver],
  })),
  teller(others, 'deposit', 'other', ([asset, receiver, amount], say) => ({
    text: `adds ${say.amount(asset, amount)} to the liquidity of the Spark PSM${say.forWhom(receiver)}`,
    gives: [{ token: asset, units: amount }],
    holders: [receiver],
  })),
  teller(others, 'withdraw', 'other', ([asset, receiver, most], say) => ({
    text: `takes at most ${say.upTo(asset, most)} out of the liquidity of the Spark PSM${say.toWhom(receiver)}`,
    holders: [receiver],
  })),
]
