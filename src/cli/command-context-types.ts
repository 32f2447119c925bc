import type { Command } from 'commander'
import type { Quote } from '../api/quote.ts'
import type { Service } from '../api/service-type.ts'
import type { Address } from '../domain/address.ts'
import type { Exit } from '../domain/errors.ts'
import type { FaultRequest, SandboxFault } from '../domain/sandbox-fault.ts'
import type { Token } from '../domain/token.ts'
import type { ExecutionContext, JournalOperation } from '../planning/context.ts'
import type { Price } from '../planning/usd-value.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SigningService } from '../signing/protocol.ts'
import type { SignerChoice, SignerIdentity } from '../signing/signer.ts'
import type { KeptProfile, ProfileSecrets, Settings } from './config-schema.ts'
import type { Finding } from './findings.ts'
import type { Globals } from './options/global-options.ts'
import type { List, ListView, View } from './output/view.ts'
import type { Serving } from './server-administration.ts'
import type { Io } from './terminal/io-types.ts'

/** The output of `sandbox status`. */
export type SandboxStatus = {
  running: boolean
  pid: number | null
  chains: { network: string; chainId: number; rpcUrl: string; blockNumber: number }[]
  accounts: { address: Address; default: boolean }[]
  tokens: { network: string; symbol: string; address: Address; decimals: number }[]
  /** The faults that are set; missing where there are none. */
  faults?: SandboxFault[]
  /** How far the service's clock is ahead by the fault `stale-quote`, in ms; missing where it is not. */
  aheadMs?: number
  /** The sandbox was made by another version of this program, whose contracts may differ; missing otherwise. */
  outdated?: true
}

/** The embedded chains, as commands see them. */
export type Sandbox = {
  up: () => Promise<SandboxStatus>
  down: () => Promise<SandboxStatus>
  /** Does not start it. */
  status: () => Promise<SandboxStatus>
  reset: () => Promise<SandboxStatus>
  fund: (
    to: Address,
    what?: { symbol: string; amount?: bigint },
  ) => Promise<
    { network: string; token: { symbol: string; decimals: number; address: Address }; amount: bigint }[]
  >
  warp: (seconds: number) => Promise<SandboxStatus>
  /** Pays on the sandbox's Bitcoin (`amount` in satoshi), and gives the hash of the transaction. */
  payBitcoin: (payment: {
    address: string
    amount: bigint
    memo?: string | undefined
    replaces?: string | undefined
  }) => Promise<string>
  /** Sets a fault, or does it at once when it is of that kind. */
  fault: (request: FaultRequest) => Promise<SandboxFault>
  clearFaults: () => Promise<SandboxFault[]>
}

/**
 * A quote with the parts of its request that it does not contain: the exact side, the slippage (`null`:
 * default) and the recipient (`null`: the signer).
 */
export type AskedQuote = {
  quote: Quote
  exact: 'in' | 'out'
  slippage: number | null
  destination: Address | null
  /** The requested bridge speed; missing in older records. */
  speed?: 'fast' | 'standard' | null
}

/** The quotes of this machine, saved so that they can be executed by ID; with their profile and a description for completion. */
export type ReceivedQuotes = {
  save: (asked: AskedQuote, seen: { profile: string; about: string }) => Promise<void>
  find: (id: string) => Promise<AskedQuote | undefined>
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

/** The body of an answer as it came, and the method that it answers. */
export type RawResponse = { method: keyof Service; status: number; text: string }

/** The responses since the last read, and that to the last call, if it was answered. */
export type RawResponses = { bodies: readonly RawResponse[]; last: RawResponse | undefined }

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
  /** Notes the id of an operation that the command resumes, because the command line may not name it. */
  noteOperation: (id: string) => void
  /** The operation of a command line, if it has a signed transaction. Reads only the journals of this machine. */
  signedOperation: (argv: readonly string[]) => Promise<SignedOperation | undefined>
  /** Called with every value that a command prints. */
  onResult?: (value: unknown) => void
  /** Reads all of standard input. */
  stdin: () => Promise<string>
}

/**
 * A world without the command tree, which `main` adds. `derived` makes the world of another command line in this process, whose
 * output is collected.
 */
export type ProgramContext = Omit<CommandContext, 'run' | 'commands' | 'completions'> & {
  completions: (commands: CommandContext['commands']) => Promise<CompletionValues>
  derived: (how: RunAs) => { world: ProgramContext; output: () => string; close: () => Promise<void> }
}

/** Where a command runs: one profile. */
export type Backend = {
  /** Its name; the kind for a built-in profile. */
  profile: string
  kind: 'sandbox' | 'engine' | 'remote'
  service: () => Promise<Service>
  /** The service for the strategies of one chain, which reads no other chain; `undefined` for a remote service. */
  serviceOn: ((chainId: number) => Promise<Service>) | undefined
  /** The swap providers that the profile names, which a comparison asks; `undefined` for all that are known here. */
  swapProviders: readonly string[] | undefined
  /** The raw responses of a remote service; `undefined` for a local one. */
  rawResponses: (() => RawResponses) | undefined
  /** The local engine over the same chains, to compare with a remote service. */
  reference: (() => Promise<Service>) | undefined
  /** The serving of this profile; `undefined` for a remote one. */
  serving: Serving | undefined
  catalog: () => Promise<Catalog>
  /** The context of planning and execution: journal, locks, chains. */
  context: () => Promise<ExecutionContext>
  /** The signer, from flags, environment, configuration, or the sandbox account. */
  signerIdentity: (choice: SignerChoice) => Promise<SignerIdentity>
  /** Checks the service and each network that has an RPC. */
  findings: () => Promise<Finding[]>
  /** The USD price of one token, where the chain has one. For display; never fails. */
  prices: (chainId: number, tokens: readonly Token[]) => Promise<readonly Price[]>
  /** Raw JSON-RPC, for reading the chain without the engine. */
  read: (chainId: number, method: string, params: readonly unknown[]) => Promise<unknown>
}

/** The progress on stderr: finished lines stay; the current one moves on a terminal and is left out elsewhere. */
export type ProgressLine = {
  /** A line that stays. */
  say: (line: string) => void
  /** The current work; on a terminal with a spinner. */
  doing: (line: string) => void
  /** Nothing is being done any more. */
  done: () => void
}

/** The context of one run of a command: the world, the global options, and the output. */
export type Cli = {
  world: CommandContext
  io: Io
  globals: Globals
  /** The start time, on the monotonic clock. */
  startedAt: number
  backend: Backend
  service: () => Promise<Service>
  /** Ends the command with one thing. */
  emit: <value>(value: value, view: View<value>) => void
  /** Ends the command with a page of a list. */
  list: <row>(list: List<row>, view: ListView<row>) => Promise<void>
  progress: () => Promise<ProgressLine>
  /** A notice on stderr, unless `--quiet`. */
  notice: (line: string) => void
}

/** The same without a backend: commands that set up profiles must work while no profile does. */
export type LocalCli = Pick<Cli, 'world' | 'io' | 'globals' | 'emit' | 'list' | 'notice'>

/**
 * An operation with a signed transaction, the flags that name its signer, and the subcommand of
 * `action` on the command line that names it, if any.
 */
export type SignedOperation = {
  operation: JournalOperation
  report: object
  again: string
  verb: string | undefined
}

/** A candidate for completion, and its description. */
export type Candidate = readonly [value: string, description: string]

/** Finds the candidates for an argument or option; `undefined` if only the person knows the value. */
export type CompletionValues = (backend: {
  /** The words of the command, such as `strategies show`. */
  command: string
  /** The argument or the long option that it is for. */
  name: string
  /** The options before it. */
  given: Readonly<Record<string, string>>
  /** The arguments before it. */
  before: readonly string[]
}) => Promise<readonly Candidate[] | undefined>
