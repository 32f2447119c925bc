import type { Call } from '../../../src/chain/call.ts'
import { type Answers, lots, none, type RoomLaw, rate, wad } from './law-type.ts'

/** An ERC-4626 vault in which a share is worth one unit. */
const vault = (units: bigint): Answers => ({
  totalAssets: lots * units,
  convertToAssets: ({ args }: Call) => args![0],
  maxDeposit: lots * units,
  maxWithdraw: lots * units,
  balanceOf: 100n * units,
  ssr: rate,
  vsr: rate,
  dsr: rate,
  getSSR: rate,
})
const vaultStates: RoomLaw['states'] = {
  paused: none('its standard has no pause'),
  closed: () => ({ maxDeposit: 0n }),
  full: (units) => ({ maxDeposit: 5n * units }),
  illiquid: (units) => ({ maxWithdraw: 5n * units }),
}
/** What a vault says to nobody in particular is not what it says to the wallet. */
const onlyTheWallet = {
  state: 'closed',
  how: 'for the wallet alone',
  say: (units: bigint) => ({
    maxDeposit: ({ args }: Call) => (/dead$/i.test(String(args![0])) ? lots * units : 0n),
  }),
} as const

const queued = none('its withdrawals wait in a queue')

/** The laws of the protocols that are vaults. */
export const vaultLaws = {
  erc4626: [
    {
      isMeant: ({ constants }) =>
        constants.family === 'erc4626' && constants.limits === undefined && constants.lends === undefined,
      open: vault,
      states: vaultStates,
      more: [onlyTheWallet],
    },
    {
      isMeant: ({ constants }) => constants.family === 'erc4626' && constants.lends === 'euler',
      open: (units) => ({
        ...vault(units),
        cash: lots * units,
        hookConfig: [`0x${'0'.repeat(40)}`, 0],
      }),
      states: {
        ...vaultStates,
        paused: () => ({ hookConfig: [`0x${'0'.repeat(40)}`, 0x7fff] }),
        closed: () => ({ hookConfig: [`0x${'0'.repeat(40)}`, 1 | 2] }),
        illiquid: (units) => ({ cash: 5n * units, maxWithdraw: 5n * units }),
      },
      more: [
        {
          state: 'illiquid',
          how: 'for an owner with a controller',
          say: (units) => ({ cash: 5n * units, maxWithdraw: 0n }),
        },
        onlyTheWallet,
      ],
    },
    {
      isMeant: ({ constants }) => constants.family === 'erc4626' && constants.limits === 'none',
      open: (units) => ({
        ...vault(units),
        // Zero by design.
        maxDeposit: 0n,
        maxWithdraw: ({ args }: Call) => (args![0] === adapter ? lots * units : 0n),
        'asset.balanceOf': 0n,
        asset: ({ address }: Call) => address,
        performanceFee: wad / 10n,
        managementFee: wad / 100n / 31_536_000n,
        liquidityAdapter: adapter,
        liquidityData: '0x',
        morphoVaultV1: vaultV1,
        morpho: undefined,
        expectedSupplyAssets: undefined,
        canReceiveShares: true,
        canSendShares: true,
        canReceiveAssets: true,
        canSendAssets: true,
      }),
      states: {
        paused: none('it has no pause'),
        closed: () => ({ canReceiveShares: false }),
        full: none('its caps are those of its adapters: the simulation tells'),
        illiquid: (units) => ({ liquidityAdapter: `0x${'0'.repeat(40)}`, 'asset.balanceOf': 5n * units }),
      },
      more: [
        {
          state: 'illiquid',
          how: 'with an adapter to a vault of v1',
          say: (units) => ({
            'asset.balanceOf': 2n * units,
            maxWithdraw: ({ args }: Call) => (args![0] === adapter ? 3n * units : 0n),
          }),
        },
        {
          state: 'illiquid',
          how: 'with an adapter to one market',
          say: (units) => ({
            'asset.balanceOf': 2n * units,
            morphoVaultV1: undefined,
            morpho: vaultV1,
            expectedSupplyAssets: lots * units,
            market: [lots * units, 0n, (lots - 3n) * units, 0n, 0n, 0n],
          }),
        },
      ],
    },
  ],
  ethena: [
    {
      open: (units) => ({ ...vault(units), cooldownDuration: 604_800 }),
      states: { ...vaultStates, illiquid: queued },
      more: [onlyTheWallet],
    },
  ],
  fluid: [
    {
      open: (units, { asset }) => ({
        ...vault(units),
        previewWithdraw: ({ args }: Call) => args![0],
        getFTokenDetails: fToken(lots * units, asset.address),
      }),
      states: vaultStates,
      more: [onlyTheWallet],
    },
  ],
  morpho: [{ open: vault, states: vaultStates, more: [onlyTheWallet] }],
  'yearn-v3': [
    {
      open: (units) => ({
        ...vault(units),
        // Without a loss, a loss of one unit in a strategy leaves nothing.
        maxWithdraw: ({ args }: Call) => (args!.length === 3 && args![1] === 1n ? lots * units : 0n),
      }),
      states: {
        ...vaultStates,
        illiquid: (units) => ({ maxWithdraw: ({ args }: Call) => (args!.length === 3 ? 5n * units : 0n) }),
      },
      more: [onlyTheWallet],
    },
  ],
} satisfies Record<string, readonly RoomLaw[]>

/** Contracts behind a vault. */
const [adapter, vaultV1] = [
  '0xADa0000000000000000000000000000000000001',
  '0xADA0000000000000000000000000000000000002',
].map((at) => at.toLowerCase()) as [string, string]

const fToken = (withdrawable: bigint, asset: string) => ({
  tokenAddress: asset,
  eip2612Deposits: false,
  isNativeUnderlying: false,
  name: '',
  symbol: '',
  decimals: 18n,
  asset,
  totalAssets: 0n,
  totalSupply: 0n,
  convertToShares: 0n,
  convertToAssets: 0n,
  rewardsRate: 0n,
  supplyRate: 100n,
  rebalanceDifference: 0n,
  liquidityUserSupplyData: {
    modeWithInterest: false,
    supply: 0n,
    withdrawalLimit: 0n,
    lastUpdateTimestamp: 0n,
    expandPercent: 0n,
    expandDuration: 0n,
    baseWithdrawalLimit: 0n,
    withdrawableUntilLimit: 0n,
    withdrawable,
  },
})
