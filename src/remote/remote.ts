import { routes } from '../api/routes.ts'
import type { Service } from '../api/service.ts'
import type { HttpAnswer } from '../net/http.ts'
import { asker, type Exchange } from './ask.ts'
import type { Governor } from './governor.ts'
import { checkedKey, checkedUrl } from './request.ts'

/**
 * A deployment of the service, and the key that it knows us by. One call takes at most `deadlineMs` with all its tries, and
 * may wait as long as `limitMs` says where a limit asks for it. `clockIsOff` is told once when its clock and ours are more
 * than five minutes apart, in ms; `waits` before every wait for a limit, in seconds.
 */
export type Deployment = {
  baseUrl: string
  apiKey: string
  deadlineMs?: number
  limitMs?: () => number
  now?: () => number
  governor?: Governor
  clockIsOff?: (byMs: number) => void
  waits?: (seconds: number) => void
  traced?: (exchange: Exchange) => void
}

const toleranceMs = 5 * 60_000

/** The service, far away: every route becomes a method that makes one HTTP exchange. What changes nothing is tried again, at most three times. */
export function remote(deployment: Deployment): Service {
  const { now = Date.now, deadlineMs = 15_000, clockIsOff } = deployment
  const base = checkedUrl(deployment.baseUrl, 'base URL')
  let toldOfClock = false
  const compareClocks = ({ headers }: HttpAnswer) => {
    const byMs = Date.parse(headers.date ?? '') - now()
    if (toldOfClock || !(Math.abs(byMs) > toleranceMs)) return
    toldOfClock = true
    clockIsOff?.(byMs)
  }
  const ask = asker({
    apiKey: checkedKey(deployment.apiKey),
    deadlineMs,
    limitMs: deployment.limitMs ?? (() => deadlineMs),
    now,
    governor: deployment.governor,
    waits: deployment.waits ?? (() => undefined),
    traced: deployment.traced ?? (() => undefined),
    answered: compareClocks,
  })
  const methods = Object.entries(routes).map(([name, route]) => [
    name,
    (input: unknown, { signal }: { signal?: AbortSignal } = {}) => ask(base, route, input, signal),
  ])
  return Object.fromEntries(methods) as Service
}
