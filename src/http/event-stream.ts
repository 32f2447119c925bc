import { AppError } from '../domain/errors.ts'
import { retryAfterMs } from './backoff.ts'
import { newDispatcher } from './dispatcher.ts'
import { programVersion } from './program-version.ts'

/** The content type of server-sent events. */
const eventStreamType = /^text\/event-stream\s*(;|$)/i

/** The longest event that is read, in characters. */
const longestEvent = 1_048_576

/** An event of a stream: its id, which a later stream goes on after, and its name. */
export type StreamedEvent = { id: string | undefined; name: string }

/**
 * How a stream ended: the server has none (`absent`), or it broke or was refused for now, with the wait that it asked for, in ms. `wasOpen`: whether
 * something of it was read.
 */
export type StreamEnd = { is: 'absent' } | { is: 'broken'; wasOpen: boolean; waitMs: number | undefined }

/** Returns a reader of the text format of server-sent events (HTML standard, 9.2.6): it calls `onEvent` for each event with data. */
export function eventReader(onEvent: (event: StreamedEvent) => void): (text: string) => void {
  let rest = ''
  let event: { id: string | undefined; name: string; hasData: boolean } | undefined
  const take = (line: string) => {
    if (line === '') {
      if (event?.hasData) onEvent({ id: event.id, name: event.name })
      event = undefined
      return
    }
    if (line.startsWith(':')) return
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!
    event ??= { id: undefined, name: 'message', hasData: false }
    if (field === 'id' && !value.includes('\0')) event.id = value
    if (field === 'event') event.name = value
    if (field === 'data') event.hasData = true
  }
  return (text) => {
    // A CR at the end may belong to the LF that follows it.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    if (rest.length > longestEvent) throw new Error('an event is too long')
    for (const line of lines) take(line)
  }
}

/**
 * Reads the server-sent events of a URL until the stream ends, is silent for `silenceMs`, or `signal` aborts it. It never throws. Redirects are not followed. `onBytes`
 * is called whenever something arrives, also a heartbeat.
 */
export async function readEventStream(
  url: string,
  {
    headers,
    silenceMs,
    signal,
    onBytes,
    onEvent,
  }: {
    headers: Readonly<Record<string, string>>
    silenceMs: number
    signal: AbortSignal
    onBytes: () => void
    onEvent: (event: StreamedEvent) => void
  },
): Promise<StreamEnd> {
  const dispatcher = newDispatcher()
  const silence = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), silenceMs)
  }
  let wasOpen = false
  try {
    const { origin, pathname, search } = new URL(url)
    heard()
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method: 'GET',
      headers: {
        accept: 'text/event-stream',
        'accept-encoding': 'identity',
        'user-agent': `sluice/${programVersion}`,
        ...headers,
      },
      bodyTimeout: 0,
      signal: AbortSignal.any([signal, silence.signal]),
    })
    const { statusCode: status } = answer
    const type = String(answer.headers['content-type'] ?? '')
    if (status !== 200 || !eventStreamType.test(type)) {
      await answer.body.dump({ limit: 65_536 })
      const waitMs = retryAfterMs(String(answer.headers['retry-after'] ?? ''), Date.now())
      const isPassing = status >= 500 ? status !== 501 : [408, 425, 429].includes(status)
      return isPassing ? { is: 'broken', wasOpen, waitMs } : { is: 'absent' }
    }
    const read = eventReader(onEvent)
    const decoder = new TextDecoder()
    for await (const part of answer.body as AsyncIterable<Buffer>) {
      heard()
      wasOpen = true
      onBytes()
      read(decoder.decode(part, { stream: true }))
    }
    return { is: 'broken', wasOpen, waitMs: undefined }
  } catch (error) {
    // A setting of this machine that is wrong does not become right.
    if (error instanceof AppError && error.code === 'CONFIG_INVALID') return { is: 'absent' }
    return { is: 'broken', wasOpen, waitMs: undefined }
  } finally {
    clearTimeout(timer)
    void dispatcher.destroy().catch(() => undefined)
  }
}
