import { describe, expect, test } from 'vitest'
import { eventReader, type StreamedEvent } from '../../src/http/event-stream.ts'

/** The events of a text that arrives in these parts. */
function eventsOf(...parts: string[]): StreamedEvent[] {
  const events: StreamedEvent[] = []
  const read = eventReader((event) => events.push(event))
  for (const part of parts) read(part)
  return events
}

describe('eventReader', () => {
  test.each([
    ['id: 1\nevent: a\ndata: {}\n\n', [{ id: '1', name: 'a' }]],
    ['id:1\r\nevent:a\r\ndata:{}\r\n\r\n', [{ id: '1', name: 'a' }]],
    ['id: 1\revent: a\rdata: {}\r\r:x', [{ id: '1', name: 'a' }]],
    [
      'data: one\ndata: two\n\ndata\n\n',
      [
        { id: undefined, name: 'message' },
        { id: undefined, name: 'message' },
      ],
    ],
    [': heartbeat\n\nretry: 3000\n\nid: 7\n\n', []],
    ['id: 1\0\ndata: {}\n\n', [{ id: undefined, name: 'message' }]],
    ['data: not ended', []],
  ])('reads %j', (text, events) => {
    expect(eventsOf(text)).toEqual(events)
    expect(eventsOf(...text)).toEqual(events)
  })

  test('refuses an event that has no end', () => {
    expect(() => eventsOf('data: ', 'x'.repeat(1_048_577))).toThrow('too long')
  })
})
