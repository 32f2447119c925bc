import { z } from 'zod'
import { fields, listOf, maybe, Time } from './common.ts'

const Networks = z.array(fields({ network: z.string(), chainId: z.int(), blockNumber: z.int() }))

/** `serve`: its address; with `--check`, the results of the checks. */
export const ServeDocument = z.union([
  fields({ url: z.string(), profile: z.string(), database: z.string(), pid: z.int() }),
  fields({ database: z.string(), keys: z.int(), strategies: z.int(), networks: Networks }),
])

const key = {
  id: z.string(),
  customer: z.string(),
  testnet: z.boolean(),
  markupBps: z.int(),
  createdAt: Time,
}

/** `keys create`: the key is shown this once. */
export const NewKeyDocument = fields({ ...key, key: z.string() })

/** A key without the key itself. */
export const KeyDocument = fields({ ...key, revokedAt: maybe(Time) })

const Checks = z.array(
  fields({
    check: z.string(),
    subject: maybe(z.string()),
    state: z.enum(['ok', 'warning', 'failed']),
    says: z.string(),
    code: maybe(z.string()),
    hint: maybe(z.string()),
    details: z.record(z.string(), z.unknown()),
  }),
)

/** `doctor`, when all is well; otherwise the failure has the same `checks` in its details. */
export const DoctorDocument = fields({ ok: z.literal(true), checks: Checks })

const kind = z.enum(['sandbox', 'engine', 'remote'])

/** A profile: whether it has a key, and never the key. */
export const ProfileDocument = fields({
  name: z.string(),
  kind,
  current: z.boolean(),
  baseUrl: maybe(z.string()),
  legacyBaseUrl: maybe(z.string()),
  pricesUrl: maybe(z.string()),
  hasApiKey: z.boolean(),
  secretsIn: maybe(z.enum(['file', 'keychain'])),
  networks: z.array(z.string()),
})

/** `init`: the profile that was kept, or that it is the sandbox, and the line of a script that does the same. */
export const InitDocument = z.union([
  fields({
    profile: ProfileDocument,
    checks: Checks,
    command: z.string(),
    environment: z.array(z.string()),
  }),
  fields({ profile: z.literal('sandbox'), command: z.string() }),
])

/** `profile use` */
export const ProfileInUse = fields({ profile: z.string(), kind })

/** `profile remove` and `wallet remove` */
export const Removed = fields({ removed: z.string() })

/** `config list`; `origin` with `--show-origin`. */
export const ConfigDocument = listOf(
  fields({ name: z.string(), value: z.string(), origin: z.string().optional() }),
)

/** `completion` */
export const CompletionDocument = fields({ shell: z.string(), script: z.string() })

/** `help TOPIC` */
export const TopicDocument = fields({
  topic: z.string(),
  intro: z.string(),
  rows: z.array(fields({ name: z.string(), meaning: z.string() })),
  outro: maybe(z.string()),
})
