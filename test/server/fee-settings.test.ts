import { beforeEach, expect, test } from 'vitest'
import { useServe } from '../support/services/serve-as-process.ts'
import { spawnSluice } from '../support/spawn-program.ts'
import type { Document } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const collector = '0x7777777777777777777777777777777777777777'
const mine = '0x5555555555555555555555555555555555555555'
const thief = '0x6666666666666666666666666666666666666666'

async function fees(key: string, body?: object): Promise<{ status: number; body: Document }> {
  const answer = await fetch(`${served.url()}/fees`, {
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'PUT', body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}
const onServer = async (...words: string[]) => {
  const { exit, out } = await spawnSluice(served.place().home, [...words, '--json'])
  return { exit, json: JSON.parse(out) as Document }
}

/** ID of a key of the customer, other than `other`. */
const idOf = async (customer: string, other?: string): Promise<string> =>
  (await onServer('keys', 'list')).json.items.find(
    (one: Document) => one.customer === customer && one.id !== other,
  )?.id

beforeEach(async () => {
  const usual = ['--swap-fee-bps', '25', '--max-markup-bps', '75', '--operator-collector', 'none']
  await onServer('fees', 'set', ...usual)
})

test('an API key cannot change operator fees, the operator collector or the maximum markup', async () => {
  const key = await served.newKey('acme')
  expect((await onServer('fees', 'set', '--operator-collector', collector)).exit).toBe(0)
  const before = (await fees(key)).body
  expect(before).toMatchObject({ swapFeeBps: 25, performanceFeeBps: 500, operatorCollector: collector })
  for (const change of [
    { swapFeeBps: 0 },
    { performanceFeeBps: 0 },
    { maxMarkupBps: 10_000 },
    { operatorCollector: thief },
    { markupBps: 1, swapFeeBps: 0 },
    { markupBps: before.maxMarkupBps + 1 },
  ]) {
    const { status, body } = await fees(key, change)
    expect([change, status, body.error?.code]).toEqual([change, 422, 'VALIDATION_ERROR'])
    expect((await fees(key)).body).toEqual(before)
  }
  const set = await fees(key, { markupBps: 75, collector: mine })
  expect(set).toEqual({ status: 200, body: { ...before, markupBps: 75, collector: mine } })
})

test('operator fees apply to all keys at once, and each change is recorded with its author', async () => {
  const [one, two] = [await served.newKey('one'), await served.newKey('two')]
  await onServer('fees', 'set', '--swap-fee-bps', '30', '--max-markup-bps', '50')
  for (const key of [one, two])
    expect((await fees(key)).body).toMatchObject({ swapFeeBps: 30, maxMarkupBps: 50, markupBps: 0 })
  expect((await fees(one, { markupBps: 40, collector: mine })).status).toBe(200)
  expect((await fees(one, { markupBps: 40 })).status).toBe(200)
  expect((await fees(two, { markupBps: 51 })).status).toBe(422)
  const first = await idOf('one')
  const second = await served.newKey('one')
  expect((await fees(second, { collector: null })).body).toMatchObject({ markupBps: 40, collector: null })
  // The maximum also applies to markups set before it.
  await onServer('fees', 'set', '--max-markup-bps', '20')
  expect((await fees(one)).body).toMatchObject({ markupBps: 20, maxMarkupBps: 20 })
  expect((await fees(two)).body).toMatchObject({ markupBps: 0 })

  const last = await idOf('one', first)
  const { changes } = (await onServer('fees', 'show', '--operator')).json
  expect(changes.slice(0, 6).map(({ at: _, ...change }: Document) => change)).toEqual([
    { by: 'operator', customer: null, name: 'maxMarkupBps', was: '50', value: '20' },
    { by: last, customer: 'one', name: 'collector', was: mine, value: '' },
    { by: first, customer: 'one', name: 'collector', was: null, value: mine },
    { by: first, customer: 'one', name: 'markupBps', was: null, value: '40' },
    { by: 'operator', customer: null, name: 'maxMarkupBps', was: '75', value: '50' },
    { by: 'operator', customer: null, name: 'swapFeeBps', was: '25', value: '30' },
  ])
})

test('keys create rejects a markup above the maximum of the operator', async () => {
  const create = (markup: string) => onServer('keys', 'create', '--customer', 'bound', '--markup-bps', markup)
  expect(await create('76')).toMatchObject({
    exit: 2,
    json: { error: { code: 'USAGE', hint: 'sluice fees set --max-markup-bps 76' } },
  })
  expect(await idOf('bound')).toBeUndefined()
  expect((await create('75')).json).toMatchObject({ markupBps: 75 })
  const { changes } = (await onServer('fees', 'show', '--operator')).json
  expect(changes[0]).toMatchObject({ by: 'operator', customer: 'bound', name: 'markupBps', value: '75' })
})
