import { parseAbi } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import { joinTexts, kindOfAll, type Teller, teller, type Words } from '../call-description.ts'

const market =
  '(address loanToken, address collateralToken, address oracle, address irm, uint256 lltv) marketParams'

/** The contract on whose markets the vaults lend (`@morpho-org/morpho-blue` 1.0.0, IMorpho.sol). */
const morphoAbi = parseAbi([
  `function supply(${market}, uint256 assets, uint256 shares, address onBehalf, bytes data) returns (uint256 assetsSupplied, uint256 sharesSupplied)`,
  `function withdraw(${market}, uint256 assets, uint256 shares, address onBehalf, address receiver) returns (uint256 assetsWithdrawn, uint256 sharesWithdrawn)`,
  `function borrow(${market}, uint256 assets, uint256 shares, address onBehalf, address receiver) returns (uint256 assetsBorrowed, uint256 sharesBorrowed)`,
  `function repay(${market}, uint256 assets, uint256 shares, address onBehalf, bytes data) returns (uint256 assetsRepaid, uint256 sharesRepaid)`,
  `function supplyCollateral(${market}, uint256 assets, address onBehalf, bytes data)`,
  `function withdrawCollateral(${market}, uint256 assets, address onBehalf, address receiver)`,
  `function liquidate(${market}, address borrower, uint256 seizedAssets, uint256 repaidShares, bytes data) returns (uint256, uint256)`,
  'function setAuthorization(address authorized, bool newIsAuthorized)',
  'function flashLoan(address token, uint256 assets, bytes data)',
])

/** Several calls of a vault in one (MetaMorpho of `@morpho-org/blue-sdk-viem` 5.2.1). */
const several = parseAbi(['function multicall(bytes[] data) returns (bytes[])'])

type Market = { loanToken: Address; collateralToken: Address }

/** An amount of the loan token, or of shares of the market; exactly one of them is not zero. */
const either = (say: Words, { loanToken }: Market, assets: bigint, shares: bigint): string =>
  shares === 0n ? say.upTo(loanToken, assets) : `${say.token(loanToken)} for ${shares} shares of its market`

const where = (say: Words, { loanToken, collateralToken }: Market): string =>
  `the market ${say.token(loanToken)} against ${say.token(collateralToken)} of Morpho`

const rest = (data: string) => (data === '0x' ? {} : { unread: ['the data of a callback'] })

/** What calls of the contract on whose markets the vaults of Morpho lend do. */
export const morphoTellers: readonly Teller[] = [
  teller(morphoAbi, 'supply', 'other', ([of, assets, shares, owner, data], say) => ({
    text: `lends ${either(say, of, assets, shares)} in ${where(say, of)}${say.forWhom(owner)}`,
    gives: shares === 0n ? [{ token: of.loanToken, units: assets }] : [],
    holders: [owner],
    ...rest(data),
  })),
  teller(morphoAbi, 'withdraw', 'other', ([of, assets, shares, owner, to], say) => ({
    text: `withdraws ${either(say, of, assets, shares)} from ${where(say, of)}${say.toWhom(to)}`,
    holders: [owner, to],
  })),
  teller(morphoAbi, 'borrow', 'other', ([of, assets, shares, owner, to], say) => ({
    text: `borrows ${either(say, of, assets, shares)} from ${where(say, of)}${say.forWhom(owner)}${say.toWhom(to)}: a debt`,
    holders: [owner, to],
    isDebt: true,
  })),
  teller(morphoAbi, 'repay', 'other', ([of, assets, shares, owner, data], say) => ({
    text: `repays a debt of ${either(say, of, assets, shares)} to ${where(say, of)}${say.forWhom(owner)}`,
    gives: shares === 0n ? [{ token: of.loanToken, units: assets }] : [],
    holders: [owner],
    ...rest(data),
  })),
  teller(morphoAbi, 'supplyCollateral', 'other', ([of, assets, owner, data], say) => ({
    text: `puts up ${say.amount(of.collateralToken, assets)} as collateral in ${where(say, of)}${say.forWhom(owner)}`,
    gives: [{ token: of.collateralToken, units: assets }],
    holders: [owner],
    ...rest(data),
  })),
  teller(morphoAbi, 'withdrawCollateral', 'other', ([of, assets, owner, to], say) => ({
    text: `takes back ${say.amount(of.collateralToken, assets)} of collateral from ${where(say, of)}${say.toWhom(to)}`,
    holders: [owner, to],
  })),
  teller(morphoAbi, 'liquidate', 'other', ([of, borrower, seized, shares, data], say) => ({
    text: `liquidates ${borrower} in ${where(say, of)}${seized === 0n ? ` for ${shares} shares of the debt` : `, taking ${say.amount(of.collateralToken, seized)}`}`,
    ...rest(data),
  })),
  teller(morphoAbi, 'setAuthorization', 'approve', ([who, isAllowed]) => ({
    text: `${isAllowed ? 'lets' : 'no longer lets'} ${who} manage the account at Morpho${isAllowed ? ', without a limit' : ''}`,
  })),
  teller(morphoAbi, 'flashLoan', 'other', ([token, assets, data], say) => ({
    text: `borrows ${say.amount(token, assets)} from Morpho within the transaction`,
    ...rest(data),
  })),
]

/** What several calls of one vault in one call do. */
export const morphoVaultMulticall: Teller = teller(
  several,
  'multicall',
  'other',
  ([all], { inner, call }) => {
    const calls = all.map((data) => inner({ to: call.to, value: 0n, data }))
    return { kind: kindOfAll(calls), text: `in one call: ${joinTexts(calls)}`, calls }
  },
)
