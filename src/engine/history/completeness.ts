import { type Chain, read } from '../../chain/chain.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Market } from '../../protocols/market.ts'
import { ray } from '../../protocols/shared/rates.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { isIncoming, maxParallelReads, type OwnerEvent } from './owner-events.ts'
import { isNodeExhausted, pastUnavailable, readAtBlock } from './past-value.ts'

/** The least and the most that something moved, in units that do not grow. */
type UnitRange = { min: bigint; max: bigint }

/**
 * Whether what happened is all there was: what it moved is what is held, in units that do not grow; `null` is not known. Where
 * the contract may have rounded in several ways, each event may be off by two. Where neither a log nor the market tells units, something
 * must have come at least.
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

/** What each event moved; `undefined` where that is not told. */
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

/** What may be off by as much: a balance is rounded before and after, and what is taken of it by another unit. */
const withTolerance = (units: bigint, off = 3n): UnitRange => ({ min: units - off, max: units + off })

/** So many events are asked about: anybody may make more, by putting a little in for somebody else. */
const maxEventsRead = 200

/**
 * Between which a unit was when each event happened: what the market said in its block, or else from its beginning until now. Of very many events
 * the largest are asked about, as that is where it matters.
 */
async function unitValuesAt(
  store: EngineStore,
  chain: Chain,
  { grown, entry }: Market,
  moving: readonly OwnerEvent[],
): Promise<{ from: bigint; to: bigint }[] | undefined> {
  if (!grown) return undefined
  const name = `grown ${entry.receipt.address.toLowerCase()}`
  const asked = [...new Map(largestEvents(moving).map((event) => [event.blockHash, event])).values()]
  const said = new Map<Hex, bigint>()
  const ask = async (events: readonly OwnerEvent[]) => {
    const each = events.map((event) => readAtBlock(store, chain, event, { name, reading: grown }))
    for (const [at, unit] of (await Promise.all(each)).entries()) said.set(events[at]!.blockHash, unit)
  }
  try {
    // A node that has the oldest state has all of them, and one that does not is asked no more.
    await ask(asked.slice(0, 1))
    for (let at = 1; at < asked.length; at += maxParallelReads)
      await ask(asked.slice(at, at + maxParallelReads))
  } catch (error) {
    // One that is asked too much answers no more for a while.
    if (!(error instanceof AppError && error.code === 'HISTORY_UNREAD')) throw error
  }
  const isAll = moving.every(({ blockHash }) => said.has(blockHash))
  const now = isAll
    ? ray
    : await read(chain, grown).catch((error: unknown) => {
        throw isNodeExhausted(error) ? pastUnavailable(chain, error) : error
      })
  return now === undefined
    ? undefined
    : moving.map(({ blockHash }) => {
        const unit = said.get(blockHash)
        return unit === undefined ? { from: ray, to: now } : { from: unit, to: unit }
      })
}

/** The events that moved the most, oldest first. */
function largestEvents(moving: readonly OwnerEvent[]): readonly OwnerEvent[] {
  if (moving.length <= maxEventsRead) return moving
  const bySize = moving.toSorted((one, other) => Number(other.amount - one.amount))
  const chosen = new Set(bySize.slice(0, maxEventsRead))
  return moving.filter((event) => chosen.has(event))
}
