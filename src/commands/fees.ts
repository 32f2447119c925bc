import { Command } from 'commander'
import type { Fees, OperatorFees } from '../api/customer-and-fees.ts'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import { address, bpsOf } from '../cli/options/option-values.ts'
import type { View } from '../cli/output/view-types.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { type OperatorDocument, servingOf } from '../cli/server-administration.ts'
import { fieldTable } from '../cli/terminal/table.ts'
import type { Address } from '../domain/address.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'

/** `fees`: shows and sets the fees of a customer, their collector, and the operator's fees. */
export const fees = (program: CommandContext) => {
  const command = new Command('fees').description(
    'Show and set the fees of a service: who charges them and who collects them.',
  )
  const add = (name: string, description: string, examples: string) =>
    command.command(name).description(description).addHelpText('after', `\n${examples}`)
  add(
    'show',
    'Show fees, in basis points. A fee is charged only if its collector is set.',
    'Examples:\n  $ sluice fees show\n  $ sluice fees show --operator',
  ).action(action(program, show))
  add(
    'set',
    "Set fees. The operator's fees can only be set on the machine of the service, the customer's also over HTTP.",
    'Examples:\n  $ sluice fees set --operator-collector 0x7777777777777777777777777777777777777777\n  $ sluice fees set --markup-bps 10\n  $ sluice fees set --collector none',
  ).action(action(program, set))
  return command
}

async function show(cli: Cli, { database, operator }: OptionsOf<'fees show'>): Promise<void> {
  if (operator || database !== undefined)
    return cli.emit(await (await servingOf(cli).operator(database)).show(), operatorView)
  cli.emit(await (await cli.service()).getFees({}), view)
}

async function set(cli: Cli, options: OptionsOf<'fees set'>): Promise<void> {
  const { database } = options
  const wanted: Partial<OperatorFees> = {
    ...rate(options, 'swapFeeBps'),
    ...rate(options, 'performanceFeeBps'),
    ...rate(options, 'maxMarkupBps'),
    ...collecting(options, 'operatorCollector'),
  }
  const own = { ...rate(options, 'markupBps'), ...collecting(options, 'collector') }
  const [isOperators, isOwn] = [wanted, own].map((change) => Object.keys(change).length > 0)
  if (!isOperators && !isOwn)
    throw new AppError('USAGE', 'No setting given', { next: sluice('fees set', { '--markup-bps': '10' }) })
  if (database !== undefined && isOwn)
    throw new AppError(
      'USAGE',
      "--database sets the operator's fees; --markup-bps and --collector belong to a customer",
      {
        next: sluice('fees set', { '--markup-bps': '10' }),
      },
    )
  const done = isOperators && (await (await servingOf(cli).operator(database)).set(wanted))
  if (done && database !== undefined) return cli.emit(done, operatorView)
  const service = await cli.service()
  cli.emit(await (isOwn ? service.setFees(own) : service.getFees({})), view)
}

const flags = {
  swapFeeBps: '--swap-fee-bps',
  performanceFeeBps: '--performance-fee-bps',
  maxMarkupBps: '--max-markup-bps',
  markupBps: '--markup-bps',
} as const

/** Parses a fee rate. */
const rate = <name extends keyof typeof flags>(
  options: OptionsOf<'fees set'>,
  name: name,
): { [one in name]?: number } => {
  const text = options[name]
  return (text === undefined ? {} : { [name]: bpsOf(text, flags[name]) }) as { [one in name]?: number }
}

/** Parses a collector; `none` removes it. */
const collecting = <name extends 'operatorCollector' | 'collector'>(
  options: OptionsOf<'fees set'>,
  name: name,
): { [one in name]?: Address | null } => {
  const text = options[name]
  if (text === undefined) return {}
  return { [name]: text === 'none' ? null : address(text, 'A collector') } as {
    [one in name]: Address | null
  }
}

const none = (what: string): string => `none: ${what} is charged`

type Charged = { [name in keyof OperatorFees]: OperatorFees[name] | null }

const operatorRows = ({ swapFeeBps, performanceFeeBps, operatorCollector }: Charged) =>
  [
    ['swap fee', `${swapFeeBps} bps`],
    ['performance fee', `${performanceFeeBps} bps`],
    ['operator collector', operatorCollector ?? none('neither')],
  ] as const

const view: View<Fees> = ({ markupBps, maxMarkupBps, collector, ...fees }, to) =>
  fieldTable(
    [
      ...operatorRows({ ...fees, maxMarkupBps }),
      ['markup', `${markupBps} bps${maxMarkupBps === null ? '' : `, at most ${maxMarkupBps}`}`],
      ['collector', collector ?? none('no markup')],
    ],
    to,
  )

const operatorView: View<OperatorDocument> = ({ changes, ...fees }, to) =>
  [
    fieldTable([...operatorRows(fees), ['markup', `at most ${fees.maxMarkupBps} bps`]], to),
    ...changes.map(({ at, by, customer, name, was, value }) =>
      to.paint.dim(
        sanitizeText(
          `${at} ${by} set ${name}${customer === null ? '' : ` of ${customer}`} to ${value || 'none'}${was === null ? '' : `, which was ${was || 'none'}`}`,
        ),
      ),
    ),
  ].join('\n')
