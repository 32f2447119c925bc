import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Candidate, CompletionValues } from '../cli/help/completion-candidates.ts'
import { leavesOf, wordsOf } from '../cli/options/command-tree-queries.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import type { Settings } from '../cli/settings-files-schema.ts'
import { AppError } from '../domain/errors.ts'
import { allNetworks, sandboxNetworks } from '../domain/networks.ts'
import { faultKinds } from '../domain/sandbox-fault.ts'
import { type ActionStatus, actionStatuses } from '../domain/swap-outcome.ts'
import { moveFile } from '../store/durable-files.ts'
import type { Directories } from './profiles/directories.ts'
import { builtInProfiles, selectProfile } from './profiles/profile-selection.ts'
import { withoutSecrets } from './profiles/saved-secrets.ts'

/** The strategies of the last list, for completion without requests. */
export type ListedStrategies = { strategies: { slug: string; about: string; asset: string }[] }

type Needs = {
  dirs: Directories
  env: Readonly<Record<string, string | undefined>>
  settings: Settings
  keystores: string
  now: () => number
  /** The help topics, and the next words of a command. */
  topics: () => Promise<readonly Candidate[]>
  nextWords: (before: readonly string[]) => Promise<readonly Candidate[]>
}

const fileOf = ({ cache }: Directories, profile: string) => join(cache, 'completion', `${profile}.json`)

/** Saves the listed strategies for completion; a failure is ignored. Strategies of networks that did not answer are kept. */
export function saveListedStrategies(
  dirs: Directories,
  profile: string,
  now: ListedStrategies,
  isWhole: boolean,
): void {
  const path = fileOf(dirs, profile)
  const slugs = new Set(now.strategies.map(({ slug }) => slug))
  const before = isWhole ? [] : seenOn(dirs, profile).strategies.filter(({ slug }) => !slugs.has(slug))
  const seen: ListedStrategies = { strategies: [...now.strategies, ...before] }
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(`${path}.${process.pid}.new`, JSON.stringify(seen), { mode: 0o600 })
    moveFile(`${path}.${process.pid}.new`, path)
  } catch {
    // A full disk or another user's cache directory must not fail the list.
  }
}

function seenOn(dirs: Directories, profile: string): ListedStrategies {
  try {
    const { strategies } = JSON.parse(readFileSync(fileOf(dirs, profile), 'utf8')) as ListedStrategies
    return { strategies: strategies.filter(isSeen) }
  } catch {
    // There is no list yet, or another version wrote it.
    return { strategies: [] }
  }
}

const isSeen = (one: Partial<ListedStrategies['strategies'][number]> | null): boolean =>
  [one?.slug, one?.asset, one?.about].every((text) => typeof text === 'string')

/** Whether a value is a plain word: shells insert candidates unquoted, so other values from a service are dropped. */
const isPlain = ([value]: Candidate): boolean => /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,99}$/.test(value)

/** The completion values that this machine knows without requests: strategies, networks, tokens, ids, profiles and wallets. */
export function completionValues(needs: Needs): CompletionValues {
  const { dirs, settings, keystores } = needs
  const profiles = async (): Promise<Candidate[]> => {
    const { profiles: own = {} } = await settings.read()
    return [
      ...Object.entries(own).map(([name, { kind }]): Candidate => [name, kind]),
      ...builtInProfiles.map((name): Candidate => [name, '']),
    ]
  }
  const wallets = async (): Promise<Candidate[]> => {
    const { listKeys } = await import('../signing/keystore/directory.ts')
    return listKeys(keystores).map(({ name, address }) => [name, address ?? ''])
  }
  return async ({ command, name, given, before }) => {
    const list = async (): Promise<readonly Candidate[] | undefined> => {
      if (name === '--profile' || (/^profile (show|use|set|remove)$/.test(command) && name === '<name>'))
        return profiles()
      if (/^wallet (export|remove|use|remember|forget)$/.test(command)) return wallets()
      if (name === '--wallet') return wallets()
      if (name === '--kind') return profileKinds
      if (name === '--provider' || name === '--compare') return providers()
      if (name === '--fields') {
        const { fieldsOf } = await import('../cli/output/output-flag-checks.ts')
        return fieldsOf(command).map((field) => [field, ''])
      }
      if (command === 'sandbox fault' && name === '<kind>') {
        // Behind the fault is its value.
        if (before.length > 0) return []
        return [
          ...Object.entries(faultKinds).map(([kind, { text }]): Candidate => [kind, text]),
          ['clear', 'Remove all faults.'],
        ]
      }
      if (name === '--status') return actionStatuses.map((one) => [one, ''])
      if (command === 'help') return needs.topics()
      if (command === 'schema') return needs.nextWords(before)
      const backend = await backendOf(needs, given)
      if (!backend) return undefined
      const { profile, kind } = backend
      if (/^--(network|from|to)$/.test(name)) return networks(kind)
      if (name === '<id>' && /^(strategies show|deposit|withdraw|history)$/.test(command))
        return seenOn(dirs, profile).strategies.map(({ slug, about }) => [slug, about])
      if (/^--(asset|token|token-in|token-out)$/.test(name))
        return [...new Set(seenOn(dirs, profile).strategies.map(({ asset }) => asset))].map((symbol) => [
          symbol,
          '',
        ])
      if (/^webhooks /.test(command) && /^<(id|delivery)>$/.test(name))
        return kind === 'remote' ? undefined : webhooks(needs, { kind, name, given, before })
      const journal = join(dirs.data, ...(kind === 'sandbox' ? ['sandbox'] : []), 'journal.db')
      if (name === '<quote-id>') return quotes(needs, { profile, journal, command })
      const { recentOperations } = await import('../store/completion-queries.ts')
      return /^action /.test(command) && /^<ids?>$/.test(name)
        ? recentOperations(journal).map(({ id, about }) => [id, about])
        : undefined
    }
    return (await list())?.filter(isPlain)
  }
}

/** The status of a swap for that of its action, as `swap status` says it. */
const swapWords: Readonly<Record<ActionStatus, string>> = {
  INITIAL: 'pending',
  PENDING: 'processing',
  SUCCESS: 'fulfilled',
  FAILED: 'failed',
  REFUNDED: 'refunded',
}

/** The quotes of a profile with their states: all of them for `status`, the executable ones for `execute`. */
async function quotes(
  { dirs, now }: Needs,
  { profile, journal, command }: { profile: string; journal: string; command: string },
): Promise<Candidate[]> {
  const { startedSwaps, recentQuotes } = await import('../store/completion-queries.ts')
  const known = recentQuotes(join(dirs.data, 'quotes.db'), profile)
  const begun = new Map(
    startedSwaps(
      journal,
      known.map(({ id }) => id),
    ).map((one) => [one.id, one]),
  )
  return known.flatMap(({ id, about, until }): Candidate[] => {
    const { isNamed, status } = begun.get(id) ?? {}
    const isDead = status === undefined && until !== null && now() >= until
    const isGoing = isNamed === 1 && (status === 'INITIAL' || status === 'PENDING')
    const isOpen = status === undefined ? !isDead : isGoing
    if (command === 'swap execute' && !isOpen) return []
    return [[id, `${about}, ${status ? swapWords[status] : isDead ? 'expired' : 'open'}`]]
  })
}

/** The webhooks in the SQLite database of a server on this machine, or the deliveries of the one before. */
async function webhooks(
  { dirs, env }: Needs,
  {
    kind,
    name,
    given,
    before,
  }: { kind: string; name: string; given: Readonly<Record<string, string>>; before: readonly string[] },
): Promise<Candidate[]> {
  const own = join(dirs.data, ...(kind === 'sandbox' ? ['sandbox'] : []), 'serve.db')
  const database = (given['--database'] ?? env.SLUICE_DATABASE_URL ?? own).replace(/^sqlite:(\/\/)?/, '')
  const { recentDeliveries, recentWebhooks } = await import('../store/completion-queries.ts')
  const rows = name === '<id>' ? recentWebhooks(database) : recentDeliveries(database, before[0] ?? '')
  return rows.map(({ id, about }) => [id, about])
}

/** The names of all swap providers, also of those that swap from Bitcoin. */
async function providers(): Promise<Candidate[]> {
  const [{ swapProviderNames }, { depositProviderNames }] = await Promise.all([
    import('../swaps/swap-provider-registry.ts'),
    import('../swaps/deposit-provider-registry.ts'),
  ])
  return [...swapProviderNames, ...depositProviderNames].map((name) => [name, ''])
}

const profileKinds: readonly Candidate[] = [
  ['engine', 'the local engine, over your own RPCs'],
  ['remote', 'a deployment of the service'],
]

const networks = (kind: string): Candidate[] =>
  (kind === 'sandbox' ? sandboxNetworks : allNetworks).map(({ name, chainId }) => [name, String(chainId)])

/** The profile of the command line; `undefined` if it cannot be chosen, which the command itself reports. */
async function backendOf({ env, settings }: Needs, given: Readonly<Record<string, string>>) {
  try {
    const { name, kind } = await selectProfile(env, given['--profile'], withoutSecrets(settings))
    return { profile: name, kind }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** The candidates for the next word of a command. */
export async function nextWords(
  commands: CommandContext['commands'],
  before: readonly string[],
): Promise<Candidate[]> {
  const found = new Map<string, string>()
  for (const leaf of leavesOf(await commands())) {
    const words = wordsOf(leaf).split(' ')
    const [next, ...rest] = words.slice(before.length)
    if (next === undefined || before.some((word, at) => word !== words[at])) continue
    found.set(next, rest.length === 0 ? leaf.description() : '')
  }
  return [...found]
}
