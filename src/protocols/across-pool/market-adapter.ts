import { decodeEventLog } from 'viem/utils'
import { type Call, contract, type Reading } from '../../chain/call.ts'
import { erc20, transferTopic } from '../../chain/erc20.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { Log, LogFilter, MarketEvent, MarketState, ProtocolMarket } from '../market-adapter.ts'
import { balance, readAmount } from '../shared/amount-reads.ts'
import { mustAnswer } from '../shared/contract-assertions.ts'
import { addressTopic, eventTopic } from '../shared/encode-topics.ts'
import { movementOf, transferEvent, transferLogs } from '../shared/transfers.ts'
import { hubPoolAbi as abi } from './abi.ts'
import type { AcrossPoolConstants } from './constants-schema.ts'
import { addLiquidity, removeLiquidity } from './encode.ts'
import { lpRate, lpUnits, lpWorth, pooledToken } from './lp-token.ts'

/** The length of a year in the rates of Across, in seconds: 365.25 days. */
export const acrossYear = 31_557_600

const one = 10n ** 18n
const precision = 10n ** 27n

/** The fees that a pool has not paid out yet: `undistributed` at its last update, `passed` seconds ago, which is paid at the share `perSecond` (scaled by 1e18). */
type LpFees = { undistributed: bigint; perSecond: bigint; passed: bigint }

/**
 * The yearly rate of a pool of the HubPool on its `value`. Between two updates it pays a constant share per second of the fees at the first
 * one, until none is left (source: HubPool._getAccumulatedFees). As in Across's SDK (source: estimatedApr and estimatedApy of PoolClient,
 * @across-protocol/sdk, over one second), the APY is the rate of one second times the seconds of a year, not compounded, and so equals the APR.
 * `null` if it is not finite.
 */
export function lpFeeRate(
  { undistributed, perSecond, passed }: LpFees,
  value: bigint,
): { apr: number | null; apy: number | null } {
  const isPaidOut = perSecond * passed >= one
  const each = isPaidOut || value === 0n ? 0n : (undistributed * perSecond * (precision / one)) / value
  const rate = (Number(each) / Number(precision)) * acrossYear
  return Number.isFinite(rate) ? { apr: rate, apy: rate } : { apr: null, apy: null }
}

/** A pool of liquidity that Across lends to relayers, who deliver tokens before the bridge does. The LP token does not rebase; its price grows by the fees. */
export const acrossPool = (entry: StrategyEntry, constants: AcrossPoolConstants): ProtocolMarket => {
  const { chainId, asset, receipt } = entry
  const pool = { constants, asset }
  const ask = asking(constants)
  const leave = (units: bigint) => ({ transaction: removeLiquidity({ chainId, units, ...pool }) })
  return {
    entry,
    contractAssertions: [
      mustAnswer(
        'the LP token of the pool',
        ask('pooledTokens', pooledToken(pool)),
        receipt.address,
        (answer) => (answer as Pooled)[0],
      ),
      ...(constants.wrapped ? [mustAnswer('what wraps the coin', ask('weth'), constants.wrapped)] : []),
    ],
    state: stateOf(entry, constants),
    index: { reads: [lpRate(pool)], parse: ([rate]) => indexOf(rate as bigint) },
    simpleYear: acrossYear,
    shares: (owner) => balance(receipt.address, owner),
    worth: (shares) => readAmount(lpRate(pool), (rate) => lpWorth(rate, shares)),
    units: (amount) => readAmount(lpRate(pool), (rate) => lpUnits(rate, amount)),
    deposit: ({ amount }) => ({
      transaction: addLiquidity({ chainId, amount, ...pool }),
      ...(asset.address !== nativeAddress && {
        needs: { token: asset.address, spender: constants.hubPool, amount },
      }),
    }),
    withdraw: ({ units }) => leave(units ?? 0n),
    withdrawAll: ({ shares }) => leave(shares),
    logs: (owner) => logsOf(constants.hubPool, pooledToken(pool), receipt.address, owner),
    event: eventOf,
  }
}

const asking =
  ({ hubPool }: AcrossPoolConstants) =>
  (functionName: string, ...args: Address[]): Call =>
    contract(hubPool, abi)(functionName, ...args)

/** The price is scaled by 1e18, and begins at one. */
const indexOf = (rate: bigint) => rate * 10n ** 9n

type Pooled = readonly [
  lpToken: Address,
  isEnabled: boolean,
  touched: number,
  utilized: bigint,
  liquid: bigint,
  undistributed: bigint,
]
type Proposal = readonly [...unknown[], unclaimedLeaves: number, until: number]

function stateOf({ asset, receipt }: StrategyEntry, constants: AcrossPoolConstants): Reading<MarketState> {
  const pool = { constants, asset }
  const [token, ask] = [pooledToken(pool), asking(constants)]
  return {
    reads: [
      // Read before the price, because `exchangeRateCurrent` updates the pool for the rest of the call.
      ask('pooledTokens', token),
      lpRate(pool),
      ask('lpFeeRatePerSecond'),
      ask('getCurrentTime'),
      ask('paused'),
      ask('bondToken'),
      ask('bondAmount'),
      ask('rootBundleProposal'),
      erc20.totalSupply(receipt.address),
      erc20.balanceOf(token, constants.hubPool),
    ],
    parse: ([
      pooled,
      price,
      perSecond,
      now,
      paused,
      bond,
      bondAmount,
      proposal,
      all,
      there,
    ]: readonly unknown[]) => {
      const [, isEnabled, touched, , liquid, undistributed] = pooled as Pooled
      const [rate, holds] = [price as bigint, there as bigint]
      const tvl = lpWorth(rate, all as bigint)
      const passed = (now as bigint) - BigInt(touched)
      const fees = { undistributed, perSecond: perSecond as bigint, passed }
      // The bond of a bundle's proposer does not belong to the pool.
      const isStaked = sameAddress(bond as Address, token) && (proposal as Proposal).at(-2) !== 0
      const own = isStaked ? holds - (bondAmount as bigint) : holds
      return {
        ...lpFeeRate(fees, tvl),
        tvl,
        index: indexOf(rate),
        canDeposit: paused === false && isEnabled,
        canWithdraw: paused === false,
        headroom: null,
        liquidity: inWholeUnits(rate, own > liquid ? own : liquid),
      }
    },
  }
}

/** The part of an amount that LP tokens can bring exactly. After a total loss they bring nothing. */
const inWholeUnits = (rate: bigint, amount: bigint) =>
  rate === 0n ? 0n : lpWorth(rate, (amount * 10n ** 18n) / rate)

const logsOf = (hubPool: Address, token: Address, receipt: Address, owner: Address): LogFilter[] => [
  { address: hubPool, topics: [eventTopic(abi, 'LiquidityAdded'), addressTopic(token), addressTopic(owner)] },
  {
    address: hubPool,
    topics: [eventTopic(abi, 'LiquidityRemoved'), addressTopic(token), addressTopic(owner)],
  },
  ...transferLogs(receipt, owner),
]

/** LP tokens that move between two owners are a transfer; minting and burning are in the events of the HubPool. */
function eventOf(log: Log, owner: Address): MarketEvent | undefined {
  const movement = movementOf(log, owner)
  if (movement) return sameAddress(movement.other, nativeAddress) ? undefined : transferEvent(movement)
  if (log.topics[0] === transferTopic) return undefined
  const { eventName, args } = decodeEventLog({ abi, topics: log.topics as never, data: log.data })
  if (eventName === 'LiquidityAdded')
    return { type: 'deposit', amount: args.amount, shares: [args.lpTokensMinted] }
  return { type: 'withdraw', amount: args.amount, shares: [args.lpTokensBurnt] }
}
