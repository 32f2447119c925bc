import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import { quantity } from '../../../src/chain/rpc/quantities.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import { type Chain, startChain } from '../../support/anvil.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import {
  journalIn,
  newHome,
  oneCoin,
  payee,
  planPayments,
  removeHome,
  run,
  signer,
} from '../../support/payments/payment-operation.ts'

let chain: Chain
let home: string
let journal: Journal
let elsewhere: string
let theirs: Journal
let snapshot: unknown

const paid = async () => quantity(await chain.rpc.request('eth_getBalance', [payee, 'latest']), 'balance')
const next = async () =>
  Number(quantity(await chain.rpc.request('eth_getTransactionCount', [signer.address, 'latest']), 'nonce'))
const error = (work: Promise<unknown>) => work.then(() => undefined).catch((e: unknown) => e)
const pinned = (nonce: number) => ({ pinnedNonces: { 31337: nonce } })

/** A payment from the same wallet by another tool or machine. */
async function foreign(value = 5n, more: object = {}): Promise<void> {
  await chain.rpc.request('eth_sendTransaction', [
    { from: signer.address, to: `0x${'99'.repeat(20)}`, value: `0x${value.toString(16)}`, ...more },
  ])
}

beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())
beforeEach(async () => {
  snapshot = await chain.rpc.request('evm_snapshot')
  ;[home, elsewhere] = [newHome(), newHome()]
  ;[journal, theirs] = [journalIn(home), journalIn(elsewhere)]
})
afterEach(async () => {
  for (const one of [journal, theirs]) one.close()
  for (const one of [home, elsewhere]) removeHome(one)
  await chain.rpc.request('evm_setAutomine', [true])
  await chain.rpc.request('evm_revert', [snapshot])
})

describe('a pinned nonce', () => {
  it('is used, and the steps after it use the following nonces', async () => {
    const nonce = await next()
    planPayments(journal, 'two', 2)
    const done = await run(journal, home, chain.url, 'two', pinned(nonce))
    expect(done.steps.map((step) => step.nonce)).toEqual([nonce, nonce + 1])
  })

  it('pays once on two machines that share nothing; the second reports the hash of the first', async () => {
    const [before, nonce] = [await paid(), await next()]
    planPayments(journal, 'here')
    planPayments(theirs, 'there')
    await chain.rpc.request('evm_setAutomine', [false])
    const sent = { ...pinned(nonce), noWait: true }
    expect(await error(run(journal, home, chain.url, 'here', sent))).toMatchObject({ code: 'PENDING' })
    const details = { hash: attemptsOf(journal, 'here', 0)[0]!.hash }
    const second = () => error(run(theirs, elsewhere, chain.url, 'there', pinned(nonce)))
    expect(await second()).toMatchObject({ code: 'FOREIGN_PENDING', details })
    await chain.rpc.request('evm_mine')
    expect(await second()).toMatchObject({ code: 'NONCE_USED', details })
    expect(attemptsOf(theirs, 'there', 0)).toEqual([])
    expect((await paid()) - before).toBe(oneCoin)
  })

  it('that another transaction used ends in NONCE_USED with its hash, and signs nothing', async () => {
    const [before, nonce] = [await paid(), await next()]
    await foreign()
    planPayments(journal, 'late')
    expect(await error(run(journal, home, chain.url, 'late', pinned(nonce)))).toMatchObject({
      code: 'NONCE_USED',
      details: { nonce, hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    })
    expect(attemptsOf(journal, 'late', 0)).toEqual([])
    expect(await paid()).toBe(before)
  })

  it('that is used or pending is refused without a hash when the node shows none', async () => {
    const nonce = await next()
    const node = httpRpc(chain.url)
    const blind: ChainClient = {
      ...node,
      request: async (method, params) =>
        method === 'eth_getTransactionBySenderAndNonce' || method === 'eth_getBlockByNumber'
          ? method === 'eth_getBlockByNumber' && params![1] === false
            ? node.request(method, params)
            : (null as never)
          : node.request(method, params),
    }
    await chain.rpc.request('evm_setAutomine', [false])
    await foreign()
    planPayments(journal, 'unshown')
    const outcome = () =>
      error(run(journal, home, chain.url, 'unshown', { ...pinned(nonce), rpc: () => blind }))
    const mayBe = expect.stringContaining('It may be this one')
    expect(await outcome()).toMatchObject({ code: 'FOREIGN_PENDING', message: mayBe })
    await chain.rpc.request('evm_mine')
    expect(await outcome()).toMatchObject({ code: 'NONCE_USED', message: mayBe, details: { hash: null } })
    expect(attemptsOf(journal, 'unshown', 0)).toEqual([])
  })

  it('that belongs to another operation of this journal is refused', async () => {
    const nonce = await next()
    planPayments(journal, 'one')
    planPayments(journal, 'other')
    await run(journal, home, chain.url, 'one', pinned(nonce))
    expect(await error(run(journal, home, chain.url, 'other', pinned(nonce)))).toMatchObject({
      code: 'NONCE_USED',
      details: { operation: 'one' },
    })
    expect(attemptsOf(journal, 'other', 0)).toEqual([])
  })

  it('above the next nonce is refused with NONCE_GAP, and signs nothing', async () => {
    const nonce = await next()
    planPayments(journal, 'far')
    expect(await error(run(journal, home, chain.url, 'far', pinned(nonce + 3)))).toMatchObject({
      code: 'NONCE_GAP',
      hint: expect.stringMatching(/sluice action resume far. To drop it: sluice action abandon far$/),
    })
    expect(attemptsOf(journal, 'far', 0)).toEqual([])
  })
})

describe('a foreign pending transaction', () => {
  it('blocks the operation unless the user queues behind it', async () => {
    const [before, nonce] = [await paid(), await next()]
    await chain.rpc.request('evm_setAutomine', [false])
    await foreign()
    planPayments(journal, 'behind')
    expect(await error(run(journal, home, chain.url, 'behind'))).toMatchObject({ code: 'FOREIGN_PENDING' })
    expect(attemptsOf(journal, 'behind', 0)).toEqual([])
    const outcome = run(journal, home, chain.url, 'behind', { queueBehind: true })
    while (!attemptsOf(journal, 'behind', 0)[0]?.sends)
      await new Promise((resolve) => setTimeout(resolve, 10))
    await chain.rpc.request('evm_mine')
    expect((await outcome).steps[0]!.nonce).toBe(nonce + 1)
    expect((await paid()) - before).toBe(oneCoin)
  })
})

describe('a pipeline', () => {
  it('with a reverted step ends after its other steps are final', async () => {
    const before = await paid()
    const trap = `0x${'77'.repeat(20)}` as const
    await chain.rpc.request('anvil_setCode', [trap, '0x60006000fd'])
    await chain.rpc.request('evm_setAutomine', [false])
    const paying = (to: typeof trap) => ({
      role: 'action',
      text: 'Pay one coin',
      transaction: { to, data: '0x' as const, value: oneCoin, chainId: 31337 },
    })
    journal.insert({
      id: 'trapped',
      idemKey: 'key-of-trapped',
      request: { pay: 'trapped' },
      kind: 'transfer',
      wallet: signer.address,
      legs: [{ chainId: 31337, steps: [paying(trap), paying(payee)] }],
    })
    const outcome = error(
      run(journal, home, chain.url, 'trapped', {
        pipeline: true,
        beforeLeg: async (_, steps) => steps.map(() => 50_000n),
      }),
    )
    while (!attemptsOf(journal, 'trapped', 1)[0]?.sends)
      await new Promise((resolve) => setTimeout(resolve, 10))
    const { hash } = attemptsOf(journal, 'trapped', 1)[0]!
    const raw = attemptsOf(journal, 'trapped', 1)[0]!.raw
    await chain.rpc.request('anvil_dropTransaction', [hash])
    await chain.rpc.request('evm_mine')
    while (journal.find('trapped')!.steps[0]!.state !== 'FINAL_REVERTED')
      await new Promise((resolve) => setTimeout(resolve, 10))
    await chain.rpc.request('eth_sendRawTransaction', [raw]).catch(() => undefined)
    await chain.rpc.request('evm_mine')
    expect(await outcome).toMatchObject({ code: 'REVERTED' })
    const { state, steps } = journal.find('trapped')!
    expect([state, ...steps.map((step) => step.state)]).toEqual(['FAILED', 'FINAL_REVERTED', 'FINAL_OK'])
    expect((await paid()) - before).toBe(oneCoin)
  })

  it('signs and sends all steps before the first is mined', async () => {
    const before = await paid()
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, 'piped', 3)
    const outcome = run(journal, home, chain.url, 'piped', {
      pipeline: true,
      beforeLeg: async (_, steps) => steps.map(() => 50_000n),
    })
    while (!attemptsOf(journal, 'piped', 2)[0]?.sends) await new Promise((resolve) => setTimeout(resolve, 10))
    await chain.rpc.request('evm_mine')
    const { steps, state } = await outcome
    expect(state).toBe('DONE')
    expect(new Set(steps.map(({ inclusion }) => inclusion!.blockNumber)).size).toBe(1)
    expect((await paid()) - before).toBe(3n * oneCoin)
  })
})

it('a pinned nonce reserved before a crash and used by another transaction since is not replaced', async () => {
  const [before, nonce] = [await paid(), await next()]
  planPayments(journal, 'reserved')
  journal.reserveNonce('reserved', 0, nonce, 0)
  await foreign()
  expect(await error(run(journal, home, chain.url, 'reserved', pinned(nonce)))).toMatchObject({
    code: 'NONCE_USED',
  })
  expect(attemptsOf(journal, 'reserved', 0)).toEqual([])
  expect(await paid()).toBe(before)
})

describe('a pinned nonce of a partly executed operation', () => {
  it('that another transaction used ends in PARTIAL, and the hint names what used it', async () => {
    const [before, nonce] = [await paid(), await next()]
    planPayments(journal, 'half', 2)
    await error(run(journal, home, chain.url, 'half', { ...pinned(nonce), noWait: true }))
    await foreign()
    expect(await error(run(journal, home, chain.url, 'half', pinned(nonce)))).toMatchObject({
      code: 'PARTIAL',
      details: { cause: 'NONCE_USED' },
      hint: expect.stringMatching(/^sluice action explain 0x\w{64}$/),
    })
    expect(journal.find('half')).toMatchObject({ state: 'PARTIAL' })
    expect((await paid()) - before).toBe(oneCoin)
  })
})
