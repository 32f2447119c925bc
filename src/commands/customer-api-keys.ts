import { Command } from 'commander'
import { pageOf } from '../api/page.ts'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import { bpsOf } from '../cli/options/option-values.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { confirm } from '../cli/prompts.ts'
import { type ApiKey, servingOf } from '../cli/server-administration.ts'
import { utcTime } from '../cli/terminal/format.ts'
import { fieldTable } from '../cli/terminal/table.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { advice, sameWith, sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { ambiguousIdError, isIdStart } from '../planning/named-operation.ts'

/** `keys`: the API keys of a served deployment. */
export const keys = (program: CommandContext) => {
  const command = new Command('keys').description('Manage the API keys in the database of sluice serve.')
  const add = (name: string, description: string, example: string) =>
    command.command(name).description(description).addHelpText('after', `\nExample:\n  $ ${example}`)
  add(
    'create',
    'Create an API key. The key is shown only once.',
    'sluice keys create --customer acme --markup-bps 10',
  ).action(action(program, create))
  add('list', 'List API keys, newest first.', 'sluice keys list').action(action(program, list))
  add('revoke', 'Revoke an API key, immediately and permanently.', 'sluice keys revoke ID --yes').action(
    action(program, revoke),
  )
  return command
}

async function create(cli: Cli, options: OptionsOf<'keys create'>): Promise<void> {
  const { customer, testnet = false, strategies } = options
  if (!/^[A-Za-z0-9]([A-Za-z0-9._ -]{0,62}[A-Za-z0-9])?$/.test(customer))
    throw new AppError('USAGE', `"${sanitizeText(customer)}" is not a valid customer name`, {
      next: advice`Use at most 64 letters, digits, dots, dashes, underscores and spaces: ${sameWith({ '--customer': 'acme' })}`,
    })
  const markupBps = options.markupBps === undefined ? undefined : bpsOf(options.markupBps, '--markup-bps')
  const slugs = strategies?.split(',').map((slug) => slug.trim().toLowerCase())
  const serving = servingOf(cli)
  const keys = await serving.keys(options.database)
  const others = (await keys.list()).filter((one) => one.customer === customer && one.revokedAt === null)
  const made = await keys.create({
    customer,
    testnet,
    ...(markupBps !== undefined && { markupBps }),
    ...(slugs && { strategies: slugs.join() === 'all' ? 'all' : slugs }),
  })
  if (others.length > 0 && (markupBps !== undefined || slugs))
    cli.notice(
      `Markup and strategies are set per customer: they now also apply to ${others.length === 1 ? 'the other key' : `the ${others.length} other keys`} of ${customer}.`,
    )
  cli.emit(made, (key, to) =>
    [
      fieldTable(
        [
          ['key', to.paint.bold(key.key)],
          ['id', key.id],
          ['customer', sanitizeText(key.customer)],
          ['testnet', key.testnet ? 'yes' : 'no'],
          ['markup', `${key.markupBps} bps`],
        ],
        to,
      ),
      to.paint.dim('The key is shown only once; only its digest is stored.'),
    ].join('\n'),
  )
}

async function list(cli: Cli, { database }: OptionsOf<'keys list'>): Promise<void> {
  const all = await (await servingOf(cli).keys(database)).list()
  await cli.list(pageOf(all, { all: true }), {
    empty: advice`No keys. Create one: ${sluice('keys create', { '--customer': 'NAME' })}`,
    columns: [
      { field: 'id', title: 'ID', csv: { id: ({ id }) => id }, text: ({ id }: ApiKey) => id },
      {
        field: 'customer',
        title: 'CUSTOMER',
        csv: { customer: ({ customer }) => customer },
        text: ({ customer }) => sanitizeText(customer),
      },
      {
        field: 'testnet',
        title: 'TESTNET',
        csv: { testnet: ({ testnet }) => testnet },
        text: ({ testnet }) => (testnet ? 'yes' : 'no'),
        drop: 3,
      },
      {
        field: 'markupBps',
        title: 'MARKUP BPS',
        csv: { markupBps: ({ markupBps }) => markupBps },
        text: ({ markupBps }) => String(markupBps),
        align: 'right',
        drop: 2,
      },
      {
        field: 'createdAt',
        title: 'CREATED',
        csv: { createdAt: ({ createdAt }) => createdAt },
        text: ({ createdAt }) => utcTime(createdAt),
        drop: 4,
        whole: true,
      },
      {
        field: 'revokedAt',
        title: 'REVOKED',
        csv: { revokedAt: ({ revokedAt }) => revokedAt },
        text: ({ revokedAt }) => (revokedAt === null ? '' : utcTime(revokedAt)),
        drop: 1,
        whole: true,
      },
    ],
  })
}

/** The whole id of the key that a typed word names: itself, or the only one that begins so. USAGE with the candidates if there are several. */
async function wholeKeyId(
  typed: string,
  keys: { list: () => Promise<readonly { id: string }[]> },
): Promise<string> {
  if (!isIdStart(typed)) return typed
  const ids = (await keys.list()).flatMap(({ id }) => (id.startsWith(typed) ? [id] : []))
  if (ids.length > 1 && !ids.includes(typed))
    throw ambiguousIdError(typed, ids).with({
      next: advice`Type more of it, or a whole one: ${sluice('keys list')}`,
    })
  return ids.includes(typed) ? typed : (ids[0] ?? typed)
}

async function revoke(cli: Cli, typed: string, { database }: OptionsOf<'keys revoke'>): Promise<void> {
  const known = await servingOf(cli).keys(database)
  const id = await wholeKeyId(typed, known)
  await confirm(cli.io, cli.globals, `Revoke the key ${sanitizeText(id)} permanently?`)
  cli.emit(
    await known.revoke(id),
    ({ customer }) => `The key ${sanitizeText(id)} of ${sanitizeText(customer)} is revoked.`,
  )
}
