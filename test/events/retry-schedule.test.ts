import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { deliveryOutcome, isEndpointGone, retrySchedule } from '../../src/events/retry-schedule.ts'
import { newSecret, webhookHeaders } from '../../src/events/signature.ts'

const now = 1_800_000_000_000
const outcomeAfter = (status: number, tries: number, retryAfterMs: number | null = null, random = 0) =>
  deliveryOutcome({ status, retryAfterMs }, tries, { now, random })

describe('the retry schedule', () => {
  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 24 h and 33 h, at most a tenth longer, and then gives up', () => {
    const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 86_400, 118_800].map((seconds) => seconds * 1_000)
    expect(waits.map((_, at) => outcomeAfter(500, at + 1).dueAt - now)).toEqual(waits)
    for (const [at, wait] of waits.entries()) {
      const late = outcomeAfter(500, at + 1, null, 0.999).dueAt - now
      expect(late).toBeGreaterThan(wait * 1.09)
      expect(late).toBeLessThanOrEqual(wait * 1.1)
    }
    expect(outcomeAfter(500, waits.length + 1)).toMatchObject({ state: 'dead', response: 500 })
    expect(retrySchedule.reduce((sum, one) => sum + one, 0) / 3_600_000).toBeCloseTo(74.6, 1)
  })

  it.each([200, 201, 204, 299])('takes %i as received', (status) =>
    expect(outcomeAfter(status, 1)).toMatchObject({ state: 'delivered', error: null }),
  )

  it.each([301, 307, 408, 429, 500, 503, 599, 100])(
    'tries again after %i until the end of the schedule',
    (status) => {
      for (let tries = 1; tries <= 8; tries++) expect(outcomeAfter(status, tries).state).toBe('pending')
      expect(outcomeAfter(status, 9).state).toBe('dead')
    },
  )

  it.each([400, 401, 404, 422, 499])('gives up after the third %i', (status) => {
    expect([1, 2, 3].map((tries) => outcomeAfter(status, tries).state)).toEqual([
      'pending',
      'pending',
      'dead',
    ])
  })

  it('gives up at the first 410, after which the endpoint is disabled', () => {
    expect(outcomeAfter(410, 1).state).toBe('dead')
    expect(isEndpointGone({ status: 410, retryAfterMs: null })).toBe(true)
    expect(isEndpointGone({ status: 404, retryAfterMs: null })).toBe(false)
  })

  it('obeys Retry-After if it is longer than the schedule, up to a day', () => {
    expect(outcomeAfter(429, 1, 60_000).dueAt - now).toBe(60_000)
    expect(outcomeAfter(503, 2, 1_000).dueAt - now).toBe(300_000)
    expect(outcomeAfter(503, 1, 90 * 24 * 3_600_000).dueAt - now).toBe(24 * 3_600_000)
  })

  it('tries again without an answer', () => {
    const outcome = deliveryOutcome({ error: 'no answer in time' }, 1, { now, random: 0 })
    expect(outcome).toMatchObject({ state: 'pending', response: null, error: 'no answer in time' })
  })
})

describe('a signature', () => {
  const body = JSON.stringify({ type: 'action.succeeded', text: 'ä€😀' })
  const signed = (secrets: readonly string[]) =>
    webhookHeaders(secrets, { id: 'evt_1', at: Date.now(), body })

  it('is verified by the reference library, with each of two secrets while one replaces the other', () => {
    const [old, new_] = [newSecret(), newSecret()]
    const headers = signed([new_, old])
    for (const secret of [old, new_])
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2)
  })

  it('does not verify with another secret, another body, another id or another time', () => {
    const secret = newSecret()
    const headers = signed([secret])
    const later = String(Number(headers['webhook-timestamp']) + 1)
    const wrong: [string, string, Record<string, string>][] = [
      [newSecret(), body, headers],
      [secret, body.replace('succeeded', 'failed'), headers],
      [secret, body, { ...headers, 'webhook-id': 'evt_2' }],
      [secret, body, { ...headers, 'webhook-timestamp': later }],
    ]
    for (const [key, text, sent] of wrong) expect(() => new Webhook(key).verify(text, sent)).toThrow()
  })

  it('has secrets of 32 random bytes', () => {
    const secrets = Array.from({ length: 50 }, newSecret)
    expect(new Set(secrets).size).toBe(50)
    for (const secret of secrets)
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
  })
})
