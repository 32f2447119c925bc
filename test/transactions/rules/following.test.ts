import { describe, expect, test } from 'vitest'
import { syncSendMethod } from '../../../src/chain/rpc/sync-send.ts'
import type { Hex } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { refusal } from '../../support/simulated/node.ts'
import { payeeOf, rehearsal, wallet } from '../../support/simulated/rehearsal.ts'

// What must hold from the signature to the end, on a simulated chain in virtual time.

type Rehearsal = ReturnType<typeof rehearsal>

/** An operation that is sent and waits, on a chain that makes no blocks. */
async function waiting(
  setting: Parameters<typeof rehearsal>[0] = {},
  roles = ['action'],
): Promise<Rehearsal> {
  const world = rehearsal({ everyMs: 0, ...setting })
  world.plan('pay', roles)
  for (const _ of roles)
    await world.run('pay', { noWait: true, pipeline: true, beforeLeg: async () => roles.map(() => 50_000n) })
  return world
}
const kinds = ({ journal }: Rehearsal, step = 0) => journal.attempts('pay', step).map(({ kind }) => kind)
const sentKinds = (world: Rehearsal, step = 0) =>
  world.sent.flatMap(({ hash }) => {
    const one = world.journal.attempts('pay', step).find((attempt) => attempt.hash === hash)
    return one ? [one.kind] : []
  })
const patience = { bumpDelay: { ms: 10_000, blocks: 0 } }

describe('a final result takes two equal looks', () => {
  test.each([
    ['the status', (receipt: object) => ({ ...receipt, status: '0x0' })],
    ['the block', (receipt: object) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` })],
  ])('at %s', async (_, change) => {
    const { plan, run, state, paid, calls } = rehearsal()
    plan('pay')
    let seen = 0
    state.instead = async ({ method }, ask) => {
      if (method !== 'eth_getTransactionReceipt') return undefined
      const receipt = (await ask()) as object | null
      if (!receipt) return null
      return seen++ === 0 ? change(receipt) : receipt
    }
    expect(await run('pay')).toMatchObject({ exit: 0 })
    expect(paid()).toBe(1_000n)
    expect(seen).toBeGreaterThanOrEqual(3)
    expect(calls.length).toBeGreaterThan(0)
  })

  const invented = async ({ chain, sent }: Rehearsal): Promise<object> => {
    const { hash } = sent.at(-1)!
    const block = chain.blocks.at(-1)!
    return {
      ...{ transactionHash: hash, from: wallet, to: payeeOf(0), status: '0x1', transactionIndex: '0x0' },
      ...{
        blockNumber: `0x${block.number.toString(16)}`,
        blockHash: block.hash,
        gasUsed: '0x5208',
        logs: [],
      },
    }
  }
  test('of which a receipt told by a send is only the first', async () => {
    const world = rehearsal({ everyMs: 0 })
    world.plan('pay')
    world.state.instead = async ({ method }, ask) => {
      if (method !== syncSendMethod) return undefined
      await ask()
      return invented(world)
    }
    expect(await world.run('pay', { timeoutMs: 20_000 })).toMatchObject({ code: 'PENDING' })
    expect(world.stepOf('pay').state).not.toBe('FINAL_OK')
  })

  test.each([
    ['one block is deep enough', 1, {}, true],
    ['more blocks are needed', 2, {}, false],
    ['the run does not wait', 1, { noWait: true }, false],
  ])('a node is asked to answer with the receipt where %s', async (_, depth, more, isAsked) => {
    const { plan, run, calls } = rehearsal({ depth })
    plan('pay')
    await run('pay', more)
    expect(calls.some(({ method }) => method === syncSendMethod)).toBe(isAsked)
  })
})

describe('the block of a step is gone', () => {
  const gone = async (host: string, absentMs: number, instead: unknown) => {
    const world = rehearsal({ hosts: [host], depth: 20, everyMs: 2_000 })
    world.plan('pay')
    const told: string[] = []
    const onProgress = ({ kind }: { kind: string }) => {
      told.push(kind)
    }
    let since: number | undefined
    world.state.instead = ({ method, params, at }) => {
      const { inclusion } = world.stepOf('pay')
      if (!inclusion) return undefined
      since ??= at
      if (at - since > absentMs) return undefined
      if (method === 'eth_getTransactionReceipt') return null
      return method === 'eth_getBlockByNumber' && Number(params[0]) === inclusion.blockNumber
        ? instead
        : undefined
    }
    expect(await world.run('pay', { timeoutMs: 120_000, onProgress })).toMatchObject({ exit: 0 })
    return told.includes('gone')
  }
  const another = { number: '0xb', hash: `0x${'ab'.repeat(32)}`, transactions: [] }
  test('at once if there is another one', async () => {
    expect(await gone('node.example', 2_000, another)).toBe(true)
  })
  test('only after a while if there is none', async () => {
    expect(await gone('node.example', 10_000, null)).toBe(false)
    expect(await gone('node.example', 25_000, null)).toBe(true)
  })
})

describe('sending again', () => {
  test('has all attempts every third time, otherwise the newest', async () => {
    const world = await waiting()
    await world.run('pay', { replacement: 'bump', noWait: true })
    const [first, second] = world.journal.attempts('pay', 0).map(({ hash }) => hash) as [Hex, Hex]
    world.sent.length = 0
    await world.run('pay', { timeoutMs: 70_000, bumpDelay: { ms: 10 ** 9, blocks: 9 } })
    expect(world.sent.slice(0, 4).map(({ hash }) => hash)).toEqual([second, second, second, first])
  })

  test('sends only the cancellation while cancelling, and a bump turns that back', async () => {
    const world = await waiting()
    await world.run('pay', { replacement: 'cancel', noWait: true })
    world.sent.length = 0
    await world.run('pay', { timeoutMs: 70_000, bumpDelay: { ms: 10 ** 9, blocks: 9 } })
    expect(new Set(sentKinds(world))).toEqual(new Set(['cancel']))
    await world.run('pay', { replacement: 'bump', noWait: true })
    expect(kinds(world)).toEqual(['run', 'cancel', 'bump'])
    world.state.everyMs = 2_000
    expect(await world.run('pay')).toMatchObject({ exit: 0 })
    expect(world.paid()).toBe(1_000n)
  })

  test('checks the bytes of the journal first', async () => {
    const world = await waiting()
    const [attempt] = world.journal.attempts('pay', 0)
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
    const journal = { ...world.journal, attempts: () => [{ ...attempt!, raw }] }
    await world.run('pay', { journal, timeoutMs: 30_000 })
    expect(world.sent).toEqual([])
  })

  test('takes one look and one send without waiting', async () => {
    const world = await waiting()
    world.sent.length = 0
    world.calls.length = 0
    expect(await world.run('pay', { noWait: true })).toMatchObject({ code: 'PENDING' })
    expect(world.sent).toHaveLength(1)
    expect(world.calls.filter(({ method }) => method === 'eth_getTransactionReceipt')).toHaveLength(1)
  })
})

describe('a fee is raised', () => {
  test('after time and blocks, both since the last attempt', async () => {
    const halted = await waiting()
    await halted.run('pay', { timeoutMs: 60_000, bumpDelay: { ms: 10_000, blocks: 1 } })
    expect(kinds(halted)).toEqual(['run'])
    const dear = await waiting()
    dear.chain.weather.baseFee = 10n ** 14n
    dear.state.everyMs = 1_000
    await dear.run('pay', { timeoutMs: 32_000, bumpDelay: { ms: 10_000, blocks: 1 } })
    expect(kinds(dear)).toEqual(['run', 'bump', 'bump'])
  })

  test('in monotonic time: a clock that is set back does not matter', async () => {
    const world = await waiting()
    const party = world.newParty()
    const clock = world.time.clockOf(party, () => 0)
    await world.run('pay', { ...patience, clock, timeoutMs: 16_000 }, party)
    expect(kinds(world)).toEqual(['run', 'bump'])
  })

  test.each(['DECLINED', 'KEY_SOURCE'] as const)(
    'by a signer that is not asked again after %s',
    async (code) => {
      const world = await waiting()
      let asked = 0
      const signer = {
        ...world.account,
        signTransaction: async () => {
          asked++
          throw new AppError(code, 'no')
        },
      }
      expect(await world.run('pay', { ...patience, signer })).toMatchObject({ code: 'PENDING' })
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
    expect(kinds(world)).toEqual(['run'])
    await world.run('pay', { replacement: 'bump', noWait: true })
    expect(kinds(world)).toEqual(['run', 'bump'])
  })

  test('not over own bytes that a node calls too cheap to replace themselves', async () => {
    const world = await waiting()
    world.state.instead = async ({ method }, ask) => {
      if (!/^eth_send/.test(method)) return undefined
      await Promise.resolve(ask()).catch(() => undefined)
      throw refusal(method, 'replacement transaction underpriced')
    }
    await world.run('pay', { timeoutMs: 20_000 })
    expect(world.journal.attempts('pay', 0)[0]!.lastAnswer).toBe('known')
  })
})

describe('a cancel', () => {
  test('begins with the highest nonce, and leaves what is mined', async () => {
    const world = await waiting({}, ['action', 'action'])
    world.sent.length = 0
    await world.run('pay', { replacement: 'cancel', noWait: true })
    expect(world.sent.slice(0, 2).map(({ nonce }) => nonce)).toEqual([1, 0])
    const mined = await waiting({}, ['action', 'action'])
    mined.chain.drop(mined.journal.attempts('pay', 1)[0]!.hash)
    mined.chain.mine(mined.time.now())
    await mined.run('pay', { replacement: 'cancel', noWait: true })
    expect([kinds(mined, 0), kinds(mined, 1)]).toEqual([['run'], ['run', 'cancel']])
  })

  test('asks for no approval', async () => {
    const world = await waiting()
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
    const world = await waiting()
    world.state.instead = ({ method, params }) =>
      method === 'eth_estimateGas' && (params[0] as { to: string }).to === wallet ? '0x186a0' : undefined
    await world.run('pay', { replacement: 'cancel', noWait: true })
    expect(world.journal.attempts('pay', 0).at(-1)!.gas).toBeGreaterThanOrEqual(100_000n)
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
  world.state.everyMs = 2_000
  expect(await world.run('pay')).toMatchObject({ code: 'CANCELLED' })
  expect(new Set(sentKinds(world))).toEqual(new Set(['cancel']))
  expect(world.paid()).toBe(0n)
})

describe('a nonce that a foreign transaction used', () => {
  const taken = async (roles = ['action'], knowsOwners = true) => {
    const world = await waiting({ depth: 2, kind: { finalizedLag: 8, knowsOwners } }, roles)
    for (const [nonce] of roles.entries()) {
      world.chain.drop(world.journal.attempts('pay', nonce)[0]!.hash)
      world.stranger(nonce)
    }
    world.chain.mine(world.time.now())
    return world
  }
  test('is lost at finalized depth only', async () => {
    const world = await taken()
    world.state.everyMs = 3_000
    expect(await world.run('pay', { timeoutMs: 12_000 })).toMatchObject({ code: 'PENDING' })
    expect(world.stepOf('pay').state).toBe('BROADCAST')
    expect(await world.run('pay', { timeoutMs: 120_000 })).toMatchObject({ exit: 23, code: 'SUPERSEDED' })
    expect(world.journal.find('pay')).toMatchObject({ state: 'ATTENTION' })
  })

  test('takes two equal looks', async () => {
    const world = await taken()
    let looks = 0
    world.state.instead = ({ method }) =>
      method === 'eth_getTransactionBySenderAndNonce' && ++looks % 2 === 0
        ? { hash: `0x${'f1'.repeat(32)}`, from: wallet, nonce: '0x0', blockNumber: '0x1' }
        : undefined
    world.state.everyMs = 1_000
    expect(await world.run('pay', { timeoutMs: 40_000 })).toMatchObject({ code: 'PENDING' })
  })

  test('is recorded for each step that lost one', async () => {
    const world = await taken(['action', 'action'])
    world.state.everyMs = 3_000
    expect(await world.run('pay', { timeoutMs: 120_000 })).toMatchObject({ code: 'SUPERSEDED' })
    expect(world.journal.find('pay')!.steps.map(({ state }) => state)).toEqual(['SUPERSEDED', 'SUPERSEDED'])
  })

  test('lets later steps be followed first', async () => {
    const world = await waiting({ depth: 1 }, ['action', 'action'])
    world.chain.drop(world.journal.attempts('pay', 0)[0]!.hash)
    world.stranger(0)
    world.state.everyMs = 1_000
    expect(await world.run('pay', { timeoutMs: 120_000 })).toMatchObject({ code: 'SUPERSEDED' })
    expect(world.journal.find('pay')!.steps.map(({ state }) => state)).toEqual(['SUPERSEDED', 'FINAL_OK'])
    expect(world.paid(1)).toBe(1_000n)
  })

  test('comes back only if its nonce is free in the journal', async () => {
    for (const isFree of [true, false]) {
      const world = await waiting({ depth: 1 })
      const [attempt] = world.journal.attempts('pay', 0)
      world.chain.drop(attempt!.hash)
      world.stranger(0)
      world.chain.mine(world.time.now())
      expect(await world.run('pay', { timeoutMs: 60_000 })).toMatchObject({ code: 'SUPERSEDED' })
      if (!isFree) {
        world.plan('other')
        world.journal.reserveNonce('other', 0, 0, 1)
      }
      const block = world.chain.blocks.at(-1)!
      const receipt = {
        ...{
          transactionHash: attempt!.hash,
          from: wallet,
          to: payeeOf(0),
          status: '0x1',
          transactionIndex: '0x0',
        },
        ...{
          blockNumber: `0x${block.number.toString(16)}`,
          blockHash: block.hash,
          gasUsed: '0x5208',
          logs: [],
        },
      }
      world.state.instead = async ({ method, params }, ask) => {
        if (method === 'eth_getTransactionReceipt') return params[0] === attempt!.hash ? receipt : null
        if (method !== 'eth_getBlockByNumber') return undefined
        const said = (await ask()) as { hash: string } | null
        return said?.hash === block.hash ? { ...said, transactions: [attempt!.hash] } : said
      }
      await world.run('pay', { timeoutMs: 20_000 })
      expect(world.stepOf('pay').state).toBe(isFree ? 'FINAL_OK' : 'SUPERSEDED')
    }
  })
})

test('a result that was read early counts only for the same blocks', async () => {
  const world = rehearsal()
  world.plan('pay')
  let reads = 0
  const readResult = async () => ({ read: ++reads })
  let isReorganised = false
  const onLastMined = () => {
    if (isReorganised) return
    isReorganised = true
    world.chain.reorganise(1, 'again', world.time.now())
  }
  expect(await world.run('pay', { readResult, onLastMined })).toMatchObject({ exit: 0 })
  expect(world.journal.find('pay')!.result).toEqual({ read: reads })
  expect(reads).toBeGreaterThanOrEqual(2)
})

test('an unexpected error after a signature is PENDING, with what failed', async () => {
  const world = rehearsal()
  world.plan('pay')
  const fault = (point: string) => {
    if (point === 'after_receipt') throw new Error('the disk is full')
  }
  expect(await world.run('pay', { fault })).toMatchObject({
    code: 'PENDING',
    message: expect.stringMatching(/the disk is full/),
  })
})
