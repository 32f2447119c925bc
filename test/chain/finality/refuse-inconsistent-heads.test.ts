import { describe, expect, it } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { commonHead } from '../../../src/chain/consistent-head.ts'
import {
  headIfReachable,
  refuseInconsistentHeads,
} from '../../../src/chain/finality/refuse-inconsistent-heads.ts'
import { readTips, tipOf } from '../../../src/chain/gas-fees.ts'
import { readHead } from '../../../src/chain/head.ts'
import { systemClock } from '../../../src/chain/rpc/clock.ts'
import { failoverRpc, httpRpc } from '../../../src/chain/rpc/failover.ts'
import { hexQuantity } from '../../../src/chain/rpc/quantities.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { momentText } from '../../../src/domain/text/time-spans.ts'
import type { Journal } from '../../../src/store/journal/journal-interface.ts'
import type { Execution } from '../../../src/transactions/run.ts'
import type { Chain } from '../../support/anvil.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { type Provider, provider } from '../../support/nodes/proxy-node.ts'
import { planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { useChain, useHome } from '../../support/use-journal-and-chain.ts'

let chain: Chain
let home: string
let journal: Journal
useChain((made) => {
  chain = made
})
const reopen = useHome((made) => {
  ;({ home, journal } = made)
})
const outcome = (id: string, more: Partial<Execution> = {}) => {
  planPayments(journal, id)
  return run(journal, home, chain.url, id, more).catch((error: unknown) => error)
}
const newest = async () => Number(await chain.rpc.request('eth_blockNumber'))
const hostOf = ({ url }: Provider) => new URL(url).host
const minutes = (count: number) => () => Date.now() + count * 60_000

/** A node that reports a block far in the future as its newest, and other blocks correctly. */
const lying: Provider['says'] = async ({ method, params }, ask) =>
  method === 'eth_getBlockByNumber' && params[0] === 'latest'
    ? { result: { ...((await ask(method, params)) as object), number: hexQuantity(1_000_000) } }
    : undefined

describe('a newest block that is reported too high', () => {
  it('by one of two endpoints is not recorded: the lowest common one is', async () => {
    const liar = await provider(chain.url, lying)
    await outcome('high', { rpc: () => failoverRpc([liar.url, chain.url]), noWait: true })
    expect(journal.highestHead(31337)?.number).toBeLessThanOrEqual(await newest())
    expect(journal.find('high')!.steps[0]).toMatchObject({ state: 'BROADCAST' })
    expect(await outcome('after')).toMatchObject({ state: 'DONE' })
    await liar.close()
  })

  it('by the only endpoint blocks the chain for ten minutes, and the error says until when', async () => {
    const liar = await provider(chain.url, lying)
    reopen(minutes(-9))
    await outcome('high', { rpc: () => httpRpc(liar.url), noWait: true })
    await liar.close()
    reopen(Date.now)
    const { seen } = journal.highestHead(31337)!
    const until = momentText(seen + 600_000)
    expect(await outcome('soon')).toMatchObject({
      code: 'RPC_INCONSISTENT',
      message: expect.stringContaining('block 1000000 was seen before'),
      hint: expect.stringContaining(until),
    })
    for (const wrong of [-11, 11]) {
      reopen(minutes(wrong))
      journal.recordHead(31337, 1_000_000, `0x${'00'.repeat(32)}`)
      reopen(Date.now)
      expect(await outcome(`later${wrong}`)).toMatchObject({ state: 'DONE' })
      expect(journal.highestHead(31337)!.number).toBeLessThanOrEqual(await newest())
    }
  })

  it('does not lift the refusal of a node behind a block seen minutes ago', async () => {
    reopen(minutes(-9))
    journal.recordHead(31337, (await newest()) + 4, `0x${'00'.repeat(32)}`)
    // Lower blocks recorded in between neither replace it nor renew its time.
    reopen(minutes(-1))
    journal.recordHead(31337, await newest(), `0x${'11'.repeat(32)}`)
    reopen(Date.now)
    expect(await outcome('behind')).toMatchObject({ code: 'RPC_INCONSISTENT' })
    expect(Date.now() - journal.highestHead(31337)!.seen).toBeGreaterThan(8 * 60_000)
  })
})

/** An endpoint that never answers. */
const hanging = (host = 'hangs.example'): ChainClient => {
  const never = () => new Promise<never>(() => {})
  return { host, peers: [], request: never, batch: never }
}

describe('a second endpoint', () => {
  const beside = (peer: ChainClient): ChainClient => ({ ...chain.rpc, peers: [peer] })

  it('that does not answer is treated as unreachable after a short wait', async () => {
    const head = await readHead(chain.rpc, 31337)
    expect(await refuseInconsistentHeads(beside(hanging()), 31337, head, 50)).toEqual(head)
    expect(await headIfReachable(hanging(), 31337, 50)).toBeUndefined()
    expect(tipOf(await readTips(beside(hanging()), 50), head.baseFee)).toBe(
      tipOf(await readTips(chain.rpc), head.baseFee),
    )
    expect(
      await commonHead(beside(hanging()), { chainId: 31337, wallet: signer.address }, 0n, 50),
    ).toMatchObject({
      head,
    })
    // An endpoint that reports its newest block and then does not answer cannot disagree either.
    const half = { ...chain.rpc, host: 'half.example', request: hanging().request }
    expect(await refuseInconsistentHeads(beside(half), 31337, head, 50)).toEqual(head)
  })

  it('that lacks the method is treated as unreachable', async () => {
    const refuses = await provider(chain.url, ({ method }) =>
      method === 'eth_getBlockByNumber'
        ? { error: { code: -32601, message: 'method not found' } }
        : undefined,
    )
    const rpc = () => failoverRpc([chain.url, refuses.url])
    // Finality needs all endpoints, so the payment stays pending.
    expect(await outcome('refused', { rpc, noWait: true })).toMatchObject({ code: 'PENDING' })
    await refuses.close()
  })

  it.each([
    ['fails to read the block', { error: { code: -32000, message: 'leveldb: closed' } }, 'RPC_ERROR'],
    ['has no newest block', { result: {} }, 'RPC_INCONSISTENT'],
    ['reports a block without a number', { result: { hash: `0x${'ab'.repeat(32)}` } }, 'RPC_INCONSISTENT'],
  ])('that %s is named with a hint to leave it out', async (_, said, code) => {
    const broken = await provider(chain.url, ({ method }) =>
      method === 'eth_getBlockByNumber' ? said : undefined,
    )
    const host = hostOf(broken)
    expect(await outcome('broken', { rpc: () => failoverRpc([chain.url, broken.url]) })).toMatchObject({
      code,
      message: expect.stringContaining(host),
      details: { host },
      hint: expect.stringContaining(`Remove ${host} from the endpoints`),
    })
    await broken.close()
  })
})

describe('a run whose time limit passes before a signature', () => {
  /** A clock that a test can move ahead. */
  const skewed = () => {
    let skew = 0
    const skip = (ms: number) => {
      skew += ms
    }
    return { skip, clock: { ...systemClock, now: () => performance.now() + skew } }
  }

  it('names the slow node, and is not reported as interrupted', async () => {
    const { skip, clock } = skewed()
    const slow = await provider(chain.url, async ({ method }) => {
      if (method !== 'eth_maxPriorityFeePerGas') return undefined
      // Lets the concurrent request to the other endpoint finish first.
      await systemClock.sleep(300)
      skip(22_000)
      return undefined
    })
    const host = hostOf(slow)
    expect(await outcome('slow', { clock, rpc: () => failoverRpc([chain.url, slow.url]) })).toMatchObject({
      code: 'RPC_UNREACHABLE',
      message: expect.stringMatching(
        new RegExp(
          `^The time limit was reached before anything was signed: the node at ${host} took 22\\.\\d seconds`,
        ),
      ),
      details: { host },
      hint: `Remove ${host} from SLUICE_RPC_SANDBOX_ONE while it is slow. Allow more time: --timeout 10m`,
    })
    expect(attemptsOf(journal, 'slow', 0)).toEqual([])
    await slow.close()
  })

  it('names the only node when it does not answer', async () => {
    const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(ms / 100, signal)
    const hangs = { clock: { ...systemClock, sleep }, timeoutMs: 3_000, rpc: () => hanging() }
    expect(await outcome('only', hangs)).toMatchObject({
      code: 'RPC_UNREACHABLE',
      message: 'The time limit was reached before hangs.example answered',
      hint: expect.stringContaining(
        'If there is another endpoint, you can remove hangs.example. To allow more time: --timeout 10m',
      ),
    })
  })

  it('names no node if none was slow, and is INTERRUPTED only after an interruption', async () => {
    for (const isInterrupted of [false, true]) {
      const { skip, clock } = skewed()
      const stop = new AbortController()
      const approve = async () => {
        skip(22_000)
        if (isInterrupted) stop.abort()
      }
      const ended = await outcome(`over${isInterrupted}`, { clock, approve, signal: stop.signal })
      expect(ended).toBeInstanceOf(AppError)
      expect(ended).toMatchObject(
        isInterrupted
          ? { code: 'INTERRUPTED' }
          : { code: 'RPC_UNREACHABLE', message: 'The time limit was reached before anything was signed' },
      )
    }
  })
})
