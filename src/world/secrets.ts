/** What the environment held in confidence: read before anything else was imported, and taken out of it. */
export type Secrets = {
  privateKey: string | undefined
  password: string | undefined
  apiKey: string | undefined
}
