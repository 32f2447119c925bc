/** How the service is served: `database` is a SQLite file (the profile's own without it); TLS files are read when it begins. */
export type ServeOptions = {
  host: string
  port: number
  database?: string
  tls?: { cert: string; key: string }
  behindProxy: boolean
}

/** What a server stands on, as far as it was looked at. */
export type ServeCheck = {
  database: string
  keys: number
  strategies: number
  networks: { network: string; chainId: number; blockNumber: number }[]
}

/** An API key of the served deployment, without the key itself. Times are ISO 8601. */
export type ApiKey = {
  id: string
  customer: string
  testnet: boolean
  markupBps: number
  createdAt: string
  revokedAt: string | null
}

/** The keys of a served deployment. What is not said of a customer stays as it was. */
export type ApiKeys = {
  /** The key is in the answer, and nowhere else. */
  create: (wanted: {
    customer: string
    testnet: boolean
    markupBps?: number
    strategies?: readonly string[] | 'all'
  }) => Promise<Omit<ApiKey, 'revokedAt'> & { key: string }>
  list: () => Promise<ApiKey[]>
  revoke: (id: string) => Promise<ApiKey>
}

/** The administration of a served deployment. */
export type Serving = {
  serve: (options: ServeOptions) => Promise<{ url: string; database: string; close: () => Promise<void> }>
  check: (options: Pick<ServeOptions, 'database'>) => Promise<ServeCheck>
  keys: (database: string | undefined) => Promise<ApiKeys>
}
