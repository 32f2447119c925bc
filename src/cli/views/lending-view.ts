import { plain } from '../../domain/text.ts'
import { decimal, dollars, percent } from '../terminal/format.ts'
import type { Stream } from '../terminal/io.ts'
import { fields } from '../terminal/table.ts'
import type { walletJson } from './json.ts'

/** What a wallet owes, and how far it is from being liquidated, where all its markets say so. */
export function lendingView(
  { debt, healthFactor, ltv, maxBorrowValue, unread }: NonNullable<ReturnType<typeof walletJson>['stats']>,
  to: Stream,
): string[] {
  const places = (unread ?? []).map(({ protocol, network }) => `${plain(protocol)} on ${plain(network)}`)
  const silent = [...Map.groupBy(places, (place) => place)].map(([place, { length }]) =>
    length === 1 ? place : `${place} (${length} markets)`,
  )
  if (debt.length === 0 && silent.length === 0) return []
  const owed = debt.map(
    ({ balance, asset }) => `${decimal(balance?.formatted ?? '?')} ${plain(asset.symbol)}`,
  )
  const health = healthFactor === null ? '-' : healthFactor.toFixed(2)
  const rows = fields(
    [
      ['debt', owed.join(', ') || '-'],
      ['health factor', healthFactor !== null && healthFactor < 1 ? to.paint.red(health) : health],
      ['loan to value', percent(ltv)],
      ['can still borrow', dollars(maxBorrowValue)],
      ...(silent.length === 0
        ? []
        : ([['not known', to.paint.yellow(`${silent.join(', ')} cannot be read whole`)]] as const)),
    ],
    to,
  )
  return [rows]
}
