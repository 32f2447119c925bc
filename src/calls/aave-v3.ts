import { encodeFunctionData, parseAbi } from 'viem/utils'

import { type Address, sameAddress } from '../domain/address.ts'
import { formatAmount, maxUint256 } from '../domain/amount.ts'
import type { Intent } from '../domain/intent.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'

/** The pool of Aave v3 (`@aave/core-v3`, IPool). */
export const aaveV3PoolAbi = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to) returns (uint256)',
  'struct ReserveData { uint256 configuration; uint128 liquidityIndex; uint128 currentLiquidityRate; uint128 variableBorrowIndex; uint128 currentVariableBorrowRate; uint128 currentStableBorrowRate; uint40 lastUpdateTimestamp; uint16 id; address aTokenAddress; address stableDebtTokenAddress; address variableDebtTokenAddress; address interestRateStrategyAddress; uint128 accruedToTreasury; uint128 unbacked; uint128 isolationModeTotalDebt; }',
  'function getReserveData(address asset) view returns (ReserveData)',
  'struct Configuration { uint256 data; }',
  'function getConfiguration(address asset) view returns (Configuration)',
  'function getReserveNormalizedIncome(address asset) view returns (uint256)',
  'function getReservesList() view returns (address[])',
  'function getUserEMode(address user) view returns (uint256)',
  'struct Category { uint16 ltv; uint16 liquidationThreshold; uint16 liquidationBonus; address priceSource; string label; }',
  'function getEModeCategoryData(uint8 id) view returns (Category)',
  'function getUserConfiguration(address user) view returns (Configuration)',
  'function getUserAccountData(address user) view returns (uint256 totalCollateralBase, uint256 totalDebtBase, uint256 availableBorrowsBase, uint256 currentLiquidationThreshold, uint256 ltv, uint256 healthFactor)',
  'event Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed referralCode)',
  'event Withdraw(address indexed reserve, address indexed user, address indexed to, uint256 amount)',
])

/** What counts in a category of e-mode, as pools say it since 3.2 (aave-dao/aave-v3-origin, IPool). */
export const aaveV3CategoryAbi = parseAbi([
  'struct CategoryTerms { uint16 ltv; uint16 liquidationThreshold; uint16 liquidationBonus; }',
  'function getEModeCategoryCollateralConfig(uint8 id) view returns (CategoryTerms)',
  'function getEModeCategoryCollateralBitmap(uint8 id) view returns (uint128)',
])

/** The price oracle of an Aave v3 market: USD with 8 decimals. */
export const aaveV3OracleAbi = parseAbi([
  'function getAssetPrice(address asset) view returns (uint256)',
  'function getAssetsPrices(address[] assets) view returns (uint256[])',
  'function BASE_CURRENCY_UNIT() view returns (uint256)',
])

/** What an aToken knows beyond ERC-20, and its events (`@aave/core-v3`, IScaledBalanceToken and IAToken). */
export const aaveV3ATokenAbi = parseAbi([
  'event Mint(address indexed caller, address indexed onBehalfOf, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event Burn(address indexed from, address indexed target, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event BalanceTransfer(address indexed from, address indexed to, uint256 value, uint256 index)',
  'function scaledBalanceOf(address user) view returns (uint256)',
  'function UNDERLYING_ASSET_ADDRESS() view returns (address)',
  'function POOL() view returns (address)',
])

const writes = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to) returns (uint256)',
])

/** Supplies `amount` of `asset`; the aTokens go to `onBehalfOf`. */
export const supply = (call: {
  chainId: number
  pool: Address
  asset: Address
  amount: bigint
  onBehalfOf: Address
}): Transaction => ({
  to: call.pool,
  data: encodeFunctionData({
    abi: writes,
    functionName: 'supply',
    args: [call.asset, call.amount, call.onBehalfOf, 0],
  }),
  value: 0n,
  chainId: call.chainId,
})

/** Withdraws `amount` of `asset` to `to`; 2^256 - 1 is the whole position, interest of this very block included. */
export const withdraw = (call: {
  chainId: number
  pool: Address
  asset: Address
  amount: bigint
  to: Address
}): Transaction => ({
  to: call.pool,
  data: encodeFunctionData({
    abi: writes,
    functionName: 'withdraw',
    args: [call.asset, call.amount, call.to],
  }),
  value: 0n,
  chainId: call.chainId,
})

/** How much a call supplies; `undefined` where it is no call of `supply`. */
export function decodeSupplied({ data }: Transaction): bigint | undefined {
  const call = strictDecode(writes, data)
  return call?.functionName === 'supply' ? call.args[1] : undefined
}

/** Binds a call of the pool to the deposit or withdrawal of `asset` that was asked for. */
export function bindAaveV3(
  { data }: Transaction,
  intent: Extract<Intent, { kind: 'deposit' | 'withdraw' }>,
  asset: Token,
): Verdict {
  const call = strictDecode(writes, data)
  const wanted = intent.kind === 'deposit' ? 'supply' : 'withdraw'
  if (call?.functionName !== wanted)
    return refuse('POLICY_DECODE', `It is not a call of ${wanted} of an Aave v3 pool`)
  const [token, amount, account] = call.args
  if (!sameAddress(token, asset.address))
    return refuse('POLICY_AMOUNT', `It moves the token ${token}, not ${asset.symbol} (${asset.address})`)
  if (!sameAddress(account, intent.wallet))
    return refuse('POLICY_RECIPIENT', `It is for the account ${account}, not for ${intent.wallet}`)
  if (call.functionName === 'supply') {
    if (amount !== intent.amount)
      return refuse('POLICY_AMOUNT', `It supplies ${amount}, not ${intent.amount}`)
    if (call.args[3] !== 0) return refuse('POLICY_AMOUNT', 'It carries a referral code that nobody asked for')
    return {
      bound: {
        name: 'supply',
        args: printed({ asset: token, amount, onBehalfOf: account, referralCode: 0 }),
        text: `Supply ${formatAmount(amount, asset)} to Aave v3`,
        value: 0n,
        spends: { token: asset.address, amount },
      },
    }
  }
  const all = intent.kind === 'withdraw' && intent.shares !== undefined
  if (amount !== (all ? maxUint256 : intent.amount))
    return refuse(
      'POLICY_AMOUNT',
      `It withdraws ${amount}, not ${all ? 'the whole position' : intent.amount}`,
    )
  return {
    bound: {
      name: 'withdraw',
      args: printed({ asset: token, amount, to: account }),
      text: `Withdraw ${all ? `all ${asset.symbol}` : formatAmount(amount, asset)} from Aave v3`,
      value: 0n,
    },
  }
}
