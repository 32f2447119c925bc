import { z } from 'zod'
import { Digest, fields, listOf, maybe } from './common.ts'
import { Level } from './plan.ts'

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
  database: maybe(z.string()),
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

/** `policy check` */
export const PolicyDocument = fields({
  planHash: Digest,
  policy: Digest,
  assurance: Level,
  rules: z.array(
    fields({
      rule: z.string(),
      wanted: z.string(),
      found: z.string(),
      met: z.boolean(),
      code: z.string(),
      hint: z.string().optional(),
    }),
  ),
})
