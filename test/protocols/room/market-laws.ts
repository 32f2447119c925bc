import type { Call } from '../../../src/chain/call.ts'
import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import { type Answers, lots, none, type RoomLaw, rate, ray, wad } from './law-type.ts'

const bit = (at: number) => 1n << BigInt(at)

const reserve = (configuration: bigint) => ({
  configuration,
  liquidityIndex: ray,
  currentLiquidityRate: ray / 50n,
  variableBorrowIndex: ray,
  currentVariableBorrowRate: 0n,
  currentStableBorrowRate: 0n,
  lastUpdateTimestamp: 0,
  id: 0,
  ...Object.fromEntries(
    [
      'aTokenAddress',
      'stableDebtTokenAddress',
      'variableDebtTokenAddress',
      'interestRateStrategyAddress',
    ].map((name) => [name, `0x${'0'.repeat(40)}`]),
  ),
  accruedToTreasury: 0n,
  unbacked: 0n,
  isolationModeTotalDebt: 0n,
})

const compoundV2 = (units: bigint): Answers => ({
  // One receipt, which has 8 decimals, is worth one of the asset.
  exchangeRateCurrent: (units * wad) / 10n ** 8n,
  balanceOf: 100n * 10n ** 8n,
  getCash: lots * units,
  totalBorrows: 0n,
  totalReserves: 0n,
  mintGuardianPaused: false,
  actionPaused: false,
  protocolPaused: false,
  supplyCaps: 2n * lots * units,
  supplyRatePerTimestamp: 10n ** 9n,
  supplyRatePerBlock: 10n ** 9n,
})
const compoundV2States = {
  full: (units: bigint) => ({ supplyCaps: (lots + 5n) * units + 1n }),
  illiquid: (units: bigint) => ({ getCash: 5n * units, totalBorrows: lots * units }),
}

const hub = (units: bigint, isEnabled: boolean, liquid: bigint, entry?: StrategyEntry) => [
  entry?.receipt.address ?? `0x${'0'.repeat(40)}`,
  isEnabled,
  0,
  0n,
  liquid * units,
  0n,
]

/** The account that holds the asset for a PSM. */
const adapter = '0xada0000000000000000000000000000000000001'

/** The laws of the protocols that are lending markets and exchanges. */
export const marketLaws = {
  'aave-v3': [
    {
      open: (units) => ({
        getReserveData: reserve(bit(56)),
        getReserveNormalizedIncome: ray,
        totalSupply: lots * units,
        balanceOf: 100n * units,
        'asset.balanceOf': lots * units,
        getVirtualUnderlyingBalance: lots * units,
      }),
      states: {
        paused: () => ({ getReserveData: reserve(bit(56) | bit(60)) }),
        closed: () => ({ getReserveData: reserve(bit(56) | bit(57)) }),
        full: () => ({ getReserveData: reserve(bit(56) | ((lots + 5n) << 116n)) }),
        illiquid: (units) => ({ getVirtualUnderlyingBalance: 5n * units }),
      },
      more: [
        {
          state: 'illiquid',
          how: 'a pool before 3.1',
          say: (units) => ({ getVirtualUnderlyingBalance: undefined, 'asset.balanceOf': 5n * units }),
        },
        {
          state: 'illiquid',
          how: 'a reserve without virtual accounting',
          say: (units) => ({ getVirtualUnderlyingBalance: 0n, 'asset.balanceOf': 5n * units }),
        },
      ],
    },
  ],
  across: [
    {
      open: (units, entry) => ({
        pooledTokens: hub(units, true, lots, entry),
        exchangeRateCurrent: wad,
        lpFeeRatePerSecond: 0n,
        getCurrentTime: 1n,
        paused: false,
        bondToken: `0x${'0'.repeat(40)}`,
        bondAmount: 0n,
        rootBundleProposal: [...Array(3).fill(`0x${'0'.repeat(64)}`), 0n, `0x${'0'.repeat(40)}`, 0, 0],
        totalSupply: lots * units,
        balanceOf: 100n * units,
        'pool.balanceOf': lots * units,
        getUserStake: {
          cumulativeBalance: 0n,
          averageDepositTime: 0n,
          rewardsAccumulatedPerToken: 0n,
          rewardsOutstanding: 0n,
        },
      }),
      states: {
        paused: () => ({ paused: true }),
        closed: (units) => ({ pooledTokens: hub(units, false, lots) }),
        full: none('it has no cap'),
        illiquid: (units) => ({ pooledTokens: hub(units, true, 5n), 'pool.balanceOf': 5n * units }),
      },
    },
  ],
  'compound-v2': [
    {
      isMeant: ({ constants }) => constants.family === 'compound-v2' && constants.pauses === 'action',
      open: compoundV2,
      states: {
        paused: () => ({ protocolPaused: true }),
        closed: () => ({ actionPaused: ({ args }: Call) => args![1] === 0 }),
        ...compoundV2States,
      },
      more: [{ state: 'paused', how: 'by each action', say: () => ({ actionPaused: true }) }],
    },
    {
      isMeant: ({ constants }) => constants.family === 'compound-v2' && constants.pauses === 'guardian',
      open: compoundV2,
      states: {
        paused: none('its guardian closes deposits alone'),
        closed: () => ({ mintGuardianPaused: true }),
        ...compoundV2States,
      },
    },
  ],
  'compound-v3': [
    {
      open: (units) => ({
        getUtilization: 0n,
        supplyKink: wad,
        supplyPerSecondInterestRateBase: 0n,
        supplyPerSecondInterestRateSlopeLow: 0n,
        supplyPerSecondInterestRateSlopeHigh: 0n,
        totalSupply: lots * units,
        isSupplyPaused: false,
        isWithdrawPaused: false,
        totalsBasic: {
          ...Object.fromEntries(
            ['trackingSupplyIndex', 'trackingBorrowIndex', 'totalSupplyBase', 'totalBorrowBase'].map(
              (name) => [name, 0n],
            ),
          ),
          baseSupplyIndex: 10n ** 15n,
          baseBorrowIndex: 10n ** 15n,
          lastAccrualTime: 0,
          pauseFlags: 0,
        },
        balanceOf: 100n * units,
        'asset.balanceOf': lots * units,
      }),
      states: {
        paused: () => ({ isSupplyPaused: true, isWithdrawPaused: true }),
        closed: () => ({ isSupplyPaused: true }),
        full: none('it has no cap for its base asset'),
        illiquid: (units) => ({ 'asset.balanceOf': 5n * units }),
      },
    },
  ],
  'pendle-pt': [
    {
      open: (units) => ({
        isExpired: false,
        _storage: [lots * units, lots * units, wad / 50n, 0, 0, 0],
        exchangeRate: wad,
        getPtToAssetRate: wad,
        balanceOf: 100n * units,
      }),
      states: {
        paused: none('what it is made of can be paused: the simulation tells'),
        closed: () => ({ isExpired: true }),
        full: none('the depth of its market is the limit: the quote tells'),
        illiquid: (units) => ({ _storage: [lots * units, 5n * units, wad / 50n, 0, 0, 0] }),
      },
    },
  ],
  'spark-psm3': [
    {
      open: (units) => ({
        getConversionRate: ray,
        getSSR: rate,
        totalAssets: lots * wad,
        'asset.balanceOf': lots * units,
        balanceOf: lots * wad,
        pocket: undefined,
      }),
      states: {
        paused: none('it has no pause'),
        closed: () => ({ balanceOf: 0n }),
        full: () => ({ balanceOf: 5n * wad }),
        illiquid: (units) => ({ 'asset.balanceOf': 5n * units }),
      },
      more: [
        {
          state: 'illiquid',
          how: 'with the asset in a pocket',
          say: (units) => ({
            pocket: adapter,
            'asset.balanceOf': ({ args }: Call) => (args![0] === adapter ? 5n * units : lots * units),
            'asset.allowance': lots * units,
          }),
        },
        {
          state: 'illiquid',
          how: 'with a pocket that allows little',
          say: (units) => ({ pocket: adapter, 'asset.allowance': 5n * units }),
        },
      ],
    },
  ],
} satisfies Record<string, readonly RoomLaw[]>
