import { type Call, contract, type Reading, type Rounds } from '../../chain/call.ts'
import { transferTopic } from '../../chain/erc20.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type {
  Log,
  LogFilter,
  MarketEvent,
  MarketState,
  Moment,
  ProtocolMarket,
  Rate,
} from '../market-adapter.ts'
import { balance, readAmount } from '../shared/amount-reads.ts'
import {
  type ContractAssertion,
  mustAnswer,
  mustNotRespond,
  mustRespond,
} from '../shared/contract-assertions.ts'
import { addressTopic } from '../shared/encode-topics.ts'
import { perDay, perSecond, perTick, ray } from '../shared/rate-units.ts'
import { movementOf, transferEvent, transferLogs } from '../shared/transfers.ts'
import { cTokenAbi as abi, comptrollerAbi, entranceOf } from './abi.ts'
import type { CompoundV2Constants } from './constants-schema.ts'
import { mint, redeem, redeemUnderlying } from './encode.ts'
import { compoundV2Rewards } from './reward-emissions.ts'

/** A market of the Compound v2 family. The receipt does not rebase; its price grows, scaled by 1e18. */
export const compoundV2 = (entry: StrategyEntry, constants: CompoundV2Constants): ProtocolMarket => {
  const { chainId, asset } = entry
  const { market, comptroller, coin } = constants
  return {
    entry,
    contractAssertions: [
      mustAnswer('the comptroller of the market', contract(market, abi)('comptroller'), comptroller),
      mustAnswer(
        'whether the comptroller lists the market',
        contract(comptroller, comptrollerAbi)('markets', market),
        'true',
      ),
      ...assetClaims(entry, constants),
      ...(typeof coin === 'object'
        ? [mustAnswer('the market of the router', contract(coin.router, abi)('mToken'), market)]
        : []),
      (constants.rate === 'second' ? mustRespond : mustNotRespond)('its rate per second', eachSecond(market)),
      ...(constants.rate === 'block' ? [mustRespond('its rate per block', eachBlock(market))] : []),
      mustRespond('whether it is paused', pausedAt(constants, 0)),
    ],
    state: stateOf(constants, asset.decimals),
    index: { reads: [price(market)], parse: ([rate]) => indexOf(rate, asset.decimals) },
    ...(constants.rate === 'block' && { rate: (at) => blockRate(market, at), isPaidByBlock: true }),
    rewards: compoundV2Rewards(constants),
    shares: (owner) => balance(market, owner),
    worth: (shares) => readAmount(price(market), (rate) => (shares * rate) / scale),
    deposit: ({ amount, owner }) => ({
      transaction: mint({ chainId, market, coin, amount, receiver: owner }),
      ...(coin === undefined && {
        needs: { token: asset.address, spender: entranceOf(constants), amount },
      }),
    }),
    withdraw: ({ amount }) => ({ transaction: redeemUnderlying({ chainId, market, amount }) }),
    withdrawAll: ({ shares }) => ({ transaction: redeem({ chainId, market, amount: shares }) }),
    logs: (owner) => logsOf(market, asset.address, owner),
    event: (log, owner, inSame) => eventOf(log, owner, inSame, { market, asset: asset.address }),
  }
}

/** Where the coin is deposited by a router, the catalogue has no wrapped token; the market of the coin itself has no `underlying`. */
function assetClaims({ asset }: StrategyEntry, { market, coin }: CompoundV2Constants): ContractAssertion[] {
  const underlying: Call = contract(market, abi)('underlying')
  if (coin === 'market') return [mustNotRespond('an asset that is a token', underlying)]
  return coin ? [] : [mustAnswer('the asset of the market', underlying, asset.address)]
}

const eachSecond = (market: Address): Call => contract(market, abi)('supplyRatePerTimestamp')
const eachBlock = (market: Address): Call => contract(market, abi)('supplyRatePerBlock')

/** A rate per block, compounded every block. The number of blocks per year follows from the current block time, which a chain may change. */
function* blockRate(market: Address, { secondsABlock }: Moment): Rounds<Rate | null> {
  if (secondsABlock === undefined) return null
  const [each] = yield [eachBlock(market)]
  return each === undefined ? null : perTick(each as bigint, secondsAYear / secondsABlock)
}

const secondsAYear = 31_536_000
const scale = 10n ** 18n

/** Not a view, but an eth_call keeps no effect. It includes the interest up to now, where `exchangeRateStored` has that of the last update. */
const price = (market: Address): Call => contract(market, abi)('exchangeRateCurrent')

/** The receipt has 8 decimals, so its price has 10 more than the asset. The initial price differs by market; only its growth is used. */
const indexOf = (rate: unknown, decimals: number) => ((rate as bigint) * ray) / 10n ** BigInt(10 + decimals)

/** Whether an action is paused (0 mint, 1 redeem). Only Venus pauses redemptions; of the others, mint alone is read. */
const pausedAt = ({ market, comptroller, pauses }: CompoundV2Constants, action: number): Call =>
  pauses === 'guardian'
    ? { address: comptroller, abi: comptrollerAbi, functionName: 'mintGuardianPaused', args: [market] }
    : contract(comptroller, comptrollerAbi)('actionPaused', market, action)

function stateOf(constants: CompoundV2Constants, decimals: number): Reading<MarketState> {
  const { market, comptroller, rate, pauses, compounds } = constants
  const own = ['getCash', 'totalBorrows', 'totalReserves'] as const
  return {
    reads: [
      price(market),
      ...own.map((functionName) => contract(market, abi)(functionName)),
      pausedAt(constants, 0),
      pausedAt(constants, 1),
      { ...contract(comptroller, comptrollerAbi)('supplyCaps', market), refused: null },
      // Venus stops mint and redeem of every market by it (source: FacetBase, checkProtocolPauseState); the others do not have it.
      { ...contract(comptroller, comptrollerAbi)('protocolPaused'), refused: null },
      ...(rate === 'second' ? [eachSecond(market)] : []),
    ],
    parse: ([worth, cash, lent, kept, noMint, noRedeem, cap, allPaused, each]) => {
      // The first read accrues the interest, so these include it up to now.
      const tvl = (cash as bigint) + (lent as bigint) - (kept as bigint)
      return {
        ...(rate === 'block'
          ? { apr: null, apy: null }
          : (compounds === 'daily' ? perDay : perSecond)(each as bigint)),
        tvl,
        index: indexOf(worth, decimals),
        canDeposit: noMint === false && allPaused !== true,
        // A guardian pauses deposits, never withdrawals.
        canWithdraw: pauses === 'guardian' || (noRedeem === false && allPaused !== true),
        headroom: cap === null ? null : roomUnder(cap as bigint, tvl, constants),
        liquidity: cash as bigint,
      }
    },
  }
}

/**
 * How much can still be deposited; `null` is no limit. For Moonwell a cap of zero is no limit, and others must not be reached (source: its
 * Comptroller, mintAllowed). For Venus zero is closed, and a cap may be reached (source: PolicyFacet, mintAllowed); the market of its coin already
 * holds a deposit when it checks the cap, and so counts it twice (source: VBNB, getCashPrior).
 */
function roomUnder(cap: bigint, tvl: bigint, { pauses, coin }: CompoundV2Constants): bigint | null {
  if (pauses === 'guardian' && cap === 0n) return null
  const room = cap - tvl - (pauses === 'guardian' ? 1n : 0n)
  if (room <= 0n) return 0n
  return pauses === 'action' && coin === 'market' ? room / 2n : room
}

const logsOf = (market: Address, asset: Address, owner: Address): LogFilter[] => [
  ...transferLogs(market, owner),
  ...(asset === nativeAddress
    ? []
    : [
        { address: asset, topics: [transferTopic, addressTopic(owner), addressTopic(market)] },
        { address: asset, topics: [transferTopic, addressTopic(market), addressTopic(owner)] },
      ]),
]

/**
 * A transfer of the receipt from or to the market is a deposit or a withdrawal; the market's own events cannot be filtered by owner. The amount
 * is that of the transfer of the asset in the same transaction, if there is exactly one; otherwise the worth is read at the block.
 */
function eventOf(
  log: Log,
  owner: Address,
  inSame: readonly Log[],
  { market, asset }: { market: Address; asset: Address },
): MarketEvent | undefined {
  const movement = sameAddress(log.address, market) ? movementOf(log, owner) : undefined
  if (!movement) return undefined
  const { isIncoming, other } = movement
  const event = transferEvent(movement)
  if (!sameAddress(other, market) && !sameAddress(other, nativeAddress)) return event
  const beside = inSame.filter(({ address }) => sameAddress(address, market)).length
  const paid = inSame.filter(({ address }) => sameAddress(address, asset))
  const [only] = paid.map((one) => movementOf(one, owner))
  const isClear =
    only && paid.length === 1 && beside === 1 && sameAddress(isIncoming ? only.from : only.to, owner)
  return { ...event, type: isIncoming ? 'deposit' : 'withdraw', amount: isClear ? only.value : null }
}
