import type { Command } from 'commander'
import type { Quote } from '../api/quote.ts'
import type { Service } from '../api/service.ts'
import type { Address } from '../domain/address.ts'
import type { Exit } from '../domain/error-table.ts'
import type { FaultRequest, SandboxFault } from '../domain/sandbox-fault.ts'
import type { Token } from '../domain/token.ts'
import type { ExecutionContext, PlannedOperation } from '../planning/context.ts'
import type { Price } from '../planning/usd-value.ts'
import type { Catalog } from '../protocols/catalog.ts'
import type { SigningService } from '../signing/protocol.ts'
import type { SignerChoice, SignerIdentity } from '../signing/signer.ts'
import type { KeptProfile, ProfileSecrets, Settings } from './config-schema.ts'

import type { Finding } from './findings.ts'

import type { Globals } from './options/global-options.ts'
import type { Serving } from './serving.ts'
import type { Io, List, ListView, View } from './terminal/stream.ts'

/** What `sandbox status` prints. */
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
  /** It was made by another version of this program, whose contracts may be others; missing where it was not. */
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
  /** Sets a fault, or does it at once when it is of that kind. */
  fault: (request: FaultRequest) => Promise<SandboxFault>
  clearFaults: () => Promise<SandboxFault[]>
}

/** A quote with what was asked and a quote does not say: which side is exact, how much it may slip (`null`: nothing was said), and whom it pays (`null`: whoever signs). */
export type AskedQuote = {
  quote: Quote
  exact: 'in' | 'out'
  slippage: number | null
  destination: Address | null
  /** How fast a bridge is to be; what was kept before has none. */
  speed?: 'fast' | 'standard' | null
}

/** Quotes that this machine was given, kept so that they can be taken by their id; with whose they are and what they are about, for completion. */
export type QuoteMemory = {
  save: (asked: AskedQuote, seen: { profile: string; about: string }) => Promise<void>
  find: (id: string) => Promise<AskedQuote | undefined>
}

/** A setting that holds, and where it was said. */
export type SettingOrigin = { name: string; value: string; origin: string }

/** What the environment gives that a profile can keep. */
export type FromEnvironment = {
  baseUrl?: string
  legacyBaseUrl?: string
  apiKey?: string
  rpc: Record<string, string>
}

/** A profile that is not kept yet. */
export type ProfileDraft = { name: string; profile: KeptProfile; secrets: ProfileSecrets }

/** Interruption by the person: `signal` says so, and while a `critical` part runs nothing else ends the program. */
export type Interrupt = {
  signal: AbortSignal
  critical: <value>(work: () => Promise<value>) => Promise<value>
}

/** The body of an answer as it came, and the method that it answers. */
export type RawResponse = { method: keyof Service; status: number; text: string }

/** The bodies since this was asked before, and that of the last call since then, if it was answered. */
export type RawResponses = { bodies: readonly RawResponse[]; last: RawResponse | undefined }

/**
 * As whom another command line is run. A newcomer has no settings and no keys: the sandbox's own account signs. A reader has the
 * settings and no keys, and signs nothing; `signal` ends what it waits for.
 */
export type RunAs = { as: 'newcomer' } | { as: 'reader'; stdin: string; signal: AbortSignal }

/** What a command is given. Everything that costs is a function, so that `--help` opens nothing. */
export type World = {
  io: Io
  version: string
  interrupt: Interrupt
  now: () => number
  newId: () => string
  settings: Settings
  sandbox: Sandbox
  /** The one place where keys are opened. */
  signingService: () => Promise<SigningService>
  /** The directory of the encrypted keystores. */
  keystores: string
  /** Where the policy is that holds when nobody names one. */
  policyPath: string
  /** Passwords that the environment gave; never printed. */
  password: string | undefined
  quotes: () => Promise<QuoteMemory>
  /** The parts that depend on which profile answers. */
  openBackend: (globals: Globals) => Promise<Backend>
  /** What is found where a profile would answer, by itself and as if it were kept already. */
  checkDraft: (draft: ProfileDraft, globals: Globals) => Promise<Finding[]>
  /** What this version knows of all networks, without asking anybody and whatever profile there is. */
  wholeCatalog: () => Promise<Catalog>
  /** What the words of a command line may be, without asking anybody. */
  completions: () => Promise<CompletionValues>
  /** Keeps what a list of strategies showed, for that. */
  rememberStrategies: (
    profile: string,
    strategies: { slug: string; about: string; asset: string }[],
    isWhole: boolean,
  ) => Promise<void>
  /** Every setting that holds for a profile that may be named. */
  settingOrigins: (profile: string | undefined) => Promise<SettingOrigin[]>
  /** What the environment gives that a profile can keep: base URLs, the key, RPC URLs by network. */
  fromEnvironment: () => Promise<FromEnvironment>
  /** Runs another command line of this program in this process; what it printed and the values behind it come back. */
  run: (argv: readonly string[], how: RunAs) => Promise<{ exit: Exit; out: string; values: unknown[] }>
  /** The whole tree of commands. */
  commands: () => Promise<Command>
  /** Told of an operation that the command goes on with, by its id: the command line may not name it. */
  noteOperation: (id: string) => void
  /** The operation that a command line is about, where something of it is signed. No chain is asked, and nobody else. */
  signedOperation: (argv: readonly string[]) => Promise<SignedOperation | undefined>
  /** Told every value that a command ends with. */
  onResult?: (value: unknown) => void
  /** Reads all of standard input. */
  stdin: () => Promise<string>
}

/**
 * A world without the command tree, which `main` adds. `derived` makes the world of another command line in this process, whose
 * output is collected.
 */
export type ProgramWorld = Omit<World, 'run' | 'commands' | 'completions'> & {
  completions: (commands: World['commands']) => Promise<CompletionValues>
  derived: (how: RunAs) => { world: ProgramWorld; output: () => string; close: () => Promise<void> }
}

/** Where a command runs: one profile. */
export type Backend = {
  /** Its name, which is the kind where nobody gave it one. */
  profile: string
  kind: 'sandbox' | 'engine' | 'remote'
  service: () => Promise<Service>
  /** The service for the strategies of one chain, which asks no other; `undefined` where it is not in this process. */
  serviceOn: ((chainId: number) => Promise<Service>) | undefined
  /** What a service that is not in this process answered, as it came; `undefined` where it is in this process. */
  rawResponses: (() => RawResponses) | undefined
  /** Our own engine over the same chains, where a service that is not ours answers: what both build can be compared. */
  reference: (() => Promise<Service>) | undefined
  /** What is served from here; a deployment elsewhere is served there. */
  serving: Serving | undefined
  catalog: () => Promise<Catalog>
  /** What signing stands on: journal, locks, chains. */
  context: () => Promise<ExecutionContext>
  /** Whose wallet, by flags, environment, configuration, or the sandbox's own account. */
  signerIdentity: (choice: SignerChoice) => Promise<SignerIdentity>
  /** What this profile stands on: the service, and each network that there is an RPC for. */
  findings: () => Promise<Finding[]>
  /** What whole tokens of a chain cost in USD, where the chain says it: for display, and no reason to fail. */
  prices: (chainId: number, tokens: readonly Token[]) => Promise<readonly Price[]>
  /** Raw JSON-RPC, for reading the chain without the engine. */
  read: (chainId: number, method: string, params: readonly unknown[]) => Promise<unknown>
}

/** What goes on, said on stderr: finished lines stay, the current one moves on a terminal and is left out elsewhere. */
export type ProgressLine = {
  /** A line that stays. */
  say: (line: string) => void
  /** What is being done now; on a terminal it turns until the next word. */
  doing: (line: string) => void
  /** Nothing is being done any more. */
  done: () => void
}

/** What one run of one command works with: the world, its global options, and the ways to answer. */
export type Cli = {
  world: World
  io: Io
  globals: Globals
  /** When it began, on the monotonic clock. */
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

/** The same where no profile is opened: what sets profiles up must work while none of them does. */
export type LocalCli = Pick<Cli, 'world' | 'io' | 'globals' | 'emit' | 'list' | 'notice'>

/**
 * An operation of which something is signed, as the journal has it, the flags by which the command line names its signer, and
 * what the line does with it: one of the commands of `action`, where it names it to one.
 */
export type SignedOperation = {
  operation: PlannedOperation
  report: object
  again: string
  verb: string | undefined
}

/** A word that may stand where the cursor is, and what it means. */
export type Candidate = readonly [value: string, description: string]

/** What a place on the line can be filled with; `undefined` where only the person knows. */
export type CompletionValues = (backend: {
  /** The words of the command, such as `strategies show`. */
  command: string
  /** The argument or the long option that it is for. */
  name: string
  /** The options that stand before it. */
  given: Readonly<Record<string, string>>
  /** The arguments that stand before it. */
  before: readonly string[]
}) => Promise<readonly Candidate[] | undefined>
