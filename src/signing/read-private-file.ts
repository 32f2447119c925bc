import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { listFileCommand, shellPath } from '../domain/text/shell-quoting.ts'
import { type OwnedFileFault, readOwnedFile } from '../store/read-owned-file.ts'
import { parsePrivateKey } from './keystore/private-key.ts'

function refused(path: string, fault: OwnedFileFault): AppError {
  const because = (why: string, hint: string, cause?: unknown) =>
    new AppError('KEY_SOURCE', `${path} is not used as a key: ${why}`, { cause, hint })
  const another = 'Use a file that contains only the secret.'
  switch (fault.is) {
    case 'foreign':
      return because('it belongs to another user', 'Use a file of your own that other users cannot read.')
    case 'shared':
      return because(
        `others can read it (mode ${fault.mode}, and 600 is needed)`,
        `Make it readable only by you: chmod 600 ${shellPath(path)}`,
      )
    case 'special':
      return because('it is not a file', another)
    case 'too-large':
      return because('it is too large', another)
    case 'unreadable':
      return because(
        'it cannot be read',
        'Check the permissions of the file and of every directory above it.',
        fault.cause,
      )
  }
}

/**
 * Reads a secret from a small file that belongs to the user and that nobody else can read; a link must belong to the user too.
 * KEY_SOURCE otherwise.
 */
export function readPrivateFile(path: string, maxBytes = 4_096): string {
  const text = readOwnedFile(path, {
    forbiddenMode: 0o077,
    maxBytes,
    refused: (fault) => refused(path, fault),
  })
  if (text !== undefined) return text
  throw new AppError('KEY_SOURCE', `${path} is not used as a key: it does not exist`, {
    hint: listFileCommand(path),
  })
}

/** The private key in a file that contains only 32 bytes in hex. */
export const readKeyFile = (path: string): Hex => parsePrivateKey(readPrivateFile(path))

/** The password in a file, without the line break at its end. */
export const readPasswordFile = (path: string): string => readPrivateFile(path).replace(/\r?\n$/, '')
