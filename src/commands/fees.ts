import { Command } from 'commander'

import type { Fees, FeesInput } from '../api/customer.ts'
import { action, type Cli } from '../cli/cli.ts'
import { address } from '../cli/options.ts'
import type { View } from '../cli/output.ts'
import { fields } from '../cli/terminal/table.ts'
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
    .description('Change the fees of this customer, or who collects them.')
    .option('--swap-fee-bps <n>', 'what is charged of the input of a swap, in basis points')
    .option('--performance-fee-bps <n>', 'what is charged of the profit in a withdrawal, in basis points')
    .option('--markup-bps <n>', 'what is charged on top of both, in basis points')
    .option('--collector <address|none>', 'who collects the fees; nothing is charged where nobody does')
    .addHelpText(
      'after',
      '\nExamples:\n  $ sluice fees set --markup-bps 10\n  $ sluice fees set --collector none',
    )
    .action(action(world, set))
  return command
}

type Options = { swapFeeBps?: string; performanceFeeBps?: string; markupBps?: string; collector?: string }

async function set(cli: Cli, options: Options): Promise<void> {
  const { collector } = options
  const change: FeesInput = {
    ...rate(options.swapFeeBps, 'swapFeeBps'),
    ...rate(options.performanceFeeBps, 'performanceFeeBps'),
    ...rate(options.markupBps, 'markupBps'),
    ...(collector !== undefined && {
      collector: collector === 'none' ? null : address(collector, 'A collector'),
    }),
  }
  if (Object.keys(change).length === 0)
    throw new AppError('USAGE', 'Say what is to change', { hint: 'sluice fees set --markup-bps 10' })
  const service = await cli.service()
  cli.emit(await service.setFees(change), view)
}

const flags = {
  swapFeeBps: '--swap-fee-bps',
  performanceFeeBps: '--performance-fee-bps',
  markupBps: '--markup-bps',
} as const

/** A rate that was typed, under its name. */
const rate = (text: string | undefined, name: keyof typeof flags): FeesInput =>
  text === undefined ? {} : { [name]: bpsOf(text, flags[name]) }

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
