import { Command } from 'commander'
import { localAction } from '../../cli/command-action.ts'
import type { LocalCli } from '../../cli/command-run-types.ts'
import { type Finding, findingsJson } from '../../cli/health-findings.ts'
import type { CommandContext } from '../../cli/program-context-types.ts'
import { confirm, promptYesNo, refuseWithoutTerminal } from '../../cli/prompts.ts'
import type { KeptProfile } from '../../cli/settings-files-schema.ts'
import { findingsView } from '../../cli/views/health-checks-view.ts'
import type { OptionsOf } from '../../domain/command-line/flags.ts'
import { AppError } from '../../domain/errors.ts'
import { rpcVariable } from '../../domain/networks.ts'
import { type Advice, advice, bothAdvices, sameWith, sluice } from '../../domain/text/next-step.ts'
import { shellPath, shellWord } from '../../domain/text/shell-quoting.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { type Change, changeOf, keepProfile, type Said, saidBy } from '../profile/set.ts'
import { profileView, shownProfile } from '../profile/show.ts'

const urlsOf = (profile: KeptProfile) =>
  profile.kind === 'remote' ? profile : { baseUrl: undefined, legacyBaseUrl: undefined }

/** Describes the changes to an existing profile, one per line; values of secrets are not shown. */
export function changesIn({ after, had, secrets }: Change, before: KeptProfile): string[] {
  const [from, to] = [urlsOf(before), urlsOf(after)]
  const line = (what: string, was = 'none', is = 'none') =>
    was === is ? [] : [`${what}: ${sanitizeText(was)} changes to ${sanitizeText(is)}`]
  const rpcs = Object.keys(secrets.rpc ?? {}).flatMap((network) => {
    const was = had.rpc?.[network]
    return was === secrets.rpc?.[network]
      ? []
      : [`rpc ${sanitizeText(network)}: ${was ? 'replaced' : 'added'}`]
  })
  const key =
    had.apiKey?.key === secrets.apiKey?.key
      ? []
      : [
          `api key: ${secrets.apiKey ? (had.apiKey ? 'replaced' : 'added') : 'removed, because it was for other URLs'}`,
        ]
  return [
    ...line('kind', before.kind, after.kind),
    ...line('base url', from.baseUrl, to.baseUrl),
    ...line('legacy base url', from.legacyBaseUrl, to.legacyBaseUrl),
    ...key,
    ...rpcs,
  ]
}

/** The command that does the same without questions, and the variables that it takes secrets from: none is on the line. */
export function scriptFor(
  { name, after, had, secrets }: Change,
  { apiKey, options: { keychain, apiKeyFile = '-' } }: Said,
  { isCurrent, works }: { isCurrent: boolean; works: boolean },
): { command: string; environment: string[] } {
  const fresh = Object.keys(secrets.rpc ?? {}).filter(
    (network) => had.rpc?.[network] !== secrets.rpc?.[network],
  )
  const rpcs = fresh.map((name) => rpcVariable({ name }))
  const key = apiKey === undefined ? [] : rpcs.length > 0 ? ['SLUICE_API_KEY'] : []
  const { baseUrl, legacyBaseUrl } = urlsOf(after)
  const keyFile = apiKeyFile === '-' ? '-' : shellPath(apiKeyFile)
  const words = [
    'sluice init',
    shellWord(name),
    ...(baseUrl === undefined ? ['--kind engine'] : ['--base-url', shellWord(baseUrl)]),
    ...(legacyBaseUrl === undefined ? [] : ['--legacy-base-url', shellWord(legacyBaseUrl)]),
    ...(rpcs.length > 0 ? ['--from-env'] : apiKey === undefined ? [] : ['--api-key-file', keyFile]),
    ...(keychain ? ['--keychain'] : []),
    ...(isCurrent ? ['--use'] : []),
    // A profile that fails its checks is saved only after a confirmation.
    ...(works ? [] : ['--yes']),
  ]
  return { command: words.join(' '), environment: [...key, ...rpcs] }
}

/** The longest time for the checks by default, in ms; a person waits for them. */
const patienceMs = 15_000

/** `init`: sets up a profile by questions, or by flags without a terminal. */
export const init = (program: CommandContext) =>
  new Command('init')
    .description(
      'Set up a profile: asks where commands run, checks that it works, and saves it. Flags replace questions. Secrets are never passed as arguments and never shown.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ sluice init\n  $ sluice init prod --base-url https://api.example.com --api-key-file - --use',
    )
    .action(localAction(program, run))

async function run(cli: LocalCli, name: string | undefined, options: OptionsOf<'init'>): Promise<void> {
  const isTold = (['kind', 'baseUrl', 'legacyBaseUrl', 'apiKeyFile', 'fromEnv'] as const).some(
    (flag) => options[flag] !== undefined,
  )
  if (isTold) return kept(cli, name ?? 'main', await saidBy(cli, options), options.use)
  refuseWithoutTerminal(
    cli.io,
    cli.globals,
    'Where should commands run?',
    advice`With flags: ${sluice('init', { '--help': true })}. From environment variables: ${sluice('init', name ?? 'main', { '--from-env': true })}`,
    'Input',
  )
  const { askedProfile } = await import('./questions.ts')
  const wish = await askedProfile(cli, name)
  if (wish.kind === 'sandbox') {
    await makeCurrent(cli, 'sandbox')
    return cli.emit(
      { profile: 'sandbox', command: cli.line(sluice('profile use', 'sandbox')) },
      ({ command }) =>
        ['Commands now run on the sandbox.', `To do the same in a script: ${command}`].join('\n'),
    )
  }
  return kept(cli, wish.name, wish.said, options.use ?? wish.use)
}

/** Checks the profile, shows its changes, and saves all of it or nothing. */
async function kept(cli: LocalCli, name: string, said: Said, use: boolean | undefined): Promise<void> {
  const { settings } = cli.program
  const change = await changeOf(cli, name, said)
  const checks = await looked(cli, change)
  const works = checks.every(({ state }) => state !== 'failed')
  if (change.before) await agreeTo(cli, change, change.before)
  const config = await settings.alone(async () => {
    const written = await keepProfile(cli, await changeOf(cli, name, said), said)
    if (!(use ?? (works && written.profile === undefined))) return written
    const next = { ...written, profile: name }
    await settings.write(next)
    return next
  })
  const profile = await shownProfile(cli, config, name)
  if (!works && !profile.current)
    cli.notice(
      advice`The profile is saved but not in use, because a check failed. Once it works: ${sluice('profile use', name)}`,
    )
  const { command, environment } = scriptFor(change, said, { isCurrent: profile.current, works })
  cli.emit({ profile, checks: findingsJson(checks, cli.line), command, environment }, (value, to) =>
    [
      profileView(value.profile, to),
      '',
      'To do the same in a script:',
      `  ${sanitizeText(command)}`,
      ...(environment.length > 0 ? [`  with ${environment.join(', ')} set in the environment`] : []),
    ].join('\n'),
  )
}

/** Runs the checks. A failed one is shown, and the profile is saved only if the person wants it. */
async function looked(cli: LocalCli, { name, after, secrets }: Change): Promise<Finding[]> {
  const { program, io, globals } = cli
  cli.notice('Checking that it works.')
  const found = await program.checkDraft(
    { name, profile: after, secrets },
    { ...globals, timeoutMs: globals.timeoutMs ?? patienceMs },
  )
  // The hint of a finding is for a saved profile.
  const checks = found.map((one) =>
    one.state === 'failed' ? { ...one, next: nextOf(one, after, secrets.apiKey !== undefined) } : one,
  )
  if (!globals.quiet) io.err.write(`${findingsView(checks, io.err, cli.line)}\n`)
  const [first] = checks.filter(({ state }) => state === 'failed')
  if (!first || globals.yes) return checks
  if (!io.canAsk || !globals.input)
    throw new AppError(first.code!, first.says, {
      nothing: 'saved',
      details: { checks: findingsJson(checks, cli.line) },
      next: bothAdvices(first.next, advice`To save it anyway, add: ${sameWith({ '--yes': true })}`),
    })
  if (await promptYesNo(io, 'Save it anyway?', false)) return checks
  throw new AppError('DECLINED', 'Declined', { nothing: 'saved' })
}

/** The remedy for a finding about a profile that is not saved yet: correct what was just given. */
function nextOf({ code, check, subject, next }: Finding, profile: KeptProfile, hasKey: boolean): Advice {
  const isOfService = check === 'service' && profile.kind === 'remote'
  if (isOfService && code === 'UNAUTHORIZED')
    return hasKey
      ? `Check that the API key belongs to ${sanitizeText(profile.baseUrl)}.`
      : advice`Give the API key: ${sameWith({ '--api-key-file': 'FILE' })}`
  if (isOfService) return `Check that ${sanitizeText(profile.baseUrl)} is the base URL of the service.`
  if (check === 'rpc' && subject !== null)
    return `Check that the RPC of ${sanitizeText(subject)} is the right one.`
  return next ?? ''
}

/** An existing profile is changed only after a confirmation. */
async function agreeTo(cli: LocalCli, change: Change, before: KeptProfile): Promise<void> {
  const changes = changesIn(change, before)
  if (changes.length === 0) return
  cli.notice(
    [`The profile ${sanitizeText(change.name)} already exists:`, ...changes.map((one) => `  ${one}`)].join(
      '\n',
    ),
  )
  await confirm(cli.io, cli.globals, `Change the profile "${sanitizeText(change.name)}"?`)
}

async function makeCurrent({ program: { settings } }: LocalCli, profile: string): Promise<void> {
  await settings.alone(async () => settings.write({ ...(await settings.read()), profile }))
}
