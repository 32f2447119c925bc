import type { OperatorFees } from '../api/customer-and-fees.ts'
import type { Service } from '../api/service-type.ts'
import type { eventRoutes } from '../api/webhooks.ts'
import { AppError } from '../domain/errors.ts'
import { advice, sameWith } from '../domain/text/next-step.ts'

/** The options of serving: `database` is a SQLite file or the URL of a PostgreSQL database without a password; TLS files are read at the start. */
export type ServeOptions = {
  host: string
  port: number
  database?: string
  tls?: { cert: string; key: string }
  behindProxy: boolean
  /** How long the server still answers after it was told to stop, while /readyz says so; 0 if left out. */
  drainMs?: number
  /** Whether webhooks may go to this machine, also over HTTP. */
  allowHttp: boolean
  /** Makes a key of this customer for the page, which ends with the server; an empty name chooses the only customer that has a key. */
  pageOf?: string
}

/** The result of `serve --check`. */
type ServeCheck = {
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

/** The API keys of a served deployment. Fields that are left out keep their values. */
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

/** The same with the newest changes of all settings: `by` is the id of a key, or `operator`; without a customer it is the operator's own. */
export type OperatorDocument = OperatorFees & {
  changes: {
    at: string
    by: string
    customer: string | null
    name: string
    was: string | null
    value: string
  }[]
}

/** The operator's fees. Fields that are left out keep their values; a collector of `null` removes it. */
export type Operator = {
  show: () => Promise<OperatorDocument>
  set: (change: Partial<OperatorFees>) => Promise<OperatorDocument>
}

/** The administration of a served deployment. */
export type Serving = {
  serve: (options: ServeOptions) => Promise<{
    url: string
    database: string
    /** `dir` is where its file belongs. */
    page?: { customer: string; key: string; dir: string }
    close: () => Promise<void>
  }>
  check: (options: Pick<ServeOptions, 'database'>) => Promise<ServeCheck>
  keys: (database: string | undefined) => Promise<ApiKeys>
  /** The events and webhooks of a customer, in the database of a server: without `customer`, of the only one that has a key. */
  events: (where: {
    database: string | undefined
    customer: string | undefined
    allowHttp: boolean
  }) => Promise<Pick<Service, keyof typeof eventRoutes>>
  /** Without `database`, the profile's own; its settings also apply to the profile's own engine. */
  operator: (database: string | undefined) => Promise<Operator>
}

/** The profiles that serve on this machine. */
export const onThisMachine = advice`On the sandbox: ${sameWith({ '--profile': 'sandbox' })}. On an engine of this machine: ${sameWith({ '--profile': 'engine' })}`

/** The serving of the profile in use; USAGE for a remote one. */
export function servingOf({
  backend,
}: {
  backend: { serving: Serving | undefined; profile: string }
}): Serving {
  if (backend.serving) return backend.serving
  throw new AppError(
    'USAGE',
    `The profile ${backend.profile} is a remote service; administer it on its own machine`,
    {
      next: onThisMachine,
    },
  )
}
