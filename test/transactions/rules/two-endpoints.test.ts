import { describe, expect, test } from 'vitest'
import { attemptsOf } from '../../support/attempts-of.ts'
import { refusal } from '../../support/simulated/node.ts'
import type { Call } from '../../support/simulated/rehearsal.ts'
import { rehearsal, wallet } from '../../support/simulated/rehearsal.ts'

// What one of two endpoints says alone decides nothing final.

const hosts = ['first.example', 'second.example'] as const
const of = (host: string, method: string) => (call: Call) => call.host === host && call.method === method
const late = '0x7fffffff'

describe('a final result', () => {
  test.each(hosts)('needs the status of both endpoints, also if %s is wrong', async (host) => {
    const { plan, run, state, stepOf, paid } = rehearsal({ hosts })
    plan('pay')
    state.instead = async (call, ask) => {
      if (!of(host, 'eth_getTransactionReceipt')(call)) return undefined
      const receipt = (await ask()) as object | null
      return receipt && { ...receipt, status: '0x0' }
    }
    expect(await run('pay', { timeoutMs: 20_000 })).toMatchObject({ code: 'PENDING' })
    expect(stepOf('pay')).toMatchObject({ state: 'INCLUDED' })
    state.instead = undefined
    expect(await run('pay')).toMatchObject({ exit: 0 })
    expect(paid()).toBe(1_000n)
  })

  test('needs the depth at both endpoints', async () => {
    const { plan, run, chain, stepOf } = rehearsal({ hosts, lags: [0, 3], depth: 2 })
    plan('pay')
    expect(await run('pay')).toMatchObject({ exit: 0 })
    expect(chain.blocks.length - 1 - stepOf('pay').inclusion!.blockNumber).toBeGreaterThanOrEqual(4)
  })

  test('needs no endpoint that is silent', async () => {
    const { plan, run, state, time, newParty } = rehearsal({ hosts })
    plan('pay')
    const party = newParty()
    state.instead = (call) => (call.host === hosts[1] ? time.wait(party, 600_000) : undefined)
    expect(await run('pay', { timeoutMs: 120_000 }, party)).toMatchObject({ exit: 0 })
  })

  test('does not come from lack of time of the run', async () => {
    const { plan, run, state, time, newParty, stepOf } = rehearsal({ hosts, everyMs: 51_000 })
    plan('pay')
    const party = newParty()
    state.instead = (call) =>
      call.host === hosts[1] && call.at > 50_500 ? time.wait(party, 600_000) : undefined
    expect(await run('pay', {}, party)).toMatchObject({
      code: 'PENDING',
      message: expect.stringMatching(/did not answer in time/),
    })
    expect(stepOf('pay')).toMatchObject({ state: 'INCLUDED' })
  })
})

describe('a final block is gone', () => {
  const another = (call: Call) => ({ number: call.params[0], hash: `0x${'ab'.repeat(32)}`, transactions: [] })
  test.each([
    ['not if one of two endpoints has it', hosts, (call: Call) => call.host === hosts[0]],
    ['not if the second read of one endpoint has it', [hosts[0]], (call: Call) => call.nth === 1],
  ] as const)('%s', async (_, those, isWrong) => {
    const { plan, run, state, calls, stepOf, journal } = rehearsal({ hosts: those })
    plan('pay')
    expect(await run('pay')).toMatchObject({ exit: 0 })
    calls.length = 0
    state.instead = (call) =>
      call.method === 'eth_getBlockByNumber' && isWrong(call) ? another(call) : undefined
    expect(await run('pay')).toMatchObject({ exit: 0, tookMs: expect.any(Number) })
    expect(stepOf('pay')).toMatchObject({ state: 'FINAL_OK' })
    expect(journal.events('pay').filter(({ becomes }) => becomes === 'EXECUTING')).toHaveLength(1)
  })
})

test('a deadline that one of two endpoints has passed neither cancels nor bumps', async () => {
  const { plan, run, state, journal } = rehearsal({ hosts, everyMs: 0 })
  plan('pay')
  await run('pay', { noWait: true })
  const lateAt = (host: string) => {
    state.instead = async (call, ask) => {
      if (!(call.host === host && call.method === 'eth_getBlockByNumber')) return undefined
      const block = (await ask()) as object | null
      return block && { ...block, timestamp: late }
    }
  }
  const deadline = { deadlineOf: () => 1_800_000_000, bumpDelay: { ms: 1_000, blocks: 0 } }
  lateAt(hosts[0])
  expect(await run('pay', deadline)).toMatchObject({
    code: 'PENDING',
    message: expect.stringMatching(/deadline has passed/),
  })
  expect(attemptsOf(journal, 'pay', 0).map(({ kind }) => kind)).toEqual(['run'])
})

describe('without a pending count of the first endpoint', () => {
  const unsupported = (call: Call) =>
    of(hosts[0], 'eth_getTransactionCount')(call) && call.params[1] === 'pending' ? null : undefined
  test('the other one shows a foreign transaction, which is not replaced', async () => {
    const { plan, run, state, stranger, sent } = rehearsal({
      hosts,
      everyMs: 0,
      kind: { knowsOwners: false },
    })
    stranger(0, 1.5)
    plan('pay')
    state.instead = unsupported
    expect(await run('pay')).toMatchObject({ code: 'FOREIGN_PENDING' })
    expect(sent).toEqual([])
  })

  test('own transactions that a node has accepted count', async () => {
    const { plan, run, state, stepOf } = rehearsal({
      hosts: [hosts[0]],
      everyMs: 0,
      kind: { knowsOwners: false },
    })
    state.instead = unsupported
    plan('one')
    plan('two')
    await run('one', { noWait: true })
    expect(await run('two', { noWait: true })).toMatchObject({ code: 'PENDING' })
    expect(stepOf('two')).toMatchObject({ nonce: 1 })
  })
})

describe('without a pending count of the only endpoint', () => {
  const unsupported = ({ method, params }: Call) =>
    method === 'eth_getTransactionCount' && params[1] === 'pending' ? null : undefined
  test('a foreign transaction that it names is not replaced', async () => {
    const { plan, run, state, stranger, sent } = rehearsal({ everyMs: 0 })
    stranger(0, 1.5)
    plan('pay')
    state.instead = unsupported
    expect(await run('pay')).toMatchObject({ code: 'FOREIGN_PENDING' })
    expect(sent).toEqual([])
  })

  test('nothing is signed behind an own transaction that no node has accepted', async () => {
    const world = rehearsal({ everyMs: 0, kind: { knowsOwners: false } })
    world.plan('one')
    world.plan('two')
    world.state.instead = (call) => {
      if (/^eth_send/.test(call.method)) throw refusal(call.method, 'intrinsic gas too low')
      return unsupported(call)
    }
    await world.run('one', { noWait: true })
    world.state.instead = unsupported
    expect(await world.run('two')).toMatchObject({ exit: 10, code: 'FOREIGN_PENDING' })
    expect(world.sent.filter(({ nonce }) => nonce > 0)).toEqual([])
  })
})

test('the lowest head of both endpoints is recorded, and is where the search for a step begins', async () => {
  const { plan, run, journal, chain, stepOf } = rehearsal({ hosts, lags: [0, 3], everyMs: 0 })
  plan('pay')
  await run('pay', { noWait: true })
  expect(journal.highestHead(31337)).toMatchObject({ number: chain.blocks.length - 1 - 3 })
  expect(stepOf('pay').fromBlock).toBe(chain.blocks.length - 1 - 3)
})

describe('a nonce that is counted as used, by nobody named', () => {
  test.each([
    ['is lost if both endpoints count it', hosts, 'SUPERSEDED'],
    ['is not lost if one endpoint counts it', [hosts[0]], 'PENDING'],
  ] as const)('%s', async (_, liars, code) => {
    const { plan, run, state } = rehearsal({ hosts, everyMs: 0, kind: { knowsOwners: false } })
    plan('pay')
    await run('pay', { noWait: true })
    state.instead = ({ method, host, params }) =>
      method === 'eth_getTransactionCount' && params[0] === wallet && liars.includes(host as never)
        ? '0x1'
        : undefined
    expect(await run('pay', { timeoutMs: 20_000 })).toMatchObject({ code })
  })

  test('is not lost while the other endpoint has a receipt', async () => {
    const { plan, run, state } = rehearsal({ hosts, everyMs: 0, kind: { knowsOwners: false } })
    plan('pay')
    await run('pay', { noWait: true })
    state.everyMs = 2_000
    state.instead = ({ method, host, params }) => {
      if (host !== hosts[0]) return undefined
      if (/Receipt|ByHash/.test(method)) return null
      return method === 'eth_getBlockByNumber' && params[1] === true
        ? { number: params[0], hash: `0x${'ab'.repeat(32)}`, transactions: [] }
        : undefined
    }
    expect(await run('pay', { timeoutMs: 30_000 })).toMatchObject({ code: 'PENDING' })
  })
})
