import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, sameAddress } from '../domain/address.ts'
import { formatAmount, maxUint256 } from '../domain/amount.ts'
import type { Intent } from '../domain/intent.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'

/** A market of Compound v3, one contract for one base asset (`compound-finance/comet`, CometMainInterface and CometExtInterface). */
export const cometAbi = parseAbi([
  'function getUtilization() view returns (uint256)',
  'function supplyKink() view returns (uint256)',
  'function supplyPerSecondInterestRateBase() view returns (uint256)',
  'function supplyPerSecondInterestRateSlopeLow() view returns (uint256)',
  'function supplyPerSecondInterestRateSlopeHigh() view returns (uint256)',
  'function getSupplyRate(uint256 utilization) view returns (uint64)',
  'function isSupplyPaused() view returns (bool)',
  'function isWithdrawPaused() view returns (bool)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function borrowBalanceOf(address account) view returns (uint256)',
  'function baseToken() view returns (address)',
  'function baseTokenPriceFeed() view returns (address)',
  'function getPrice(address priceFeed) view returns (uint256)',
  'struct AssetInfo { uint8 offset; address asset; address priceFeed; uint64 scale; uint64 borrowCollateralFactor; uint64 liquidateCollateralFactor; uint64 liquidationFactor; uint128 supplyCap; }',
  'function getAssetInfo(uint8 i) view returns (AssetInfo)',
  'function collateralBalanceOf(address account, address asset) view returns (uint128)',
  'function borrowKink() view returns (uint256)',
  'function borrowPerSecondInterestRateBase() view returns (uint256)',
  'function borrowPerSecondInterestRateSlopeLow() view returns (uint256)',
  'function borrowPerSecondInterestRateSlopeHigh() view returns (uint256)',
  'struct TotalsBasic { uint64 baseSupplyIndex; uint64 baseBorrowIndex; uint64 trackingSupplyIndex; uint64 trackingBorrowIndex; uint104 totalSupplyBase; uint104 totalBorrowBase; uint40 lastAccrualTime; uint8 pauseFlags; }',
  'function totalsBasic() view returns (TotalsBasic)',
  'function userBasic(address owner) view returns (int104 principal, uint64 baseTrackingIndex, uint64 baseTrackingAccrued, uint16 assetsIn, uint8 _reserved)',
  'event Supply(address indexed from, address indexed dst, uint256 amount)',
  'event Withdraw(address indexed src, address indexed to, uint256 amount)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
])

const named = parseAbi([
  'function supplyFrom(address from, address dst, address asset, uint256 amount)',
  'function withdrawFrom(address src, address to, address asset, uint256 amount)',
])
const short = parseAbi([
  'function supply(address asset, uint256 amount)',
  'function withdraw(address asset, uint256 amount)',
])

type Call = { chainId: number; comet: Address; asset: Address; amount: bigint; owner: Address }

const call =
  (functionName: 'supplyFrom' | 'withdrawFrom') =>
  ({ chainId, comet, asset, amount, owner }: Call): Transaction => ({
    to: comet,
    data: encodeFunctionData({ abi: named, functionName, args: [owner, owner, asset, amount] }),
    value: 0n,
    chainId,
  })

/** Supplies the base asset of its owner, for himself, by the call that Compound's own SDK makes. Who owes some pays that back first. */
export const supplyBase = call('supplyFrom')

/** Withdraws the base asset to its owner; 2^256 - 1 is all of it. More than there is would be borrowed: never ask for it. */
export const withdrawBase = call('withdrawFrom')

type Write = { from: Address | undefined; to: Address | undefined; token: Address; amount: bigint }

/** What such a call says, by whichever of its two forms: the short one is about the sender alone. */
function writeOf(data: Transaction['data'], wanted: 'supply' | 'withdraw'): Write | undefined {
  const long = strictDecode(named, data)
  if (long?.functionName === `${wanted}From`) {
    const [from, to, token, amount] = long.args
    return { from, to, token, amount }
  }
  const found = strictDecode(short, data)
  if (found?.functionName !== wanted) return undefined
  const [token, amount] = found.args
  return { from: undefined, to: undefined, token, amount }
}

/**
 * The same calldata in its short form, where it names one person as both: who built a transaction in the one form and who did in the
 * other mean the same. Whatever else it is stays as it is.
 */
export function inShort(data: Transaction['data']): Transaction['data'] {
  const long = strictDecode(named, data)
  if (!long) return data
  const [from, to, asset, amount] = long.args
  const functionName = long.functionName === 'supplyFrom' ? 'supply' : 'withdraw'
  return sameAddress(from, to)
    ? encodeFunctionData({ abi: short, functionName, args: [asset, amount] })
    : data
}

/** Binds a call of a comet to the deposit or withdrawal of its base asset that was asked for. */
export function bindCompoundV3(
  { data }: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  const wanted = intent.kind === 'deposit' ? 'supply' : 'withdraw'
  const found = writeOf(data, wanted)
  if (!found) return refuse('POLICY_DECODE', `It is not a call of ${wanted} of a Compound v3 market`)
  const { from, to, token, amount } = found
  if (from && !sameAddress(from, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It moves what ${from} has, not what ${intent.wallet} has`)
  if (to && !sameAddress(to, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It is for ${to}, not for ${intent.wallet}`)
  if (!sameAddress(token, asset.address))
    return refuse('POLICY_AMOUNT', `It moves the token ${token}, not ${asset.symbol} (${asset.address})`)
  const isAll = intent.kind === 'withdraw' && intent.shares !== undefined
  const exact = isAll ? maxUint256 : intent.amount
  if (amount !== exact)
    return refuse('POLICY_AMOUNT', `It is about ${amount}, not ${isAll ? 'the whole position' : exact}`)
  // As a deposit the largest number means "pay back what is owed", whatever was asked for.
  if (wanted === 'supply' && amount === maxUint256)
    return refuse('POLICY_AMOUNT', 'It pays debts back instead of supplying an amount')
  const shown = isAll ? `all ${asset.symbol}` : formatAmount(amount, asset)
  return {
    bound: {
      name: wanted,
      args: printed({ ...(from && { from }), ...(to && { to }), asset: token, amount }),
      text: wanted === 'supply' ? `Supply ${shown} to Compound v3` : `Withdraw ${shown} from Compound v3`,
      value: 0n,
      ...(wanted === 'supply' ? { spends: { token: asset.address, amount } } : {}),
    },
  }
}
