import { parseAbi } from 'viem/utils'

/** The functions of the pool that move funds: `supply` and `withdraw`. */
export const writes = parseAbi([
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function withdraw(address asset, uint256 amount, address to) returns (uint256)',
])

/** The pool of Aave v3 (`@aave/core-v3`, IPool). */
export const aaveV3PoolAbi = [
  ...writes,
  ...parseAbi([
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
  ]),
] as const

/** What a reserve can pay out, as pools state it since 3.1 (aave-dao/aave-v3-origin, IPool). */
export const aaveV3VirtualAbi = parseAbi([
  'function getVirtualUnderlyingBalance(address asset) view returns (uint128)',
])

/** The collateral of an e-mode category, as pools state it since 3.2 (aave-dao/aave-v3-origin, IPool). */
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

/** The functions of an aToken beyond ERC-20, and its events (`@aave/core-v3`, IScaledBalanceToken and IAToken). */
export const aaveV3ATokenAbi = parseAbi([
  'event Mint(address indexed caller, address indexed onBehalfOf, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event Burn(address indexed from, address indexed target, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event BalanceTransfer(address indexed from, address indexed to, uint256 value, uint256 index)',
  'function scaledBalanceOf(address user) view returns (uint256)',
  'function UNDERLYING_ASSET_ADDRESS() view returns (address)',
  'function POOL() view returns (address)',
])
