import { Command } from 'commander'

import { type Aside, aside } from '../cli/cli.ts'
import type { World } from '../cli/world.ts'
import { plain } from '../domain/text.ts'

/** `config`: the settings that hold now. */
export const config = (world: World) => {
  const command = new Command('config').description('The settings that hold now.')
  command
    .command('list')
    .description('Every setting that holds; of keys only that they are there.')
    .option('--show-origin', 'where each was said: a flag, a variable, a profile, a file')
    .addHelpText('after', '\nExample:\n  $ sluice config list --show-origin')
    .action(aside(world, list))
  return command
}

async function list(cli: Aside, { showOrigin = false }: { showOrigin?: boolean }): Promise<void> {
  const all = await cli.world.origins(cli.globals.profile)
  const items = all.map(({ name, value, origin }) => ({ name, value, ...(showOrigin && { origin }) }))
  await cli.list(
    { items, page: 1, limit: items.length, total: items.length, hasMore: false },
    {
      empty: 'Nothing is set.',
      columns: [
        { field: 'name', title: 'name', text: ({ name }) => plain(name) },
        { field: 'value', title: 'value', text: ({ value }) => plain(value), drop: 1 },
        ...(showOrigin
          ? [
              {
                field: 'origin',
                title: 'origin',
                text: ({ origin = '' }: { origin?: string }) => plain(origin),
              },
            ]
          : []),
      ],
    },
  )
}
