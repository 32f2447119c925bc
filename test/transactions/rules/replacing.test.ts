import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { genesisTime, refusal } from '../../support/simulated/node.ts'
import {
  kindsOf,
  rehearsal,
  sentKindsOf,
  waitingRehearsal,
  wallet,
} from '../../support/simulated/rehearsal.ts'

// What may be sent again, raised or cancelled, on a simulated chain in virtual time.

const patience = { bumpDelay: { ms: 10_000, blocks: 0 } }

describe('sending again', () => {
  test('has all attempts every third time, otherwise the newest', async () => {
    const world = await waitingRehearsal()
    await world.run('pay', { replacement: 'bump', noWait: true })
    const [first, second] = attemptsOf(world.journal, 'pay', 0).map(({ hash }) => hash) as [Hex, Hex]
    world.sent.length = 0
    await world.run('pay', { timeoutMs: 70_000, bumpDelay: { ms: 10 ** 9, blocks: 9 } })
    expect(world.sent.slice(0, 4).map(({ hash }) => hash)).toEqual([second, second, second, first])
  })

  test('sends only the cancellation while cancelling, and a bump turns that back', async () => {
    const world = await waitingRehearsal()
    await world.run('pay', { replacement: 'cancel', noWait: true })
    world.sent.length = 0
    await world.run('pay', { timeoutMs: 70_000, bumpDelay: { ms: 10 ** 9, blocks: 9 } })
    expect(new Set(sentKindsOf(world))).toEqual(new Set(['cancel']))
    await world.run('pay', { replacement: 'bump', noWait: true })
    expect(kindsOf(world)).toEqual(['run', 'cancel', 'bump'])
    world.state.everyMs = 2_000
    expect(await world.run('pay')).toMatchObject({ exit: 0 })
    expect(world.paid()).toBe(1_000n)
  })

  test('checks the bytes of the journal first', async () => {
    const world = await waitingRehearsal()
    const [attempt] = attemptsOf(world.journal, 'pay', 0)
    world.chain.drop(attempt!.hash)
    world.sent.length = 0
    const raw = await world.account.signTransaction({
      ...{
        type: 'eip1559',
        chainId: 31337,
        nonce: 0,
        to: `0x${'66'.repeat(20)}`,
        value: 10n ** 18n,
        gas: 21_000n,
      },
      ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n },
    })
    const find: Journal['find'] = (id) => {
      const operation = world.journal.find(id)!
      return {
        ...operation,
        steps: operation.steps.map((step) => ({ ...step, attempts: [{ ...attempt!, raw }] })),
      }
    }
    const journal = { ...world.journal, find }
    await world.run('pay', { journal, timeoutMs: 30_000 })
    expect(world.sent).toEqual([])
  })

  test('takes one look and one send without waiting', async () => {
    const world = await waitingRehearsal()
    world.sent.length = 0
    world.calls.length = 0
    expect(await world.run('pay', { noWait: true })).toMatchObject({ code: 'PENDING' })
    expect(world.sent).toHaveLength(1)
    expect(world.calls.filter(({ method }) => method === 'eth_getTransactionReceipt')).toHaveLength(1)
  })
})

describe('a fee is raised', () => {
  test('after time and blocks, both since the last attempt', async () => {
    const halted = await waitingRehearsal()
    await halted.run('pay', { timeoutMs: 60_000, bumpDelay: { ms: 10_000, blocks: 1 } })
    expect(kindsOf(halted)).toEqual(['run'])
    const dear = await waitingRehearsal()
    dear.chain.weather.baseFee = 10n ** 14n
    dear.state.everyMs = 1_000
    // The node does not say how dear it is, so that no attempt is ever mined.
    dear.state.instead = async ({ method }, ask) => {
      const said = await ask()
      return said && method === 'eth_getBlockByNumber' ? { ...said, baseFeePerGas: '0x3b9aca00' } : said
    }
    await dear.run('pay', { timeoutMs: 30_000, bumpDelay: { ms: 10_000, blocks: 1 } })
    expect(kindsOf(dear)).toEqual(['run', 'bump', 'bump'])
  })

  test('in monotonic time: a clock that is set back does not matter', async () => {
    const world = await waitingRehearsal()
    const party = world.newParty()
    const clock = world.time.clockOf(party, () => 0)
    await world.run('pay', { ...patience, clock, timeoutMs: 16_000 }, party)
    expect(kindsOf(world)).toEqual(['run', 'bump'])
  })

  test.each(['DECLINED', 'KEY_SOURCE'] as const)(
    'by a signer that is not asked again after %s',
    async (code) => {
      const world = await waitingRehearsal()
      let asked = 0
      const signer = {
        ...world.account,
        signTransaction: async () => {
          asked++
          throw new AppError(code, 'no')
        },
      }
      const end = await world.run('pay', { ...patience, signer })
      expect(end).toMatchObject({ code: 'PENDING', tookMs: expect.closeTo(60_000, -3) })
      expect(asked).toBe(1)
    },
  )

  test('never over a foreign transaction, but on request', async () => {
    const world = rehearsal({ everyMs: 0 })
    world.plan('pay')
    world.state.instead = ({ method }, ask) => {
      if (!/^eth_send/.test(method)) return undefined
      world.stranger(0)
      return ask()
    }
    await world.run('pay', { noWait: true })
    world.state.instead = undefined
    await world.run('pay', patience)
    expect(kindsOf(world)).toEqual(['run'])
    await world.run('pay', { replacement: 'bump', noWait: true })
    expect(kindsOf(world)).toEqual(['run', 'bump'])
  })

  test('not over own bytes that a node calls too cheap to replace themselves', async () => {
    const world = await waitingRehearsal()
    world.state.instead = async ({ method }, ask) => {
      if (!/^eth_send/.test(method)) return undefined
      await Promise.resolve(ask()).catch(() => undefined)
      throw refusal(method, 'replacement transaction underpriced')
    }
    await world.run('pay', { timeoutMs: 20_000 })
    expect(attemptsOf(world.journal, 'pay', 0)[0]!.lastAnswer).toEqual({ is: 'known', words: '' })
  })
})

test('a fee cap that leaves no room ends nothing while the transaction waits', async () => {
  const world = await waitingRehearsal()
  const feeCap = () => 1n
  expect(await world.run('pay', { ...patience, feeCap })).toMatchObject({
    code: 'PENDING',
    tookMs: expect.closeTo(60_000, -3),
  })
  expect(kindsOf(world)).toEqual(['run'])
})

test.each([
  ['action', ['run', 'cancel']],
  ['approval', ['run']],
] as const)('a passed deadline cancels an action: %s', async (role, expected) => {
  const world = await waitingRehearsal({}, [role])
  world.chain.weather.baseFee = 10n ** 14n
  world.state.everyMs = 2_000
  await world.run('pay', { deadlineOf: () => genesisTime, timeoutMs: 5_000 })
  expect(kindsOf(world)).toEqual(expected)
})

describe('a cancel', () => {
  test('begins with the highest nonce, and leaves what is mined', async () => {
    const world = await waitingRehearsal({}, ['action', 'action'])
    world.sent.length = 0
    await world.run('pay', { replacement: 'cancel', noWait: true })
    expect(world.sent.slice(0, 2).map(({ nonce }) => nonce)).toEqual([1, 0])
    const mined = await waitingRehearsal({}, ['action', 'action'])
    mined.chain.drop(attemptsOf(mined.journal, 'pay', 1)[0]!.hash)
    mined.chain.mine(mined.time.now())
    await mined.run('pay', { replacement: 'cancel', noWait: true })
    expect([kindsOf(mined, 0), kindsOf(mined, 1)]).toEqual([['run'], ['run', 'cancel']])
  })

  test('asks for no approval', async () => {
    const world = await waitingRehearsal()
    let approved = 0
    const approve = async () => {
      approved++
    }
    await world.run('pay', { replacement: 'cancel', noWait: true, approve })
    expect(approved).toBe(0)
    await world.run('pay', { replacement: 'bump', noWait: true, approve })
    expect(approved).toBe(1)
  })

  test('has gas of its own', async () => {
    const world = await waitingRehearsal()
    world.state.instead = ({ method, params }) =>
      method === 'eth_estimateGas' && (params[0] as { to: string }).to === wallet ? '0x186a0' : undefined
    await world.run('pay', { replacement: 'cancel', noWait: true })
    expect(attemptsOf(world.journal, 'pay', 0).at(-1)!.gas).toBeGreaterThanOrEqual(100_000n)
  })
})

test('what ended without effect once is never sent again, only cancelled', async () => {
  const world = rehearsal({ kind: { finalizedLag: 0 } })
  world.plan('pay')
  world.state.instead = ({ method }) => (method === 'eth_estimateGas' ? '0x9c40' : undefined)
  world.chain.weather.fails = true
  expect(await world.run('pay')).toMatchObject({ code: 'REVERTED' })
  world.chain.weather.fails = false
  world.state.everyMs = 0
  world.chain.reorganise(5, 'lost', world.time.now())
  world.sent.length = 0
  expect(await world.run('pay', { timeoutMs: 60_000 })).toMatchObject({
    code: 'PENDING',
    message: expect.stringMatching(/had ended without effect/),
  })
  expect(world.sent).toEqual([])
  await world.run('pay', { replacement: 'cancel', noWait: true })
  await world.run('pay', { replacement: 'bump', noWait: true })
  expect(kindsOf(world)).toEqual(['run', 'cancel', 'cancel'])
  world.state.everyMs = 2_000
  expect(await world.run('pay')).toMatchObject({ code: 'CANCELLED' })
  expect(new Set(sentKindsOf(world))).toEqual(new Set(['cancel']))
  expect(world.paid()).toBe(0n)
})
