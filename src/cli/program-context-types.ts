import type { Command } from 'commander'
import type { PolledEvent } from '../api/webhooks.ts'
import type { CommandLine } from '../domain/command-line/read-command-line.ts'
import type { Exit } from '../domain/error-table.ts'
import type { Flags } from '../domain/text/next-step.ts'
import type { JournalOperation } from '../planning/execution-context-types.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SigningService } from '../signing/signing-service-protocol.ts'
import type { ReceivedQuotes } from './asked-quote-types.ts'
import type { Backend } from './backend-types.ts'
import type { CommandTime, Timers } from './command-time-type.ts'
import type { Finding } from './health-findings.ts'
import type { CompletionValues } from './help/completion-candidates.ts'
import type { Globals } from './options/global-options.ts'
import type { Sandbox } from './sandbox-control-type.ts'
import type { KeptProfile, ProfileSecrets, Settings } from './settings-files-schema.ts'
import type { Io } from './terminal/io-types.ts'

/** Whether a condition was met for a subject when it was last known. */
type ConditionState = { subject: string; condition: string; isMet: boolean }

/** The last known states of conditions, kept between runs. `scope` separates watches that report on their own. */
export type ConditionStates = {
  read: (scope: string) => ConditionState[]
  save: (scope: string, changed: readonly ConditionState[], at: number) => void
}

/** An effective setting and its source. */
export type SettingOrigin = { name: string; value: string; origin: string }

/** The settings of the environment that a profile can save. */
export type FromEnvironment = {
  baseUrl?: string
  legacyBaseUrl?: string
  apiKey?: string
  rpc: Record<string, string>
}

/** A profile that is not kept yet. */
export type ProfileDraft = { name: string; profile: KeptProfile; secrets: ProfileSecrets }

/** Interruption by the person. While a `critical` part runs, a signal only aborts `signal` and does not end the program. */
export type Interrupt = {
  signal: AbortSignal
  critical: <value>(work: () => Promise<value>) => Promise<value>
}

/**
 * How another command line is run. A newcomer has no settings and no keys: the sandbox account signs. A
 * reader has the settings and no keys, and signs nothing; `signal` ends it.
 */
export type RunAs = { as: 'newcomer' } | { as: 'reader'; stdin: string; signal: AbortSignal }

/** The dependencies of a command. Everything expensive is a function, so that `--help` opens nothing. */
export type CommandContext = {
  io: Io
  version: string
  interrupt: Interrupt
  /** The time of this command line: its limit and its progress. */
  time: CommandTime
  /** The timers of limits and progress; the machine's by default. */
  timers?: Timers
  now: () => number
  newId: () => string
  settings: Settings
  sandbox: Sandbox
  /** Opens the signing service, which alone opens keys. */
  signingService: () => Promise<SigningService>
  /** The directory of the encrypted keystores. */
  keystores: string
  /** The path of the policy that applies without --policy. */
  policyPath: string
  /** Passwords that the environment gave; never printed. */
  password: string | undefined
  quotes: () => Promise<ReceivedQuotes>
  /** The last known states of watched conditions. */
  conditionStates: () => Promise<ConditionStates>
  /** The parts that depend on which profile answers. */
  openBackend: (globals: Globals) => Promise<Backend>
  /** Checks a profile before it is saved, as if it were. */
  checkDraft: (draft: ProfileDraft, globals: Globals) => Promise<Finding[]>
  /** The catalogue of all networks of this version, without any request. */
  wholeCatalog: () => Promise<Catalog>
  /** The candidates for completion, without any request. */
  completions: () => Promise<CompletionValues>
  /** Saves the strategies of a list for completion. */
  rememberStrategies: (
    profile: string,
    strategies: { slug: string; about: string; asset: string }[],
    isWhole: boolean,
  ) => Promise<void>
  /** Every setting that holds for a profile that may be named. */
  settingOrigins: (profile: string | undefined) => Promise<SettingOrigin[]>
  /** The settings of the environment that a profile can save: base URLs, API key, RPC URLs by network. */
  fromEnvironment: () => Promise<FromEnvironment>
  /** Runs another command in this process and returns its exit code, output and values. */
  run: (argv: readonly string[], how: RunAs) => Promise<{ exit: Exit; out: string; values: unknown[] }>
  /** The whole tree of commands. */
  commands: () => Promise<Command>
  /** Notes the id of the operation that the command is about: its failure is told with the report of that operation. */
  noteOperation: (id: string) => void
  /** The operations that a failure of a command line may concern. Reads only the journals of this machine. */
  concernedOperations: (line: CommandLine) => Promise<ConcernedOperations>
  /** Called with every value that a command prints. */
  onResult?: (value: unknown) => void
  /** Posts events to a URL of the person, signed with this secret, or a new one for this run. USAGE for a text that is no URL. */
  eventForwarder: (
    url: string,
    secret?: string,
  ) => Promise<{
    secret: string
    send: (event: PolledEvent) => Promise<{ status: number } | { error: string }>
  }>
  /** Reads all of standard input. */
  stdin: () => Promise<string>
}

/**
 * The program without the command tree, which `main` adds. `derived` makes the program context of another command line in this process, whose
 * output is collected.
 */
export type ProgramContext = Omit<CommandContext, 'run' | 'commands' | 'completions' | 'time'> & {
  completions: (commands: CommandContext['commands']) => Promise<CompletionValues>
  /** How long ago the process started, in ms; absent where it runs many command lines. */
  sinceStart?: () => number
  derived: (how: RunAs) => { program: ProgramContext; output: () => string; close: () => Promise<void> }
}

/** The subcommands of `action` that continue an action; others such as `show` report only their own failures. */
export type ResumingVerb =
  | 'submit'
  | 'resume'
  | 'replan'
  | 'revoke'
  | 'speed-up'
  | 'cancel'
  | 'abandon'
  | 'watch'

/**
 * An operation with a signed transaction, the flags that name its signer, and the subcommand of
 * `action` on the command line that names it, if any.
 */
export type SignedOperation = {
  operation: JournalOperation
  report: object
  again: Flags
  verb: ResumingVerb | undefined
}

/** The operation that a command noted last, and one with a signed transaction that it noted or that the line names. */
export type ConcernedOperations = {
  noted?: { id: string; report: object } | undefined
  signed?: SignedOperation | undefined
}
