import type { JournalEvent } from '../store/journal/operation-types.ts'

/** When a step was signed, sent, seen in a block and final, as the journal recorded it, in ISO 8601; `null` if it is not. */
export type StepTimes = {
  signedAt: string | null
  sentAt: string | null
  minedAt: string | null
  finalAt: string | null
}

const isoTime = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString()

const isEnd = ({ becomes }: Pick<JournalEvent, 'becomes'>): boolean =>
  becomes.startsWith('FINAL_') || becomes === 'CANCELLED'

/** The times of a step from the events of its operation. A block that a reorganisation removed does not count. */
export function stepTimes(
  events: readonly Pick<JournalEvent, 'index' | 'becomes' | 'at'>[],
  index: number,
): StepTimes {
  const own = events.filter((one) => one.index === index)
  const first = (state: string) => own.find(({ becomes }) => becomes === state)?.at
  // Since it was last in the pool.
  const now = own.slice(own.findLastIndex(({ becomes }) => ['SIGNED', 'BROADCAST'].includes(becomes)) + 1)
  const end = now.findLast(isEnd)
  return {
    signedAt: isoTime(first('SIGNED')),
    sentAt: isoTime(first('BROADCAST')),
    minedAt: isoTime((now.find(({ becomes }) => becomes === 'INCLUDED') ?? end)?.at),
    finalAt: isoTime(end?.at),
  }
}
