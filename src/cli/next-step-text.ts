import type { Command } from 'commander'
import { type FlagName, takesFlag, takesSigner } from '../domain/command-line/flags.ts'
import {
  type CommandLine,
  flagValue,
  hasFlag,
  readCommandLine,
  type Typed,
} from '../domain/command-line/read-command-line.ts'
import { type AppError, errorRow, isErrorCode } from '../domain/errors.ts'
import {
  type Advice,
  adviceText,
  type CommandName,
  commandLine,
  type Flags,
  flagWords,
  type LeftOut,
  type Next,
  partsOf,
  sluice,
} from '../domain/text/next-step.ts'
import { shellWord } from '../domain/text/shell-quoting.ts'
import type { SignerChoice } from '../signing/signer.ts'
import { wordsTo } from './options/command-tree-queries.ts'
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

/** A word without a URL of more than an origin, which may be a secret. */
function withoutSecretUrl(word: string): string {
  const [, name = '', value = ''] = /^(--[^=]+=)?(.*)$/s.exec(word)!
  return value.includes('://') ? `${name}${bareOrigin(value)}` : word
}

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

/** Command, signer, profile and network of the line that ran, and what keeps it from signing too much. */
export type Target = SignerChoice & {
  profile?: string | undefined
  network?: string | undefined
  /** Whether it asked nothing: it answered yes to every question, or forbade them. */
  isUnasked?: boolean
  command?: string
  dryRun?: boolean | undefined
  policy?: string | undefined
}

/** What a line names that the next one needs too. */
export const targetOf = (line: CommandLine): Target => {
  const ledger = flagValue(line, '--ledger')
  return {
    wallet: flagValue(line, '--wallet'),
    keyFile: flagValue(line, '--key-file'),
    passwordFile: flagValue(line, '--password-file'),
    signerUrl: flagValue(line, '--signer-url'),
    // What is no path may be an operand that was meant.
    ledger: hasFlag(line, '--ledger') ? (ledger?.startsWith('m/') ? ledger : true) : undefined,
    profile: flagValue(line, '--profile'),
    network: flagValue(line, '--network'),
    isUnasked: hasFlag(line, '--yes') || hasFlag(line, '--no-input'),
    command: line.command,
    dryRun: hasFlag(line, '--dry-run'),
    policy: flagValue(line, '--policy'),
  }
}

/** The same, of a command that is parsed. */
export const targetOfCommand = (command: Command | undefined): Target | undefined =>
  command && { ...command.optsWithGlobals<Target>(), command: wordsTo(command).join(' ') }

/** The line that ran, for the text of the next one. */
export type LineThatRan = {
  target: Target
  /** The whole line, where it can be run again. */
  again?: CommandLine
  /** Whether a person can answer a question. */
  canAsk?: boolean
  /** Whether signer and profile are named again; not if they were the fault. */
  isSigner?: boolean
  isProfile?: boolean
}

/** Whether the line that ran can be run again with these flags: also a line that is put right. */
function isRunAgain(next: Next, { again }: LineThatRan): boolean {
  if (
    again === undefined ||
    !Object.keys(next.flags).every((flag) => takesFlag(again.command, flag as FlagName))
  )
    return false
  // What an unknown flag has behind it may be a secret.
  return readCommandLine(wordsAgain(again, next).map(({ word }) => word)).unread.length === 0
}

const isOwnHelp = ({ command, flags }: Next): boolean => command === 'same' && flags['--help'] === true

/** A command as a line to paste: with signer, profile and network of the line that ran, where it names none. */
export function nextLine(next: Next, line: LineThatRan): string {
  const { target, canAsk = false, isSigner = true, isProfile = true } = line
  if (isOwnHelp(next) && target.command !== undefined)
    return nextLine(sluice(target.command as CommandName, { '--help': true }), line)
  if (next.command === 'same') return isRunAgain(next, line) ? sameLine(line.again!, next) : commandLine(next)
  const has = (name: FlagName) => next.flags[name] !== undefined
  const { wallet, profile, network } = target
  const isNamed = has('--wallet') || has('--key-file') || has('--ledger') || has('--signer-url')
  const isAsked = canAsk && asking.has(next.command) && !target.isUnasked
  const { '--yes': yes, ...others } = next.flags
  return commandLine({
    ...next,
    operands:
      isSigner && showing.has(next.command) && wallet !== undefined && next.operands.length === 0
        ? [wallet]
        : next.operands,
    flags: {
      ...(isAsked ? others : next.flags),
      ...(isSigner && takesSigner(next.command) && !isNamed && signerFlags(target)),
      ...(ofNetwork.has(next.command) &&
        network !== undefined &&
        !has('--network') && { '--network': network }),
      ...(isProfile && profile !== undefined && !has('--profile') && { '--profile': profile }),
      ...(takesSigner(next.command) && !has('--help') && target.command === next.command && careOf(target)),
    },
  })
}

/** What keeps a line from signing too much, for the same command with other values. */
const careOf = ({ dryRun, policy }: Target): Flags => ({
  ...(dryRun === true && { '--dry-run': true }),
  ...(policy !== undefined && { '--policy': policy }),
})

/** The words of a flag that was typed. */
const placesOfFlag = ({ at, words }: Typed): number[] => (words === 2 ? [at, at + 1] : [at])

/** Where something that is left out stands on a line. */
function placesOf({ argv, flags, operands }: CommandLine, one: LeftOut): number[] {
  if (typeof one === 'object' && 'operand' in one) {
    const ofFlags = new Set(flags.flatMap(placesOfFlag))
    const at = argv.findLastIndex((word, at) => word === one.operand && !ofFlags.has(at))
    return operands.includes(one.operand) ? [at] : []
  }
  const { flag: name, value } = typeof one === 'string' ? { flag: one, value: undefined } : one
  return flags
    .filter(({ flag, value: typed }) => flag.name === name && (value === undefined || typed === value))
    .flatMap(placesOfFlag)
}

/** The words of the line that ran as another one, with flags at its end; `text` is for a shell, without what may be a secret. */
function wordsAgain(line: CommandLine, { operands, flags, without = [], corrected = {} }: Next) {
  const { argv, flags: typed, isLiteral } = line
  const isReplaced = ({ flag }: Typed) => flags[flag.name] !== undefined && !flag.repeats
  const ofFlags = new Set(typed.flatMap(placesOfFlag))
  const gone = new Set([
    ...typed.filter(isReplaced).flatMap(placesOfFlag),
    ...without.flatMap((one) => placesOf(line, one)),
  ])
  const end = isLiteral ? argv.findIndex((word, at) => word === '--' && !ofFlags.has(at)) : argv.length
  const shown = (word: string) => ({ word, text: shellWord(word) })
  const kept = argv.map((word, at) => {
    if (gone.has(at)) return []
    if (at >= end) return [shown(word)]
    const [name = '', ...value] = word.split('=')
    const meant = ofFlags.has(at) ? undefined : corrected[name]
    if (meant) return [...meant.slice(0, -1), [meant.at(-1), ...value].join('=')].map(shown)
    return [{ word, text: shellWord(withoutSecretUrl(word)) }]
  })
  const added = Object.entries(flags).map(([name, value]) => ({
    words: value === true ? [name] : [name, value],
    texts: flagWords(name, value),
  }))
  return [
    ...kept.slice(0, end).flat(),
    ...operands.map(shown),
    ...added.flatMap(({ words, texts }) => words.map((word, at) => ({ word, text: texts[at]! }))),
    ...kept.slice(end).flat(),
  ]
}

const sameLine = (line: CommandLine, next: Next): string =>
  ['sluice', ...wordsAgain(line, next).map(({ text }) => text)].join(' ')

/** Whether a next step has a line of its own; flags that the line that ran does not take are words. */
const isWhole = (next: Next, line: LineThatRan): boolean =>
  next.command !== 'same' || (isOwnHelp(next) ? line.target.command !== undefined : isRunAgain(next, line))

/** An advice in the forms that are printed. */
export type RenderedAdvice = {
  /** All of it as one text. */
  hint: string
  /** The commands, each with the words before it. */
  next: { why: string | null; command: string }[]
  /** The words and, on a line of its own, each command. */
  lines: { text: string; isCommand: boolean }[]
}

export function renderAdvice(given: Advice, line: LineThatRan): RenderedAdvice {
  const parts = partsOf(given)
  const { again: _, ...target } = line
  const lines: RenderedAdvice['lines'] = []
  for (const part of parts) {
    const isCommand = typeof part !== 'string' && isWhole(part, line)
    const text = typeof part === 'string' ? part : nextLine(part, line)
    const last = lines.at(-1)
    if (!isCommand && last && !last.isCommand) last.text += text
    else lines.push({ text: isCommand ? text : text.replace(/^[\s.,;?)]+/, ''), isCommand })
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
export const renderedText = (given: Advice, target: Target | undefined): string =>
  target ? renderAdvice(given, { target }).hint : adviceText(given)

/** What a failure says to do next; the signer and the profile of the line are not named again if they were the fault. */
export function adviceOfError(
  { code, next, details }: AppError,
  line: CommandLine,
  { canAsk }: Pick<Io, 'canAsk'>,
  canRepeat: boolean,
): RenderedAdvice | undefined {
  if (next === undefined || next.length === 0) return undefined
  return renderAdvice(next, {
    target: targetOf(line),
    ...(canRepeat && { again: line }),
    canAsk,
    isSigner: [code, details?.cause].every((one) => !isOfSigner(one)),
    isProfile: details?.profile === undefined,
  })
}

/** Whether a failure is about the signer. */
const isOfSigner = (code: unknown): boolean =>
  typeof code === 'string' && isErrorCode(code) && errorRow(code).exit === 13
