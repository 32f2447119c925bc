import { Command } from 'commander'
import { pageOf } from '../../api/page.ts'
import { localAction } from '../../cli/command-action.ts'
import type { LocalCli } from '../../cli/command-run-types.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { confirm } from '../../cli/prompts.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { setProfile } from './set.ts'
import { shownProfile, showProfile, unknownProfile } from './show.ts'

/** `profile`: where commands run. */
export const profile = (program: CommandContext) => {
  const command = new Command('profile').description(
    'Manage profiles. A profile says where commands run: the sandbox, an engine over your RPCs, or a deployment of the service.',
  )
  const add = (name: string, description: string, example: string) =>
    command.command(name).description(description).addHelpText('after', `\nExample:\n  $ ${example}`)
  add('list', 'List profiles.', 'sluice profile list').action(localAction(program, list))
  add('show', 'Show a profile (default: the one in use).', 'sluice profile show prod').action(
    localAction(program, show),
  )
  add('use', 'Use a profile from now on.', 'sluice profile use prod').action(localAction(program, use))
  add(
    'set',
    'Create or change a profile; settings without a flag keep their value. Keys and RPC URLs are never arguments: they are read from a file, standard input or the environment, and stored in a separate file (mode 0600), or in the desktop keychain with --keychain.',
    'sluice profile set prod --base-url https://api.example.com --api-key-file -',
  ).action(localAction(program, setProfile))
  add('remove', 'Remove a profile and its API key.', 'sluice profile remove prod --yes').action(
    localAction(program, remove),
  )
  return command
}

async function list(cli: LocalCli): Promise<void> {
  const { settings } = cli.program
  const config = await settings.read()
  const names = ['sandbox', 'engine', 'remote', ...Object.keys(config.profiles ?? {})]
  const items = await Promise.all(names.map((name) => shownProfile(cli, config, name)))
  await cli.list(pageOf(items, { all: true }), {
    empty: 'No profiles.',
    columns: [
      {
        field: 'name',
        title: 'NAME',
        csv: { name: ({ name }) => name },
        text: ({ name }) => sanitizeText(name),
      },
      { field: 'kind', title: 'KIND', csv: { kind: ({ kind }) => kind }, text: ({ kind }) => kind },
      {
        field: 'current',
        title: 'IN USE',
        csv: { current: ({ current }) => current },
        text: ({ current }) => (current ? 'yes' : ''),
        drop: 1,
      },
      {
        field: 'baseUrl',
        title: 'BASE URL',
        csv: { baseUrl: ({ baseUrl }) => baseUrl },
        text: ({ baseUrl }) => sanitizeText(baseUrl ?? ''),
        drop: 2,
      },
      {
        field: 'hasApiKey',
        title: 'KEY',
        csv: { hasApiKey: ({ hasApiKey }) => hasApiKey },
        text: ({ hasApiKey, secretsIn }) =>
          hasApiKey ? (secretsIn === 'keychain' ? 'keychain' : 'kept') : '',
        drop: 3,
      },
      {
        field: 'networks',
        title: 'RPCS',
        csv: { networks: ({ networks }) => networks.join(' ') },
        text: ({ networks }) => sanitizeText(networks.join(', ')),
        drop: 4,
      },
    ],
  })
}

async function show(cli: LocalCli, name: string | undefined): Promise<void> {
  const config = await cli.program.settings.read()
  const inUse = name ?? (await cli.program.openBackend(cli.globals)).profile
  showProfile(cli, await shownProfile(cli, config, inUse))
}

async function use(cli: LocalCli, name: string): Promise<void> {
  const { settings } = cli.program
  const kind = await settings.alone(async () => {
    const config = await settings.read()
    const { kind } = await shownProfile(cli, config, name)
    await settings.write({ ...config, profile: name })
    return kind
  })
  cli.emit({ profile: name, kind }, () => `Commands now run on ${sanitizeText(name)}.`)
}

async function remove(cli: LocalCli, name: string): Promise<void> {
  const { settings } = cli.program
  const known = await settings.read()
  if (!Object.hasOwn(known.profiles ?? {}, name)) throw unknownProfile(name, known)
  await confirm(cli.io, cli.globals, `Remove the profile "${name}" and its API key?`)
  await settings.alone(async () => {
    // Secrets that cannot be read cannot be forgotten either: that is known before half of it is gone.
    await settings.outlineOf(name)
    const { profile: inUse, profiles = {}, ...rest } = await settings.read()
    const { [name]: _, ...others } = profiles
    // First out of use: a profile that is half gone must not be where the next command runs.
    await settings.write({
      ...rest,
      ...(inUse !== undefined && inUse !== name && { profile: inUse }),
      profiles: others,
    })
    await settings.keepSecrets(name, undefined)
  })
  cli.emit({ removed: name }, () => `Removed ${sanitizeText(name)}.`)
}
