import { join } from 'node:path'
import type { Backend } from '../cli/backend-types.ts'
import type { Timers } from '../cli/command-time-type.ts'
import type { Globals } from '../cli/options/global-options.ts'
import type { Interrupt, ProgramContext } from '../cli/program-context-types.ts'
import type { Settings } from '../cli/settings-files-schema.ts'
import type { Io } from '../cli/terminal/io-types.ts'
import { untimed } from '../http/waits.ts'
import type { SigningService } from '../signing/signing-service-protocol.ts'
import type { RegisterResource } from './backends/backend-input-types.ts'
import type { OpenSandbox } from './backends/sandbox-backend.ts'
import { daemonSandbox } from './backends/sandbox-daemon-control.ts'
import { refuseUndecodable, type Secrets } from './environment-secrets-type.ts'
import { derivedInputs, draftInputs } from './nested-command-inputs.ts'
import { once } from './once.ts'
import { directories } from './profiles/directories.ts'
import { policyPath } from './profiles/machine-policy.ts'
import { selectProfile } from './profiles/profile-selection.ts'
import { rpcUrlsByNetworkName } from './profiles/rpc-settings.ts'
import { fileSettings } from './profiles/settings-files.ts'

/** The inputs of a command context. Tests pass their own sandbox instead of the daemon. */
type ContextInputs = {
  env: Readonly<Record<string, string | undefined>>
  secrets: Secrets
  /** Starts the signer in its own process. */
  signingService: () => Promise<SigningService>
  version: string
  io: Io
  interrupt: Interrupt
  stdin: () => Promise<string>
  /** Suppresses notices before the command line is parsed. */
  quiet?: boolean
  /** Epoch milliseconds; default: the system's clock. */
  now?: () => number
  /** The timers of limits and progress; the machine's by default. */
  timers?: Timers
  openSandbox?: OpenSandbox
  settings?: Settings
  /** Registers a resource to close; by default it stays open until the process ends. */
  keep?: RegisterResource
}

/** The inputs that decide which profile is used. */
type ProfileInputs = Pick<ContextInputs, 'env' | 'secrets'> & { settings: Settings }

/** Creates the command context from the environment. Nothing is opened before it is used. */
export function createCommandContext(given: ContextInputs): ProgramContext {
  const { env, secrets, io, interrupt, version, stdin, now = Date.now, keep = keepOpen } = given
  const signingService = async (): Promise<SigningService> => {
    const ask = await untimed(given.signingService)
    return (question) => untimed(() => ask(question))
  }
  refuseUndecodable(secrets)
  const dirs = directories(env)
  const settings = given.settings ?? fileSettings(dirs)
  const openSandbox = given.openSandbox ?? daemonSandbox(dirs, env, given.quiet ? undefined : io)
  const openBackend = async (
    globals: Globals,
    { env, settings, secrets }: ProfileInputs,
  ): Promise<Backend> => {
    const {
      name,
      kind,
      announce,
      env: ofProfile,
      apiKey,
      notice,
    } = await selectProfile(env, globals.profile, settings)
    if (notice && !globals.quiet) io.err.write(`${notice}\n`)
    const needs = {
      profile: name,
      version,
      dirs,
      env: ofProfile,
      settings,
      secrets: { ...secrets, apiKey: secrets.apiKey ?? apiKey },
      signingService,
      stdin,
      io,
      globals,
      now,
      newId,
      keep,
    }
    if (kind === 'engine') return (await import('./backends/engine-backend.ts')).engineBackend(needs)
    if (kind === 'remote') return (await import('./backends/remote-backend.ts')).remoteBackend(needs)
    return (await import('./backends/sandbox-backend.ts')).sandboxBackend({
      ...needs,
      sandbox: openSandbox,
      announce,
    })
  }
  const noted: string[] = []
  return {
    io,
    version,
    interrupt,
    stdin,
    now,
    ...(given.timers && { timers: given.timers }),
    newId,
    settings,
    signingService,
    keystores: join(dirs.data, 'keystores'),
    policyPath: policyPath(dirs),
    password: secrets.password,
    sandbox: openSandbox.admin,
    quotes: once(async () =>
      (await import('./backends/received-quotes.ts')).openReceivedQuotes(dirs, now, keep),
    ),
    eventForwarder: async (url, secret) => (await import('./event-forwarder.ts')).eventForwarder(url, secret),
    conditionStates: once(async () =>
      keep((await import('../store/condition-states.ts')).openConditionStates(join(dirs.data, 'watch.db'))),
    ),
    wholeCatalog: once(async () =>
      (await import('./profiles/catalog-of-configured-networks.ts')).wholeCatalog(dirs, {}),
    ),
    completions: async (commands) =>
      (await import('./completion-values.ts')).completionValues({
        dirs,
        env,
        settings,
        now,
        keystores: join(dirs.data, 'keystores'),
        topics: async () =>
          Object.entries((await import('../commands/help-topics.ts')).topics).map(([name, { summary }]) => [
            name,
            summary,
          ]),
        nextWords: async (before) => (await import('./completion-values.ts')).nextWords(commands, before),
      }),
    rememberStrategies: async (profile, strategies, isWhole) =>
      (await import('./completion-values.ts')).saveListedStrategies(dirs, profile, { strategies }, isWhole),
    settingOrigins: async (profile) =>
      (await import('./profiles/setting-origins.ts')).settingOrigins(profile, {
        env,
        dirs,
        secrets,
        settings,
      }),
    fromEnvironment: async () => ({
      ...(env.SLUICE_BASE_URL && { baseUrl: env.SLUICE_BASE_URL }),
      ...(env.SLUICE_LEGACY_BASE_URL && { legacyBaseUrl: env.SLUICE_LEGACY_BASE_URL }),
      ...(secrets.apiKey && { apiKey: secrets.apiKey }),
      rpc: rpcUrlsByNetworkName(env, (await import('../domain/networks.ts')).allNetworks),
    }),
    openBackend: (globals) => openBackend(globals, { env, settings, secrets }),
    checkDraft: async (draft, globals) => {
      const inputs = draftInputs(draft, { env, settings, secrets })
      return (await openBackend({ ...globals, profile: draft.name }, inputs)).findings()
    },
    noteOperation: (id) => void noted.push(id),
    concernedOperations: async (line) =>
      (await import('./signing/operations-of-command-line.ts')).findConcernedOperations(line, noted, {
        dirs,
        env,
        settings,
        now,
      }),
    derived: (how) => {
      const out: string[] = []
      const opened: { close: () => unknown }[] = []
      const captured = { ...io.out, write: (text: string) => void out.push(text) }
      return {
        program: createCommandContext({
          ...given,
          io: { ...io, out: captured },
          openSandbox,
          keep: (thing) => {
            opened.push(thing)
            return thing
          },
          ...derivedInputs(how, { env, secrets, settings, interrupt }),
        }),
        output: () => out.join(''),
        close: async () => {
          for (const one of opened) await one.close()
        },
      }
    },
  }
}

const newId = () => crypto.randomUUID()
const keepOpen: RegisterResource = (thing) => thing
