import { AppError } from '../../domain/errors.ts'
import { globalOptions } from './global-options.ts'

const takesValue = new Set(
  globalOptions.filter(([flags]) => flags.includes('<')).map(([flags]) => flags.split(' ')[0]!),
)

/** The command that a line names, before anything is parsed. */
export function operands(argv: readonly string[]): { name?: string; sub?: string } {
  const words: string[] = []
  for (let at = 0; at < argv.length && words.length < 2; at++) {
    const word = argv[at]!
    if (takesValue.has(word)) at++
    else if (!word.startsWith('-')) words.push(word)
  }
  return {
    ...(words[0] !== undefined && { name: words[0] }),
    ...(words[1] !== undefined && { sub: words[1] }),
  }
}

/** Rewrites `help GROUP COMMAND` as `GROUP COMMAND --help`; any other line stays the same. */
export function helpAsFlag(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('help')
  const words = argv.filter((word) => !word.startsWith('-'))
  return operands(argv).name === 'help' && words.length > 2 ? [...argv.toSpliced(at, 1), '--help'] : argv
}

/** Flags that were renamed, by their former names, which scripts may still use. */
const renamedFlags = new Map([['--max-assurance-loss', '--min-assurance']])

/** The command line with the current names of renamed flags. */
export function withCurrentFlags(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return argv.map((word, at) => {
    const [name = '', ...value] = word.split('=')
    const renamed = end >= 0 && at > end ? undefined : renamedFlags.get(name)
    return renamed === undefined ? word : [renamed, ...value].join('=')
  })
}

const isKey = (word: string) => /^(0x)?[0-9a-fA-F]{64}$/.test(word)

/** The commands whose arguments can be hashes or ids of 32 bytes. The values of options cannot, except those of `hashOptions`. */
const takesHashes = new Set(['action', 'swap'])

/** The options whose values are hashes of Bitcoin transactions, by their commands. */
const hashOptions: Readonly<Record<string, string>> = { swap: '--btc-tx', sandbox: '--replace' }

/**
 * Refuses a command line with a possible private key before anything else reads it: other users see it
 * in the process list, and the shell saves it. The key is never repeated.
 */
export function refuseKeys(argv: readonly string[], command: string | undefined): void {
  const found = argv.some((word, at) => {
    const hash = hashOptions[command ?? '']
    if (hash !== undefined && (argv[at - 1] === hash || word.startsWith(`${hash}=`))) return false
    if (word.startsWith('-')) return isKey(word.slice(word.indexOf('=') + 1))
    const isOfOption = /^--(?!(json|yes|quiet|debug|watch|dry-run|no-[a-z]+)$)/.test(argv[at - 1] ?? '')
    return isKey(word) && (isOfOption || !takesHashes.has(command ?? ''))
  })
  if (found)
    throw new AppError(
      'INSECURE_KEY_SOURCE',
      'A private key is not accepted as an argument: other users of this machine can see it in the process list',
    )
}
