import { parseAbi } from 'viem/utils'
import { type Address, sameAddress } from '../../domain/address.ts'
import { isEverything, type Teller, teller, type Words } from '../call-description.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import { writes } from './abi.ts'

/** Further functions of the pool, which are described and never signed (`@aave/core-v3` 1.19.3, IPool). */
const others = parseAbi([
  'function deposit(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function supplyWithPermit(address asset, uint256 amount, address onBehalfOf, uint16 referralCode, uint256 deadline, uint8 permitV, bytes32 permitR, bytes32 permitS)',
  'function borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)',
  'function repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf) returns (uint256)',
  'function repayWithPermit(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf, uint256 deadline, uint8 permitV, bytes32 permitR, bytes32 permitS) returns (uint256)',
  'function repayWithATokens(address asset, uint256 amount, uint256 interestRateMode) returns (uint256)',
  'function setUserUseReserveAsCollateral(address asset, bool useAsCollateral)',
  'function setUserEMode(uint8 categoryId)',
  'function swapBorrowRateMode(address asset, uint256 interestRateMode)',
  'function liquidationCall(address collateralAsset, address debtAsset, address user, uint256 debtToCover, bool receiveAToken)',
  'function flashLoanSimple(address receiverAddress, address asset, uint256 amount, bytes params, uint16 referralCode)',
  'function flashLoan(address receiverAddress, address[] assets, uint256[] amounts, uint256[] interestRateModes, address onBehalfOf, bytes params, uint16 referralCode)',
])

/**
 * The functions of pools on rollups, whose arguments are packed: the number of the reserve in the list of the pool (16 bits), then the
 * amount (128 bits), then other fields (`@aave/core-v3` 1.19.3, L2Pool and CalldataLogic).
 */
const packed = parseAbi([
  'function supply(bytes32 args)',
  'function withdraw(bytes32 args) returns (uint256)',
  'function borrow(bytes32 args)',
  'function repay(bytes32 args) returns (uint256)',
  'function repayWithATokens(bytes32 args) returns (uint256)',
  'function setUserUseReserveAsCollateral(bytes32 args)',
  'function supplyWithPermit(bytes32 args, bytes32 r, bytes32 s)',
  'function repayWithPermit(bytes32 args, bytes32 r, bytes32 s) returns (uint256)',
])

const modes: Readonly<Record<string, string>> = { 1: 'stable', 2: 'variable' }

const rate = (mode: bigint): string => `${modes[String(mode)] ?? `unknown (${mode})`} rate`

/** The name of the market of an asset in the called pool, of which nothing is known if its address is not. */
const marketOf = ({ catalog, chainId, call }: Words, asset: Address): string => {
  const markets = catalog.strategies.filter(
    ({ constants, chainId: on }) =>
      on === chainId && constants.family === 'aave-v3' && sameAddress(constants.pool, call.to),
  )
  if (markets.length === 0) return 'the called pool'
  return (
    markets.find((one) => sameAddress(one.asset.address, asset))?.name ?? `the pool of ${poolName(markets)}`
  )
}

/** The beginning that the names of all markets of a pool share: `Aave v3`. */
export function poolName(markets: readonly Pick<StrategyEntry, 'name' | 'asset'>[]): string {
  const [first] = markets
  return first?.name.endsWith(` ${first.asset.symbol}`)
    ? first.name.slice(0, -first.asset.symbol.length - 1)
    : (first?.name ?? 'Aave v3')
}

const supplied = (asset: Address, amount: bigint, owner: Address, say: Words) => ({
  text: `supplies ${say.upTo(asset, amount)} to ${marketOf(say, asset)}${say.forWhom(owner)}`,
  gives: [{ token: asset, units: amount }],
  holders: [owner],
})

const repaid = (asset: Address, amount: bigint, mode: bigint, owner: Address | undefined, say: Words) => ({
  text: `repays ${isEverything(amount) ? `all debt in ${say.token(asset)}` : `a debt of ${say.amount(asset, amount)}`} at the ${rate(mode)} to ${marketOf(say, asset)}${owner ? say.forWhom(owner) : ' with its receipts'}`,
  ...(owner && { gives: [{ token: asset, units: amount }], holders: [owner] }),
  isDebt: true as const,
})

/** The packed reserve and amount: the token of the reserve is known only to the pool. */
function unpacked(args: `0x${string}`): { what: string; unread: string[] } {
  const word = BigInt(args)
  const [reserve, units] = [word & 0xffffn, (word >> 16n) & (2n ** 128n - 1n)]
  const what = isEverything(units)
    ? `everything of reserve ${reserve}`
    : `${units} units of reserve ${reserve}`
  return { what, unread: [`which token reserve ${reserve} of the pool is`] }
}

const packedTelling =
  (does: string, preposition: string) =>
  ([args]: readonly [`0x${string}`, ...unknown[]], say: Words) => {
    const { what, unread } = unpacked(args)
    return { text: `${does} ${what} ${preposition} ${marketOf(say, '0x')}`, unread }
  }

/** What calls of a pool of Aave v3 do. */
export const aaveV3Tellers: readonly Teller[] = [
  teller(writes, 'supply', 'deposit', ([asset, amount, owner], say) => supplied(asset, amount, owner, say)),
  teller(writes, 'withdraw', 'withdraw', ([asset, amount, to], say) => ({
    text: `withdraws ${say.upTo(asset, amount)} from ${marketOf(say, asset)}${say.toWhom(to)}`,
    holders: [to],
  })),
  teller(others, 'deposit', 'deposit', ([asset, amount, owner], say) => supplied(asset, amount, owner, say)),
  teller(others, 'supplyWithPermit', 'deposit', ([asset, amount, owner], say) =>
    supplied(asset, amount, owner, say),
  ),
  teller(others, 'borrow', 'other', ([asset, amount, mode, , owner], say) => ({
    text: `borrows ${say.amount(asset, amount)} at the ${rate(mode)} from ${marketOf(say, asset)}${say.forWhom(owner)}: a debt`,
    holders: [owner],
    isDebt: true,
  })),
  teller(others, 'repay', 'other', ([asset, amount, mode, owner], say) =>
    repaid(asset, amount, mode, owner, say),
  ),
  teller(others, 'repayWithPermit', 'other', ([asset, amount, mode, owner], say) =>
    repaid(asset, amount, mode, owner, say),
  ),
  teller(others, 'repayWithATokens', 'other', ([asset, amount, mode], say) =>
    repaid(asset, amount, mode, undefined, say),
  ),
  teller(others, 'setUserUseReserveAsCollateral', 'other', ([asset, isUsed], say) => ({
    text: `${isUsed ? 'uses' : 'does not use'} ${say.token(asset)} in ${marketOf(say, asset)} as collateral${isUsed ? '' : ' any longer'}`,
  })),
  teller(others, 'setUserEMode', 'other', ([category], say) => ({
    text: `sets the e-mode category ${category} of ${marketOf(say, '0x')}`,
  })),
  teller(others, 'swapBorrowRateMode', 'other', ([asset, mode], say) => ({
    text: `changes a debt in ${say.token(asset)} of ${marketOf(say, asset)} from the ${rate(mode)}`,
  })),
  teller(others, 'liquidationCall', 'other', ([collateral, debt, user, cover, asReceipts], say) => ({
    text: `liquidates ${user} in ${marketOf(say, debt)}: repays ${isEverything(cover) ? `as much debt in ${say.token(debt)} as it can` : `at most ${say.amount(debt, cover)}`} for ${say.token(collateral)}${asReceipts ? ' as receipts' : ''}`,
  })),
  teller(others, 'flashLoanSimple', 'other', ([receiver, asset, amount, params], say) => ({
    text: `borrows ${say.amount(asset, amount)} from ${marketOf(say, asset)} within the transaction, through ${receiver}`,
    ...(params !== '0x' && { unread: [`what ${receiver} does with the loan`] }),
  })),
  teller(others, 'flashLoan', 'other', ([receiver, assets, amounts, , owner, params], say) =>
    assets.length === amounts.length
      ? {
          text: `borrows ${assets.map((asset, at) => say.amount(asset, amounts[at]!)).join(' and ')} from ${marketOf(say, assets[0] ?? '0x')} within the transaction, through ${receiver}${say.forWhom(owner)}`,
          ...(params !== '0x' && { unread: [`what ${receiver} does with the loan`] }),
        }
      : undefined,
  ),
  teller(packed, 'supply', 'deposit', packedTelling('supplies', 'to')),
  teller(packed, 'supplyWithPermit', 'deposit', packedTelling('supplies', 'to')),
  teller(packed, 'withdraw', 'withdraw', packedTelling('withdraws', 'from')),
  teller(packed, 'borrow', 'other', (args, say) => ({
    ...packedTelling('borrows', 'from')(args, say),
    isDebt: true,
  })),
  teller(packed, 'repay', 'other', (args, say) => ({
    ...packedTelling('repays a debt of', 'to')(args, say),
    isDebt: true,
  })),
  teller(packed, 'repayWithPermit', 'other', (args, say) => ({
    ...packedTelling('repays a debt of', 'to')(args, say),
    isDebt: true,
  })),
  teller(packed, 'repayWithATokens', 'other', (args, say) => ({
    ...packedTelling('repays with its receipts a debt of', 'to')(args, say),
    isDebt: true,
  })),
  teller(packed, 'setUserUseReserveAsCollateral', 'other', ([args], say) => {
    const word = BigInt(args)
    const isUsed = (word >> 16n) % 2n === 1n
    return {
      text: `${isUsed ? 'uses' : 'does not use'} reserve ${word & 0xffffn} of ${marketOf(say, '0x')} as collateral${isUsed ? '' : ' any longer'}`,
      unread: [`which token reserve ${word & 0xffffn} of the pool is`],
    }
  }),
]
