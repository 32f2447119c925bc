import { formatUnits } from 'viem/utils'

import type { Stats } from '../api/wallet.ts'
import type { Address } from '../domain/address.ts'
import type { Catalog } from '../domain/catalog.ts'
import { tokenAt } from '../domain/token.ts'
import { type Chain, read } from './chain.ts'
import { priceOf, usd } from './prices.ts'
import { both, together } from './reading.ts'
import {
  type Account,
  accountIn,
  type Holding,
  type LendingPool,
  type Reserve,
  reserveOf,
  reservesList,
} from './readings/account.ts'
import {
  type CometPlace,
  type CometTerms,
  cometAccountIn,
  cometListed,
  sameTerms,
  symbolsOf,
} from './readings/comet-account.ts'
import { ray } from './readings/reserve.ts'

/** What a wallet has lent and borrowed in the Aave v3 and Compound v3 markets of a catalogue; nothing in any of them is `null`. */
export function lendingOf(catalog: Catalog, chain: (chainId: number) => Chain) {
  const [aave, comet] = [aaveAccounts(catalog, chain), cometAccounts(catalog, chain)]
  return async (owner: Address): Promise<Stats | null> => {
    const accounts = (await Promise.all([...aave(owner), ...comet(owner)])).flatMap((account) =>
      account?.holdings.some(counts) ? [account] : [],
    )
    return accounts.length === 0 ? null : statsOf(catalog, accounts)
  }
}

type AccountsOf = (owner: Address) => Promise<There | undefined>[]

/** One call a market: what it lists is asked for in the same call, and that is made again where it is no longer what was known. */
function cometAccounts(catalog: Catalog, chain: (chainId: number) => Chain): AccountsOf {
  const known = new Map<string, Promise<CometTerms | undefined>>()
  const nameIn = ({ chainId, comet }: CometPlace) => `${chainId} ${comet}`
  const termsOf = (place: CometPlace): Promise<CometTerms | undefined> => {
    const name = nameIn(place)
    const asked = known.get(name) ?? listedIn(chain(place.chainId), place)
    known.set(name, asked)
    asked.then(
      (terms) => terms ?? known.delete(name),
      () => known.delete(name),
    )
    return asked
  }
  const places = catalog.strategies.flatMap(({ chainId, constants, asset }): CometPlace[] =>
    constants.family === 'compound-v3' ? [{ chainId, comet: constants.comet, base: asset }] : [],
  )
  const accountOf = async (place: CometPlace, owner: Address, tries = 3): Promise<Account | undefined> => {
    const terms = await termsOf(place)
    if (!terms) return undefined
    const [now, account] = await read(
      chain(place.chainId),
      both(
        cometListed(place, terms.collaterals.length + 1),
        cometAccountIn(place, terms, owner, priceOf(catalog, place.base)),
      ),
    )
    if (!now || sameTerms(terms, now)) return account
    known.delete(nameIn(place))
    return tries > 1 ? accountOf(place, owner, tries - 1) : undefined
  }
  return (owner) =>
    places.map(async (place) => {
      const account = await accountOf(place, owner)
      return account && { ...account, chainId: place.chainId }
    })
}

async function listedIn(chain: Chain, place: CometPlace): Promise<CometTerms | undefined> {
  const terms = await read(chain, cometListed(place))
  if (!terms) return undefined
  const symbols = await read(chain, symbolsOf(terms))
  return {
    ...terms,
    collaterals: terms.collaterals.map((one, at) => ({ ...one, symbol: symbols[at] ?? null })),
  }
}

/** One call a market: its reserves are asked for once, and again when an account uses one that is new. */
function aaveAccounts(catalog: Catalog, chain: (chainId: number) => Chain): AccountsOf {
  const known = new Map<string, Promise<readonly Reserve[]>>()
  const reservesOf = (place: LendingPool): Promise<readonly Reserve[]> => {
    const asked = known.get(nameOf(place)) ?? reservesIn(chain(place.chainId), place)
    known.set(nameOf(place), asked)
    asked.catch(() => known.delete(nameOf(place)))
    return asked
  }
  const accountOf = async (place: LendingPool, owner: Address) => {
    const reserves = await reservesOf(place)
    const account = await read(chain(place.chainId), accountIn(place, reserves, owner))
    const bits = reserves.reduce((all, { id }) => all | (3n << BigInt(2 * id)), 0n)
    const unknown = account ? account.used & ~bits : 0n
    if (unknown === 0n) return account
    known.delete(nameOf(place))
    return read(chain(place.chainId), accountIn(place, await reservesOf(place), owner))
  }
  return (owner) =>
    poolsOf(catalog).map(async (place) => {
      const account = await accountOf(place, owner)
      return account && { ...account, chainId: place.chainId }
    })
}

/** The markets that strategies of the catalogue stand on, each once. */
function poolsOf({ strategies }: Catalog): LendingPool[] {
  const all = strategies.flatMap(({ chainId, constants }) =>
    constants.family === 'aave-v3' ? [{ chainId, pool: constants.pool, oracle: constants.oracle }] : [],
  )
  return [...new Map(all.map((place) => [nameOf(place), place])).values()]
}

/** Pools of several chains may have one address. */
const nameOf = ({ chainId, pool }: LendingPool) => `${chainId} ${pool.toLowerCase()}`

async function reservesIn(chain: Chain, place: LendingPool): Promise<readonly Reserve[]> {
  const assets = (await read(chain, reservesList(place))) ?? []
  const all = await read(chain, together(assets.map((asset) => reserveOf(place, asset))))
  return all.filter((reserve) => reserve !== undefined)
}

const counts = ({ isCollateral, borrowed }: Holding) => isCollateral || borrowed > 0n

type There = Account & { chainId: number }

/**
 * The accounts of all markets as one: markets do not help each other, so the health factor is the worst, while what can be
 * borrowed adds up. The price of liquidation is that of the only collateral, and `null` where there are several.
 */
function statsOf(catalog: Catalog, accounts: readonly There[]): Stats {
  const items = accounts.flatMap((account) => account.holdings.map((held) => ({ account, held })))
  const collateral = items.filter(({ held }) => held.isCollateral)
  const sum = (of: (account: There) => bigint) => accounts.reduce((total, account) => total + of(account), 0n)
  const [lent, debt] = [sum((account) => account.collateral), sum((account) => account.debt)]
  const owing = accounts.filter((account) => account.debt > 0n)
  const only = collateral.length === 1 ? collateral[0]! : undefined
  const price = only && liquidationPrice(only.account, only.held)
  const shown = ({ account, held: { reserve, price: value } }: (typeof items)[number], amount: bigint) => ({
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
    balanceUSD: usd(amount, reserve, value)!,
  })
  return {
    underlying: collateral.map((item) => ({
      ...shown(item, item.held.lent),
      price: formatUnits(item.held.price, 8),
      liquidationThreshold: Number(item.held.liquidationThreshold) / 1e4,
    })),
    debt: items
      .filter(({ held }) => held.borrowed > 0n)
      .map((item) => ({
        ...shown(item, item.held.borrowed),
        borrowRate: Number(item.held.borrowRate) / Number(ray),
      })),
    healthFactor:
      owing.length === 0 ? null : Math.min(...owing.map((account) => Number(account.healthFactor) / 1e18)),
    ltv: lent === 0n ? null : Number(debt) / Number(lent),
    liquidationPrice: price === undefined ? null : formatUnits(price, 8),
    maxBorrowValue: formatUnits(sum(borrowable), 8),
  }
}

/** What an account may still borrow; below zero it is owed already. */
const borrowable = ({ limit, debt }: Account): bigint => limit - debt

/**
 * The price of the only collateral at which the health factor is 1. What is borrowed of the same asset moves with it:
 * threshold x collateral - own debt = other debts. Without other debts no price does it.
 */
function liquidationPrice(account: Account, { borrowed, reserve, price }: Holding): bigint | undefined {
  const own = (borrowed * price) / 10n ** BigInt(reserve.decimals)
  const others = account.debt - own
  const carried = account.carried - own * 10_000n
  return others <= 0n || carried <= 0n ? undefined : (price * others * 10_000n) / carried
}
