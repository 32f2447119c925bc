import type { Stats } from '../api/lending-stats.ts'
import type { Address } from '../domain/address.ts'
import type { Catalog, StrategyEntry } from '../domain/catalog.ts'
import { type Chain, read } from './chain.ts'
import { type AccountThere, statsOf } from './lending-stats.ts'
import { pricesOf } from './prices.ts'
import { both, together } from './reading.ts'
import {
  type Account,
  accountIn,
  counts,
  type LendingPool,
  type Reserves,
  reserveOf,
  reservesList,
  unknownIn,
} from './readings/account.ts'
import { cometAccountIn } from './readings/comet-account.ts'
import {
  type CometPlace,
  type CometTerms,
  cometListed,
  sameTerms,
  symbolsOf,
} from './readings/comet-terms.ts'

/** The accounts of a wallet in the Aave v3 and Compound v3 markets of a chain. */
export type Lending = (owner: Address, chainId: number) => Promise<AccountThere[]>

/** Reads them for the markets of a catalogue. */
export function lendingOf(catalog: Catalog, chain: (chainId: number) => Chain): Lending {
  const [aave, comet] = [aaveAccounts(catalog, chain), cometAccounts(catalog, chain)]
  return (owner, chainId) => Promise.all([...aave(owner, chainId), ...comet(owner, chainId)])
}

/** What accounts have lent and borrowed together; nothing in any of them is `null`. */
export function statsIn(catalog: Catalog, all: readonly AccountThere[]): Stats | null {
  const accounts = all.filter(({ holdings, totals }) => totals === null || holdings.some(counts))
  return accounts.length === 0 ? null : statsOf(catalog, accounts)
}

type AccountsOf = (owner: Address, chainId: number) => Promise<AccountThere>[]

const on = <place extends { chainId: number }>(chainId: number, places: readonly place[]): place[] =>
  places.filter((place) => place.chainId === chainId)

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
  const places = catalog.strategies.flatMap(({ chainId, network, protocol, constants, asset }) =>
    constants.family === 'compound-v3'
      ? [{ chainId, network, protocol, comet: constants.comet, base: asset }]
      : [],
  )
  const accountOf = async (place: CometPlace, owner: Address, tries = 3): Promise<Account> => {
    const terms = await termsOf(place)
    const asked = cometAccountIn(place, terms, owner, pricesOf(catalog, place.base))
    if (!terms) return read(chain(place.chainId), asked)
    const listed = cometListed(place, terms.collaterals.length + 1)
    const [now, account] = await read(chain(place.chainId), both(listed, asked))
    if (now && sameTerms(terms, now)) return account
    known.delete(nameIn(place))
    return tries > 1 ? accountOf(place, owner, tries - 1) : { ...account, totals: null }
  }
  return (owner, chainId) =>
    on(chainId, places).map(async (place) => {
      return { ...(await accountOf(place, owner)), ...marketOf(place, place.comet) }
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

/** One call a market: its reserves are asked for once, and again when an account uses one that is new. One in an e-mode takes another call. */
function aaveAccounts(catalog: Catalog, chain: (chainId: number) => Chain): AccountsOf {
  const known = new Map<string, Promise<Reserves>>()
  const reservesOf = (place: LendingPool): Promise<Reserves> => {
    const asked = known.get(nameOf(place)) ?? reservesIn(chain(place.chainId), place)
    known.set(nameOf(place), asked)
    asked.then(
      ({ areAll }) => areAll || known.delete(nameOf(place)),
      () => known.delete(nameOf(place)),
    )
    return asked
  }
  const accountOf = async (place: LendingPool, owner: Address) => {
    const asked = async (reserves: Reserves, category?: bigint) =>
      read(chain(place.chainId), accountIn(place, reserves, owner, category))
    const before = await reservesOf(place)
    const first = await asked(before)
    const isNew = unknownIn(first.used ?? 0n, before) !== 0n
    if (isNew) known.delete(nameOf(place))
    return isNew || first.category ? asked(await reservesOf(place), first.category) : first
  }
  return (owner, chainId) =>
    on(chainId, poolsOf(catalog)).map(async (place) => {
      const account = await accountOf(place, owner)
      return { ...account, ...marketOf(place, place.pool) }
    })
}

/** The markets that strategies of the catalogue stand on, each once. */
function poolsOf({ strategies }: Catalog): (LendingPool & Named)[] {
  const all = strategies.flatMap(({ chainId, network, protocol, constants }) =>
    constants.family === 'aave-v3'
      ? [{ chainId, network, protocol, pool: constants.pool, oracle: constants.oracle }]
      : [],
  )
  return [...new Map(all.map((place) => [nameOf(place), place])).values()]
}

/** Pools of several chains may have one address. */
const nameOf = ({ chainId, pool }: LendingPool) => `${chainId} ${pool.toLowerCase()}`

type Named = Pick<StrategyEntry, 'network' | 'protocol'>

const marketOf = ({ chainId, network, protocol }: Named & { chainId: number }, address: Address) => ({
  chainId,
  network,
  protocol,
  address,
})

async function reservesIn(chain: Chain, place: LendingPool): Promise<Reserves> {
  const assets = await read(chain, reservesList(place))
  const found = await read(chain, together((assets ?? []).map((asset) => reserveOf(place, asset))))
  const all = found.filter((reserve) => reserve !== undefined)
  return { all, areAll: assets !== undefined && all.length === assets.length }
}
