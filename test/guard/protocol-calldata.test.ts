import { concatHex } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { approve } from '../../src/chain/erc20.ts'
import { type Address, type Hex, nativeAddress } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import { cctpV2Contracts } from '../../src/swaps/cctp-v2/constants-schema.ts'
import { contractsIn, withContracts } from '../../src/swaps/swap-contracts.ts'
import { withoutProviders } from '../support/changed-catalogs.ts'
import {
  catalog,
  coin,
  honest,
  marketAt,
  router,
  thief,
  usdc,
  usdt,
  wallet,
} from '../support/plans/plan-fixtures.ts'
import { calldata } from '../support/use-sandbox.ts'

const chainId = 31337
const amount = 100_000_000n
const place: Address = `0x${'c8'.repeat(20)}`

const market = marketAt(place)
const to = (signature: string, args: readonly unknown[], more: Partial<Transaction> = {}): Transaction => ({
  to: place,
  data: calldata(`function ${signature}`, args),
  value: 0n,
  chainId,
  ...more,
})
const allowing = (much: bigint, spender = place) =>
  approve({ chainId, token: usdc.address, spender, amount: much })

const lender = {
  family: 'compound-v2',
  market: place,
  comptroller: `0x${'c9'.repeat(20)}`,
  rate: 'second',
  pauses: 'guardian',
} as const

/** A withdrawal from a Fluid fToken with a maximum number of shares. */
const limited = ({ much = amount, receiver = wallet, owner = wallet, most = 80_000_000n }: Limited) =>
  to('withdraw(uint256,address,address,uint256)', [much, receiver, owner, most])
type Limited = { much?: bigint; receiver?: Address; owner?: Address; most?: bigint }

type Out = { much?: bigint; receiver?: Address; owner?: Address; loss?: bigint }
const yearnOut = (name: string, { much = amount, receiver = wallet, owner = wallet, loss = 1n }: Out) =>
  to(`${name}(uint256,address,address,uint256)`, [much, receiver, owner, loss])

const queue: Address = `0x${'ca'.repeat(20)}`
const notHere = 'POLICY_CONTRACT_NOT_ALLOWED'
const asking = (name: string, amounts: readonly bigint[], owner = wallet) =>
  to(`${name}(uint256[],address)`, [amounts, owner], { to: queue })

const staking = (receiver: Address, referrer: Address, value = amount) =>
  to('deposit(address,address)', [receiver, referrer], { value })
const stakingToken = (much: bigint, receiver: Address, referrer: Address) =>
  to('deposit(uint256,address,address)', [much, receiver, referrer])
const exiting = (shares: bigint, receiver = wallet) =>
  to('enterExitQueue(uint256,address)', [shares, receiver])

const [supplying, withdrawing] = ['supplyFrom', 'withdrawFrom'].map(
  (name) => (from: Address, receiver: Address, token: Address, much: bigint) =>
    to(`${name}(address,address,address,uint256)`, [from, receiver, token, much]),
) as [Naming, Naming]
type Naming = (from: Address, receiver: Address, token: Address, much: bigint) => Transaction
/** The short form acts for the sender, who is not an argument. */
const shortly = (name: 'supply' | 'withdraw', token: Address, much: bigint) =>
  to(`${name}(address,uint256)`, [token, much])
const me = wallet
const adding = (token: Address, much: bigint, value = 0n) =>
  to('addLiquidity(address,uint256)', [token, much], { value })
const removing = (token: Address, units: bigint, isCoin: boolean) =>
  to('removeLiquidity(address,uint256,bool)', [token, units, isCoin])

/** A strategy of a protocol with its valid calls, and calls that only resemble them. */
type Family = {
  strategy: StrategyEntry
  deposit: Transaction[]
  part: Transaction
  all: { transaction: Transaction; shares: bigint }
  /** The receipt units that the partial withdrawal spends, where its calldata states units. */
  units?: bigint
  lies: [name: string, of: 'deposit' | 'part' | 'all', lie: Transaction, code: string][]
}

const families: Record<string, Family> = {
  'compound-v3': {
    strategy: market({ family: 'compound-v3', comet: place }),
    deposit: [allowing(amount), supplying(me, me, usdc.address, amount)],
    part: withdrawing(me, me, usdc.address, amount),
    all: { transaction: withdrawing(me, me, usdc.address, maxUint256), shares: amount },
    lies: [
      ['another asset', 'deposit', supplying(me, me, usdt.address, amount), 'POLICY_AMOUNT'],
      ['a larger amount', 'deposit', supplying(me, me, usdc.address, amount + 1n), 'POLICY_AMOUNT'],
      ['a repaid debt', 'deposit', supplying(me, me, usdc.address, maxUint256), 'POLICY_AMOUNT'],
      [
        'a repaid debt, in the short form',
        'deposit',
        shortly('supply', usdc.address, maxUint256),
        'POLICY_AMOUNT',
      ],
      [
        'another asset, in the short form',
        'deposit',
        shortly('supply', usdt.address, amount),
        'POLICY_AMOUNT',
      ],
      ['another receiver', 'deposit', supplying(me, thief, usdc.address, amount), 'POLICY_RECIPIENT'],
      ['another payer', 'deposit', supplying(thief, me, usdc.address, amount), 'POLICY_RECIPIENT'],
      [
        'a supplyTo call',
        'deposit',
        to('supplyTo(address,address,uint256)', [thief, usdc.address, amount]),
        'POLICY_DECODE',
      ],
      ['a withdrawal', 'deposit', withdrawing(me, me, usdc.address, amount), 'POLICY_DECODE'],
      ['a withdrawal of collateral', 'part', withdrawing(me, me, usdt.address, amount), 'POLICY_AMOUNT'],
      ['a loan', 'part', withdrawing(me, me, usdc.address, amount * 2n), 'POLICY_AMOUNT'],
      ['a loan, in the short form', 'part', shortly('withdraw', usdc.address, amount * 2n), 'POLICY_AMOUNT'],
      ['the whole balance', 'part', withdrawing(me, me, usdc.address, maxUint256), 'POLICY_AMOUNT'],
      ['another receiver', 'part', withdrawing(me, thief, usdc.address, amount), 'POLICY_RECIPIENT'],
      ['another lender', 'part', withdrawing(thief, me, usdc.address, amount), 'POLICY_RECIPIENT'],
      [
        'a withdrawTo call',
        'part',
        to('withdrawTo(address,address,uint256)', [thief, usdc.address, amount]),
        'POLICY_DECODE',
      ],
      ['a partial amount', 'all', withdrawing(me, me, usdc.address, amount), 'POLICY_AMOUNT'],
      [
        'a partial amount, in the short form',
        'all',
        shortly('withdraw', usdc.address, amount),
        'POLICY_AMOUNT',
      ],
      ['an approval of a manager', 'all', to('allow(address,bool)', [thief, true]), 'POLICY_AUTHORITY'],
      ['a transfer', 'all', to('transfer(address,uint256)', [thief, amount]), 'POLICY_DECODE'],
    ],
  },
  'compound-v2': {
    strategy: market(lender),
    deposit: [allowing(amount), to('mint(uint256)', [amount])],
    part: to('redeemUnderlying(uint256)', [amount]),
    all: { transaction: to('redeem(uint256)', [77n]), shares: 77n },
    lies: [
      ['a larger amount', 'deposit', to('mint(uint256)', [amount + 1n]), 'POLICY_AMOUNT'],
      ['a loan', 'part', to('borrow(uint256)', [amount]), 'POLICY_DECODE'],
      ['more assets', 'part', to('redeemUnderlying(uint256)', [amount + 1n]), 'POLICY_AMOUNT'],
      ['a redemption by receipts', 'part', to('redeem(uint256)', [amount]), 'POLICY_DECODE'],
      ['fewer receipts', 'all', to('redeem(uint256)', [76n]), 'POLICY_AMOUNT'],
      ['a native value', 'deposit', to('mint()', [], { value: amount }), 'POLICY_DECODE'],
    ],
  },
  'compound-v2, native coin to the market': {
    strategy: market({ ...lender, coin: 'market' }, { asset: coin }),
    deposit: [to('mint()', [], { value: amount })],
    part: to('redeemUnderlying(uint256)', [amount]),
    all: { transaction: to('redeem(uint256)', [77n]), shares: 77n },
    lies: [
      ['a smaller native value', 'deposit', to('mint()', [], { value: amount - 1n }), 'POLICY_VALUE'],
      ['another function', 'deposit', to('mint(uint256)', [amount], { value: amount }), 'POLICY_DECODE'],
    ],
  },
  'compound-v2, native coin to a router': {
    strategy: market({ ...lender, coin: { router } }, { asset: coin }),
    deposit: [to('mint(address)', [wallet], { to: router, value: amount })],
    part: to('redeemUnderlying(uint256)', [amount]),
    all: { transaction: to('redeem(uint256)', [77n]), shares: 77n },
    lies: [
      [
        'another receiver',
        'deposit',
        to('mint(address)', [thief], { to: router, value: amount }),
        'POLICY_RECIPIENT',
      ],
      [
        'the market as target instead of the router',
        'deposit',
        to('mint(address)', [wallet], { value: amount }),
        'POLICY_CONTRACT_NOT_ALLOWED',
      ],
      [
        'the router as target instead of the market',
        'part',
        to('redeemUnderlying(uint256)', [amount], { to: router }),
        'POLICY_CONTRACT_NOT_ALLOWED',
      ],
    ],
  },
  across: {
    strategy: market({ family: 'across', hubPool: place }),
    deposit: [allowing(amount), adding(usdc.address, amount)],
    part: removing(usdc.address, 80_000_000n, false),
    units: 80_000_100n,
    all: { transaction: removing(usdc.address, 77n, false), shares: 77n },
    lies: [
      ['another pool', 'deposit', adding(usdt.address, amount), 'POLICY_AMOUNT'],
      ['a larger amount', 'deposit', adding(usdc.address, amount + 1n), 'POLICY_AMOUNT'],
      ['a smaller amount', 'deposit', adding(usdc.address, amount - 1n), 'POLICY_AMOUNT'],
      ['a native value', 'deposit', adding(usdc.address, amount, amount), 'POLICY_VALUE'],
      ['a withdrawal', 'deposit', removing(usdc.address, amount, false), 'POLICY_DECODE'],
      ['a multicall', 'deposit', to('multicall(bytes[])', [[]]), 'POLICY_AUTHORITY'],
      ['another pool', 'part', removing(usdt.address, 80_000_000n, false), 'POLICY_AMOUNT'],
      ['a much larger amount', 'part', removing(usdc.address, 80_009_000n, false), 'POLICY_AMOUNT'],
      ['a much smaller amount', 'part', removing(usdc.address, 79_991_000n, false), 'POLICY_AMOUNT'],
      [
        'the native coin instead of the token',
        'part',
        removing(usdc.address, 80_000_000n, true),
        'POLICY_AMOUNT',
      ],
      ['a deposit', 'part', adding(usdc.address, 80_000_000n), 'POLICY_DECODE'],
      ['a unit less', 'all', removing(usdc.address, 76n, false), 'POLICY_AMOUNT'],
      ['a unit more', 'all', removing(usdc.address, 78n, false), 'POLICY_AMOUNT'],
      ['a transfer', 'all', to('transfer(address,uint256)', [thief, 77n]), 'POLICY_DECODE'],
      ['loadEthForL2Calls', 'all', to('loadEthForL2Calls()', []), 'POLICY_DECODE'],
    ],
  },
  'across, native coin': {
    strategy: market({ family: 'across', hubPool: place, wrapped: router }, { asset: coin }),
    deposit: [adding(router, amount, amount)],
    part: removing(router, 80_000_000n, true),
    units: 80_000_000n,
    all: { transaction: removing(router, 77n, true), shares: 77n },
    lies: [
      ['no native value', 'deposit', adding(router, amount), 'POLICY_VALUE'],
      ['a smaller native value', 'deposit', adding(router, amount, amount - 1n), 'POLICY_VALUE'],
      ['another pool', 'deposit', adding(usdc.address, amount, amount), 'POLICY_AMOUNT'],
      ['the address of the native coin', 'deposit', adding(nativeAddress, amount, amount), 'POLICY_AMOUNT'],
      ['the wrapped token', 'part', removing(router, 80_000_000n, false), 'POLICY_AMOUNT'],
      ['the wrapped token', 'all', removing(router, 77n, false), 'POLICY_AMOUNT'],
    ],
  },
  ethena: {
    strategy: market({ family: 'ethena', vault: place }),
    deposit: [allowing(amount), to('deposit(uint256,address)', [amount, wallet])],
    part: to('cooldownAssets(uint256)', [amount]),
    all: { transaction: to('cooldownShares(uint256)', [77n]), shares: 77n },
    lies: [
      ['another receiver', 'deposit', to('deposit(uint256,address)', [amount, thief]), 'POLICY_RECIPIENT'],
      ['a larger amount', 'part', to('cooldownAssets(uint256)', [amount + 1n]), 'POLICY_AMOUNT'],
      ['a request in shares', 'part', to('cooldownShares(uint256)', [amount]), 'POLICY_DECODE'],
      ['fewer shares', 'all', to('cooldownShares(uint256)', [76n]), 'POLICY_AMOUNT'],
      ['a claim', 'part', to('unstake(address)', [wallet]), 'POLICY_DECODE'],
      [
        'an ERC-4626 withdrawal',
        'part',
        to('withdraw(uint256,address,address)', [amount, wallet, wallet]),
        'POLICY_DECODE',
      ],
    ],
  },
  'rocket-pool': {
    strategy: market(
      { family: 'rocket-pool', token: place, storage: queue, depositPool: router },
      { asset: coin },
    ),
    deposit: [to('deposit()', [], { to: router, value: amount })],
    part: to('burn(uint256)', [80_000_000n]),
    units: 80_000_100n,
    all: { transaction: to('burn(uint256)', [77n]), shares: 77n },
    lies: [
      ['the token as target instead of the pool', 'deposit', to('deposit()', [], { value: amount }), notHere],
      [
        'the pool as target instead of the token',
        'part',
        to('burn(uint256)', [80_000_000n], { to: router }),
        notHere,
      ],
      ['a much larger amount', 'part', to('burn(uint256)', [80_009_000n]), 'POLICY_AMOUNT'],
      ['a much smaller amount', 'part', to('burn(uint256)', [79_991_000n]), 'POLICY_AMOUNT'],
      ['a unit less', 'all', to('burn(uint256)', [76n]), 'POLICY_AMOUNT'],
      ['a transfer', 'all', to('transfer(address,uint256)', [thief, 77n]), 'POLICY_DECODE'],
    ],
  },
  stader: {
    strategy: market(
      { family: 'stader', token: place, manager: router, withdrawals: queue },
      { asset: coin },
    ),
    deposit: [to('deposit(address)', [wallet], { to: router, value: amount })],
    part: to('requestWithdraw(uint256,address)', [80_000_000n, wallet], { to: queue }),
    units: 80_000_000n,
    all: { transaction: to('requestWithdraw(uint256,address)', [77n, wallet], { to: queue }), shares: 77n },
    lies: [
      [
        'another receiver',
        'deposit',
        to('deposit(address)', [thief], { to: router, value: amount }),
        'POLICY_RECIPIENT',
      ],
      [
        'another receiver',
        'part',
        to('requestWithdraw(uint256,address)', [80_000_000n, thief], { to: queue }),
        'POLICY_RECIPIENT',
      ],
      [
        'a much larger amount',
        'part',
        to('requestWithdraw(uint256,address)', [90_000_000n, wallet], { to: queue }),
        'POLICY_AMOUNT',
      ],
      [
        'a smaller native value',
        'deposit',
        to('deposit(address)', [wallet], { to: router, value: 1n }),
        'POLICY_VALUE',
      ],
    ],
  },
  'ether-fi': {
    strategy: market(
      {
        family: 'ether-fi',
        token: place,
        pool: thief,
        depositAdapter: router,
        withdrawAdapter: queue,
        requests: thief,
      },
      { asset: coin },
    ),
    deposit: [to('depositETHForWeETH(address)', [nativeAddress], { to: router, value: amount })],
    part: to('requestWithdraw(uint256,address)', [80_000_000n, wallet], { to: queue }),
    units: 80_000_000n,
    all: { transaction: to('requestWithdraw(uint256,address)', [77n, wallet], { to: queue }), shares: 77n },
    lies: [
      [
        'a referral',
        'deposit',
        to('depositETHForWeETH(address)', [thief], { to: router, value: amount }),
        'POLICY_RECIPIENT',
      ],
      [
        'another owner',
        'all',
        to('requestWithdraw(uint256,address)', [77n, thief], { to: queue }),
        'POLICY_RECIPIENT',
      ],
      [
        'a much larger amount',
        'part',
        to('requestWithdraw(uint256,address)', [90_000_000n, wallet], { to: queue }),
        'POLICY_AMOUNT',
      ],
    ],
  },
  'frax-ether': {
    strategy: market({ family: 'frax-ether', token: place, minter: router, queue }, { asset: coin }),
    deposit: [to('submitAndDeposit(address)', [wallet], { to: router, value: amount })],
    part: to('enterRedemptionQueueViaSfrxEth(address,uint120)', [wallet, 80_000_000n], { to: queue }),
    units: 80_000_000n,
    all: {
      transaction: to('enterRedemptionQueueViaSfrxEth(address,uint120)', [wallet, 77n], { to: queue }),
      shares: 77n,
    },
    lies: [
      [
        'another receiver',
        'deposit',
        to('submitAndDeposit(address)', [thief], { to: router, value: amount }),
        'POLICY_RECIPIENT',
      ],
      [
        'another owner',
        'part',
        to('enterRedemptionQueueViaSfrxEth(address,uint120)', [thief, 80_000_000n], { to: queue }),
        'POLICY_RECIPIENT',
      ],
      [
        'a unit less',
        'all',
        to('enterRedemptionQueueViaSfrxEth(address,uint120)', [wallet, 76n], { to: queue }),
        'POLICY_AMOUNT',
      ],
      [
        'the unstaked token',
        'part',
        to('enterRedemptionQueue(address,uint120)', [wallet, 80_000_000n], { to: queue }),
        'POLICY_DECODE',
      ],
    ],
  },
  lista: {
    strategy: market({ family: 'lista', token: place, manager: router }, { asset: coin }),
    deposit: [to('deposit()', [], { to: router, value: amount })],
    part: to('requestWithdraw(uint256)', [80_000_000n], { to: router }),
    units: 80_000_000n,
    all: { transaction: to('requestWithdraw(uint256)', [77n], { to: router }), shares: 77n },
    lies: [
      [
        'a much smaller amount',
        'part',
        to('requestWithdraw(uint256)', [70_000_000n], { to: router }),
        'POLICY_AMOUNT',
      ],
      ['a unit more', 'all', to('requestWithdraw(uint256)', [78n], { to: router }), 'POLICY_AMOUNT'],
      ['a deposit', 'part', to('deposit()', [], { to: router }), 'POLICY_DECODE'],
    ],
  },
  'stakewise, native coin': {
    strategy: market({ family: 'stakewise', vault: place, keeper: queue, registry: queue }, { asset: coin }),
    deposit: [staking(wallet, nativeAddress)],
    part: exiting(80_000_000n),
    units: 80_000_100n,
    all: { transaction: exiting(77n), shares: 77n },
    lies: [
      ['a smaller native value', 'deposit', staking(wallet, nativeAddress, 1n), 'POLICY_VALUE'],
      ['another receiver', 'deposit', staking(thief, nativeAddress), 'POLICY_RECIPIENT'],
      ['a referrer', 'deposit', staking(wallet, thief), 'POLICY_RECIPIENT'],
      ['a payment in a token', 'deposit', stakingToken(amount, wallet, nativeAddress), 'POLICY_DECODE'],
      ['another receiver', 'part', exiting(80_000_000n, thief), 'POLICY_RECIPIENT'],
      ['another receiver', 'all', exiting(77n, thief), 'POLICY_RECIPIENT'],
      ['a much larger amount', 'part', exiting(80_009_000n), 'POLICY_AMOUNT'],
      ['a much smaller amount', 'part', exiting(79_991_000n), 'POLICY_AMOUNT'],
      ['a share less', 'all', exiting(76n), 'POLICY_AMOUNT'],
      [
        'a mint of osTokens',
        'deposit',
        to('mintOsToken(address,uint256,address)', [thief, 7n, thief]),
        'POLICY_DECODE',
      ],
      ['a multicall', 'part', to('multicall(bytes[])', [[exiting(80_000_000n).data]]), 'POLICY_AUTHORITY'],
      [
        'a position put in escrow',
        'part',
        to('transferOsTokenPositionToEscrow(uint256)', [80_000_000n]),
        'POLICY_DECODE',
      ],
    ],
  },
  'stakewise, token': {
    strategy: market({ family: 'stakewise', vault: place, keeper: queue, registry: queue }),
    deposit: [allowing(amount), stakingToken(amount, wallet, nativeAddress)],
    part: exiting(80_000_000n),
    units: 80_000_000n,
    all: { transaction: exiting(77n), shares: 77n },
    lies: [
      ['a larger amount', 'deposit', stakingToken(amount + 1n, wallet, nativeAddress), 'POLICY_AMOUNT'],
      ['another receiver', 'deposit', stakingToken(amount, thief, nativeAddress), 'POLICY_RECIPIENT'],
      ['a referrer', 'deposit', stakingToken(amount, wallet, thief), 'POLICY_RECIPIENT'],
      ['a payment in the native coin', 'deposit', staking(wallet, nativeAddress), 'POLICY_DECODE'],
    ],
  },
  'benqi-staking': {
    strategy: market({ family: 'benqi-staking', token: place }, { asset: coin }),
    deposit: [to('submit()', [], { value: amount })],
    part: to('requestUnlock(uint256)', [80_000_000n]),
    units: 80_000_000n,
    all: { transaction: to('requestUnlock(uint256)', [77n]), shares: 77n },
    lies: [
      ['a much larger amount', 'part', to('requestUnlock(uint256)', [90_000_000n]), 'POLICY_AMOUNT'],
      ['a redemption', 'part', to('redeem()', []), 'POLICY_DECODE'],
      ['a larger native value', 'deposit', to('submit()', [], { value: amount + 1n }), 'POLICY_VALUE'],
    ],
  },
  'lido, held as stETH': {
    strategy: market({ family: 'lido', holds: 'stETH', stEth: place, queue }, { asset: coin }),
    deposit: [to('submit(address)', [nativeAddress], { value: amount })],
    part: asking('requestWithdrawals', [amount]),
    all: { transaction: asking('requestWithdrawals', [77n]), shares: 77n },
    lies: [
      [
        'a smaller native value',
        'deposit',
        to('submit(address)', [nativeAddress], { value: 1n }),
        'POLICY_VALUE',
      ],
      ['a referral', 'deposit', to('submit(address)', [thief], { value: amount }), 'POLICY_RECIPIENT'],
      ['a larger amount', 'part', asking('requestWithdrawals', [amount, 100n]), 'POLICY_AMOUNT'],
      ['a smaller amount', 'part', asking('requestWithdrawals', [amount - 1n]), 'POLICY_AMOUNT'],
      ['several requests', 'part', asking('requestWithdrawals', [amount - 100n, 100n]), 'POLICY_SHAPE'],
      ['another owner', 'part', asking('requestWithdrawals', [amount], thief), 'POLICY_RECIPIENT'],
      ['another owner', 'all', asking('requestWithdrawals', [77n], thief), 'POLICY_RECIPIENT'],
      ['the wrapped token', 'part', asking('requestWithdrawalsWstETH', [amount]), 'POLICY_DECODE'],
      [
        'stETH as target instead of the queue',
        'part',
        { ...asking('requestWithdrawals', [amount]), to: place },
        notHere,
      ],
      ['a transfer', 'all', to('transfer(address,uint256)', [thief, 77n]), notHere],
    ],
  },
  'lido, held as wstETH': {
    strategy: market(
      { family: 'lido', holds: 'wstETH', stEth: router, wstEth: place, staker: router, queue },
      { asset: coin },
    ),
    deposit: [to('stakeETH(address)', [nativeAddress], { to: router, value: amount })],
    part: asking('requestWithdrawalsWstETH', [80_000_000n]),
    units: 80_000_100n,
    all: { transaction: asking('requestWithdrawalsWstETH', [77n]), shares: 77n },
    lies: [
      ['a much larger amount', 'part', asking('requestWithdrawalsWstETH', [80_009_000n]), 'POLICY_AMOUNT'],
      ['a much smaller amount', 'part', asking('requestWithdrawalsWstETH', [79_991_000n]), 'POLICY_AMOUNT'],
      ['a unit more', 'all', asking('requestWithdrawalsWstETH', [78n]), 'POLICY_AMOUNT'],
      ['another owner', 'part', asking('requestWithdrawalsWstETH', [80_000_000n], thief), 'POLICY_RECIPIENT'],
      ['the unwrapped token', 'part', asking('requestWithdrawals', [80_000_000n]), 'POLICY_DECODE'],
    ],
  },
  'gnosis-sdai': {
    strategy: market(
      { family: 'gnosis-sdai', token: place, adapter: router, wrapped: queue },
      { asset: coin },
    ),
    deposit: [to('depositXDAI(address)', [wallet], { to: router, value: amount })],
    part: to('redeemXDAI(uint256,address)', [80_000_000n, wallet], { to: router }),
    units: 80_000_100n,
    all: { transaction: to('redeemXDAI(uint256,address)', [77n, wallet], { to: router }), shares: 77n },
    lies: [
      [
        'another receiver',
        'deposit',
        to('depositXDAI(address)', [thief], { to: router, value: amount }),
        'POLICY_RECIPIENT',
      ],
      [
        'a smaller native value',
        'deposit',
        to('depositXDAI(address)', [wallet], { to: router, value: 1n }),
        'POLICY_VALUE',
      ],
      [
        'another receiver',
        'part',
        to('redeemXDAI(uint256,address)', [80_000_000n, thief], { to: router }),
        'POLICY_RECIPIENT',
      ],
      [
        'a much larger amount',
        'part',
        to('redeemXDAI(uint256,address)', [80_009_000n, wallet], { to: router }),
        'POLICY_AMOUNT',
      ],
      ['the whole balance', 'part', to('redeemAllXDAI(address)', [wallet], { to: router }), 'POLICY_DECODE'],
      [
        'fewer shares',
        'all',
        to('redeemXDAI(uint256,address)', [76n, wallet], { to: router }),
        'POLICY_AMOUNT',
      ],
      ['the vault as target', 'all', to('redeem(uint256,address,address)', [77n, thief, wallet]), notHere],
    ],
  },
  fluid: {
    strategy: market({ family: 'fluid', vault: place, resolver: router }),
    deposit: [allowing(amount), to('deposit(uint256,address)', [amount, wallet])],
    part: limited({}),
    units: 80_000_000n,
    all: { transaction: to('redeem(uint256,address,address)', [77n, wallet, wallet]), shares: 77n },
    lies: [
      ['a larger amount', 'deposit', to('deposit(uint256,address)', [amount + 1n, wallet]), 'POLICY_AMOUNT'],
      ['another receiver', 'deposit', to('deposit(uint256,address)', [amount, thief]), 'POLICY_RECIPIENT'],
      ['many more shares burned', 'part', limited({ most: 80_009_000n }), 'POLICY_AMOUNT'],
      ['too few shares burned', 'part', limited({ most: 79_991_000n }), 'POLICY_AMOUNT'],
      ['no limit', 'part', limited({ most: maxUint256 }), 'POLICY_AMOUNT'],
      [
        'a withdrawal without a limit',
        'part',
        to('withdraw(uint256,address,address)', [amount, wallet, wallet]),
        'POLICY_DECODE',
      ],
      ['another receiver', 'part', limited({ receiver: thief }), 'POLICY_RECIPIENT'],
      ['another owner', 'part', limited({ owner: thief }), 'POLICY_RECIPIENT'],
      ['more assets', 'part', limited({ much: amount + 1n }), 'POLICY_AMOUNT'],
      ['the whole balance (maximum)', 'part', limited({ much: maxUint256 }), 'POLICY_AMOUNT'],
      ['fewer shares', 'all', to('redeem(uint256,address,address)', [76n, wallet, wallet]), 'POLICY_AMOUNT'],
      [
        'another receiver',
        'all',
        to('redeem(uint256,address,address)', [77n, thief, wallet]),
        'POLICY_RECIPIENT',
      ],
    ],
  },
  'yearn-v3': {
    strategy: market({ family: 'yearn-v3', vault: place }),
    deposit: [allowing(amount), to('deposit(uint256,address)', [amount, wallet])],
    part: yearnOut('withdraw', {}),
    all: { transaction: yearnOut('redeem', { much: 77n }), shares: 77n },
    lies: [
      ['a larger amount', 'deposit', to('deposit(uint256,address)', [amount + 1n, wallet]), 'POLICY_AMOUNT'],
      ['another receiver', 'deposit', to('deposit(uint256,address)', [amount, thief]), 'POLICY_RECIPIENT'],
      ['an unlimited loss', 'part', yearnOut('withdraw', { loss: 10_000n }), 'POLICY_AMOUNT'],
      [
        'a loss limit of two basis points',
        'all',
        yearnOut('redeem', { much: 77n, loss: 2n }),
        'POLICY_AMOUNT',
      ],
      [
        'no limit on the loss',
        'all',
        to('redeem(uint256,address,address)', [77n, wallet, wallet]),
        'POLICY_DECODE',
      ],
      ['another receiver', 'part', yearnOut('withdraw', { receiver: thief }), 'POLICY_RECIPIENT'],
      ['another owner', 'all', yearnOut('redeem', { much: 77n, owner: thief }), 'POLICY_RECIPIENT'],
      ['fewer shares', 'all', yearnOut('redeem', { much: 76n }), 'POLICY_AMOUNT'],
      ['more assets', 'part', yearnOut('withdraw', { much: amount + 1n }), 'POLICY_AMOUNT'],
      ['a redemption', 'part', yearnOut('redeem', {}), 'POLICY_DECODE'],
    ],
  },
}

describe.each(Object.entries(families))('the guard on %s', (_, family) => {
  const { strategy, deposit, part, all, lies, units } = family
  const known = { ...catalog, strategies: [...catalog.strategies, strategy] }
  const intents: Record<'deposit' | 'part' | 'all', Intent> = {
    deposit: { kind: 'deposit', wallet, strategy, amount },
    part: { kind: 'withdraw', wallet, strategy, amount, ...(units !== undefined && { units }) },
    all: { kind: 'withdraw', wallet, strategy, amount, shares: all.shares },
  }
  const asked = { deposit, part: [part], all: [all.transaction] }
  const check = (of: keyof typeof asked, transactions: readonly Transaction[]): string => {
    try {
      checkLeg({ intent: intents[of], chainId, transactions, catalog: known })
      return 'passed'
    } catch (error) {
      if (error instanceof AppError) return error.code
      throw error
    }
  }
  const last = (of: keyof typeof asked) => asked[of].at(-1)!
  const changed = (of: keyof typeof asked, more: Partial<Transaction>) =>
    check(of, [...asked[of].slice(0, -1), { ...last(of), ...more }])

  test.each(['deposit', 'part', 'all'] as const)('accepts the correct call: %s', (of) => {
    expect(check(of, asked[of])).toBe('passed')
  })

  test.each(lies)('refuses %s: %s', (_name, of, lie, code) => {
    expect(check(of, [...asked[of].slice(0, -1), lie])).toBe(code)
  })

  test.each(['deposit', 'part', 'all'] as const)(
    'refuses a %s call with other bytes, value, contract or chain',
    (of) => {
      expect(changed(of, { data: concatHex([last(of).data, '0x00']) })).toBe('POLICY_DECODE')
      expect(changed(of, { data: last(of).data.slice(0, -2) as Hex })).toBe('POLICY_DECODE')
      expect(changed(of, { value: last(of).value + 1n })).toBe('POLICY_VALUE')
      expect(changed(of, { to: thief })).toBe('POLICY_CONTRACT_NOT_ALLOWED')
      expect(changed(of, { chainId: 1 })).toBe('POLICY_CHAIN')
    },
  )

  test('refuses an approval that is too large, for another spender, or not needed', () => {
    if (deposit.length === 2) {
      expect(check('deposit', [allowing(amount + 1n), last('deposit')])).toBe('POLICY_ALLOWANCE')
      expect(check('deposit', [allowing(amount, thief), last('deposit')])).toBe('POLICY_SPENDER')
    }
    expect(check('part', [allowing(amount), part])).toBe('POLICY_ALLOWANCE')
  })
})

test('the guard accepts the short calls of Compound v3, which act for the sender', () => {
  const { strategy } = families['compound-v3']!
  const passes = (intent: Intent, transactions: Transaction[]) =>
    checkLeg({ intent, chainId, transactions, catalog: { ...catalog, strategies: [strategy] } }).at(-1)!
  const asked = { wallet, strategy, amount }
  expect(
    passes({ kind: 'deposit', ...asked }, [allowing(amount), shortly('supply', usdc.address, amount)]).text,
  ).toBe('Supply 100 USDC to Compound v3')
  expect(passes({ kind: 'withdraw', ...asked }, [shortly('withdraw', usdc.address, amount)]).text).toBe(
    'Withdraw 100 USDC from Compound v3',
  )
})

test('the guard refuses a bridge between chains with different attestation services', () => {
  const ends = contractsIn(catalog, cctpV2Contracts).map((end, at) => ({
    ...end,
    attestation: `https://service-${at}.example`,
  }))
  const { intent, transactions } = honest['a transfer to another chain']
  const alone = withoutProviders(catalog, 'across', 'relay')
  const check = (given: typeof ends) => () =>
    checkLeg({ intent, chainId, transactions, catalog: withContracts(alone, cctpV2Contracts, () => given) })
  expect(check(ends)).toThrow(/bridge from chain/)
  expect(check(ends.map((end) => ({ ...end, attestation: 'https://one.example' })))).not.toThrow()
})
