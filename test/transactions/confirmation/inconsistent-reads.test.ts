import { keccak256 } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { snapshotLifeMs } from '../../../src/chain/head-fees-nonces-snapshot.ts'
import { systemClock } from '../../../src/chain/rpc/clock.ts'
import { failoverRpc } from '../../../src/chain/rpc/failover.ts'
import type { WalletView } from '../../../src/transactions/run.ts'
import { oneCoin, planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { paidOn, usePlace } from '../../support/use-journal-and-chain.ts'

// Which reads of a chain are trusted, and for how long.

const place = usePlace()
const chainId = 31337
const nonceOf = async () =>
  Number(await place.chain.rpc.request('eth_getTransactionCount', [signer.address, 'latest']))
const headOf = () =>
  place.chain.rpc.request<{ number: string; hash: `0x${string}` }>('eth_getBlockByNumber', ['latest', false])
const pay = (id: string, more: Parameters<typeof run>[4]) =>
  run(place.journal, place.home, place.chain.url, id, more)

/** A view of the wallet as of a number of blocks below the newest one. */
const viewOf = async (below: number, counted: number): Promise<WalletView> => {
  const number = BigInt(Number((await headOf()).number) - below)
  const head = { number, hash: '0x00', timestamp: 0, baseFee: 10n ** 9n } as never
  return {
    head,
    lowest: Promise.resolve(head),
    counts: { latest: counted, pending: counted },
    gasAndFees: Promise.resolve({
      estimate: { gas: 30_000n },
      tips: { suggested: 10n ** 9n, paid: [] } as never,
    }),
  }
}

describe('a failed receipt that one of two endpoints reports once', () => {
  it.each([1, 2])('does not make the payment fail: false answer %i', async (nth) => {
    let answers = 0
    const liar = await place.through(async ({ method, params }, ask) => {
      if (method !== 'eth_getTransactionReceipt') return undefined
      const truth = (await ask(method, params)) as object | null
      return { result: truth && ++answers === nth ? { ...truth, status: '0x0' } : truth }
    })
    const before = await paidOn(place.chain)
    planPayments(place.journal, 'lied-to')
    const rpc = () => failoverRpc([liar.url, place.chain.url], { deadlineMs: 2_000, retries: 1 })
    expect(await pay('lied-to', { rpc })).toMatchObject({ state: 'DONE' })
    expect(answers).toBeGreaterThanOrEqual(nth)
    expect((await paidOn(place.chain)) - before).toBe(oneCoin)
  })
})

describe('the wallet state read while planning', () => {
  it('is read again when it is too old', async () => {
    planPayments(place.journal, 'seen-long-ago')
    const nonce = await nonceOf()
    const view = await viewOf(0, nonce + 40)
    const done = await pay('seen-long-ago', { plannedView: () => ({ ageMs: snapshotLifeMs + 1, view }) })
    expect(done).toMatchObject({ state: 'DONE', steps: [{ nonce }] })
  })

  it('is read again when another process has recorded a later block', async () => {
    await place.chain.rpc.request('anvil_mine', ['0x8'])
    planPayments(place.journal, 'overtaken')
    const nonce = await nonceOf()
    const { number, hash } = await headOf()
    place.journal.recordHead(chainId, Number(number), hash)
    const view = await viewOf(6, nonce)
    const done = await pay('overtaken', { plannedView: () => ({ ageMs: 0, view }) })
    expect(done).toMatchObject({ state: 'DONE', steps: [{ nonce }] })
  })

  it('is read again before the second signature of a pipeline if the first took long', async () => {
    planPayments(place.journal, 'slow-device', 2)
    const nonce = await nonceOf()
    let late = 0
    const clock = { ...systemClock, now: () => systemClock.now() + late }
    const slow: typeof signer.signTransaction = async (transaction) => {
      if (late === 0) {
        late = snapshotLifeMs + 1
        // Another machine with the same key sends a transaction meanwhile.
        const other = { type: 'eip1559', to: signer.address, chainId, gas: 21_000n } as const
        const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
        const raw = await signer.signTransaction({ ...other, ...fees, nonce: nonce + 1 })
        await place.chain.rpc.request('eth_sendRawTransaction', [raw])
      }
      return signer.signTransaction(transaction as never) as never
    }
    const done = await pay('slow-device', {
      pipeline: true,
      clock,
      signer: { ...signer, signTransaction: slow } as never,
    })
    expect(done.state).toBe('DONE')
    expect(done.steps.map((step) => step.nonce)).toEqual([nonce, nonce + 2])
  })

  it.each(['refuses', 'forgets'] as const)(
    'a pipeline whose node %s its first transaction is continued step by step, with and without a pinned nonce',
    async (how) => {
      for (const pinned of [false, true]) {
        const id = `${how}-${pinned}`
        planPayments(place.journal, id, 2)
        const nonce = await nonceOf()
        let sends = 0
        const node = await place.through(async ({ method, params }) => {
          if (method !== 'eth_sendRawTransaction' || sends++ > 0) return undefined
          const full = { error: { code: -32000, message: 'txpool is full' } }
          return how === 'refuses' ? full : { result: keccak256(params[0] as `0x${string}`) }
        })
        // Without a known gas limit, as after a slow signature, the wallet is read again for the second step.
        const done = await run(place.journal, place.home, node.url, id, {
          pipeline: true,
          ...(pinned && { pinnedNonces: { [chainId]: nonce } }),
        })
        expect(done.state).toBe('DONE')
        expect(done.steps.map((step) => step.nonce)).toEqual([nonce, nonce + 1])
      }
    },
  )
})
