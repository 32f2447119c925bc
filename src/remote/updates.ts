import { setTimeout as sleep } from 'node:timers/promises'
import type { Announcements } from '../api/announcements-type.ts'
import { readEventStream } from '../http/event-stream.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** The waits of a stream, in ms: it is broken after `silenceMs` without a heartbeat, and opened again after `retryMs`, twice as long each time, up to `mostMs`. */
type StreamTimes = { silenceMs: number; retryMs: number; mostMs: number }

const usual: StreamTimes = { silenceMs: 45_000, retryMs: 3_000, mostMs: 60_000 }

/**
 * Follows `GET /updates` of a deployment for an action or quote. A deployment without it is asked once. A stream that breaks is opened again after the last event. Each
 * opening counts against the limits of the key.
 */
export function followUpdates(
  { baseUrl, apiKey, governor }: { baseUrl: string; apiKey: string; governor?: RateLimiter | undefined },
  action: string,
  times: StreamTimes = usual,
): Announcements {
  const url = `${baseUrl.replace(/\/+$/, '')}/updates?${new URLSearchParams({ action })}`
  const stop = new AbortController()
  let isLive = false
  let isAnnounced = false
  let wake: (() => void) | undefined
  const announce = () => {
    isAnnounced = true
    wake?.()
  }
  const setLive = (now: boolean) => {
    if (isLive === now) return
    isLive = now
    // Something may have changed before the stream was open, or since it broke.
    announce()
  }
  const follow = async () => {
    let last: string | undefined
    let failures = 0
    while (!stop.signal.aborted) {
      const taken = governor?.take() ?? { ok: true as const }
      let waitMs = taken.ok ? undefined : taken.retryAfterSeconds * 1_000
      if (taken.ok) {
        const end = await readEventStream(url, {
          headers: { 'x-api-key': apiKey, ...(last !== undefined && { 'last-event-id': last }) },
          silenceMs: times.silenceMs,
          signal: stop.signal,
          onBytes: () => setLive(true),
          onEvent: ({ id, name }) => {
            if (id !== undefined && /^[\x21-\x7e]{1,100}$/.test(id)) last = id
            if (name !== 'open') announce()
          },
        })
        setLive(false)
        if (end.is === 'absent') return
        failures = end.wasOpen ? 0 : failures + 1
        waitMs = end.waitMs
      }
      const own = Math.min(times.mostMs, times.retryMs * 2 ** Math.min(failures, 10))
      await sleep(Math.max(own, Math.min(waitMs ?? 0, times.mostMs)), undefined, {
        signal: stop.signal,
      }).catch(() => undefined)
    }
  }
  void follow()
  return {
    areLive: () => isLive,
    wait: async (ms, signal) => {
      const done = new AbortController()
      if (!isAnnounced) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve
        })
        const over = sleep(ms, undefined, { signal: AbortSignal.any([signal, done.signal]) }).catch(
          () => undefined,
        )
        await Promise.race([woken, over])
        done.abort()
        wake = undefined
      }
      isAnnounced = false
    },
    close: () => stop.abort(),
  }
}
