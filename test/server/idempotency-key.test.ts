import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { routes } from '../../src/api/routes.ts'
import type { KeepAnswer } from '../../src/api/service-type.ts'
import { trackOperation } from '../../src/engine/actions/issued-actions.ts'
import type { EngineContext } from '../../src/engine/engine.ts'
import { eventService } from '../../src/events/event-service.ts'
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

  test('a server that ends after a change and before its answer has kept the answer: the repetition changes nothing', async () => {
    const sql = await open(engineMigrations)
    const store = engineStore(sql)
    let now = 1_000
    const service = eventService({ store, customer: 'acme', now: () => now })
    const { id } = await service.addWebhook({ url: 'https://example.com/1' })
    await service.triggerEvent({ type: 'quote.expired' })
    await store.numberEvents('acme')
    const [delivery] = (await service.webhookDeliveries({ id })).items
    const changes: Record<KeptPost, (options: { keepAnswer: KeepAnswer }) => Promise<object>> = {
      addWebhook: (options) => service.addWebhook({ url: 'https://example.com/2' }, options),
      rotateWebhook: (options) => service.rotateWebhook({ id }, options),
      enableWebhook: (options) => service.enableWebhook({ id }, options),
      resendDelivery: (options) => service.resendDelivery({ id, deliveryId: delivery!.id }, options),
      replayWebhook: (options) => service.replayWebhook({ id, since: '1970-01-01T00:00:00Z' }, options),
      triggerEvent: (options) => service.triggerEvent({ type: 'quote.expired' }, options),
      // The write of a transfer; what it reads of a chain before is in the tests of transfers.
      transferBytecode: async ({ keepAnswer }) => {
        const answer = { id: randomUUID() }
        const context = {
          store,
          customer: 'acme',
          now: () => now,
          newId: randomUUID,
        } as unknown as EngineContext
        await trackOperation(context, {
          ...{ id: answer.id, type: 'TRANSFER_OUT', strategyId: null, strategySlug: null, quoteId: null },
          ...{ wallet: '0x1', receiver: '0x2', amounts: {}, transactions: [], kinds: [] },
          starts: Promise.resolve(new Map()),
          alongside: (tx) => keepAnswer(tx, answer),
        })
        return answer
      },
    }
    const rows = async () => {
      const counts = ['webhook_endpoints', 'events', 'webhook_deliveries', 'actions'].map((table) =>
        sql.query(
          `select count(*) as n, ${table === 'webhook_endpoints' ? 'max(secrets)' : 'max(id)'} as last from ${table}`,
        ),
      )
      return JSON.stringify(await Promise.all(counts))
    }
    for (const [name, change] of Object.entries(changes)) {
      const ask = (run: (keep: Parameters<Parameters<typeof runOnce>[2]['run']>[0]) => Promise<string>) =>
        runOnce(
          store,
          { customer: 'acme', key: name, method: 'POST', url: `/${name}`, body: {}, isDraft: false },
          { now: () => now, run, replay: (text) => `replayed ${text}` },
        )
      let answer = ''
      // The process ends here: whoever waits for the answer waits for ever.
      const begun = new Promise<void>((changed, failed) => {
        void ask(async (keep) => {
          await change({
            keepAnswer: (tx, output) => {
              answer = JSON.stringify(output)
              return keep(tx as never, answer)
            },
          }).then(() => changed(), failed)
          return new Promise<never>(() => undefined)
        }).catch(failed)
      })
      await begun
      const after = await rows()
      now += 60_001
      expect(
        await ask(async (keep) =>
          JSON.stringify(
            await change({ keepAnswer: async (tx, output) => keep(tx as never, JSON.stringify(output)) }),
          ),
        ),
      ).toBe(`replayed ${answer}`)
      expect(await rows()).toBe(after)
    }
    // A try that lost its key to another one changes nothing.
    const before = await rows()
    const late = runOnce(
      store,
      { customer: 'acme', key: 'slow', method: 'POST', url: '/slow', body: {}, isDraft: false },
      {
        now: () => now,
        replay: (text) => text,
        run: async (keep) => {
          now += 60_001
          await store.beginRequest('acme', 'slow', { digest: 'x', holder: 'other', now })
          const options = {
            keepAnswer: (tx: object, output: object) => keep(tx as never, JSON.stringify(output)),
          }
          return JSON.stringify(await service.triggerEvent({ type: 'quote.expired' }, options))
        },
      },
    )
    await expect(late).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_RUNNING' })
    expect(await rows()).toBe(before)
    await store.close()
  })
})

type Posts = {
  [name in keyof typeof routes]: (typeof routes)[name] extends { method: 'POST' } ? name : never
}[keyof typeof routes]

/**
 * The POST routes that are safe to repeat in another way: the transactions of a quote are issued again as the same action, and a report or a commit
 * says the same again.
 */
type SafeAnyway = 'swapBytecode' | 'ingest' | 'commitEvents'

/** All other POST routes keep their answer in the transaction of their change. */
type KeptPost = Exclude<Posts, SafeAnyway>
