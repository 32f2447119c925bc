import { formatUnits } from 'viem/utils'
import type { Stats } from '../../api/wallet-positions.ts'
import { ask } from '../../chain/ask.ts'
import { both, together } from '../../chain/call.ts'
import type { Chain } from '../../chain/network-client.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { tokenAt } from '../../domain/token.ts'
import { sumUsd, usd } from '../../domain/usd.ts'
import {
  accountIn,
  isPartOfAccount,
  type LendingPool,
  type Reserves,
  reserveOf,
  reservesList,
  unknownReserveBits,
} from '../../protocols/aave-v3/account.ts'
import type { Catalog, StrategyEntry } from '../../protocols/catalog-types.ts'
import {
  type CometPlace,
  type CometTerms,
  collateralSymbols,
  cometAccountIn,
  cometListed,
  sameTerms,
} from '../../protocols/compound-v3/account.ts'
import { pricesOf } from '../../protocols/oracle-prices.ts'
import type { Account, ReserveHolding, Totals } from '../../protocols/shared/lending-account.ts'
import { ray } from '../../protocols/shared/rate-units.ts'

/** A lending account with the market it belongs to. */
type LendingAccount = Account & {
  chainId: number
  network: string
  protocol: string
  address: Address
}

/** Reads the accounts of a wallet in the Aave v3 and Compound v3 markets of a chain. */
export type LendingAccountReader = (owner: Address, chainId: number) => Promise<LendingAccount[]>

/**
 * The figures of each account and of all accounts together. Accounts do not support each other: the health factor is the lowest, the amount
 * that can be borrowed is the sum, and the loan-to-value is stated for each account only. The liquidation price is that of the only
 * collateral, and `null` if there are several. If an account cannot be read completely, there are no common figures, and its market is
 * listed as `unread`.
 */
function computeStats(catalog: Catalog, accounts: readonly LendingAccount[]): Stats {
  const items = accounts.flatMap((account) => account.holdings.map((held) => ({ account, held })))
  const collateral = items.filter(({ held }) => held.isCollateral)
  const unread = accounts.filter(({ totals }) => totals === null)
  const shown = ({ account, held: { reserve, usd: value } }: (typeof items)[number], amount: bigint) => ({
    asset: {
      address: reserve.asset,
      decimals: reserve.decimals,
      symbol: reserve.symbol ?? reserve.asset,
      name: tokenAt(catalog.tokens, account.chainId, reserve.asset)?.name ?? null,
    },
    balance: {
      raw: amount.toString(),
      humanized: formatUnits(amount, reserve.decimals),
      decimals: reserve.decimals,
    },
    balanceUSD: usd(amount, reserve, value),
  })
  return {
    underlying: collateral.map((item) => ({
      ...shown(item, item.held.lent),
      price: item.held.usd === null ? null : formatUnits(item.held.usd, 8),
      liquidationThreshold: fraction(item.held.liquidationThreshold, 1e4),
    })),
    debt: items
      .filter(({ held }) => held.borrowed > 0n)
      .map((item) => ({
        ...shown(item, item.held.borrowed),
        borrowRate: fraction(item.held.borrowRate, Number(ray)),
      })),
    ...(unread.length > 0 ? unknownFigures : figuresOf(accounts)),
    markets: accounts.map((account) => ({
      ...marketRefOf(account),
      ...(account.totals === null ? unknownFigures : figuresOf([account])),
    })),
    unread: unread.map(marketRefOf),
  }
}

const marketRefOf = ({ protocol, network, address }: LendingAccount) => ({ protocol, network, address })

const fraction = (value: bigint | null, whole: number) => (value === null ? null : Number(value) / whole)

type AccountFigures = Pick<Stats, 'healthFactor' | 'ltv' | 'liquidationPrice' | 'maxBorrowValue'>

const unknownFigures: AccountFigures = {
  healthFactor: null,
  ltv: null,
  liquidationPrice: null,
  maxBorrowValue: null,
}

function figuresOf(accounts: readonly LendingAccount[]): AccountFigures {
  const all = accounts.map(({ totals }) => totals!)
  const sum = (of: (totals: Totals) => bigint) => all.reduce((total, each) => total + of(each), 0n)
  const [lent, debt] = [sum((each) => each.collateral), sum((each) => each.debt)]
  const owing = all.filter((each) => each.debt > 0n)
  const collateral = accounts.flatMap(({ totals, holdings }) =>
    holdings.flatMap((held) => (held.isCollateral ? [{ totals: totals!, held }] : [])),
  )
  const only = collateral.length === 1 ? collateral[0]! : undefined
  const price = only && liquidationPrice(only.totals, only.held)
  return {
    healthFactor:
      owing.length === 0 ? null : Math.min(...owing.map(({ healthFactor }) => Number(healthFactor) / 1e18)),
    ltv: lent === 0n || all.length > 1 ? null : Number(debt) / Number(lent),
    liquidationPrice: price === undefined ? null : formatUnits(price, 8),
    maxBorrowValue: formatUnits(sum(borrowable), 8),
  }
}

/** The remaining borrowing limit of an account; below zero it is exceeded. */
const borrowable = ({ limit, debt }: Totals): bigint => limit - debt

/**
 * The price of the only collateral at which the health factor is 1. Debt of the same asset moves with it: threshold x collateral - own debt
 * = other debts. Without other debts there is no such price.
 */
function liquidationPrice(totals: Totals, { borrowed, reserve, price }: ReserveHolding): bigint | undefined {
  if (price === null) return undefined
  const own = (borrowed * price) / 10n ** BigInt(reserve.decimals)
  const others = totals.debt - own
  const carried = totals.carried - own * 10_000n
  return others <= 0n || carried <= 0n ? undefined : (price * others * 10_000n) / carried
}

/** Creates the reader of lending accounts for the markets of a catalogue. */
export function lendingAccountReader(
  catalog: Catalog,
  chain: (chainId: number) => Chain,
): LendingAccountReader {
  const [aave, comet] = [aaveAccounts(catalog, chain), cometAccounts(catalog, chain)]
  return (owner, chainId) => Promise.all([...aave(owner, chainId), ...comet(owner, chainId)])
}

/** The figures of all accounts together; `null` if every account is empty. */
export function lendingStats(catalog: Catalog, all: readonly LendingAccount[]): Stats | null {
  const accounts = all.filter(({ holdings, totals }) => totals === null || holdings.some(isPartOfAccount))
  return accounts.length === 0 ? null : computeStats(catalog, accounts)
}

/**
 * The USD values of lending accounts beside the positions of a wallet: the collateral that is no position there (`entries`), and the debts
 * (`owed`). `debtUsd` is `null` if an account could not be read completely, or a debt has no price.
 */
export function lendingSums(
  accounts: readonly LendingAccount[],
  entries: readonly StrategyEntry[],
): { collateralUsd: string; debtUsd: string | null; owed: string[] } {
  const items = accounts.flatMap((account) => account.holdings.map((held) => ({ account, held })))
  const isPosition = ({ account, held }: (typeof items)[number]) =>
    entries.some(
      ({ chainId, asset, constants }) =>
        chainId === account.chainId &&
        sameAddress(asset.address, held.reserve.asset) &&
        'pool' in constants &&
        sameAddress(constants.pool, account.address),
    )
  const collateral = items.filter((item) => item.held.isCollateral && !isPosition(item))
  const debts = items.filter(({ held }) => held.borrowed > 0n)
  const worth = (amount: bigint, { reserve, usd: price }: ReserveHolding) => usd(amount, reserve, price)
  const owed = debts.map(({ held }) => worth(held.borrowed, held))
  const priced = owed.filter((value) => value !== null)
  const isWhole = priced.length === owed.length && accounts.every(({ totals }) => totals !== null)
  return {
    collateralUsd: sumUsd(collateral.map(({ held }) => worth(held.lent, held))),
    debtUsd: isWhole ? sumUsd(priced) : null,
    owed: priced,
  }
}

type AccountReader = (owner: Address, chainId: number) => Promise<LendingAccount>[]

const placesOnChain = <place extends { chainId: number }>(
  chainId: number,
  places: readonly place[],
): place[] => places.filter((place) => place.chainId === chainId)

/** One call a market: its list of collaterals is read in the same call, which is repeated if the list changed. */
function cometAccounts(catalog: Catalog, chain: (chainId: number) => Chain): AccountReader {
  const known = new Map<string, Promise<CometTerms | undefined>>()
  const nameIn = ({ chainId, comet }: CometPlace) => `${chainId} ${comet}`
  const termsOf = (place: CometPlace): Promise<CometTerms | undefined> => {
    const name = nameIn(place)
    const asked = known.get(name) ?? readCometTerms(chain(place.chainId), place)
    known.set(name, asked)
    asked.then(
      (terms) => terms ?? known.delete(name),
      () => known.delete(name),
    )
    return asked
  }
  const places = catalog.strategies.flatMap(({ chainId, network, protocol, constants, asset }) =>
    constants.family === 'compound-v3'
      ? [{ chainId, network, protocol, comet: constants.comet, base: asset }]
      : [],
  )
  const accountOf = async (place: CometPlace, owner: Address, tries = 3): Promise<Account> => {
    const terms = await termsOf(place)
    const asked = cometAccountIn(place, terms, owner, pricesOf(catalog, place.base))
    if (!terms) return ask(chain(place.chainId), asked)
    const listed = cometListed(place, terms.collaterals.length + 1)
    const [now, account] = await ask(chain(place.chainId), both(listed, asked))
    if (now && sameTerms(terms, now)) return account
    known.delete(nameIn(place))
    return tries > 1 ? accountOf(place, owner, tries - 1) : { ...account, totals: null }
  }
  return (owner, chainId) =>
    placesOnChain(chainId, places).map(async (place) => {
      return { ...(await accountOf(place, owner)), ...marketOf(place, place.comet) }
    })
}

async function readCometTerms(chain: Chain, place: CometPlace): Promise<CometTerms | undefined> {
  const terms = await ask(chain, cometListed(place))
  if (!terms) return undefined
  const symbols = await ask(chain, collateralSymbols(terms))
  return {
    ...terms,
    collaterals: terms.collaterals.map((one, at) => ({ ...one, symbol: symbols[at] ?? null })),
  }
}

/**
 * Needs one call a market: the reserves of the catalogue's assets are read once, and all reserves of the market if an
 * account uses another one. An account in an e-mode needs another call.
 */
function aaveAccounts(catalog: Catalog, chain: (chainId: number) => Chain): AccountReader {
  const known = new Map<string, Promise<Reserves>>()
  const remember = (place: LendingPool, asked: Promise<Reserves>): Promise<Reserves> => {
    known.set(poolKey(place), asked)
    const forget = () => known.get(poolKey(place)) === asked && known.delete(poolKey(place))
    asked.then(({ isAnswered }) => isAnswered || forget(), forget)
    return asked
  }
  const reservesOf = (place: AavePool): Promise<Reserves> =>
    known.get(poolKey(place)) ?? remember(place, readReserves(chain(place.chainId), place, place.assets))
  const accountOf = async (place: AavePool, owner: Address) => {
    const asked = async (reserves: Reserves, category?: bigint) =>
      ask(chain(place.chainId), accountIn(place, reserves, owner, category))
    const before = await reservesOf(place)
    const first = await asked(before)
    const isNew = first.used === undefined ? !before.areAll : unknownReserveBits(first.used, before) !== 0n
    if (!isNew && !first.category) return first
    const now = isNew ? await remember(place, readAllReserves(chain(place.chainId), place)) : before
    return asked(now, first.category)
  }
  return (owner, chainId) =>
    placesOnChain(chainId, aavePools(catalog)).map(async (place) => {
      const account = await accountOf(place, owner)
      return { ...account, ...marketOf(place, place.pool) }
    })
}

/** An Aave market with those of its assets that are in the catalogue. */
type AavePool = LendingPool & MarketLabel & { assets: readonly Address[] }

/** The Aave markets of the catalogue's strategies, each once. */
function aavePools({ strategies }: Catalog): AavePool[] {
  const all = strategies.flatMap(({ chainId, network, protocol, constants, asset }) =>
    constants.family === 'aave-v3'
      ? [{ chainId, network, protocol, pool: constants.pool, oracle: constants.oracle, asset: asset.address }]
      : [],
  )
  return [...Map.groupBy(all, poolKey).values()].map((same) => {
    const { asset: _, ...place } = same[0]!
    return { ...place, assets: [...new Set(same.map(({ asset }) => asset))] }
  })
}

/** Pools on several chains may have the same address. */
const poolKey = ({ chainId, pool }: LendingPool) => `${chainId} ${pool.toLowerCase()}`

type MarketLabel = Pick<StrategyEntry, 'network' | 'protocol'>

const marketOf = ({ chainId, network, protocol }: MarketLabel & { chainId: number }, address: Address) => ({
  chainId,
  network,
  protocol,
  address,
})

async function readReserves(chain: Chain, place: LendingPool, assets: readonly Address[]): Promise<Reserves> {
  const found = await ask(chain, together(assets.map((asset) => reserveOf(place, asset))))
  const all = found.filter((reserve) => reserve !== undefined)
  return { all, areAll: false, isAnswered: all.length === assets.length }
}

async function readAllReserves(chain: Chain, place: LendingPool): Promise<Reserves> {
  const assets = await ask(chain, reservesList(place))
  const reserves = await readReserves(chain, place, assets ?? [])
  const areAll = assets !== undefined && reserves.isAnswered
  return { ...reserves, areAll, isAnswered: areAll }
}
