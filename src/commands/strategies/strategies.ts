import { Command } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { factsHelp } from '../../cli/conditions/parse-conditions.ts'
import type { View } from '../../cli/output/view-types.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { dollars, percent } from '../../cli/terminal/format.ts'
import { fieldTable } from '../../cli/terminal/table.ts'
import { strategyJson } from '../../cli/views/json-documents.ts'
import { apyCell, basisColumn, noteLine, starNote, strategyColumns } from '../../cli/views/list-columns.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'

import { list } from './list.ts'
import { show } from './show.ts'
import { strategyFacts, watch } from './watch.ts'

/** `strategies`: lists and shows the available strategies. */
export const strategies = (program: CommandContext) => {
  const command = new Command('strategies').description('List strategies, show one, show totals.')
  command
    .command('list')
    .description('List strategies, best rate first. Filters apply to all pages.')
    .addHelpText('after', '\nExample:\n  $ sluice strategies list --asset USDC --min-apy 2%')
    .action(action(program, list, 'listStrategies'))
  command
    .command('show')
    .description('Show a strategy; with --wallet, also the position of that wallet in it.')
    .addHelpText('after', '\nExample:\n  $ sluice strategies show aave-v3-usdc-sandbox-one --plot')
    .action(action(program, show, 'getStrategy'))
  command
    .command('watch')
    .description(
      'Watch conditions, and print a line when one begins or ceases to be met. Each change is printed once, also across runs.',
    )
    .addHelpText(
      'after',
      `\nConditions:\n${factsHelp(strategyFacts)}\n\nExample:\n  $ sluice strategies watch aave-v3-usdc-sandbox-one --when 'apy<1%, paused' --no-wait`,
    )
    .action(action(program, watch))
  command
    .command('analytics')
    .description('Show total value locked, average APY, number of strategies, and the best ones.')
    .addHelpText('after', '\nExample:\n  $ sluice strategies analytics --json')
    .action(action(program, totals, 'analytics'))
  return command
}

const withoutThem = (unpriced: number | null): string =>
  unpriced ? `, without ${unpriced === 1 ? 'one strategy' : `${unpriced} strategies`} without a price` : ''

/** `strategies analytics` */
async function totals(cli: Cli): Promise<void> {
  const { topStrategies, ...rest } = await (await cli.service()).analytics({})
  const shown = { ...rest, topStrategies: topStrategies.map(strategyJson) }
  const view: View<typeof shown> = (value, to) =>
    [
      fieldTable(
        [
          ['tvl', `${dollars(value.totalTvlUsd)}${withoutThem(value.unpriced)}`],
          ['average apy', percent(value.averageApy)],
          ['strategies', String(value.strategyCount)],
        ],
        to,
      ),
      ...value.topStrategies.map(
        ({ slug, apy, apyBasis }) =>
          `  ${to.paint.green(apyCell(apy, apyBasis).padStart(7))}  ${sanitizeText(slug)}`,
      ),
      ...noteLine(starNote(value.topStrategies), to),
    ].join('\n')
  cli.emit(shown, view, { items: shown.topStrategies, columns: [...strategyColumns, basisColumn] })
}
