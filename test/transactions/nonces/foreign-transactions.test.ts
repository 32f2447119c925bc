import { describe, expect, it, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { requiredDepth } from '../../../src/chain/finality/finality.ts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import type { Chain } from '../../support/anvil.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { oneCoin, payee, planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { paidOn, useChain, useHome } from '../../support/use-journal-and-chain.ts'

let chain: Chain
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})

const paid = () => paidOn(chain)
const code = (error: unknown) => (error as { code?: string }).code
const dear = 10n ** 12n
/** The same payment with a higher fee, as another program would sign it; `more` changes it. */
const again = (
  nonce: number,
  more: Partial<Record<'value' | 'maxFeePerGas' | 'maxPriorityFeePerGas', bigint>> = {},
) =>
  signer.signTransaction({
    chainId: 31337,
    nonce,
    gas: 60_000n,
    to: payee,
    value: oneCoin,
    type: 'eip1559',
    maxFeePerGas: dear,
    maxPriorityFeePerGas: dear,
    ...more,
  })
const send = (raw: string) => chain.rpc.request<string>('eth_sendRawTransaction', [raw])
const mine = () => chain.rpc.request('evm_mine')
const nonceOf = (id: string, index = 0) => journal.find(id)!.steps[index]!.nonce!
const outcome = (id: string, more: Partial<Execution> = {}) =>
  run(journal, home, chain.url, id, more).catch((error: unknown) => error)

/** Sends an operation on a chain that mines no blocks by itself. */
async function waiting(id: string, count = 1): Promise<void> {
  await chain.rpc.request('evm_setAutomine', [false])
  planPayments(journal, id, count)
  expect(code(await outcome(id, { noWait: true, pipeline: true }))).toBe('PENDING')
}

useChain(
  (made) => {
    chain = made
  },
  { each: true },
)

describe('a foreign transaction with the nonce of a step', () => {
  it.each([
    ['the same call', oneCoin],
    ['another call', oneCoin - 1n],
  ] as const)('ends the step with exit code 23 and its hash: %s', async (_, value) => {
    await waiting('lost')
    const hash = await send(await again(nonceOf('lost'), { value }))
    await mine()
    expect(await outcome('lost')).toMatchObject({
      code: 'SUPERSEDED',
      details: { hash },
      hint: `sluice action explain ${hash}`,
    })
    expect(attemptsOf(journal, 'lost', 0)).toHaveLength(1)
    expect(journal.find('lost')).toMatchObject({ state: 'ATTENTION', exit: 23 })
    journal.verify('lost')
  })

  it('no longer counts when a reorganisation removes it and the step is mined', async () => {
    const before = await paid()
    await waiting('regained')
    const snapshot = await chain.rpc.request('evm_snapshot')
    await send(await again(nonceOf('regained'), { value: 77n }))
    await mine()
    expect(code(await outcome('regained'))).toBe('SUPERSEDED')
    await chain.rpc.request('evm_revert', [snapshot])
    await chain.rpc.request('anvil_dropAllTransactions')
    await send(attemptsOf(journal, 'regained', 0)[0]!.raw)
    await mine()
    expect(await outcome('regained')).toMatchObject({ state: 'DONE', steps: [{ state: 'FINAL_OK' }] })
    expect((await paid()) - before).toBe(oneCoin)
  })
})

describe('a foreign transaction that arrives with the same nonce just before ours', () => {
  const hardlyMore = (id: string) => {
    const { maxFeePerGas, maxPriorityFeePerGas } = attemptsOf(journal, id, 0)[0]!
    return { maxFeePerGas: maxFeePerGas + 1n, maxPriorityFeePerGas: maxPriorityFeePerGas + 1n }
  }
  /** Sends a foreign transaction while ours is being signed. */
  async function outrun(id: string, more: Partial<Execution>): Promise<unknown> {
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, id)
    const request = (async (method: string, params?: unknown[]) => {
      if (/^eth_sendRawTransaction/.test(method) && attemptsOf(journal, id, 0)[0]?.sends === 0)
        await send(await again(nonceOf(id), { value: 77n, ...hardlyMore(id) }))
      return chain.rpc.request(method, params)
    }) as ChainClient['request']
    return outcome(id, { rpc: () => ({ ...chain.rpc, request }), ...more })
  }

  it('is not replaced automatically; the hint names explain and speed-up', async () => {
    const patience = { ms: 1, blocks: 0 }
    expect(await outrun('outrun', { bumpDelay: patience, timeoutMs: 2_000 })).toMatchObject({
      code: 'PENDING',
      message: expect.stringContaining('replacement transaction underpriced'),
      hint: 'Another transaction of this wallet is pending with its nonce. To see it: sluice action explain outrun. To replace it with this one: sluice action speed-up outrun',
    })
    expect(attemptsOf(journal, 'outrun', 0)).toHaveLength(1)
    // A speed-up requested by the user does replace it.
    const done = outcome('outrun', { replacement: 'bump' })
    while (attemptsOf(journal, 'outrun', 0).every(({ kind, sends }) => kind !== 'bump' || sends === 0))
      await new Promise((resolve) => setTimeout(resolve, 10))
    await mine()
    expect(await done).toMatchObject({ state: 'DONE' })
  })

  it('is named with its block while it is mined and not final', async () => {
    expect(code(await outrun('taken', { noWait: true }))).toBe('PENDING')
    await mine()
    const networks = sandboxNetworks.map((network) => ({ ...network, depth: 3 }))
    const block = Number(await chain.rpc.request('eth_blockNumber'))
    expect(await outcome('taken', { networks, noWait: true })).toMatchObject({
      code: 'PENDING',
      message: expect.stringMatching(
        new RegExp(`was used by 0x[0-9a-f]{64} in block ${block}, which is not final yet`),
      ),
      hint: 'sluice action resume taken',
    })
  })
})

describe('an approval step that lost its nonce', () => {
  /** Sends an approval and its action; a foreign transaction then uses the nonce of the approval. */
  const lost = async (id: string, more: readonly { role: string }[] = []) => {
    await chain.rpc.request('evm_setAutomine', [false])
    await begin(id, more)
    await send(await again(nonceOf(id), { value: 77n }))
    await mine()
  }
  const begin = async (id: string, more: readonly { role: string }[] = []) => {
    const transaction = { to: payee, data: '0x' as const, value: oneCoin, chainId: 31337 }
    const steps = [{ role: 'approve' }, { role: 'action' }, ...more].map(({ role }, at) => ({
      role,
      text: role,
      transaction: { ...transaction, value: BigInt(at + 1) },
    }))
    const request = { of: id }
    const legs = [{ chainId: 31337, steps }]
    journal.insert({ id, idemKey: id, request, kind: 'deposit', wallet: signer.address, legs })
    await outcome(id, { noWait: true, pipeline: true })
  }

  test('does not prevent DONE when the action succeeded', async () => {
    await lost('whole')
    const told: string[] = []
    const done = await outcome('whole', {
      onProgress: (progress) => {
        if (progress.kind === 'final') told.push(`final ${progress.step.index}`)
      },
    })
    expect(done).toMatchObject({ state: 'DONE', steps: [{ state: 'SUPERSEDED' }, { state: 'FINAL_OK' }] })
    expect(told).toEqual(['final 1'])
    expect(await outcome('whole')).toMatchObject({ state: 'DONE' })
    journal.verify('whole')
  })

  test('does not keep an operation in ATTENTION when the action succeeded', async () => {
    await lost('held')
    // Puts the operation into ATTENTION, as earlier versions recorded it.
    const error = new AppError('BUG', 'stopped here')
    await outcome('held', {
      fault: (point) => {
        if (point === 'after_final') throw error
      },
    })
    expect(journal.find('held')!.steps[1]!.state).toBe('FINAL_OK')
    journal.supersede('held', 0, `0x${'77'.repeat(32)}`, 'its nonce was used', `0x${'77'.repeat(32)}`)
    expect(journal.find('held')!.state).toBe('ATTENTION')
    expect(await outcome('held')).toMatchObject({ state: 'DONE', exit: 0 })
  })

  test('or was cancelled does not turn a successful action into CANCELLED', async () => {
    await chain.rpc.request('evm_setAutomine', [false])
    await begin('cancelled')
    await outcome('cancelled', { replacement: 'cancel', noWait: true })
    const [first, cancel] = attemptsOf(journal, 'cancelled', 1)
    await chain.rpc.request('anvil_dropTransaction', [cancel!.hash])
    await send(first!.raw)
    await mine()
    expect(await outcome('cancelled')).toMatchObject({
      state: 'DONE',
      steps: [{ state: 'CANCELLED' }, { state: 'FINAL_OK' }],
    })
  })

  test('does not prevent the steps after the action from being signed', async () => {
    await chain.rpc.request('evm_setAutomine', [false])
    await lost('paying', [{ role: 'fee' }])
    await chain.rpc.request('evm_setAutomine', [true])
    expect(await outcome('paying')).toMatchObject({
      state: 'DONE',
      steps: [{ state: 'SUPERSEDED' }, { state: 'FINAL_OK' }, { role: 'fee', state: 'FINAL_OK' }],
    })
  })
})

describe('a cancel of several pending steps', () => {
  it('is repeated after the node fails temporarily', async () => {
    await waiting('shaky', 2)
    const node = httpRpc(chain.url)
    let fails = 2
    const shaky: ChainClient = {
      ...node,
      request: (async (method: string, params?: unknown[]) => {
        if (method === 'eth_estimateGas' && fails-- > 0) throw new AppError('RPC_UNREACHABLE', 'not now')
        return node.request(method, params)
      }) as ChainClient['request'],
    }
    const cancelled = outcome('shaky', { replacement: 'cancel', rpc: () => shaky })
    while (!attemptsOf(journal, 'shaky', 0)[1]?.sends) await new Promise((resolve) => setTimeout(resolve, 10))
    await chain.rpc.request('evm_setAutomine', [true])
    await mine()
    expect(code(await cancelled)).toBe('CANCELLED')
    expect([kinds('shaky', 0), kinds('shaky', 1)]).toEqual([
      ['run', 'cancel'],
      ['run', 'cancel'],
    ])
  })

  const kinds = (id: string, index: number) => attemptsOf(journal, id, index).map(({ kind }) => kind)

  it('replaces all of them, the last first, and ends in CANCELLED', async () => {
    const before = await paid()
    await waiting('all', 2)
    const order: number[] = []
    expect(
      code(
        await outcome('all', {
          replacement: 'cancel',
          noWait: true,
          onProgress: (progress) => {
            if (progress.kind === 'cancelling') order.push(progress.step.index)
          },
        }),
      ),
    ).toBe('PENDING')
    expect(order).toEqual([1, 0])
    await mine()
    expect(code(await outcome('all'))).toBe('CANCELLED')
    expect(journal.find('all')).toMatchObject({
      state: 'CANCELLED',
      exit: 24,
      steps: [{ state: 'CANCELLED' }, { state: 'CANCELLED' }],
    })
    expect(await paid()).toBe(before)
  })

  it('cancels the last step when the first is mined before its cancel', async () => {
    const before = await paid()
    await waiting('late', 2)
    const first = attemptsOf(journal, 'late', 0)[0]!
    await outcome('late', { replacement: 'cancel', noWait: true })
    await chain.rpc.request('anvil_dropTransaction', [attemptsOf(journal, 'late', 0).at(-1)!.hash])
    await send(first.raw)
    await mine()
    await chain.rpc.request('evm_setAutomine', [true])
    expect(code(await outcome('late'))).toBe('CANCELLED')
    expect((await paid()) - before).toBe(oneCoin)
    expect(journal.find('late')).toMatchObject({
      exit: 24,
      steps: [{ state: 'FINAL_OK' }, { state: 'CANCELLED' }],
    })
  })

  it('cancels the last step even when the fee cap prevents the cancel of the first', async () => {
    await waiting('short', 2)
    let asked = 0
    const refused = await outcome('short', {
      replacement: 'cancel',
      feeCap: (_, __, kind) => (kind === 'cancel' && asked++ === 0 ? null : 1n),
    })
    expect(refused).toMatchObject({ code: 'PENDING' })
    expect([kinds('short', 0), kinds('short', 1)]).toEqual([['run'], ['run', 'cancel']])
  })
})

test('a foreign transaction must be finalized, unless the user set a depth or the chain needs one block', () => {
  expect(requiredDepth(12, undefined)).toEqual({ wanted: 'finalized', usual: 12 })
  expect(requiredDepth(12, 3)).toEqual({ wanted: 3, usual: 12 })
  expect(requiredDepth(1, undefined)).toEqual({ wanted: 1, usual: 1 })
})
