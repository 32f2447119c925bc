import { dollars, percent } from '../../cli/terminal/format.ts'
import { fields } from '../../cli/terminal/table.ts'
import { strategyJson } from '../../cli/views/json.ts'
import { apyCell, noteLine, starNote } from '../../cli/views/list-columns.ts'
import type { Cli } from '../../cli/world.ts'
import { plain } from '../../domain/text.ts'

const withoutThem = (unpriced: number | null): string =>
  unpriced ? `, without ${unpriced === 1 ? 'one strategy' : `${unpriced} strategies`} without a price` : ''

/** `strategies analytics` */
export async function totals(cli: Cli): Promise<void> {
  const { topStrategies, ...rest } = await (await cli.service()).analytics({})
  cli.emit({ ...rest, topStrategies: topStrategies.map(strategyJson) }, (value, to) =>
    [
      fields(
        [
          ['tvl', `${dollars(value.totalTvlUsd)}${withoutThem(value.unpriced)}`],
          ['average apy', percent(value.averageApy)],
          ['strategies', String(value.strategyCount)],
        ],
        to,
      ),
      ...value.topStrategies.map(
        ({ slug, apy, apyBasis }) =>
          `  ${to.paint.green(apyCell(apy, apyBasis).padStart(7))}  ${plain(slug)}`,
      ),
      ...noteLine(starNote(value.topStrategies), to),
    ].join('\n'),
  )
}
