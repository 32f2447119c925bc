import { shellPath, shellWord } from '../domain/shell.ts'
import type { SignerChoice } from '../wallet/keys/who.ts'

/**
 * The flags that name the same signer on another command line, to be pasted. The URL of a signer stands there only where it is a host
 * and nothing more: a user, a path or a query of it may be a secret.
 */
export function namedAgain({ wallet, keyFile, passwordFile, ledger, signerUrl }: SignerChoice): string {
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
