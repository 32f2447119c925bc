import { describe, expect, test } from 'vitest'
import { syncSendMethod } from '../../../src/chain/rpc/sync-send.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { payeeOf, rehearsal, waitingRehearsal, wallet } from '../../support/simulated/rehearsal.ts'

// What must hold from the signature to the end, on a simulated chain in virtual time.

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

  const invented = async ({ chain, sent }: ReturnType<typeof rehearsal>): Promise<object> => {
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

describe('a nonce that a foreign transaction used', () => {
  const taken = async (roles = ['action'], knowsOwners = true) => {
    const world = await waitingRehearsal({ depth: 2, kind: { finalizedLag: 8, knowsOwners } }, roles)
    for (const [nonce] of roles.entries()) {
      world.chain.drop(attemptsOf(world.journal, 'pay', nonce)[0]!.hash)
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
    const world = await waitingRehearsal({ depth: 1 }, ['action', 'action'])
    world.chain.drop(attemptsOf(world.journal, 'pay', 0)[0]!.hash)
    world.stranger(0)
    world.state.everyMs = 1_000
    expect(await world.run('pay', { timeoutMs: 120_000 })).toMatchObject({ code: 'SUPERSEDED' })
    expect(world.journal.find('pay')!.steps.map(({ state }) => state)).toEqual(['SUPERSEDED', 'FINAL_OK'])
    expect(world.paid(1)).toBe(1_000n)
  })

  test('comes back only if its nonce is free in the journal', async () => {
    for (const isFree of [true, false]) {
      const world = await waitingRehearsal({ depth: 1 })
      const [attempt] = attemptsOf(world.journal, 'pay', 0)
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
      const end = await world.run('pay', { timeoutMs: 20_000 })
      expect(end).toMatchObject(isFree ? { exit: 0 } : { code: 'SUPERSEDED' })
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

describe('an operation that another process ends', () => {
  test('while this one waits for the wallet is not signed', async () => {
    const world = rehearsal()
    world.plan('pay')
    const lock = async () => {
      world.journal.settle('pay', 'DROPPED', 'given up', 21)
      return { release: () => undefined }
    }
    expect(await world.run('pay', { lock })).toMatchObject({ code: 'DECLINED' })
    expect(world.sent).toEqual([])
  })

  test('between two reads is over', async () => {
    const world = rehearsal()
    world.plan('pay')
    let reads = 0
    const journal = {
      ...world.journal,
      find: (id: string) => {
        const operation = world.journal.find(id)
        if (operation?.steps[0]?.state === 'FINAL_OK' && ++reads === 2)
          world.journal.settle('pay', 'DONE', 'all steps are final', 0)
        return operation
      },
    }
    expect(await world.run('pay', { journal })).toMatchObject({ exit: 0 })
    expect(world.journal.find('pay')).toMatchObject({ state: 'DONE' })
  })
})

describe('a delivery is awaited', () => {
  const bridged = () => {
    const world = rehearsal()
    const chainId = 31337
    const step = (at: number) => ({
      ...{ role: 'action', text: 'Pay' },
      transaction: { to: payeeOf(at), data: '0x01' as const, value: 1_000n, chainId },
    })
    const arrival = { recipient: wallet, minimum: 1n, token: payeeOf(9), way: 'burn' } as never
    world.journal.insert({
      ...{ id: 'pay', idemKey: 'key-of-pay', request: {}, kind: 'transfer', wallet },
      legs: [
        { chainId, steps: [step(0)] },
        { chainId, arrival, steps: [step(1)] },
      ],
    })
    return world
  }
  test('without the lock of the wallet', async () => {
    const world = bridged()
    let held = 0
    const lock = async () => {
      held++
      return { release: () => void held-- }
    }
    const seen: number[] = []
    const checkDelivery = async () => {
      seen.push(held)
      return { arrived: `0x${'aa'.repeat(32)}` as const }
    }
    expect(await world.run('pay', { lock, checkDelivery })).toMatchObject({ exit: 0 })
    expect(seen).toEqual([0])
    expect(world.paid(1)).toBe(1_000n)
  })

  test('not by a run that may not sign what follows', async () => {
    const world = bridged()
    await world.run('pay', { noWait: true })
    let looks = 0
    const checkDelivery = async () => {
      looks++
      return undefined
    }
    const end = await world.run('pay', { onlySigned: true, checkDelivery })
    expect(end).toMatchObject({ code: 'PENDING' })
    expect(end.tookMs).toBeLessThan(30_000)
    expect(looks).toBe(0)
  })
})

describe('the journal', () => {
  test('has a lost nonce and the need of a decision in one write', async () => {
    const world = await waitingRehearsal({ depth: 1 })
    world.chain.drop(attemptsOf(world.journal, 'pay', 0)[0]!.hash)
    world.stranger(0)
    world.chain.mine(world.time.now())
    const settle = () => {
      throw new Error('died')
    }
    await world.run('pay', { journal: { ...world.journal, settle } })
    expect(world.journal.find('pay')).toMatchObject({ state: 'ATTENTION', steps: [{ state: 'SUPERSEDED' }] })
  })

  test('has the attempts in the order of the trail, whatever the clock says', async () => {
    const world = await waitingRehearsal()
    world.state.wallShift = -3_600_000
    await world.run('pay', { replacement: 'bump', noWait: true })
    expect(attemptsOf(world.journal, 'pay', 0).map(({ kind }) => kind)).toEqual(['run', 'bump'])
  })
})
