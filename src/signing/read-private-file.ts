import { accessSync, constants } from 'node:fs'
import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { withoutLineEnd } from '../domain/text/decode-text.ts'
import { listFileCommand, shellPath } from '../domain/text/shell-quoting.ts'
import { type OwnedFileFault, readOwnedFile } from '../store/read-owned-file.ts'
import { parsePrivateKey } from './keystore/private-key.ts'

/** Whether `chmod` can help: the file is neither on a read-only mount nor of another owner. */
function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function refused(path: string, fault: OwnedFileFault): AppError {
  const because = (why: string, hint: string, cause?: unknown) =>
    new AppError('KEY_SOURCE', `${path} is not used as a key: ${why}`, { cause, next: hint })
  const another = 'Use a file that contains only the secret.'
  switch (fault.is) {
    case 'foreign':
      return because('it belongs to another user', 'Use a file of your own that other users cannot read.')
    case 'shared':
      return because(
        `others can read it (mode ${fault.mode}, and 600 is needed)`,
        canWrite(path)
          ? `Make it readable only by you: chmod 600 ${shellPath(path)}`
          : 'Mount it with mode 0400 or 0440. Kubernetes: defaultMode: 0440, and fsGroup for a user that is not root. Docker Compose: mode: 0440 and gid.',
      )
    case 'not-text':
      return because(fault.why, another)
    case 'special':
      return because('it is not a file or pipe', another)
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
 * Reads a secret from a small file, or pipe, of the user or of root that nobody else can read. KEY_SOURCE otherwise.
 */
export function readPrivateFile(path: string, maxBytes = 4_096): string {
  const text = readOwnedFile(path, {
    forbiddenMode: 0o077,
    maxBytes,
    refused: (fault) => refused(path, fault),
  })
  if (text !== undefined) return text
  throw new AppError('KEY_SOURCE', `${path} is not used as a key: it does not exist`, {
    next: listFileCommand(path),
  })
}

/** The private key in a file that contains only 32 bytes in hex. */
export const readKeyFile = (path: string): Hex => parsePrivateKey(readPrivateFile(path), path)

/** The password in a file, or in standard input for `-`, without the line end. */
export const readPassword = async (path: string, stdin: () => Promise<string>): Promise<string> =>
  withoutLineEnd(path === '-' ? await stdin() : readPrivateFile(path))
