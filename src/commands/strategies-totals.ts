import type { Cli } from '../cli/cli.ts'
import { dollars, percent } from '../cli/terminal/format.ts'
import { fields } from '../cli/terminal/table.ts'
import { strategyJson } from '../cli/views/json.ts'
import { plain } from '../domain/text.ts'

/** `strategies analytics` */
export async function totals(cli: Cli): Promise<void> {
  const { topStrategies, ...rest } = await (await cli.service()).analytics({})
  cli.emit({ ...rest, topStrategies: topStrategies.map(strategyJson) }, (value, to) =>
    [
      fields(
        [
          ['tvl', dollars(value.totalTvlUsd)],
          ['average apy', percent(value.averageApy)],
          ['strategies', String(value.strategyCount)],
        ],
        to,
      ),
      ...value.topStrategies.map(
        ({ slug, apy }) => `  ${to.paint.green(percent(apy).padStart(7))}  ${plain(slug)}`,
      ),
    ].join('\n'),
  )
}
