import { describe, expect, test } from 'vitest'
import { AppError } from '../../../src/domain/errors.ts'
import { maxCheckAge } from '../../../src/planning/leg-simulation.ts'
import type { TransactionSigner } from '../../../src/signing/signer.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { genesisTime, refusal } from '../../support/simulated/node.ts'
import { payeeOf, rehearsal, wallet } from '../../support/simulated/rehearsal.ts'

// What must hold before and around a signature, on a simulated chain in virtual time.

type Rehearsal = ReturnType<typeof rehearsal>

/** A signer that takes a while, and then may do something else. */
const slowSigner = (
  { time, account }: Rehearsal,
  party: ReturnType<Rehearsal['newParty']>,
  ms: number,
  then: () => void = () => undefined,
): TransactionSigner => ({
  address: account.address,
  signTransaction: async (transaction) => {
    await time.wait(party, ms)
    then()
    return account.signTransaction(transaction)
  },
})

describe('a signature is discarded', () => {
  test('if the deadline passes meanwhile', async () => {
    const world = rehearsal()
    const party = world.newParty()
    world.plan('pay')
    const deadlineOf = () => genesisTime + 5
    const signer = slowSigner(world, party, 8_000)
    expect(await world.run('pay', { signer, deadlineOf }, party)).toMatchObject({ code: 'QUOTE_EXPIRED' })
    expect(attemptsOf(world.journal, 'pay', 0)).toEqual([])
    expect(world.sent).toEqual([])
    expect(world.stepOf('pay')).toMatchObject({ state: 'PLANNED', nonce: null })
  })

  test('if the person interrupts meanwhile', async () => {
    const world = rehearsal()
    const party = world.newParty()
    const person = new AbortController()
    world.plan('pay')
    const fault = (point: string) => point === 'after_sign' && person.abort()
    expect(await world.run('pay', { signal: person.signal, fault }, party)).toMatchObject({
      code: 'INTERRUPTED',
    })
    expect(attemptsOf(world.journal, 'pay', 0)).toEqual([])
  })

  test('if the time of the run is over before', async () => {
    const world = rehearsal()
    const party = world.newParty()
    world.plan('pay')
    const signer = slowSigner(world, party, 90_000)
    expect(await world.run('pay', { signer, timeoutMs: 30_000 }, party)).toMatchObject({ code: 'KEY_SOURCE' })
    await world.rest(120_000)
    expect(attemptsOf(world.journal, 'pay', 0)).toEqual([])
    expect(world.sent).toEqual([])
  })
})

test('an unexpected error between two acts says that something is signed', async () => {
  const { plan, run, stepOf } = rehearsal()
  plan('pay')
  const deadlineOf = () => {
    if (stepOf('pay').attempts.length > 0) throw new Error('broken')
    return undefined
  }
  expect(await run('pay', { deadlineOf })).toMatchObject({
    exit: 20,
    message: expect.stringContaining('broken'),
  })
})

test('a step whose deadline has passed is not signed', async () => {
  const { plan, run, account, journal } = rehearsal()
  plan('pay')
  let asked = 0
  const signTransaction: TransactionSigner['signTransaction'] = (transaction) => {
    asked++
    return account.signTransaction(transaction)
  }
  const deadlineOf = () => genesisTime - 1
  const end = await run('pay', { deadlineOf, signer: { ...account, signTransaction } })
  expect(end).toMatchObject({ code: 'QUOTE_EXPIRED' })
  expect([asked, attemptsOf(journal, 'pay', 0)]).toEqual([0, []])
})

describe('a reserved nonce is released', () => {
  test('of another operation whose process died', async () => {
    const { plan, run, journal, stepOf } = rehearsal()
    plan('dead')
    plan('live')
    journal.reserveNonce('dead', 0, 0, 1)
    expect(await run('live')).toMatchObject({ exit: 0 })
    expect(stepOf('live').nonce).toBe(0)
    expect(stepOf('dead').nonce).toBeNull()
  })

  test('of the same operation whose process died: no gap is left', async () => {
    const { plan, run, journal, stepOf } = rehearsal()
    plan('pay')
    journal.reserveNonce('pay', 0, 0, 1)
    expect(await run('pay')).toMatchObject({ exit: 0 })
    expect(stepOf('pay').nonce).toBe(0)
  })

  test('of the same operation whose process died, even if it is used since', async () => {
    const { plan, run, journal, stepOf, stranger, chain } = rehearsal()
    plan('pay')
    journal.reserveNonce('pay', 0, 0, 1)
    stranger(0)
    chain.mine(0)
    await run('pay', { noWait: true })
    expect(attemptsOf(journal, 'pay', 0).every(({ nonce }) => nonce !== 0)).toBe(true)
    expect(await run('pay')).toMatchObject({ exit: 0 })
    expect(stepOf('pay').nonce).toBe(1)
  })

  test('at the end of a run that did not sign', async () => {
    const { plan, run, stepOf } = rehearsal()
    plan('pay')
    const fault = (point: string) => {
      if (point === 'after_nonce') throw new Error('broken')
    }
    await run('pay', { fault }).catch(() => undefined)
    expect(stepOf('pay')).toMatchObject({ state: 'PLANNED', nonce: null })
  })
})

describe('a step that would fail right after the step before', () => {
  test('does not keep a nonce that another program uses meanwhile', async () => {
    const { plan, run, rest, state, stepOf, stranger } = rehearsal()
    plan('pay', ['action', 'action'])
    let failures = 0
    state.instead = ({ method, params }) => {
      const isSecond = (params[0] as { to?: string } | undefined)?.to === payeeOf(1)
      if (method !== 'eth_estimateGas' || !isSecond || !stepOf('pay').inclusion || failures === 2)
        return undefined
      failures++
      if (failures === 2) stranger(1)
      throw refusal(method, 'execution reverted')
    }
    const end = await run('pay')
    expect(end).toMatchObject({ exit: 21, message: expect.stringContaining('is pending on chain') })
    expect(stepOf('pay', 1)).toMatchObject({ state: 'PLANNED', nonce: null, attempts: [] })
    await rest(5_000)
    expect(await run('pay')).toMatchObject({ exit: 0 })
    expect(stepOf('pay', 1).nonce).toBe(2)
  })

  test.each([
    ['is tried again for a while', 'node.example', 5_000, 0],
    ['is not tried for ever', 'node.example', 30_000, 21],
    ['is not tried again at a local node', '127.0.0.1:8545', 5_000, 21],
  ] as const)('%s', async (_, host, ms, exit) => {
    const { plan, run, state, stepOf, paid } = rehearsal({ hosts: [host] })
    plan('pay', ['action', 'action'])
    let since: number | undefined
    state.instead = ({ method, params, at }) => {
      const isSecond = (params[0] as { to?: string } | undefined)?.to === payeeOf(1)
      if (method !== 'eth_estimateGas' || !isSecond || !stepOf('pay').inclusion) return undefined
      since ??= at
      if (at - since <= ms) throw refusal(method, 'execution reverted')
      return undefined
    }
    expect(await run('pay')).toMatchObject({ exit })
    expect(paid(1)).toBe(exit === 0 ? 1_000n : 0n)
  })
})

describe('the gas limit', () => {
  test('of the simulation wins over a lower estimate, and not over a higher one', async () => {
    const { plan, run, journal } = rehearsal()
    plan('more')
    plan('less')
    await run('more', { beforeLeg: async () => [90_000n] })
    await run('less', { beforeLeg: async () => [30_000n] })
    expect(attemptsOf(journal, 'more', 0)[0]!.gas).toBe(90_000n)
    expect(attemptsOf(journal, 'less', 0)[0]!.gas).toBeGreaterThan(40_000n)
  })

  test('and the fees are read again after a slow person', async () => {
    const world = rehearsal()
    const party = world.newParty()
    world.plan('pay')
    const approve = async () => {
      await world.time.wait(party, 5_000)
      world.state.instead = ({ method }) => (method === 'eth_estimateGas' ? '0x30d40' : undefined)
    }
    expect(await world.run('pay', { approve }, party)).toMatchObject({ exit: 0 })
    expect(attemptsOf(world.journal, 'pay', 0)[0]!.gas).toBeGreaterThanOrEqual(200_000n)
  })
})

describe('the age of a check', () => {
  test('counts from the plan', async () => {
    const counts: number[] = []
    for (const ageMs of [0, maxCheckAge.ms - 5_000]) {
      const { plan, run } = rehearsal({ everyMs: 12_000 })
      plan('pay', ['action', 'action'])
      let checks = 0
      await run('pay', {
        beforeLeg: async () => {
          checks++
          return undefined
        },
        planCheck: () => ({ ageMs, block: 9 }),
      })
      counts.push(checks)
    }
    expect(counts).toEqual([1, 2])
  })

  test('does not stop a run at a node that takes longer than a view lives', async () => {
    const world = rehearsal()
    const party = world.newParty()
    world.plan('pay')
    world.state.instead = async () => {
      await world.time.wait(party, 4_000)
    }
    expect(await world.run('pay', { timeoutMs: 300_000 }, party)).toMatchObject({ exit: 0 })
  })

  test('a deadline ends nothing when only a fee is left', async () => {
    const { plan, run } = rehearsal()
    plan('pay', ['action', 'fee'])
    let isDone = false
    const onProgress = ({ kind }: { kind: string }) => {
      isDone ||= kind === 'final'
    }
    const deadlineOf = () => (isDone ? 1 : genesisTime + 100_000)
    expect(await run('pay', { onProgress, deadlineOf })).toMatchObject({ exit: 0 })
  })
})

describe('a nonce is not taken', () => {
  const counted = (world: Rehearsal, latest: number, pending: number) => {
    world.state.instead = ({ method, params }) =>
      method === 'eth_getTransactionCount' && params[0] === wallet
        ? `0x${(params[1] === 'pending' ? pending : latest).toString(16)}`
        : undefined
  }
  test('behind more than 64 pending transactions', async () => {
    const world = rehearsal({ everyMs: 0 })
    world.plan('pay')
    counted(world, 0, 65)
    expect(await world.run('pay', { queueBehind: true })).toMatchObject({ code: 'RPC_INCONSISTENT' })
    counted(world, 0, 64)
    expect(await world.run('pay', { queueBehind: true, noWait: true })).toMatchObject({ code: 'PENDING' })
    expect(world.stepOf('pay').nonce).toBe(64)
  })

  test.each([
    ['a node that lags for less than a second passes', 10, 0],
    ['one that lags for longer does not', 200, 7],
  ])('after a final step: %s', async (_, reads, exit) => {
    const world = rehearsal()
    world.plan('one')
    world.plan('two')
    await world.run('one')
    let read = 0
    world.state.instead = ({ method }) =>
      method === 'eth_getTransactionCount' && ++read <= reads ? '0x0' : undefined
    expect(await world.run('two')).toMatchObject({ exit })
  })

  test('after a reverted step: a node that lags for less than a second passes', async () => {
    const world = rehearsal({ kind: { finalizedLag: 0 } })
    world.plan('reverted')
    world.plan('next')
    world.state.instead = ({ method }) => (method === 'eth_estimateGas' ? '0x9c40' : undefined)
    world.chain.weather.fails = true
    expect(await world.run('reverted')).toMatchObject({ code: 'REVERTED' })
    world.chain.weather.fails = false
    let read = 0
    world.state.instead = ({ method }) =>
      method === 'eth_getTransactionCount' && ++read <= 10 ? '0x0' : undefined
    const end = await world.run('next', { plannedView: () => undefined })
    expect(end).toMatchObject({ exit: 0 })
    expect(world.journal.events('next').filter(({ kind }) => kind === 'reserved')).toHaveLength(1)
  })

  test.each([{}, { pinnedNonces: { 31337: 1 } }])(
    'above a reverted step that the chain no longer has: %o',
    async (more) => {
      const world = rehearsal({ kind: { finalizedLag: 0 } })
      world.plan('reverted')
      world.state.instead = ({ method }) => (method === 'eth_estimateGas' ? '0x9c40' : undefined)
      world.chain.weather.fails = true
      expect(await world.run('reverted')).toMatchObject({ code: 'REVERTED' })
      world.chain.weather.fails = false
      world.chain.reorganise(8, 'lost', world.time.now())
      world.stranger(0, 1)
      world.chain.weather.baseFee = 10n ** 10n
      world.plan('next')
      expect(await world.run('next', more)).toMatchObject({
        code: 'RPC_INCONSISTENT',
        message: expect.stringMatching(/is final in the journal/),
      })
      expect(attemptsOf(world.journal, 'next', 0)).toEqual([])
    },
  )

  test('below which another operation of the journal is signed and not sent', async () => {
    const world = rehearsal({ everyMs: 0 })
    world.plan('before')
    world.plan('after')
    const fault = (point: string) => {
      if (point === 'after_journal') throw new Error('died')
    }
    await world.run('before', { fault }).catch(() => undefined)
    world.chain.drop(attemptsOf(world.journal, 'before', 0)[0]!.hash)
    expect(await world.run('after')).toMatchObject({ exit: 10, code: 'FOREIGN_PENDING' })
  })
})

test('a used pinned nonce after a signature ends in PARTIAL, and before one signs nothing', async () => {
  const before = rehearsal()
  before.plan('pay')
  before.stranger(0)
  await before.rest(5_000)
  expect(await before.run('pay', { pinnedNonces: { 31337: 0 } })).toMatchObject({ code: 'NONCE_USED' })
  const after = rehearsal()
  after.plan('pay', ['action', 'action'])
  const onProgress = ({ kind }: { kind: string }) => {
    if (kind !== 'included') return
    after.stranger(1)
    after.chain.mine(after.time.now())
  }
  expect(await after.run('pay', { pinnedNonces: { 31337: 0 }, onProgress })).toMatchObject({
    code: 'PARTIAL',
    message: expect.stringMatching(/Nonce 1 .* was used by/),
  })
})

describe('steps that are sent together', () => {
  const gas = { pipeline: true, beforeLeg: async () => [50_000n, 50_000n, 50_000n] }
  test('count as pending before they are sent', async () => {
    const { plan, run, journal } = rehearsal({ everyMs: 0 })
    plan('pay', ['action', 'action', 'action'])
    await run('pay', { ...gas, noWait: true })
    expect(journal.find('pay')!.steps.map(({ state }) => state)).toEqual([
      'BROADCAST',
      'BROADCAST',
      'BROADCAST',
    ])
  })

  test('are sent before a signature that comes late, and the wallet is read again', async () => {
    const world = rehearsal({ everyMs: 0 })
    const party = world.newParty()
    world.plan('pay', ['action', 'action'])
    const before: number[] = []
    const signer = slowSigner(world, party, 4_000)
    const signTransaction: TransactionSigner['signTransaction'] = (transaction) => {
      before.push(world.sent.length)
      return signer.signTransaction(transaction)
    }
    await world.run('pay', { ...gas, noWait: true, signer: { ...signer, signTransaction } }, party)
    expect(before).toEqual([0, 1])
  })
})

test('a view that is older than a block recorded since is read again, not refused', async () => {
  const { plan, run, journal, chain } = rehearsal()
  plan('pay')
  const old = { number: 2n, hash: chain.blocks[2]!.hash, timestamp: genesisTime, baseFee: 10n ** 9n }
  journal.recordHead(31337, 10, chain.blocks[10]!.hash)
  const view = {
    ...{ head: old, lowest: Promise.resolve(old), counts: { latest: 0, pending: 0 } },
    gasAndFees: new Promise<never>(() => undefined),
  }
  expect(await run('pay', { plannedView: () => ({ ageMs: 0, view }) })).toMatchObject({ exit: 0 })
})

describe('a journal that cannot be read between two acts', () => {
  test.each([
    ['once is read again', 1, { exit: 0 }],
    ['twice proves nothing', 2, { code: 'JOURNAL_UNREADABLE', exit: 26 }],
  ])('%s', async (_, times, end) => {
    const world = rehearsal()
    world.plan('pay')
    let left = times
    const find: typeof world.journal.find = (id) => {
      if (world.sent.length > 0 && left-- > 0) throw new AppError('STATE_UNUSABLE', 'The disk is full')
      return world.journal.find(id)
    }
    expect(await world.run('pay', { journal: { ...world.journal, find } })).toMatchObject(end)
  })
})
