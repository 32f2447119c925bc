import { z } from 'zod'
import { EvmAddress } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed, networkOfSlug } from '../domain/networks.ts'
import type { Catalog, StrategyEntry } from '../protocols/catalog-types.ts'
import type { Intent, ServiceFee } from '../protocols/intent.ts'
import { feesOf, mostFees } from '../protocols/service-fees-of-intent.ts'
import type { IntentJson } from './stored-plan.ts'

/** An intent as JSON for the journal: amounts as text, a strategy by its slug. */
export function encodeIntent(intent: Intent): IntentJson {
  const flat = 'strategy' in intent ? { ...intent, strategy: intent.strategy.slug } : intent
  const fees = feesOf(intent)
  return { ...worded(flat), ...(fees.length > 0 && { fees: fees.map(worded) }) } as IntentJson
}

const worded = (flat: object) =>
  Object.fromEntries(
    Object.entries(flat).map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]),
  )

const Fees = z
  .array(
    z.strictObject({ to: EvmAddress, amount: Units, of: Units, isInside: z.literal(true).exactOptional() }),
  )
  .min(1)
  .max(mostFees)

/** Decodes fees, including the single one of an older version; throws if malformed. */
function decodeFees({ fee, fees = fee === undefined ? undefined : [fee] }: IntentJson): {
  fees?: readonly ServiceFee[]
} {
  if (fees === undefined) return {}
  const read = Fees.safeParse(fees)
  if (read.success) return { fees: read.data }
  throw new AppError('POLICY_TAMPER', 'The fee of this action cannot be read')
}

/** Decodes an intent of the journal, with its strategy from the catalogue. */
export function decodeIntent(json: IntentJson, catalog: Catalog): Intent {
  const amounts = Object.fromEntries(
    ['amount', 'shares', 'units', 'least', 'amountIn', 'amountOut'].flatMap((name) =>
      typeof json[name] === 'string' ? [[name, BigInt(json[name])]] : [],
    ),
  )
  const strategy = typeof json.strategy === 'string' ? { strategy: entryOf(catalog, json.strategy) } : {}
  const { fee: _, ...rest } = json
  return { ...rest, ...amounts, ...strategy, ...decodeFees(json) } as unknown as Intent
}

function entryOf({ strategies, networks }: Catalog, slug: string): StrategyEntry {
  const found = strategies.find((entry) => entry.slug === slug)
  if (found) return found
  const network = networkOfSlug(slug)
  // Throws if its network has no RPC, which explains why the strategy is missing.
  if (network) networkNamed(networks, network.chainId)
  throw new AppError(
    'STRATEGY_NOT_FOUND',
    `The strategy ${slug} of this action is no longer in the catalogue`,
  )
}
