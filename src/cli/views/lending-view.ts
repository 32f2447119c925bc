import { plain } from '../../domain/text.ts'
import { decimal, dollars, percent } from '../terminal/format.ts'
import type { Stream } from '../terminal/stream.ts'
import { fields } from '../terminal/table.ts'
import type { walletJson } from './json.ts'

type Lending = NonNullable<ReturnType<typeof walletJson>['stats']>

/** The collateral and debt of a wallet, and the health of each lending market, if known. */
export function lendingView({ collateral, debt, markets, unread, ...whole }: Lending, to: Stream): string[] {
  const names = (unread ?? []).map(marketName)
  const silent = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) =>
    length === 1 ? name : `${name} (${length} markets)`,
  )
  if (collateral.length === 0 && debt.length === 0 && silent.length === 0) return []
  const known = (markets ?? []).filter((one) => !unread?.some(({ address }) => address === one.address))
  const rows = fields(
    [
      ['collateral', collateral.map(sideOf).join(', ') || '-'],
      ['debt', debt.map(sideOf).join(', ') || '-'],
      ...(known.length > 1
        ? known.map(
            (one) =>
              [
                marketName(one),
                `health factor ${healthOf(one, to)}, loan to value ${percent(one.ltv)}, can still borrow ${dollars(one.maxBorrowValue)}`,
              ] as const,
          )
        : ([
            ['health factor', healthOf(whole, to)],
            ['loan to value', percent(whole.ltv)],
            ['can still borrow', dollars(whole.maxBorrowValue)],
          ] as const)),
      ...(silent.length === 0
        ? []
        : ([['not known', to.paint.yellow(`${silent.join(', ')} could not be read completely`)]] as const)),
    ],
    to,
  )
  return [rows]
}

const marketName = ({ protocol, network }: { protocol: string; network: string }): string =>
  `${plain(protocol)} on ${plain(network)}`

const sideOf = ({ balance, asset }: Pick<Lending['debt'][number], 'balance' | 'asset'>): string =>
  `${decimal(balance?.formatted ?? '?')} ${plain(asset.symbol)}`

/** Below 1 it can be liquidated. */
function healthOf({ healthFactor }: Pick<Lending, 'healthFactor'>, { paint }: Stream): string {
  if (healthFactor === null) return '-'
  const health = healthFactor.toFixed(2)
  return healthFactor < 1 ? paint.red(health) : health
}
