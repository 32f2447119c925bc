/** What the environment held in confidence: read before anything else was imported, and taken out of it. The private key itself is only at the signer. */
export type Secrets = {
  hasPrivateKey: boolean
  password: string | undefined
  apiKey: string | undefined
  /** Where a signer elsewhere is: who has a token in its URL has the signer. */
  signerUrl?: string | undefined
}
