import { expect, test } from 'vitest'
import { keyStore, newKey } from '../../../src/store/api-keys/keys.ts'
import type { ActionRow, ActionTxRow, QuoteRow } from '../../../src/store/engine/action-tables.ts'
import { type EngineStore, engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import type { Sql } from '../../../src/store/sql/sql-types.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { issued } from '../../support/event-store.ts'
import { describePostgres, openPostgres } from '../../support/postgres.ts'

/** Above 32 bits, as block numbers and times may be. */
const large = 9_007_199_254_740_991
/** A time above 32 bits. */
const late = 4_000_000_000_000
const hash = (digit: number) => `0x${String(digit).repeat(64)}`
const strange = 'a\'b"c\\d%_$1 \u{1f4b8} \u202e'

const quote = (id: string, change: Partial<QuoteRow> = {}): QuoteRow => ({
  id,
  customer: 'acme',
  provider: 'across',
  originChain: 'base',
  destinationChain: 'polygon',
  wire: JSON.stringify({ strange, zero: '\0', half: '\ud83d' }),
  offer: '{}',
  createdAt: 1_000,
  expiresAt: late,
  draft: 0,
  outcome: null,
  ...change,
})

const action = (id: string, change: Partial<ActionRow> = {}): ActionRow => {
  const [row] = issued(id, { wallet: '0xW', receiver: '0xW', createdAt: 1_000, updatedAt: 1_000, ...change })
  return row
}

const call = (actionId: string, idx: number, change: Partial<ActionTxRow> = {}): ActionTxRow => ({
  ...issued(actionId)[1][0]!,
  idx,
  chainId: 2 ** 40,
  data: '0xDD',
  value: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  fromBlock: large,
  fromNonce: 3,
  ...change,
})

/** An answer without the IDs of events, which are random. */
const withoutIds = (answer: unknown): unknown =>
  answer === undefined
    ? undefined
    : JSON.parse(JSON.stringify(answer).replace(/\b(evt|dlv)_[0-9a-f-]{36}/g, '$1'))

/** The same calls of every query on a database, and what each answered; `unasked` are queries that were not called. */
async function answers(sql: Sql): Promise<{ said: unknown[]; unasked: string[] }> {
  let time = 1_000_000
  const all = engineStore(sql, { now: () => ++time, add: async () => undefined })
  const asked = new Set<string>()
  const said: unknown[] = []
  const store = Object.fromEntries(
    Object.entries(all).map(([name, query]) => [
      name,
      async (...values: unknown[]) => {
        asked.add(name)
        const answer = await (query as (...values: unknown[]) => unknown)(...values)
        said.push([name, withoutIds(answer)])
        return answer
      },
    ]),
  ) as unknown as EngineStore

  // Quotes.
  for (const row of [
    quote('q1'),
    quote('q2', { createdAt: 2_000, draft: 1 }),
    quote('q3', { createdAt: 2_000, provider: 'cctp', originChain: 'polygon' }),
    quote('q1-other', { customer: strange }),
  ])
    await store.saveQuote(row)
  const networks = ['base', 'polygon']
  const any = { originChain: null, destinationChain: null, provider: null, id: null, networks }
  await store.quote('acme', 'q1')
  await store.quote('acme', 'q1-other')
  await store.quote('acme', '\0')
  await store.quote('acme', "' or 1=1 --")
  await store.keepOffer('acme', 'q1', strange)
  await store.keepOutcome('acme', 'q2', 'completed', null)
  await store.quoteSummary('acme', 'q1')
  await store.quotes('acme', any, 10, 0)
  await store.quotes(strange, any, 10, 0)
  for (const by of [
    { originChain: 'polygon' },
    { destinationChain: 'base' },
    { provider: 'cctp' },
    { id: 'q' },
    { networks: [] },
  ])
    await store.quotes('acme', { ...any, ...by }, 1, 0)
  await store.listQuote('acme', 'q2')
  await store.quotes('acme', any, 2, 1)

  // Payments and orders.
  const payment = { kind: 'deposit', chainId: large, hash: hash(1), idx: -1 } as const
  await store.takePayments('acme', 'q1', [payment], 5_000)
  await store.takePayments('acme', 'q3', [payment], 6_000)
  await store.takePayments('acme', 'q1', [payment, { ...payment, kind: 'payout', idx: 2 }], 7_000)
  await store.paymentsSince('acme', 5_500)
  await store.takeOrder('order', 'q1', 1)
  await store.takeOrder('order', 'q3', 2)

  // Logs, facts, snapshots and nonces of a chain.
  const place = { chainId: large, source: 'a', owner: '0x1' }
  await store.storeLogs(
    [
      {
        place,
        after: null,
        logs: [
          { block: large, idx: 2, log: strange },
          { block: 7, idx: 1, log: 'x' },
        ],
      },
    ],
    { block: large, hash: 'h' },
  )
  await store.storeLogs([{ place, after: 3, logs: [] }], { block: 8, hash: 'h' })
  await store.marks(place)
  await store.storedLogs(place)
  await store.storedSources(large, '0x1')
  await store.deleteLogs(place, 7)
  await store.storedLogs(place)
  await store.storeFact(1, 'first-block 0x1', '3')
  await store.storeFact(1, 'first-block 0x1', '4')
  await store.fact(1, 'first-block 0x1')
  await store.facts(1, 'first-block')
  const snapshot = { market: 'm', day: 20_000, at: 1_728_000_000, block: large, hash: 'h', idx: '1', last: 0 }
  await store.storeSnapshots(1, [snapshot, { ...snapshot, market: 'n' }], false)
  await store.storeSnapshots(1, [{ ...snapshot, idx: '2', last: 1 }], true)
  await store.snapshots(1, { from: 0, to: 30_000, market: 'm' })
  await store.deleteSnapshots(1, ['h'])
  await store.snapshots(1, { from: 0, to: 30_000 })
  store.pastReadings()
  const wallet = { chainId: 1, wallet: '0xAb' }
  const sent = { nonce: 5, block: large, blockHash: 'b', hash: hash(2), call: 'c' }
  await store.storeSubmitted(wallet, [sent, { ...sent, nonce: 6, hash: '' }])
  await store.storeSubmitted(wallet, [
    { ...sent, hash: '' },
    { ...sent, nonce: 6, block: 9 },
  ])
  await store.submittedFrom(wallet, 5)
  await store.deleteSubmitted(wallet)
  await store.submittedFrom(wallet, 0)

  // Settings.
  await store.saveSettings(
    'acme',
    [
      ['markupBps', '5'],
      ['collector', strange],
    ],
    { by: 'k1', at: large },
  )
  await store.saveSettings(
    'acme',
    [
      ['markupBps', '6'],
      ['collector', strange],
    ],
    { by: 'k2', at: 2 },
  )
  await store.settings('acme')
  await store.settings('nobody')
  await store.settingChanges(10)

  // Actions.
  const other = { otherId: 'spare', most: 3 }
  await store.issueOperation(action('a1'), [call('a1', 0), call('a1', 1, { kind: 'fee' })], other)
  await store.issueOperation(action('a2', { createdAt: 2_000, draft: 1 }), [call('a2', 0)], other)
  const swap = action('q1', { type: 'SAMECHAIN_SWAP', quoteId: 'q1', strategyId: null, draft: 1 })
  await store.issueOperation(swap, [call('q1', 0, { data: '0x1' })], other)
  await store.issueOperation(swap, [call('q1', 0, { data: '0x2' })], other)
  await store.issueOperation({ ...swap, draft: 0 }, [call('q1', 0, { data: '0x1' })], other)
  await store.issueOperation(swap, [call('q1', 0, { data: '0x3' })], { otherId: 'x', most: 2 })
  await store.issuedOperations('acme', 'q1')
  await store.hasOpenTwin(call('a1', 0), 9)
  await store.hasTwin(call('a1', 0))
  await store.hasTwin(call('q1', 0))
  await store.strategiesOf('0xW')
  await store.action('acme', 'a1')
  await store.action('other', 'a1')
  const page = { wallet: null, states: null, start: null, hash: null, chainIds: [2 ** 40] }
  const first = { limit: 5, offset: 0 }
  await store.claim(call('a1', 0), hash(3), 4)
  await store.claim(call('a2', 0), hash(3), 4)
  await store.saveTx(
    call('a1', 0, {
      hash: hash(3),
      nonce: 4,
      blockNumber: large,
      blockHash: 'b',
      succeeded: 1,
      gasUsed: '21000',
    }),
  )
  await store.feePayments('acme', '0xW')
  await store.saveClientReport('acme', {
    actionId: 'a2',
    hash: hash(4),
    chainId: 2 ** 40,
    idx: null,
    toldAt: large,
  })
  await store.saveClientReport('acme', { actionId: 'a2', hash: hash(5), chainId: null, idx: 0, toldAt: 2 })
  await store.clientReports('a2')
  await store.claim(call('spare', 0), hash(4), 4)
  await store.deleteClientReport({ actionId: 'a2', hash: hash(4) })
  await store.clientReports('a2')
  await store.bindTx('acme', call('a1', 0, { hash: hash(3) }), hash(6), false)
  await store.bindTx('acme', call('a1', 0, { hash: hash(3) }), hash(6), true)
  const was = await store.action('acme', 'a1')
  const next = {
    id: 'a1',
    status: 'fulfilled',
    destinationHash: hash(7),
    updatedAt: late,
    finishedAt: late,
  }
  await store.moveAction(next, was!)
  await store.moveAction(next, was!)
  await store.isDeliveryOfAnother('acme', 'a2', hash(7))
  await store.isDeliveryOfAnother('acme', 'a1', hash(7))
  await store.listAction('acme', 'a2')
  await store.endAction('acme', 'q1', 8_000)
  await store.action('acme', 'q1')
  for (const by of [
    {},
    { wallet: '0xw' },
    { states: ['fulfilled', 'failed'] },
    { states: [] },
    { start: 'a' },
    { hash: hash(6).toUpperCase().replace('0X', '0x') },
    { chainIds: [] },
  ])
    await store.actionPage('acme', { ...page, ...by }, first)
  await store.actionPage('acme', page, { limit: 1, offset: 1 })
  await store.quotes('acme', { ...any, id: 'q1' }, 10, 0)

  // Requests with an idempotency key.
  const request = { digest: 'd', holder: 'h1', now: 1_000 }
  await store.beginRequest('acme', strange, request)
  await store.beginRequest('acme', strange, { ...request, holder: 'h2' })
  await store.beginRequest('acme', strange, { ...request, digest: 'e' })
  await store.answerRequest('acme', strange, { holder: 'h2', answer: '{}', now: 2_000 })
  await store.answerRequest('acme', strange, { holder: 'h1', answer: strange, now: 2_000 })
  await store.forgetRequest('acme', strange, 'h1')
  await store.beginRequest('acme', strange, { ...request, now: 86_402_000 })
  await store.beginRequest('acme', strange, { ...request, now: 86_402_001 })
  await store.forgetRequest('acme', strange, 'h1')
  await store.beginRequest('acme', strange, { ...request, now: 86_402_002 })
  const kept = { holder: request.holder, answer: strange, now: 86_402_003 }
  await sql.transaction((tx) => store.keepAnswer(tx, { customer: 'acme', name: strange }, kept))
  said.push(await store.beginRequest('acme', strange, { ...request, now: 86_402_004 }))

  // The trackers of chains.
  const chain = 2 ** 40
  const one = { holder: 'one', now: 1_000, ms: 500 }
  const lease = await store.leaseChain(chain, one)
  await store.leaseChain(chain, { ...one, holder: 'two' })
  await store.leaseChain(chain, { ...one, holder: 'two', now: 1_500 })
  const held = await store.leaseChain(chain, { ...one, now: 2_500 })
  const nothing = { senders: [], reread: undefined, isAll: false, delivered: [] }
  const to = { block: large, blockHash: hash(8), lookedAt: 2_000 }
  const step = { holder: 'one', was: lease!, to, now: 2_000 }
  await store.advanceChain(chain, { ...step, holder: 'two' }, nothing)
  await store.advanceChain(chain, step, { ...nothing, isAll: true })
  await store.advanceChain(chain, step, nothing)
  const again = { holder: 'one', was: to, to: { ...to, block: large - 1 }, now: large }
  const seen = {
    senders: ['0xw', '0xother'],
    reread: { from: 0, to: large },
    delivered: ['a1', 'a2', 'none'],
  }
  await store.advanceChain(chain, { ...again, was: held! }, nothing)
  await store.advanceChain(chain, again, { ...nothing, ...seen })
  await store.knownSenders(['0xw', '0xW', '0xother'])
  await store.hashesOnChain(chain, ['a1', 'a2', 'none'])
  const marked = await store.markedActions(chain, large, 10)
  for (const mark of marked) {
    await store.unmark(chain, [{ ...mark, marks: 99 }])
    if (mark.actionId === 'a1') await store.markLater(chain, mark, large)
    else await store.unmark(chain, [mark])
  }
  await store.markedActions(chain, large - 1, 10)
  const watch = { chainId: 8453, filter: strange }
  await store.watchDeliveries('a1', [watch, { ...watch, chainId: chain }])
  await store.watchDeliveries('a1', [watch])
  await store.deliveryWatches(8453)
  said.push((await store.chainsToTrack(1_000)).toSorted())
  await store.endWaiting('a1', 0)
  await store.deliveryWatches(8453)
  await store.markedActions(chain, large, 10)
  await store.releaseChains('one')
  await store.leaseChain(chain, { ...one, holder: 'two', now: 2_501 })

  // Events, endpoints and deliveries.
  const told = { customer: 'acme', type: 'strategy.paused', id: 's-1', data: { strange } as never } as const
  await store.tell(told)
  await store.tell({ ...told, told: 'paused', isTest: true })
  await store.tell({ ...told, customer: strange })
  await store.customersToNumber()
  const endpoint = (id: string, change: object = {}) => ({
    ...{
      id,
      customer: 'acme',
      url: 'https://a.example',
      types: null,
      payload: 'thin' as const,
      apyLine: '0.03',
    },
    ...{ liquidityLine: null, secrets: '[]', createdAt: late, disabledAt: null, reason: null },
    ...{ failures: 0, restsUntil: 0, ...change },
  })
  await store.addEndpoint(endpoint('whe_11111111'), 2)
  await store.addEndpoint(endpoint('whe_22222222', { types: '["strategy.paused"]', createdAt: 5 }), 2)
  await store.addEndpoint(endpoint('whe_33333333'), 2)
  await store.endpoints('acme')
  await store.endpoint('acme', 'whe_11111111')
  await store.endpoint(strange, 'whe_11111111')
  await store.endpointOfAny('whe_22222222')
  await store.numberEvents('acme')
  await store.numberEvents(strange)
  await store.customersToNumber()
  await store.lastCursor('acme')
  await store.lastCursor('nobody')
  const every = { after: 0, types: null, since: null, limit: 100 }
  const [event] = await store.events('acme', every)
  await store.events('acme', { ...every, after: 1, types: ['strategy.paused', 'none'], since: 5 })
  await store.events('acme', { ...every, types: [] })
  await store.consumerCursor('acme', 'c')
  await store.commitConsumer('acme', { name: 'c', cursor: 3, isSeek: false })
  await store.commitConsumer('acme', { name: 'c', cursor: 2, isSeek: false })
  await store.commitConsumer('acme', { name: 'c', cursor: 1, isSeek: true })
  await store.consumerCursor('acme', 'c')
  said.push((await store.endpointsWithDeliveries()).toSorted())
  await store.markNext()
  const [due] = await store.dueDeliveries('whe_22222222', late, 10)
  await store.claimDelivery(due!, { now: late, leaseMs: 15_000 })
  await store.claimDelivery(due!, { now: late, leaseMs: 15_000 })
  await store.nextDue('whe_22222222')
  await store.nextDue('none')
  const outcome = { state: 'delivered' as const, tries: 1, dueAt: late, response: 200, error: null }
  await store.keepAttempt(due!, outcome, late)
  await store.keepAttempt({ ...due!, attempt: due!.attempt + 1 }, outcome, late)
  const deliveries = { state: null, limit: 2, offset: 0 }
  await store.deliveries('acme', 'whe_22222222', deliveries)
  await store.deliveries('acme', 'whe_22222222', { ...deliveries, state: 'delivered' })
  const resent = { customer: 'acme', endpointId: 'whe_22222222', id: due!.id }
  await store.resend(resent)
  await store.resend({ ...resent, customer: 'other' })
  const again22 = { customer: 'acme', endpointId: 'whe_22222222', since: 0 }
  await store.replay(again22)
  await store.replay({ ...again22, since: late })
  await store.replaceSecrets('acme', 'whe_11111111', { secrets: '["new"]', was: '[]' })
  await store.replaceSecrets('acme', 'whe_11111111', { secrets: '["newer"]', was: '[]' })
  await store.keepFailures('whe_11111111', 3, late)
  await store.disableEndpoint(endpoint('whe_11111111'), strange)
  await store.disableEndpoint(endpoint('whe_11111111'), 'again')
  said.push((await store.enableEndpoint('acme', 'whe_11111111'))?.disabledAt)
  await store.enableEndpoint('acme', 'none')
  await store.endpointOfAny('whe_11111111')
  said.push((await store.customersWithEvents()).toSorted())
  const line = { customer: 'acme', endpointId: 'whe_22222222', slug: 's-1', kind: 'apy' }
  const crossed = { type: 'strategy.apy_changed' as const, data: { apy: 0.01 } }
  for (const side of ['above', 'above', 'below']) await store.keepSide(line, side, crossed)
  await store.removeEndpoint('acme', 'whe_22222222')
  await store.removeEndpoint(strange, 'whe_11111111')
  await store.deleteOldEvents(event!.at + 1)
  await store.events('acme', every)
  await store.quoteOfAny('q3')
  await store.quoteOfAny('none')
  await store.saveQuote(quote('q4', { expiresAt: 5_000 }))
  await store.expiredQuotes(0, late)
  await store.tellQuoteStatus('acme', 'q3', 'processing', null)
  said.push(await store.followedQuotes(0))
  await store.tellQuoteExpiry('q4')
  await store.tellQuoteExpiry('q4')
  await store.expiredQuotes(0, late)

  // API keys.
  const keys = keyStore(sql)
  const key = newKey()
  await keys.add({ id: 'k1', customer: 'acme', testnet: true, createdAt: large, revokedAt: null }, key)
  await keys.add({ id: 'k2', customer: strange, testnet: false, createdAt: 5, revokedAt: null }, newKey())
  await store.saveSettings('acme', [['strategies', '["s-1"]']], { by: 'operator', at: 3 })
  const { keyDigest } = await import('../../../src/store/api-keys/keys.ts')
  said.push(await keys.owner(keyDigest(key)), await keys.all())
  said.push(await keys.revoke('k1', 7), await keys.revoke('k1', 8), await keys.revoke('none', 8))
  said.push(await keys.owner(keyDigest(key)))

  await store.close()
  return { said, unasked: Object.keys(all).filter((name) => !asked.has(name)) }
}

describePostgres('SQLite and PostgreSQL', () => {
  test('give the same answers to every query of the store and the keys', async () => {
    const expected = await answers(sqliteSql(':memory:', { migrations: engineMigrations }))
    expect(expected.unasked).toEqual([])
    const found = await answers(await openPostgres(engineMigrations))
    expect(found.said).toEqual(expected.said)
  })
})
