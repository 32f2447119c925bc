import { z } from 'zod'
import { AppError } from '../domain/errors.ts'

const common = { now: z.function().optional() }
const positive = z.number().positive().optional()
const url = z.string()

/** The parts of a catalogue that are used here. */
const backend = z.looseObject({ chainId: z.int().positive() })
const token = z.looseObject({ chainId: z.int(), address: z.string(), symbol: z.string(), decimals: z.int() })
const unit = z.looseObject({ symbol: z.string(), decimals: z.int() })
const catalog = z.looseObject({
  networks: z.array(
    backend.extend({ name: z.string(), native: unit, depth: z.int(), explorer: z.string().nullable() }),
  ),
  tokens: z.array(token),
  strategies: z.array(
    backend.extend({
      id: z.string(),
      slug: z.string(),
      asset: token,
      receipt: token,
      constants: z.looseObject({ family: z.string() }),
    }),
  ),
  swaps: z.record(z.string(), z.array(backend)),
  priceOracles: z.record(z.string(), z.string()),
  priceFeeds: z.array(backend),
  bitcoin: z.looseObject({ chain: z.enum(['main', 'test']), esplora: url }).optional(),
})

const options = {
  createEngine: z.strictObject({
    ...common,
    rpcs: z.record(z.string(), url.or(z.array(url).nonempty())),
    rpcHeaders: z.record(z.string(), z.record(z.string(), z.string())).optional(),
    store: z.string().nonempty().optional(),
    catalog: catalog.optional(),
    customer: z.string().nonempty().optional(),
    budgetMs: positive,
  }),
  createRemote: z.strictObject({
    ...common,
    baseUrl: url,
    apiKey: z.string().nonempty(),
    legacyBaseUrl: url.optional(),
    deadlineMs: positive,
  }),
}

/**
 * Refuses library options of the wrong type with CONFIG_INVALID; the usual case is an unset variable. Values are not
 * repeated, because they may be secrets.
 */
export function refuseOptions(name: keyof typeof options, given: unknown): void {
  const read = options[name].safeParse(given)
  if (read.success) return
  const issue = read.error.issues[0]!
  const [where] = issue.path
  const what =
    issue.code === 'unrecognized_keys'
      ? `has no option ${issue.keys.join(', ')}`
      : where === undefined
        ? 'takes an options object'
        : given !== null && (given as Record<PropertyKey, unknown>)[where] === undefined
          ? `needs ${String(where)}`
          : `has an invalid value for ${issue.path.map(String).join('.')}`
  throw new AppError('CONFIG_INVALID', `${name} ${what}`, {
    next: `Options: ${Object.keys(options[name].shape).join(', ')}`,
  })
}
