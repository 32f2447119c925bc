import { expect, test } from 'vitest'
import { runOnce } from '../../src/server/idempotency.ts'
import { engineMigrations, engineStore } from '../../src/store/engine/store.ts'
import { onBothDatabases } from '../support/postgres.ts'

onBothDatabases((open) => {
  test('of requests with the same idempotency key one runs, and the others get its answer once it is there', async () => {
    const store = engineStore(await open(engineMigrations))
    let now = 1_000
    let runs = 0
    const asked = {
      customer: 'acme',
      key: 'k-1',
      method: 'POST',
      url: '/x',
      body: { a: 1, b: [{ c: 2, d: 3 }] },
      isDraft: false,
    }
    const begun = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const ask = (change: Partial<typeof asked> = {}, run?: () => Promise<string>) =>
      runOnce(
        store,
        { ...asked, ...change },
        {
          now: () => now,
          run:
            run ??
            (async () => {
              runs++
              begun.resolve()
              await go.promise
              return `{"run":${runs}}`
            }),
          replay: (text) => `replayed ${text}`,
        },
      ).catch((error: { code: string }) => error.code)
    const all = Array.from({ length: 8 }, () => ask())
    await begun.promise
    expect(await ask()).toBe('IDEMPOTENCY_KEY_RUNNING')
    go.resolve()
    const answers = await Promise.all(all)
    expect(runs).toBe(1)
    const may = ['{"run":1}', 'replayed {"run":1}', 'IDEMPOTENCY_KEY_RUNNING']
    expect(answers.filter((one) => !may.includes(String(one)))).toEqual([])
    expect(answers.filter((one) => one === '{"run":1}')).toHaveLength(1)
    // The same fields in another order are the same request.
    expect(await ask({ body: { b: [{ d: 3, c: 2 }], a: 1 } })).toBe('replayed {"run":1}')
    for (const change of [{ body: { a: 2, b: [] } }, { url: '/y' }, { isDraft: true }])
      expect(await ask(change)).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(await ask({ customer: 'other' })).toBe('{"run":2}')
    expect(await ask({ key: 'two words' })).toBe('VALIDATION_ERROR')
    expect(await ask({ key: 'x'.repeat(256) })).toBe('VALIDATION_ERROR')
    // A request that failed is not kept.
    const failing = () =>
      ask({ key: 'k-2' }, () => Promise.reject(Object.assign(new Error('no'), { code: 'NO' })))
    expect([await failing(), await failing()]).toEqual(['NO', 'NO'])
    expect(await ask({ key: 'k-2' }, async () => '{}')).toBe('{}')
    // A server that ended while it ran holds the key for a minute; an answer is kept for a day.
    await store.beginRequest('acme', 'k-3', { digest: 'lost', holder: 'h', now })
    now += 60_001
    expect(await ask({ key: 'k-3' }, async () => '{}')).toBe('{}')
    now += 24 * 3_600_000 - 60_001
    expect(await ask()).toBe('replayed {"run":1}')
    now += 2
    expect(await ask()).toBe('{"run":3}')
    await store.close()
  })
})
