import type { Command } from 'commander'
import { type AppError, errorRow, errorTable } from '../domain/errors.ts'
import { shellOperand, shellPath, shellWord } from '../domain/text/shell-quoting.ts'
import { booleanFlags, optionValue } from '../signing/argv-reader.ts'
import type { SignerChoice } from '../signing/signer.ts'
import type { Io } from './terminal/io-types.ts'

/**
 * The flags that name the same signer on another command line. A signer URL is printed only as an
 * origin: user, path and query may be secrets.
 */
export function signerFlags({ wallet, keyFile, passwordFile, ledger, signerUrl }: SignerChoice): string {
  const flags: [string, string | true | undefined][] = [
    ['--signer-url', signerUrl === undefined ? undefined : bareOrigin(signerUrl)],
    ['--ledger', ledger],
    ['--key-file', keyFile],
    ['--wallet', wallet],
    ['--password-file', passwordFile],
  ]
  return flags
    .flatMap(([name, value]) =>
      value === undefined
        ? []
        : [value === true ? name : `${name} ${name.endsWith('-file') ? shellPath(value) : shellWord(value)}`],
    )
    .join(' ')
}

function bareOrigin(text: string): string {
  const url = URL.parse(text)
  const isBare = url && !url.username && !url.password && url.pathname === '/' && !url.search && !url.hash
  return isBare ? url.origin : 'URL'
}

/** The targets of a command line that the next command needs too: signer, profile, and network of allowances. */
type Named = {
  signer: string
  wallet: string | undefined
  profile: string | undefined
  network: string | undefined
}

/** The same off the words of a line. */
const namedOn = (argv: readonly string[]): Named => ({
  signer: signerFlags({
    wallet: optionValue(argv, '--wallet'),
    keyFile: optionValue(argv, '--key-file'),
    passwordFile: optionValue(argv, '--password-file'),
    signerUrl: optionValue(argv, '--signer-url'),
    ledger: ledgerOn(argv),
  }),
  wallet: optionValue(argv, '--wallet'),
  profile: optionValue(argv, '--profile'),
  network: optionValue(argv, '--network'),
})

/** A Ledger with the path that was named behind it, which is no operand. */
function ledgerOn(argv: readonly string[]): string | true | undefined {
  const path = optionValue(argv, '--ledger')
  if (path?.startsWith('m/')) return path
  return argv.some((word) => word === '--ledger' || word.startsWith('--ledger=')) ? true : undefined
}

/** Commands that sign, and so act on a wallet. */
const signs =
  /^(deposit|withdraw|transfer|swap execute|wallet approvals revoke|action (resume|replan|revoke|deliver|submit|speed-up|cancel))(?= |$)/
/** Commands that show a wallet, which is their operand. */
const shows = /^wallet (show|approvals list)(?= |$)/
const named = /--(wallet|key-file|ledger|signer-url)\b/

/** Adds the signer, profile and network of the previous command line to the commands in a text, where they name none. */
export function withSameTarget(
  text: string,
  argv: readonly string[],
  { isSigner = true, isProfile = true } = {},
): string {
  const { signer, wallet, profile, network } = namedOn(argv)
  return text.replace(/(?<![\w./@-])sluice (?=[a-z])([^\n`]*?)(?=$|\n|`|sluice )/g, (whole, rest: string) => {
    if (/^(is|was|wrote) /.test(rest)) return whole
    const at = lengthOf(rest)
    const [line, tail] = [rest.slice(0, at), rest.slice(at)]
    const more = [
      ...(isSigner && signs.test(line) && !named.test(line) && signer !== '' ? [signer] : []),
      ...(isSigner && shows.test(line) && wallet !== undefined && !hasOperand(line)
        ? [shellWord(wallet)]
        : []),
      ...(/^wallet approvals /.test(line) && network !== undefined && !line.includes('--network')
        ? [`--network ${shellWord(network)}`]
        : []),
      ...(isProfile && profile !== undefined && !line.includes('--profile')
        ? [`--profile ${shellWord(profile)}`]
        : []),
    ]
    // Everything after `--` is an operand.
    const [before, ...operands] = line.split(/ (?=-- )/)
    return `sluice ${[before, ...more, ...operands].join(' ')}${tail}`
  })
}

/** The words that a command is called by: those before its operand and its flags. */
const words =
  /^(wallet approvals [a-z]+|(action|swap|wallet|profile|keys|policy|sandbox|config|fees|strategies) [a-z-]+|[a-z]+)/

const hasOperand = (line: string): boolean => /^ (?!-)\S/.test(line.slice(words.exec(line)?.[0].length ?? 0))

/**
 * The length of the command at the start of a text: up to the end of the sentence, or to a word that
 * the command does not take.
 */
function lengthOf(rest: string): number {
  let at = words.exec(rest)?.[0].length ?? 0
  let operands = /^(transfer|wallet approvals|action list|doctor|demo)/.test(rest) ? 0 : 1
  let value = false
  if (rest[at] !== ' ') return at
  for (const [piece, word] of rest.slice(at).matchAll(/ +((?:'[^']*'|\\.|[^\s'\\])+)/g)) {
    const bare = word!.replace(/[.,;:)]+$/, '')
    if (/^[([]/.test(word!) || bare === '') break
    if (bare.startsWith('--')) value = !booleanFlags.test(bare) && !bare.includes('=') && bare !== '--'
    else if (value) value = false
    else if (operands-- <= 0) break
    at += piece.length - (word!.length - bare.length)
    if (bare !== word) break
  }
  return at
}

/** Adds the target flags to the command in `next`, if the value has one. */
export function withNext<value>(value: value, argv: readonly string[]): value {
  const { next } = Object(value) as { next?: unknown }
  return typeof next === 'string' && argv.length > 0 ? { ...value, next: withSameTarget(next, argv) } : value
}

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

/**
 * The next step as a command to paste: with the id of the operation, and without --yes at a terminal,
 * where the person is asked.
 */
export function nextStep(
  { code, hint, details }: AppError,
  argv: readonly string[],
  { canAsk }: Pick<Io, 'canAsk'>,
): string | undefined {
  const id = details?.operation ?? details?.id
  const full = typeof id === 'string' && id !== '' ? hint?.replace(/\bID$/, shellOperand(id)) : hint
  const asked =
    !canAsk || ['--yes', '-y', '--no-input'].some((flag) => argv.includes(flag))
      ? full
      : full?.replaceAll(/(sluice action (?:revoke|replan|cancel|abandon) [\w.:-]+) --yes\b/g, '$1')
  // Do not repeat a signer or a profile that was the fault.
  const isSigner = [code, details?.cause].every((one) => !isOfSigner(one))
  const isProfile = details?.profile === undefined
  return asked === undefined ? undefined : withSameTarget(asked, argv, { isSigner, isProfile })
}

/** Whether a failure is about the signer. */
const isOfSigner = (code: unknown): boolean =>
  typeof code === 'string' &&
  Object.hasOwn(errorTable, code) &&
  errorRow(code as AppError['code']).exit === 13
