import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'

/** What contracts answer, by function; `asset.` before the name is for the asset alone. A function computes the answer from the read. */
export type Answers = Readonly<Record<string, unknown>>

/** The states in which a contract can refuse a deposit of ten or a withdrawal of ten; in `full` and `illiquid` there is room for five. */
export const stateNames = ['paused', 'closed', 'full', 'illiquid'] as const

/** The answers of a market in one of these states, or why it has no such state. */
type InState = Answers | string

/** A market of the catalogue, what its contracts answer while everything is open, and what they answer otherwise. */
export type RoomLaw = {
  isMeant?: (entry: StrategyEntry) => boolean
  open: (units: bigint, entry: StrategyEntry) => Answers
  states: Record<(typeof stateNames)[number], (units: bigint) => InState>
  /** Other ways into one of the states. */
  more?: readonly { state: (typeof stateNames)[number]; how: string; say: (units: bigint) => Answers }[]
}

/** One, as contracts scale it. */
export const [wad, ray] = [10n ** 18n, 10n ** 27n]
/** More than enough whole units. */
export const lots = 10n ** 6n
/** A state that a market does not have, with the reason. */
export const none = (why: string) => () => why
/** A rate per second, in rays. */
export const rate = ray + 10n ** 18n
