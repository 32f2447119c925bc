import type { Call } from '../../../src/chain/call.ts'
import { type Answers, lots, none, type RoomLaw, ray, wad } from './law-type.ts'

/** Staking: a withdrawal waits in a queue, so liquidity is no limit. */
const queued = none('its withdrawals wait in a queue')
const staked = (units: bigint): Answers => ({
  balanceOf: 100n * units,
  totalSupply: lots * units,
  paused: false,
})

/** The laws of the protocols that are staking. */
export const stakingLaws = {
  'benqi-staking': [
    {
      open: (units) => ({ ...staked(units), getPooledAvaxByShares: wad }),
      states: {
        paused: () => ({ paused: true }),
        closed: none('its pause closes both'),
        full: none('it has no cap'),
        illiquid: queued,
      },
    },
  ],
  'ether-fi': [
    {
      open: (units) => ({ ...staked(units), getRate: wad }),
      states: {
        paused: () => ({ paused: true }),
        closed: none('its pause closes both'),
        full: none('it has no cap'),
        illiquid: queued,
      },
    },
  ],
  'frax-ether': [
    {
      open: (units) => ({ ...staked(units), pricePerShare: wad, mintFrxEthPaused: false }),
      states: {
        paused: none('deposits alone can be paused'),
        closed: () => ({ mintFrxEthPaused: true }),
        full: none('it has no cap'),
        illiquid: queued,
      },
    },
  ],
  'gnosis-sdai': [
    {
      open: (units) => ({ ...staked(units), convertToAssets: wad, maxDeposit: lots * units }),
      states: {
        paused: none('it has no pause'),
        closed: () => ({ maxDeposit: 0n }),
        full: (units) => ({ maxDeposit: 5n * units }),
        illiquid: none('its vault holds all of its asset'),
      },
    },
  ],
  lido: [
    {
      open: (units) => ({
        ...staked(units),
        getPooledEthByShares: ray,
        isStakingPaused: false,
        getCurrentStakeLimit: lots * units,
        isPaused: false,
        getTotalPooledEther: lots * units,
        sharesOf: 100n * units,
        getStETHByWstETH: 100n * units,
        getWstETHByStETH: 10n * units,
      }),
      states: {
        paused: () => ({ isStakingPaused: true, isPaused: true, getCurrentStakeLimit: 0n }),
        closed: () => ({ isStakingPaused: true, getCurrentStakeLimit: 0n }),
        full: (units) => ({ getCurrentStakeLimit: 5n * units }),
        illiquid: queued,
      },
    },
  ],
  lista: [
    {
      open: (units) => ({ ...staked(units), convertSnBnbToBnb: wad }),
      states: {
        paused: () => ({ paused: true }),
        closed: none('its pause closes both'),
        full: none('it has no cap'),
        illiquid: queued,
      },
    },
  ],
  'rocket-pool': [
    {
      open: (units, { constants }) => ({
        ...staked(units),
        getExchangeRate: wad,
        getMaximumDepositAmount: lots * units,
        getTotalCollateral: lots * units,
        getAddress: constants.family === 'rocket-pool' && constants.depositPool,
      }),
      states: {
        paused: none('it has no pause'),
        closed: () => ({ getMaximumDepositAmount: 0n }),
        full: (units) => ({ getMaximumDepositAmount: 5n * units }),
        illiquid: (units) => ({ getTotalCollateral: 5n * units }),
      },
    },
  ],
  stader: [
    {
      open: (units) => ({ ...staked(units), getExchangeRate: wad, maxDeposit: lots * units }),
      states: {
        paused: none('its pause is a room of zero'),
        closed: () => ({ maxDeposit: 0n }),
        full: (units) => ({ maxDeposit: 5n * units }),
        illiquid: queued,
      },
    },
  ],
  stakewise: [
    {
      open: (units) => ({
        convertToAssets: ({ args }: Call) => args![0],
        convertToShares: ({ args }: Call) => args![0],
        totalAssets: lots * units,
        capacity: 2n * lots * units,
        isHarvestRequired: false,
        isCollateralized: true,
        getShares: 100n * units,
      }),
      states: {
        paused: none('it has no pause'),
        closed: () => ({ isHarvestRequired: true }),
        full: (units) => ({ capacity: (lots + 5n) * units }),
        illiquid: queued,
      },
    },
  ],
} satisfies Record<string, readonly RoomLaw[]>
