import { AppError } from '../domain/errors.ts'

/**
 * The secrets of the environment: read before anything else is imported, and removed from it. Only the
 * signer has the private key.
 */
export type Secrets = {
  hasPrivateKey: boolean
  password: string | undefined
  apiKey: string | undefined
  /** The URL of a remote signer; a token in it is a secret. */
  signerUrl?: string | undefined
  /** The URL of the database of `serve`; a password in it is a secret. */
  databaseUrl?: string | undefined
  /** The keys of public services, by variable: `SLUICE_<NAME>_KEY`. */
  serviceKeys?: Readonly<Record<string, string>> | undefined
  /** The headers for the RPCs of a network, by variable: `SLUICE_RPC_<NETWORK>_HEADERS`. */
  rpcHeaders?: Readonly<Record<string, string>> | undefined
}

/**
 * KEY_SOURCE for a secret of the environment that was not text: its invalid bytes became the replacement character, and a secret must never be read as
 * other characters than its owner sees. The value is not repeated.
 */
export function refuseUndecodable(secrets: Omit<Secrets, 'privateKey'>): void {
  const values: Readonly<Record<string, string | undefined>> = {
    SLUICE_PASSWORD: secrets.password,
    SLUICE_API_KEY: secrets.apiKey,
    SLUICE_SIGNER_URL: secrets.signerUrl,
    SLUICE_DATABASE_URL: secrets.databaseUrl,
    ...secrets.serviceKeys,
    ...secrets.rpcHeaders,
  }
  const wrong = Object.entries(values).find(([, value]) => value?.includes('\ufffd'))
  if (!wrong) return
  throw new AppError('KEY_SOURCE', `${wrong[0]} is not valid UTF-8 text`, {
    details: { variable: wrong[0] },
    next: `Set ${wrong[0]} again, as UTF-8.`,
  })
}
