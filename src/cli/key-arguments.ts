import { AppError } from '../domain/errors.ts'

const isKey = (word: string) => /^(0x)?[0-9a-fA-F]{64}$/.test(word)

/** The commands whose arguments may be hashes or ids of 32 bytes; the values of their options may not, but of the one that is a hash. */
const takesHashes = new Set(['action', 'swap'])
const hashOption = '--btc-tx'

/**
 * Refuses a command line that holds what can be a private key, before anything else looks at it: other users see it in
 * the list of processes, and the shell remembers it. It is never repeated.
 */
export function refuseKeys(argv: readonly string[], command: string | undefined): void {
  const found = argv.some((word, at) => {
    if (command === 'swap' && (argv[at - 1] === hashOption || word.startsWith(`${hashOption}=`))) return false
    if (word.startsWith('-')) return isKey(word.slice(word.indexOf('=') + 1))
    const isOfOption = /^--(?!(json|yes|quiet|debug|watch|dry-run|no-[a-z]+)$)/.test(argv[at - 1] ?? '')
    return isKey(word) && (isOfOption || !takesHashes.has(command ?? ''))
  })
  if (found)
    throw new AppError(
      'INSECURE_KEY_SOURCE',
      'A private key is not accepted as an argument: other users of this machine can read it there',
    )
}
