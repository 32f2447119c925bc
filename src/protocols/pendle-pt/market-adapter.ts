import { decodeEventLog } from 'viem/utils'
import { type Call, contract, type Reading } from '../../chain/call.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import type { StrategyEntry } from '../catalog-types.ts'
import type { Bounds, Log, LogFilter, MarketEvent, MarketState, ProtocolMarket } from '../market-adapter.ts'
import { balance } from '../shared/amount-reads.ts'
import { mustAnswer, mustRespond } from '../shared/contract-assertions.ts'
import { addressTopic, eventTopic } from '../shared/encode-topics.ts'
import { ray } from '../shared/rate-units.ts'
import { movementOf, transferEvent, transferLogs } from '../shared/transfers.ts'
import { leastUnitsFor } from '../withdrawal-units.ts'
import { pendleAbi as abi, pendleEventsAbi } from './abi.ts'
import type { PendlePtConstants } from './constants-schema.ts'
import { buyPt, leavePt } from './encode.ts'
import { ptPrice } from './quotes.ts'

const one = 10n ** 18n
const none: Bounds = { least: 0n, isMature: false }

/**
 * A PT of Pendle: bought below the price of its asset, and sold at the market price or redeemed for one at maturity. The rate is the one implied by
 * the current price, which a purchase earns if it is held to maturity.
 */
export const pendlePt = (entry: StrategyEntry, constants: PendlePtConstants): ProtocolMarket => {
  const { chainId, asset, receipt } = entry
  const { router } = constants
  const ask = { chainId, token: asset.address, constants }
  const leave = (units: bigint, owner: Address, bounds: Bounds = none) => ({
    transaction: leavePt({ ...ask, owner, units, ...bounds }),
    needs: { token: receipt.address, spender: router, amount: units },
  })
  return {
    entry,
    contractAssertions: claimsOf(entry, constants),
    state: stateOf(constants),
    index: { reads: [ptPrice(constants, 0)], parse: ([price]) => indexOf(price as bigint) },
    shares: (owner) => balance(receipt.address, owner),
    worth: (shares) => priced(constants, (price) => (shares * price) / one),
    units: (amount) => priced(constants, (price) => leastUnitsFor(price, amount)),
    deposit: ({ amount, owner, bounds = none }) => ({
      transaction: buyPt({ ...ask, owner, amount, ...bounds }),
      needs: { token: asset.address, spender: router, amount },
    }),
    withdraw: ({ owner, units, bounds }) => leave(units ?? 0n, owner, bounds),
    withdrawAll: ({ owner, shares, bounds }) => leave(shares, owner, bounds),
    logs: (owner) => logsOf(receipt.address, constants, owner),
    event: (log, owner, inSame) => eventOf(log, owner, inSame, { asset: asset.address, router }),
  }
}

/** The average price, or the current one if the market's history is too short; `undefined` without an answer. */
const priced = (
  constants: PendlePtConstants,
  meaning: (price: bigint) => bigint,
): Reading<bigint | undefined> => ({
  reads: [ptPrice(constants), ptPrice(constants, 0)],
  parse: ([average, now]) => {
    const price = (average ?? now) as bigint | undefined
    return price === undefined ? undefined : meaning(price)
  },
})

function claimsOf(
  { asset, receipt }: StrategyEntry,
  constants: PendlePtConstants,
): ProtocolMarket['contractAssertions'] {
  const { market, sy, yt, routerStatic, expiry } = constants
  const parts = [
    ['the SY of the market', sy],
    ['the PT of the market', receipt.address],
    ['the YT of the market', yt],
  ] as const
  const [ofMarket, ofSy, ofRouter] = [contract(market, abi), contract(sy, abi), contract(routerStatic, abi)]
  return [
    ...parts.map(([what, is], at) =>
      mustAnswer(what, ofMarket('readTokens'), is, (tokens) => (tokens as readonly Address[])[at]),
    ),
    mustAnswer('the maturity of the market', ofMarket('expiry'), expiry),
    mustAnswer(
      'what a PT is worth one of',
      ofSy('assetInfo'),
      asset.address,
      (info) => (info as unknown[])[1],
    ),
    mustAnswer('that the SY takes the asset', ofSy('isValidTokenIn', asset.address), 'true'),
    mustAnswer('that the SY gives the asset', ofSy('isValidTokenOut', asset.address), 'true'),
    mustRespond('the price of a PT', ptPrice(constants, 0)),
    mustRespond(
      'what a mature PT brings',
      ofRouter('redeemPyToTokenStatic', yt, 10n ** BigInt(receipt.decimals), asset.address),
    ),
  ]
}

const indexOf = (price: bigint) => (price * ray) / one

function stateOf(constants: PendlePtConstants): Reading<MarketState> {
  const { market, sy } = constants
  const reads: Call[] = [
    contract(market, abi)('isExpired'),
    contract(market, abi)('_storage'),
    contract(sy, abi)('exchangeRate'),
    ptPrice(constants, 0),
  ]
  return {
    reads,
    parse: ([isMature, storage, exchangeRate, price]: readonly unknown[]) => {
      const [totalPt, totalSy, lnRate] = storage as readonly [bigint, bigint, bigint]
      const inMarket = (totalSy * (exchangeRate as bigint)) / one
      // The market states ln(1 + yearly rate).
      const apr = isMature ? 0 : Number(lnRate) / 1e18
      return {
        apr,
        apy: Math.expm1(apr),
        tvl: inMarket + (totalPt * (price as bigint)) / one,
        index: indexOf(price as bigint),
        canDeposit: isMature === false,
        canWithdraw: true,
        headroom: null,
        liquidity: isMature ? null : inMarket,
      }
    },
  }
}

const logsOf = (pt: Address, { router, market, yt }: PendlePtConstants, owner: Address): LogFilter[] => [
  ...transferLogs(pt, owner),
  {
    address: router,
    topics: [eventTopic(pendleEventsAbi, 'SwapPtAndToken'), addressTopic(owner), addressTopic(market)],
  },
  {
    address: router,
    topics: [eventTopic(pendleEventsAbi, 'RedeemPyToToken'), addressTopic(owner), null, addressTopic(yt)],
  },
]

/**
 * A transfer of PT in a transaction with one matching call of the router is that purchase, sale or redemption, at the amount of the router's event.
 * Any other is a transfer, whose worth is read at the block.
 */
function eventOf(
  log: Log,
  owner: Address,
  inSame: readonly Log[],
  { asset, router }: { asset: Address; router: Address },
): MarketEvent | undefined {
  const movement = movementOf(log, owner)
  if (!movement) return undefined
  const { isIncoming, value } = movement
  const event = transferEvent(movement)
  const calls = inSame.filter(({ address }) => sameAddress(address, router)).map(callIn)
  const fits = calls.filter(
    ({ units, receiver }) => units === (isIncoming ? value : -value) && sameAddress(receiver, owner),
  )
  const [only] = fits
  if (!only || fits.length > 1) return event
  const amount = sameAddress(only.token, asset) ? only.paid : null
  return { ...event, type: isIncoming ? 'deposit' : 'withdraw', amount }
}

/** One event of the router: the PT that came (below zero: went), and the token amount that was paid. */
function callIn({ topics, data }: Log): { units: bigint; token: Address; paid: bigint; receiver: Address } {
  const { eventName, args } = decodeEventLog({ abi: pendleEventsAbi, topics: topics as never, data })
  if (eventName === 'RedeemPyToToken')
    return { units: -args.netPyIn, token: args.tokenOut, paid: args.netTokenOut, receiver: args.receiver }
  const { netPtToAccount: units, netTokenToAccount: token, receiver } = args
  return { units, token: args.token, paid: token < 0n ? -token : token, receiver }
}
