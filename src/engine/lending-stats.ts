import { formatUnits } from 'viem/utils'

import type { Stats } from '../api/lending-stats.ts'
import type { Address } from '../domain/address.ts'
import type { Catalog } from '../domain/catalog.ts'
import { tokenAt } from '../domain/token.ts'
import { usd } from './prices.ts'
import type { Account, Holding, Totals } from './readings/account.ts'
import { ray } from './readings/reserve.ts'

/** An account, and in which market it is. */
export type AccountThere = Account & { chainId: number; network: string; protocol: string; address: Address }

/**
 * The accounts of all markets, each by itself and as one: markets do not help each other, so the health factor is the worst, while what can be
 * borrowed adds up, and debt by collateral is only said of each. The price of liquidation is that of the only collateral, and `null` where there
 * are several. Where one account cannot be read whole, nothing is counted over all of them: its market is `unread`.
 */
export function statsOf(catalog: Catalog, accounts: readonly AccountThere[]): Stats {
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
    ...(unread.length > 0 ? notCounted : counted(accounts)),
    markets: accounts.map((account) => ({
      ...placeOf(account),
      ...(account.totals === null ? notCounted : counted([account])),
    })),
    unread: unread.map(placeOf),
  }
}

const placeOf = ({ protocol, network, address }: AccountThere) => ({ protocol, network, address })

const fraction = (value: bigint | null, whole: number) => (value === null ? null : Number(value) / whole)

type Counted = Pick<Stats, 'healthFactor' | 'ltv' | 'liquidationPrice' | 'maxBorrowValue'>

const notCounted: Counted = { healthFactor: null, ltv: null, liquidationPrice: null, maxBorrowValue: null }

function counted(accounts: readonly AccountThere[]): Counted {
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

/** What an account may still borrow; below zero it is owed already. */
const borrowable = ({ limit, debt }: Totals): bigint => limit - debt

/**
 * The price of the only collateral at which the health factor is 1. What is borrowed of the same asset moves with it:
 * threshold x collateral - own debt = other debts. Without other debts no price does it.
 */
function liquidationPrice(totals: Totals, { borrowed, reserve, price }: Holding): bigint | undefined {
  if (price === null) return undefined
  const own = (borrowed * price) / 10n ** BigInt(reserve.decimals)
  const others = totals.debt - own
  const carried = totals.carried - own * 10_000n
  return others <= 0n || carried <= 0n ? undefined : (price * others * 10_000n) / carried
}
