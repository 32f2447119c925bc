import type { EventRow } from '../store/events/event-queries.ts'

/** An event as it is sent and polled. A thin one has no `data`. */
export type EventDocument = {
  id: string
  type: string
  timestamp: string
  subject: string
  seq: number
  test: boolean
  data?: Record<string, unknown>
}

/** The document of an event. It depends on the event alone, so it is the same at each attempt. */
export const eventDocument = (row: EventRow, payload: 'thin' | 'full'): EventDocument => ({
  id: row.id,
  type: row.type,
  timestamp: new Date(Number(row.at)).toISOString(),
  subject: row.subject,
  seq: Number(row.seq),
  test: Number(row.test) === 1,
  ...(payload === 'full' && { data: JSON.parse(row.data) as Record<string, unknown> }),
})
