import type { CommandLine } from '../../domain/command-line/read-command-line.ts'
import { AppError } from '../../domain/errors.ts'

const isKey = (word: string) => /^(0x)?[0-9a-fA-F]{64}$/.test(word)

/** The commands whose operands can be hashes or ids of 32 bytes. */
const takesHashes = new Set(['action', 'swap', 'decode'])

/**
 * Refuses a command line with a possible private key before anything else reads it: other users see it
 * in the process list, and the shell saves it. The key is never repeated.
 */
export function refusePrivateKeys({ command, operands, flags, unread }: CommandLine): void {
  const values = flags.flatMap(({ flag, value }) => (flag.placeholder === 'hash' ? [] : [value]))
  const words = takesHashes.has(command.split(' ')[0]!) ? [] : operands
  const others = unread.map((word) => (word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word))
  if ([...values, ...words, ...others].some((word) => word !== true && isKey(word)))
    throw new AppError(
      'INSECURE_KEY_SOURCE',
      'A private key is not accepted as an argument: other users of this machine can see it in the process list',
    )
}
