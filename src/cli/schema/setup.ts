import { z } from 'zod'
import { AddressText, Amount, amountOn, fields, listOf, maybe, Time } from './common.ts'

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

const keystore = { name: z.string(), address: maybe(AddressText) }

/** A keystore that was made or imported. */
export const KeystoreDocument = fields(keystore)

/** `wallet list` */
export const KeystoreList = listOf(fields({ ...keystore, default: z.boolean() }))

/** `wallet remember` and `wallet forget`: whether the keychain has the password of a keystore. */
export const RememberedDocument = fields({
  name: z.string(),
  address: maybe(AddressText).optional(),
  remembered: z.boolean(),
})

/** `wallet use` */
export const DefaultWallet = fields({ default: maybe(z.string()) })

/** `wallet export`: an encrypted keystore of version 3. */
export const KeystoreFile = z.looseObject({ version: z.literal(3), crypto: z.looseObject({}) })

/** `wallet approvals list` */
export const ApprovalList = listOf(
  fields({
    network: z.string(),
    chainId: z.int(),
    token: AddressText,
    spender: AddressText,
    name: maybe(z.string()),
    amount: Amount,
    unlimited: z.boolean(),
  }),
)

const Fault = fields({
  kind: z.string(),
  network: maybe(z.string()),
  method: maybe(z.string()),
  times: maybe(z.int()),
  amount: maybe(z.int()),
  at: maybe(z.string()),
  reason: maybe(z.string()),
  text: z.string(),
})

/** `sandbox fault`: the fault that was set, or the list of those that are. */
export const FaultDocument = z.union([Fault, listOf(Fault)])

/** `sandbox up`, `down`, `status`, `reset` and `warp` */
export const SandboxDocument = fields({
  running: z.boolean(),
  pid: maybe(z.int()),
  chains: z.array(
    fields({ network: z.string(), chainId: z.int(), rpcUrl: z.string(), blockNumber: z.int() }),
  ),
  accounts: z.array(fields({ address: AddressText, default: z.boolean() })),
  tokens: z.array(
    fields({ network: z.string(), symbol: z.string(), address: AddressText, decimals: z.int() }),
  ),
  faults: z.array(Fault).optional(),
  aheadMs: z.int().optional().describe('how far the fault stale-quote sets the clock of the service ahead'),
  outdated: z.literal(true).optional(),
})

/** `sandbox fund` */
export const FundDocument = fields({
  to: AddressText,
  grants: z.array(amountOn({ network: z.string(), address: AddressText })),
})

/** `help TOPIC` */
export const TopicDocument = fields({
  topic: z.string(),
  intro: z.string(),
  rows: z.array(fields({ name: z.string(), meaning: z.string() })),
  outro: maybe(z.string()),
})

/** `demo` */
export const DemoDocument = fields({
  ok: z.literal(true),
  seconds: z.number(),
  steps: z.array(
    fields({
      title: z.string(),
      command: z.string(),
      exit: z.int(),
      result: z.unknown(),
      verified: z.array(z.string()),
    }),
  ),
  balances: z.array(fields({ network: z.string(), before: Amount, change: Amount, after: Amount })),
})
