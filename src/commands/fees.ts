import { Command } from 'commander'

import type { Fees } from '../api/customer.ts'
import { action, type Cli } from '../cli/cli.ts'
import { address } from '../cli/options.ts'
import type { View } from '../cli/output.ts'
import { fields } from '../cli/table.ts'
import type { World } from '../cli/world.ts'
import { AppError } from '../domain/errors.ts'
import { bpsOf } from './keys.ts'

/** `fees`: what a customer is charged, and who collects it. */
export const fees = (world: World) => {
  const command = new Command('fees').description('Fees of this customer, and who collects them.')
  command
    .command('show')
    .description('Fees in basis points. Nothing is charged without a collector.')
    .addHelpText('after', '\nExample:\n  $ sluice fees show')
    .action(action(world, async (cli: Cli) => cli.emit(await (await cli.service()).getFees({}), view)))
  command
    .command('set')
    .description('Change the markup or the collector of this customer.')
    .option('--markup-bps <n>', 'markup in basis points')
    .option('--collector <address>', 'who collects the fees')
    .addHelpText('after', '\nExample:\n  $ sluice fees set --markup-bps 10')
    .action(action(world, set))
  return command
}

async function set(cli: Cli, options: { markupBps?: string; collector?: string }): Promise<void> {
  if (options.markupBps === undefined && options.collector === undefined)
    throw new AppError('USAGE', 'Say what is to change', { hint: 'sluice fees set --markup-bps 10' })
  const markupBps = options.markupBps === undefined ? undefined : bpsOf(options.markupBps)
  const collector = options.collector === undefined ? undefined : address(options.collector, 'A collector')
  const service = await cli.service()
  cli.emit(
    await service.setFees({
      ...(markupBps !== undefined && { markupBps }),
      ...(collector !== undefined && { collector }),
    }),
    view,
  )
}

const view: View<Fees> = ({ swapFeeBps, performanceFeeBps, markupBps, collector }, to) =>
  fields(
    [
      ['swap fee', `${swapFeeBps} bps`],
      ['performance fee', `${performanceFeeBps} bps`],
      ['markup', `${markupBps} bps`],
      ['collector', collector ?? 'none: nothing is charged'],
    ],
    to,
  )
