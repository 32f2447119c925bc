import type { Command } from 'commander'
import { type AppError, errorRow, isErrorCode } from '../domain/errors.ts'
import {
  type Advice,
  adviceText,
  type CommandName,
  commandLine,
  type Flags,
  flagWords,
  type Next,
  partsOf,
} from '../domain/text/next-step.ts'
import { shellWord } from '../domain/text/shell-quoting.ts'
import { optionValue } from '../signing/argv-reader.ts'
import type { SignerChoice } from '../signing/signer.ts'
import type { Io } from './terminal/io-types.ts'

/**
 * The flags that name the same signer on another command line. A signer URL is printed only as an
 * origin: user, path and query may be secrets.
 */
export function signerFlags({ wallet, keyFile, passwordFile, ledger, signerUrl }: SignerChoice): Flags {
  const flags: [`--${string}`, string | true | undefined][] = [
    ['--signer-url', signerUrl === undefined ? undefined : bareOrigin(signerUrl)],
    ['--ledger', ledger],
    ['--key-file', keyFile],
    ['--wallet', wallet],
    ['--password-file', passwordFile],
  ]
  return Object.fromEntries(flags.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function bareOrigin(text: string): string {
  const url = URL.parse(text)
  const isBare = url && !url.username && !url.password && url.pathname === '/' && !url.search && !url.hash
  return isBare ? url.origin : 'URL'
}

/** A word, or `URL` for a URL with more than an origin, which may be a secret. */
const withoutSecretUrl = (word: string): string => (word.includes('://') ? bareOrigin(word) : word)

/** A Ledger with the path that was named behind it, which is no operand. */
function ledgerOn(argv: readonly string[]): string | true | undefined {
  const path = optionValue(argv, '--ledger')
  if (path?.startsWith('m/')) return path
  return argv.some((word) => word === '--ledger' || word.startsWith('--ledger=')) ? true : undefined
}

/** Commands that take a signer. */
const signing: ReadonlySet<Next['command']> = new Set<CommandName>([
  'deposit',
  'withdraw',
  'transfer',
  'swap execute',
  'wallet approvals revoke',
  'action resume',
  'action replan',
  'action revoke',
  'action deliver',
  'action submit',
  'action speed-up',
  'action cancel',
])
/** Commands that show a wallet, which is their operand. */
const showing: ReadonlySet<Next['command']> = new Set<CommandName>(['wallet show', 'wallet approvals list'])
/** Commands that select by network. */
const ofNetwork: ReadonlySet<Next['command']> = new Set<CommandName>([
  'wallet approvals list',
  'wallet approvals revoke',
])
/** Commands that ask a person at a terminal. */
const asking: ReadonlySet<Next['command']> = new Set<CommandName>([
  'action revoke',
  'action replan',
  'action cancel',
  'action abandon',
])

/** How a command takes a flag, with or without a value; `undefined` if it does not. */
export type FlagKind = (flag: string) => 'value' | 'boolean' | undefined

/** The line that ran, whose signer, profile and network the next one needs too. `argv` may be only its flags. */
export type LineThatRan = {
  argv: readonly string[]
  /** How the command of the line takes flags, where `argv` is the whole line and can be run again. */
  takes?: FlagKind
  /** Whether a person can answer a question. */
  canAsk?: boolean
  /** Whether signer and profile are named again; not if they were the fault. */
  isSigner?: boolean
  isProfile?: boolean
}

/** Whether the line that ran can be run again with these flags. */
const isRunAgain = ({ flags }: Next, { takes }: LineThatRan): boolean =>
  takes !== undefined && Object.keys(flags).every((flag) => takes(flag) !== undefined)

/** A command as a line to paste: with signer, profile and network of the line that ran, where it names none. */
export function nextLine(next: Next, line: LineThatRan): string {
  const { argv, canAsk = false, isSigner = true, isProfile = true } = line
  if (next.command === 'same')
    return isRunAgain(next, line) ? sameLine(argv, next.flags, line.takes!) : commandLine(next)
  const has = (name: `--${string}`) => next.flags[name] !== undefined
  const [wallet, profile, network] = [
    optionValue(argv, '--wallet'),
    optionValue(argv, '--profile'),
    optionValue(argv, '--network'),
  ]
  const signer = signerFlags({
    wallet,
    keyFile: optionValue(argv, '--key-file'),
    passwordFile: optionValue(argv, '--password-file'),
    signerUrl: optionValue(argv, '--signer-url'),
    ledger: ledgerOn(argv),
  })
  const isNamed = has('--wallet') || has('--key-file') || has('--ledger') || has('--signer-url')
  const isAsked = canAsk && asking.has(next.command) && !confirming.some((flag) => argv.includes(flag))
  const { '--yes': yes, ...others } = next.flags
  return commandLine({
    ...next,
    operands:
      isSigner && showing.has(next.command) && wallet !== undefined && next.operands.length === 0
        ? [wallet]
        : next.operands,
    flags: {
      ...(isAsked ? others : next.flags),
      ...(isSigner && signing.has(next.command) && !isNamed && signer),
      ...(ofNetwork.has(next.command) &&
        network !== undefined &&
        !has('--network') && { '--network': network }),
      ...(isProfile && profile !== undefined && !has('--profile') && { '--profile': profile }),
      ...(signing.has(next.command) && !has('--help') && isSameCommand(next, argv) && careOf(argv)),
    },
  })
}

/** Whether a line runs the command of a next step, whatever its operands. */
const isSameCommand = ({ command }: Next, argv: readonly string[]): boolean => {
  const words = command.split(' ')
  return argv.some((_, at) => words.every((word, index) => argv[at + index] === word))
}

/** What keeps a line from signing too much, for the same command with other values. */
function careOf(argv: readonly string[]): Flags {
  const policy = optionValue(argv, '--policy')
  return {
    ...(argv.includes('--dry-run') && { '--dry-run': true }),
    ...(policy !== undefined && { '--policy': policy }),
  }
}

const confirming = ['--yes', '-y', '--no-input']

/** The line that ran, with flags in the place of its own; what may be a secret in it is left out. */
function sameLine(argv: readonly string[], flags: Flags, takes: FlagKind): string {
  const end = argv.indexOf('--')
  const [before, behind] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)]
  const kept: string[] = []
  for (let at = 0; at < before.length; at++) {
    const [name = '', ...value] = before[at]!.split('=')
    const isFlag = name.startsWith('-')
    const takesNext = value.length === 0 && takes(name) === 'value' && at + 1 < before.length
    const words =
      isFlag && value.length > 0 ? [`${name}=${withoutSecretUrl(value.join('='))}`] : [before[at]!]
    if (takesNext) words.push(before[++at]!)
    if (!Object.hasOwn(flags, name) || repeatable.has(name)) kept.push(...words.map(withoutSecretUrl))
  }
  return [
    'sluice',
    ...kept.map(shellWord),
    ...Object.entries(flags).flatMap(([name, value]) => flagWords(name, value)),
    ...(behind.length > 0 ? ['--', ...behind.map(shellWord)] : []),
  ].join(' ')
}

/** Flags that may be given more than once. */
const repeatable: ReadonlySet<string> = new Set(['--allow-contract'])

/** An advice in the forms that are printed. */
export type RenderedAdvice = {
  /** All of it as one text. */
  hint: string
  /** The commands, each with the words before it. */
  next: { why: string | null; command: string }[]
  /** The words and, on a line of its own, each command. */
  lines: { text: string; isCommand: boolean }[]
}

/** Renders an advice for the line that ran. */
export function renderAdvice(given: Advice, line: LineThatRan): RenderedAdvice {
  const parts = partsOf(given)
  const { takes: _, ...target } = line
  const lines: RenderedAdvice['lines'] = []
  for (const part of parts) {
    const isCommand = typeof part !== 'string' && (part.command !== 'same' || isRunAgain(part, line))
    const text = typeof part === 'string' ? part : nextLine(part, line)
    const last = lines.at(-1)
    // Flags that the line does not take are words.
    if (!isCommand && last && !last.isCommand) last.text += text
    else lines.push({ text: isCommand ? text : text.replace(/^[\s.,;)]+/, ''), isCommand })
  }
  const shown = lines
    .map(({ text, isCommand }) => ({ text: text.trimEnd(), isCommand }))
    .filter(({ text }) => text !== '')
  return {
    hint: parts.map((part) => (typeof part === 'string' ? part : nextLine(part, target))).join(''),
    lines: shown,
    next: shown.flatMap(({ text, isCommand }, at) => {
      const before = shown[at - 1]
      return isCommand
        ? [{ why: before && !before.isCommand ? before.text.replace(/:$/, '') : null, command: text }]
        : []
    }),
  }
}

/** An advice as one text, for the line that ran. */
export const renderedText = (given: Advice, argv: readonly string[]): string =>
  argv.length === 0 ? adviceText(given) : renderAdvice(given, { argv }).hint

/** What a failure says to do next; the signer and the profile of the line are not named again if they were the fault. */
export function adviceOfError(
  { code, next, details }: AppError,
  argv: readonly string[],
  { canAsk }: Pick<Io, 'canAsk'>,
  takes?: FlagKind,
): RenderedAdvice | undefined {
  if (next === undefined || next.length === 0) return undefined
  return renderAdvice(next, {
    argv,
    ...(takes && { takes }),
    canAsk,
    isSigner: [code, details?.cause].every((one) => !isOfSigner(one)),
    isProfile: details?.profile === undefined,
  })
}

/** Whether a failure is about the signer. */
const isOfSigner = (code: unknown): boolean =>
  typeof code === 'string' && isErrorCode(code) && errorRow(code).exit === 13

const kept = ['wallet', 'keyFile', 'passwordFile', 'signerUrl', 'ledger', 'profile', 'network'] as const

/** The words of a line that name such things, of a command that is parsed. */
export function targetFlags(command: Command | undefined): string[] {
  const options = command?.optsWithGlobals<Record<string, unknown>>() ?? {}
  return kept.flatMap((name) => {
    const value = options[name]
    const words = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    return typeof value === 'string' ? [words, value] : value === true ? [words] : []
  })
}
