import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { keccak256 } from 'viem/utils'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bundled } from '../../../bench/bundled.ts'
import { quantity } from '../../../src/chain/rpc/quantities.ts'
import { AppError } from '../../../src/domain/errors.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import type { FaultPoint } from '../../../src/transactions/run.ts'
import { type Chain, startChain } from '../../support/anvil.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { cells } from '../../support/engine.ts'
import { startFaultyRpc } from '../../support/nodes/faulty-rpc.ts'
import type { Act } from '../../support/nodes/rpc-faults.ts'
import {
  journalIn,
  oneCoin,
  payee,
  planPayments,
  run,
  signer,
} from '../../support/payments/payment-operation.ts'
import { useChain, useHome } from '../../support/use-journal-and-chain.ts'

let chain: Chain
let home: string
let journal: Journal
useHome((made) => {
  ;({ home, journal } = made)
})
let snapshot: unknown

const paid = async (): Promise<bigint> =>
  quantity(await chain.rpc.request('eth_getBalance', [payee, 'latest']), 'the balance')
const nonceOf = async (): Promise<bigint> =>
  quantity(await chain.rpc.request('eth_getTransactionCount', [signer.address, 'latest']), 'the nonce')
const code = (error: unknown): string => (error as { code: string }).code

useChain((made) => {
  chain = made
})
beforeEach(async () => {
  snapshot = await chain.rpc.request('evm_snapshot')
})
afterEach(async () => {
  await chain.rpc.request('evm_setAutomine', [true])
  await chain.rpc.request('evm_revert', [snapshot])
})

describe('an operation that is abandoned while it is being signed', () => {
  it.each([
    ['before its first signature', 'DROPPED', 1, 'DECLINED', 0n],
    ['between two of its steps', 'CANCELLED', 2, 'PARTIAL', oneCoin],
  ] as const)('%s is not signed any further', async (_, becomes, nth, refusal, sum) => {
    planPayments(journal, 'given-up', 2)
    const before = await paid()
    let signatures = 0
    const ended = run(journal, home, chain.url, 'given-up', {
      fault: (point) => {
        if (point === 'after_sign' && ++signatures === nth)
          journal.settle('given-up', becomes, 'given up', 21)
      },
    })
    expect(code(await ended.catch((error: unknown) => error))).toBe(refusal)
    expect((await paid()) - before).toBe(sum)
  })
})

describe('an operation', () => {
  it('pays once per step with consecutive nonces, and ends in DONE', async () => {
    planPayments(journal, 'three', 3)
    const before = await paid()
    const done = await run(journal, home, chain.url, 'three')
    expect(done).toMatchObject({ state: 'DONE', exit: 0 })
    expect(done.steps.map(({ state }) => state)).toEqual(['FINAL_OK', 'FINAL_OK', 'FINAL_OK'])
    expect(done.steps.map(({ nonce }) => nonce! - done.steps[0]!.nonce!)).toEqual([0, 1, 2])
    expect((await paid()) - before).toBe(3n * oneCoin)
  })

  it('is not executed again when it is done', async () => {
    planPayments(journal, 'once')
    await run(journal, home, chain.url, 'once')
    const before = [await paid(), await nonceOf()]
    const proxy = await startFaultyRpc(chain.url, [])
    expect((await run(journal, home, proxy.url, 'once')).state).toBe('DONE')
    expect(proxy.calls.filter((method) => !/^eth_(getBlockByNumber|chainId)$/.test(method))).toEqual([])
    await proxy.stop()
    expect([await paid(), await nonceOf()]).toEqual(before)
  })

  it('records every transaction in the journal before the node receives it', async () => {
    planPayments(journal, 'ahead', 2)
    const reader = journalIn(home)
    const known: boolean[] = []
    const proxy = await startFaultyRpc(chain.url, [], (raw) => {
      const attempts = [0, 1].flatMap((index) => attemptsOf(reader, 'ahead', index))
      known.push(attempts.some(({ hash }) => hash === keccak256(raw as `0x${string}`)))
    })
    await run(journal, home, proxy.url, 'ahead')
    await proxy.stop()
    reader.close()
    expect(known).toEqual([true, true])
  })
})

const script = await bundled(join(import.meta.dirname, 'killed-process.ts'))

describe('a process killed with SIGKILL', () => {
  const points: [FaultPoint, number][] = [
    ['after_op', 1],
    ['after_nonce', 2],
    ['after_sign', 1],
    ['after_journal', 2],
    ['after_broadcast', 1],
    ['after_receipt', 3],
    ['after_final', 1],
    ['before_done', 1],
    // Each point once; the repeats run in the kill matrix, and here with `SLUICE_CELLS=all`.
    ['after_nonce', 1],
    ['after_sign', 2],
    ['after_journal', 1],
    ['after_broadcast', 2],
    ['after_receipt', 1],
    ['after_final', 2],
  ]
  it.each(points.slice(0, cells(8, points.length)))(
    'leaves an operation that pays exactly once when resumed: %s, pass %i',
    async (point, nth) => {
      planPayments(journal, 'killed', 2)
      const [before, nonce] = [await paid(), await nonceOf()]
      const child = spawn(process.execPath, [script, home, chain.url, 'killed', point, String(nth)], {
        stdio: 'ignore',
      })
      const [, signal] = await once(child, 'exit')
      expect(signal).toBe('SIGKILL')
      const raws = [0, 1].map((index) => attemptsOf(journal, 'killed', index).map(({ raw }) => raw))
      expect((await run(journal, home, chain.url, 'killed')).state).toBe('DONE')
      expect((await paid()) - before).toBe(2n * oneCoin)
      expect((await nonceOf()) - nonce).toBe(2n)
      for (const [index, signed] of raws.entries())
        if (signed.length > 0)
          expect(attemptsOf(journal, 'killed', index).map(({ raw }) => raw)).toEqual(signed)
    },
  )

  it('leaves no nonce gap for the next operation when nothing was signed', async () => {
    planPayments(journal, 'first')
    planPayments(journal, 'second')
    const child = spawn(process.execPath, [script, home, chain.url, 'first', 'after_nonce', '1'], {
      stdio: 'ignore',
    })
    await once(child, 'exit')
    expect((await run(journal, home, chain.url, 'second')).state).toBe('DONE')
    expect((await run(journal, home, chain.url, 'first')).state).toBe('DONE')
  })
})

describe('a node that answers incorrectly', () => {
  const lies: [string, Act][] = [
    ['eth_sendRawTransaction', 'drop-response'],
    ['eth_sendRawTransaction', 'drop-request'],
    ['eth_sendRawTransaction', '502-after'],
    ['eth_sendRawTransaction', 'fake-hash'],
    ['eth_sendRawTransaction', 'error-nonce-low'],
    ['eth_sendRawTransaction', 'error-known'],
    ['eth_sendRawTransaction', 'wrong-id'],
    ['eth_sendRawTransaction', 'html200'],
    ['eth_getTransactionReceipt', 'drop-response'],
    ['eth_getTransactionReceipt', 'wrong-id'],
    ['eth_getTransactionReceipt', 'html200'],
    ['eth_estimateGas', 'drop-response'],
  ]
  it.each(lies)('causes one payment only: %s with %s', async (method, act) => {
    planPayments(journal, 'lied-to')
    const [before, nonce] = [await paid(), await nonceOf()]
    const proxy = await startFaultyRpc(chain.url, [{ method, nth: 1, act }])
    expect((await run(journal, home, proxy.url, 'lied-to')).state).toBe('DONE')
    await proxy.stop()
    expect((await paid()) - before).toBe(oneCoin)
    expect((await nonceOf()) - nonce).toBe(1n)
  })

  it('is not believed when its receipts are in blocks that do not exist', async () => {
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, 'forged')
    const proxy = await startFaultyRpc(chain.url, [
      { method: 'eth_getTransactionReceipt', always: true, act: 'forged-receipt' },
    ])
    await expect(run(journal, home, proxy.url, 'forged', { timeoutMs: 1_500 })).rejects.toMatchObject({
      code: 'PENDING',
    })
    await proxy.stop()
    expect(journal.find('forged')!.steps[0]!.state).toBe('BROADCAST')
    await chain.rpc.request('anvil_dropAllTransactions')
  })

  it('is refused before signing when it is on another chain', async () => {
    const other = await startChain(['--chain-id', '31338'])
    planPayments(journal, 'elsewhere')
    const refused = await run(journal, home, other.url, 'elsewhere').catch(code)
    await other.stop()
    expect(refused).toBe('CHAIN_ID_MISMATCH')
    expect(attemptsOf(journal, 'elsewhere', 0)).toEqual([])
  })

  it('is refused before signing when it is behind an earlier recorded block', async () => {
    planPayments(journal, 'behind')
    journal.recordHead(31337, 1_000_000, `0x${'00'.repeat(32)}`)
    await expect(run(journal, home, chain.url, 'behind')).rejects.toMatchObject({ code: 'RPC_INCONSISTENT' })
    expect(attemptsOf(journal, 'behind', 0)).toEqual([])
  })
})

describe('the chain', () => {
  it('makes a payment final at the third block when the depth is 3', async () => {
    planPayments(journal, 'deep')
    const asked = { depth: 3, noWait: true }
    await expect(run(journal, home, chain.url, 'deep', asked)).rejects.toMatchObject({ code: 'PENDING' })
    await chain.rpc.request('anvil_mine', ['0x1'])
    await expect(run(journal, home, chain.url, 'deep', asked)).rejects.toMatchObject({ code: 'PENDING' })
    expect(journal.find('deep')!.steps[0]!.state).toBe('INCLUDED')
    await chain.rpc.request('anvil_mine', ['0x1'])
    expect((await run(journal, home, chain.url, 'deep', { depth: 3 })).state).toBe('DONE')
  })

  it('removes a block before the required depth: the payment is sent again and made once', async () => {
    await chain.rpc.request('anvil_mine', ['0x5'])
    planPayments(journal, 'reorged')
    const before = await paid()
    const kinds: string[] = []
    let reorged: Promise<unknown> | undefined
    const running = run(journal, home, chain.url, 'reorged', {
      depth: 3,
      onProgress: ({ kind }) => {
        kinds.push(kind)
        if (kind === 'included') {
          if (reorged) void chain.rpc.request('anvil_mine', ['0x3'])
          reorged ??= chain.rpc.request('anvil_reorg', [1, []])
        }
      },
    })
    const done = await running
    await reorged
    expect(kinds).toEqual(['signed', 'sent', 'included', 'gone', 'sent', 'included', 'final'])
    expect(done.state).toBe('DONE')
    expect((await paid()) - before).toBe(oneCoin)
  })

  it('gives the nonce to a foreign transaction: exit code 23, and nothing is signed again', async () => {
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, 'overtaken')
    const before = await paid()
    const error = await run(journal, home, chain.url, 'overtaken', {
      fault: (point) => {
        if (point === 'after_journal') throw new Error('stopped here')
      },
    }).catch(code)
    expect(error).toBe('PENDING')
    const nonce = journal.find('overtaken')!.steps[0]!.nonce!
    const raw = await signer.signTransaction({
      chainId: 31337,
      type: 'eip1559',
      nonce,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 10n,
      to: signer.address,
      value: 0n,
    })
    await chain.rpc.request('eth_sendRawTransaction', [raw])
    await chain.rpc.request('anvil_mine', ['0x1'])
    await expect(run(journal, home, chain.url, 'overtaken')).rejects.toMatchObject({
      code: 'SUPERSEDED',
      details: { hash: keccak256(raw) },
    })
    expect(journal.find('overtaken')).toMatchObject({ state: 'ATTENTION', exit: 23 })
    expect(attemptsOf(journal, 'overtaken', 0)).toHaveLength(1)
    expect(await paid()).toBe(before)
  })

  it('has a foreign transaction below the signing block after a reorganisation: its hash is still found', async () => {
    await chain.rpc.request('anvil_mine', ['0x5'])
    const nonce = Number(await nonceOf())
    planPayments(journal, 'below')
    await run(journal, home, chain.url, 'below', {
      fault: (point) => {
        if (point === 'after_journal') throw new Error('stopped here')
      },
    }).catch(code)
    const raw = await signer.signTransaction({
      chainId: 31337,
      type: 'eip1559',
      nonce,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 10n,
      to: signer.address,
      value: 0n,
    })
    await chain.rpc.request('anvil_reorg', [3, [[raw, 0]]])
    const proxy = await startFaultyRpc(chain.url, [
      { method: 'eth_getTransactionBySenderAndNonce', always: true, act: 'error-known' },
    ])
    await expect(run(journal, home, proxy.url, 'below', { timeoutMs: 5_000 })).rejects.toMatchObject({
      code: 'SUPERSEDED',
      details: { hash: keccak256(raw) },
    })
    await proxy.stop()
  })

  it('reverts a step: exit code 22, and the steps after it are not signed', async () => {
    planPayments(journal, 'reverted', 2)
    const poison = async () => chain.rpc.request('anvil_setCode', [payee, '0x60006000fd'])
    let poisoned: Promise<unknown> | undefined
    await chain.rpc.request('evm_setAutomine', [false])
    const error = await run(journal, home, chain.url, 'reverted', {
      onProgress: ({ kind }) => {
        if (kind === 'sent') poisoned = poison().then(() => chain.rpc.request('anvil_mine', ['0x1']))
      },
    }).catch(code)
    await poisoned
    expect(error).toBe('REVERTED')
    expect(journal.find('reverted')).toMatchObject({ state: 'FAILED', exit: 22 })
    expect(attemptsOf(journal, 'reverted', 1)).toEqual([])
  })

  it('has a foreign pending transaction of the wallet: refused before signing', async () => {
    await chain.rpc.request('evm_setAutomine', [false])
    const nonce = Number(await nonceOf())
    const raw = await signer.signTransaction({
      chainId: 31337,
      type: 'eip1559',
      nonce,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
      to: payee,
      value: 1n,
    })
    await chain.rpc.request('eth_sendRawTransaction', [raw])
    planPayments(journal, 'behind-another')
    await expect(run(journal, home, chain.url, 'behind-another')).rejects.toMatchObject({
      code: 'FOREIGN_PENDING',
    })
    expect(attemptsOf(journal, 'behind-another', 0)).toEqual([])
    await chain.rpc.request('anvil_dropAllTransactions')
  })
})

describe('an interruption', () => {
  const until: [FaultPoint, string][] = [
    ['after_op', 'INTERRUPTED'],
    ['after_nonce', 'INTERRUPTED'],
    ['after_sign', 'INTERRUPTED'],
    ['after_journal', 'PENDING'],
    ['after_broadcast', 'PENDING'],
  ]
  it.each(until)('at %s ends in %s, and the operation can be resumed', async (point, expected) => {
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, 'interrupted')
    const [before, person] = [await paid(), new AbortController()]
    const error = await run(journal, home, chain.url, 'interrupted', {
      signal: person.signal,
      fault: (at) => {
        if (at === point) person.abort()
      },
    }).catch(code)
    expect(error).toBe(expected)
    expect(attemptsOf(journal, 'interrupted', 0)).toHaveLength(expected === 'PENDING' ? 1 : 0)
    await chain.rpc.request('evm_setAutomine', [true])
    await chain.rpc.request('anvil_mine', ['0x1'])
    expect((await run(journal, home, chain.url, 'interrupted')).state).toBe('DONE')
    expect((await paid()) - before).toBe(oneCoin)
  })

  it('during a signature request reports that nothing was sent, not that nothing was signed', async () => {
    planPayments(journal, 'asked')
    const person = new AbortController()
    const signTransaction = async () => {
      person.abort()
      return new Promise<never>(() => undefined)
    }
    const asked = run(journal, home, chain.url, 'asked', {
      signal: person.signal,
      signer: { ...signer, signTransaction },
    })
    await expect(asked).rejects.toMatchObject({
      code: 'INTERRUPTED',
      message: 'Interrupted while waiting for the signer: nothing was sent',
      hint: 'Reject the request if the signer still shows it. To continue: sluice action resume asked',
    })
    expect(attemptsOf(journal, 'asked', 0)).toEqual([])
    expect((await run(journal, home, chain.url, 'asked')).state).toBe('DONE')
  })

  it('by the time limit ends in PENDING with a resume hint', async () => {
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, 'slow')
    await expect(run(journal, home, chain.url, 'slow', { timeoutMs: 1_000 })).rejects.toMatchObject({
      code: 'PENDING',
      hint: 'sluice action resume slow',
    })
    await chain.rpc.request('anvil_dropAllTransactions')
  })

  it('by the guard between two steps ends in PARTIAL and leaves the second step unsigned', async () => {
    planPayments(journal, 'half', 2)
    const error = await run(journal, home, chain.url, 'half', {
      fault: (point) => {
        if (point === 'after_final') throw new Error('gone')
      },
    }).catch(code)
    expect(error).toBe('PENDING')
    const refused = await run(journal, home, chain.url, 'half', {
      beforeLeg: async (_, steps) => {
        expect(steps.map(({ index }) => index)).toEqual([1])
        throw new AppError('POLICY_AMOUNT', 'not this')
      },
    }).catch(code)
    expect(refused).toBe('PARTIAL')
    expect(await run(journal, home, chain.url, 'half', { timeoutMs: 0 }).catch(code)).toBe('PARTIAL')
    expect(attemptsOf(journal, 'half', 1)).toEqual([])
    expect((await run(journal, home, chain.url, 'half')).state).toBe('DONE')
  })
})

describe('parallel runs', () => {
  it('report DONE when another process ends the operation between two checks', async () => {
    planPayments(journal, 'ending')
    let looks = 0
    let isEnding = false
    const ended = new Proxy(journal, {
      get: (target, name) =>
        name !== 'find'
          ? target[name as keyof Journal]
          : (id: string) => {
              const seen = target.find(id)
              // Another process ends the operation right after this run has checked its state.
              if (isEnding && ++looks === 2) target.settle(id, 'DONE', 'all steps are final', 0)
              return seen
            },
    })
    await run(journal, home, chain.url, 'ending', {
      fault: (point) => {
        if (point === 'before_done') throw new Error('stopped here')
      },
    }).catch(() => undefined)
    expect(
      await run(ended, home, chain.url, 'ending', {
        fault: (point) => {
          isEnding ||= point === 'after_op'
        },
      }).then(
        ({ state }) => state,
        (error: unknown) => code(error),
      ),
    ).toBe('DONE')
  })

  it('both report SUPERSEDED when the first loses the nonce and the second waited for the lock', async () => {
    await chain.rpc.request('evm_setAutomine', [false])
    planPayments(journal, 'lost')
    await run(journal, home, chain.url, 'lost', {
      fault: (point) => {
        if (point === 'after_journal') throw new Error('stopped here')
      },
    }).catch(code)
    await chain.rpc.request('eth_sendTransaction', [{ from: signer.address, to: signer.address }])
    await chain.rpc.request('anvil_mine', ['0x1'])
    const second = journalIn(home)
    const runs = [journal, second].map((one) => run(one, home, chain.url, 'lost').catch(code))
    expect(await Promise.all(runs)).toEqual(['SUPERSEDED', 'SUPERSEDED'])
    second.close()
  })

  it('are refused with WALLET_BUSY while another run holds the wallet, and sign nothing', async () => {
    planPayments(journal, 'holder')
    planPayments(journal, 'second')
    const second = journalIn(home)
    const done = await run(journal, home, chain.url, 'holder', {
      beforeLeg: async () => {
        const busy = run(second, home, chain.url, 'second', { timeoutMs: 50 })
        await expect(busy).rejects.toMatchObject({ code: 'WALLET_BUSY' })
      },
    })
    expect(done.state).toBe('DONE')
    expect(attemptsOf(second, 'second', 0)).toEqual([])
    second.close()
  })
})
