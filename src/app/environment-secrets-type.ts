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
  /** The keys of public services, by variable: `SLUICE_<NAME>_KEY`. */
  serviceKeys?: Readonly<Record<string, string>> | undefined
  /** The headers for the RPCs of a network, by variable: `SLUICE_RPC_<NETWORK>_HEADERS`. */
  rpcHeaders?: Readonly<Record<string, string>> | undefined
}
