import { Command, Option } from 'commander'
import { action } from '../../cli/command-action.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import { factsHelp } from '../../cli/conditions/parse-conditions.ts'
import { withWatchFlags } from '../../cli/conditions/watch-flags.ts'
import { validatedBy } from '../../cli/options/option-values.ts'
import { withRaw } from '../../cli/output/raw-answers.ts'
import type { View } from '../../cli/output/view-types.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { dollars, percent } from '../../cli/terminal/format.ts'
import { fieldTable } from '../../cli/terminal/table.ts'
import { strategyJson } from '../../cli/views/json-documents.ts'
import { apyCell, basisColumn, noteLine, starNote, strategyColumns } from '../../cli/views/list-columns.ts'
import { apyBases } from '../../domain/apy-basis.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { categories } from '../../protocols/catalog-types.ts'

import { intervalOf, list } from './list.ts'
import { show } from './show.ts'
import { strategyFacts, watch } from './watch.ts'

/** An option with fixed choices in any letter case. */
const inAnyCasing = (option: Option): Option => {
  const { parseArg } = option
  return option.argParser((text, previous) => parseArg!(text.toLowerCase(), previous))
}

/** `strategies`: lists and shows the available strategies. */
export const strategies = (program: CommandContext) => {
  const command = new Command('strategies').description('List strategies, show one, show totals.')
  withRaw(command.command('list'))
    .description('List strategies, best rate first. Filters apply to all pages.')
    .option('--protocol <name>', 'only this protocol')
    .option('--network <network>', 'only this network (name or chain id)')
    .option('--asset <symbol>', 'only this asset')
    .addOption(inAnyCasing(new Option('--category <category>', 'only this category').choices(categories)))
    .option('--min-apy <rate>', 'minimum APY, such as 3%')
    .addOption(
      inAnyCasing(
        new Option('--apy-basis <basis>', 'only rates paid now, or only 7-day growth').choices(apyBases),
      ),
    )
    .addOption(
      new Option('--paused <which>', 'whether to list paused strategies')
        .choices(['include', 'only', 'exclude'])
        .default('include'),
    )
    .addOption(new Option('--sort <by>', 'order').choices(['apy', 'tvl', 'name']).default('apy'))
    .option('--page <n>', 'page number', '1')
    .option('--limit <n>', 'rows per page, at most 100', '10')
    .option('--all', 'print all pages')
    .option('--watch', 'poll, and show what changed')
    .option('--interval <duration>', 'polling interval of --watch', validatedBy(intervalOf), '15s')
    .addHelpText('after', '\nExample:\n  $ sluice strategies list --asset USDC --min-apy 2%')
    .action(action(program, list, 'listStrategies'))
  withRaw(command.command('show'))
    .description('Show a strategy; with --wallet, also the position of that wallet in it.')
    .argument('<id>', 'strategy ID or slug')
    .option('--wallet <wallet>', 'address or keystore name')
    .option('--plot', 'plot the rate history')
    .addHelpText('after', '\nExample:\n  $ sluice strategies show aave-v3-usdc-sandbox-one --plot')
    .action(action(program, show, 'getStrategy'))
  const watching = command
    .command('watch')
    .description(
      'Watch conditions, and print a line when one begins or ceases to be met. Each change is printed once, also across runs.',
    )
    .argument('[ids...]', 'strategy IDs or slugs; all without one')
    .requiredOption('--when <conditions>', "conditions, separated by commas, such as 'apy<3%, paused'")
    .option('--network <network>', 'only this network (name or chain id)')
    .option('--asset <symbol>', 'only this asset')
  withWatchFlags(watching, intervalOf)
    .addHelpText(
      'after',
      `\nConditions:\n${factsHelp(strategyFacts)}\n\nExample:\n  $ sluice strategies watch aave-v3-usdc-sandbox-one --when 'apy<1%, paused' --no-wait`,
    )
    .action(action(program, watch))
  withRaw(command.command('analytics'))
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
