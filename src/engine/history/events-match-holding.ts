import { ask } from '../../chain/ask.ts'
import type { Chain } from '../../chain/network-client.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import { ray } from '../../protocols/shared/rate-units.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { isIncoming, maxParallelReads, type OwnerEvent } from './owner-events.ts'
import { isNodeExhausted, pastUnavailable, readAtBlock } from './past-value.ts'

/** The minimum and maximum of a movement, in units that do not grow. */
type UnitRange = { min: bigint; max: bigint }

/**
 * Whether the events account for the whole position: the sum of their movements equals the held `units`, which do not grow; `null` is
 * unknown. If the contract may round in several ways, each event may be off by two. If neither logs nor market state units, the history
 * needs at least one incoming event.
 */
export async function isCompleteHistory(
  store: EngineStore,
  chain: Chain,
  market: Market,
  events: readonly OwnerEvent[],
  units: bigint | null,
): Promise<boolean> {
  const moving = events.filter(({ type }) => type !== 'claim')
  const moved = units === null ? undefined : await unitsMoved(store, chain, market, moving)
  if (units === null || !moved) return moving.some(isIncoming)
  const sum = (came: (one: UnitRange) => bigint, went: (one: UnitRange) => bigint) =>
    moving.reduce(
      (total, event, at) => total + (isIncoming(event) ? came(moved[at]!) : -went(moved[at]!)),
      0n,
    )
  const least = sum(
    (one) => one.min,
    (one) => one.max,
  )
  const most = sum(
    (one) => one.max,
    (one) => one.min,
  )
  return least <= units && units <= most
}

/** The movement of each event; `undefined` if it is unknown. */
async function unitsMoved(
  store: EngineStore,
  chain: Chain,
  market: Market,
  moving: readonly OwnerEvent[],
): Promise<UnitRange[] | undefined> {
  if (moving.every(({ shares }) => shares.length > 0))
    return moving.map(({ shares }) => withTolerance(shares[0]!, shares.length > 1 ? 2n : 0n))
  const grown = await unitValuesAt(store, chain, market, moving)
  return grown?.map(({ from, to }, at) => {
    const { amount } = moving[at]!
    return { min: withTolerance((amount * ray) / to).min, max: withTolerance((amount * ray) / from).max }
  })
}

/** The tolerance of a movement: a balance is rounded before and after, and its difference by another unit. */
const withTolerance = (units: bigint, off = 3n): UnitRange => ({ min: units - off, max: units + off })

/** The maximum number of events read: anyone may create more by depositing small amounts for another wallet. */
const maxEventsRead = 200

/**
 * The range of the unit value at each event: as stated in its block, or else from its initial value to now. Of very many events the largest
 * are read, because they matter most.
 */
async function unitValuesAt(
  store: EngineStore,
  chain: Chain,
  { grown, entry }: Market,
  moving: readonly OwnerEvent[],
): Promise<{ from: bigint; to: bigint }[] | undefined> {
  if (!grown) return undefined
  const name = `grown ${entry.receipt.address.toLowerCase()}`
  const sampled = [...new Map(largestEvents(moving).map((event) => [event.blockHash, event])).values()]
  const values = new Map<Hex, bigint>()
  const sample = async (events: readonly OwnerEvent[]) => {
    const each = events.map((event) => readAtBlock(store, chain, event, { name, reading: grown }))
    for (const [at, unit] of (await Promise.all(each)).entries()) values.set(events[at]!.blockHash, unit)
  }
  try {
    // A node with the oldest state has all of them; a node without it is not asked again.
    await sample(sampled.slice(0, 1))
    for (let at = 1; at < sampled.length; at += maxParallelReads)
      await sample(sampled.slice(at, at + maxParallelReads))
  } catch (error) {
    // A node that is asked too much stops answering for a while.
    if (!(error instanceof AppError && error.code === 'HISTORY_UNREAD')) throw error
  }
  const isAll = moving.every(({ blockHash }) => values.has(blockHash))
  const now = isAll
    ? ray
    : await ask(chain, grown).catch((error: unknown) => {
        throw isNodeExhausted(error) ? pastUnavailable(chain, error) : error
      })
  return now === undefined
    ? undefined
    : moving.map(({ blockHash }) => {
        const unit = values.get(blockHash)
        return unit === undefined ? { from: ray, to: now } : { from: unit, to: unit }
      })
}

/** The events with the largest amounts, oldest first. */
function largestEvents(moving: readonly OwnerEvent[]): readonly OwnerEvent[] {
  if (moving.length <= maxEventsRead) return moving
  const bySize = moving.toSorted((one, other) => Number(other.amount - one.amount))
  const chosen = new Set(bySize.slice(0, maxEventsRead))
  return moving.filter((event) => chosen.has(event))
}
