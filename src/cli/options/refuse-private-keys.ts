import { AppError } from '../../domain/errors.ts'

const isKey = (word: string) => /^(0x)?[0-9a-fA-F]{64}$/.test(word)

/** The commands whose arguments can be hashes or ids of 32 bytes. The values of options cannot, except those of `hashOptions`. */
const takesHashes = new Set(['action', 'swap', 'decode'])

/** The options whose values are hashes of Bitcoin transactions, by their commands. */
const hashOptions: Readonly<Record<string, string>> = { swap: '--btc-tx', sandbox: '--replace' }

/**
 * Refuses a command line with a possible private key before anything else reads it: other users see it
 * in the process list, and the shell saves it. The key is never repeated.
 */
export function refusePrivateKeys(argv: readonly string[], command: string | undefined): void {
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
