import { describe, expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { checkNonceLost } from '../../../src/chain/finality/finality.ts'
import { readFromFreshest } from '../../../src/chain/freshest-node.ts'
import { systemClock } from '../../../src/chain/rpc/clock.ts'
import { failoverRpc, httpRpc } from '../../../src/chain/rpc/failover.ts'
import { hexQuantity } from '../../../src/chain/rpc/quantities.ts'
import { clientWithDeadline } from '../../../src/chain/rpc/timeouts.ts'
import { explainTransaction } from '../../../src/commands/action/explain-transaction.ts'
import { explain } from '../../../src/diagnosis/explain.ts'
import { readStepFacts } from '../../../src/diagnosis/facts/chain-facts.ts'
import { sandboxNetworks } from '../../../src/domain/networks.ts'
import type { ExecutionContext } from '../../../src/planning/execution-context-types.ts'
import { hasUnrecordedResult } from '../../../src/transactions/confirmation/final-steps-on-chain.ts'
import { recordFromChains } from '../../../src/transactions/execution/record-from-chains.ts'
import { startChain } from '../../support/anvil.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { oneCoin, payee, planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { paidOn, usePlace } from '../../support/use-journal-and-chain.ts'

// A single endpoint of two that disagrees with the other decides nothing final.

const place = usePlace()

const failing = { timeoutMs: 1_500 }
const both = (first: string, second: string) => failoverRpc([first, second], { retries: 0 })
const outcome = (id: string, rpc: ChainClient, more = {}) =>
  run(place.journal, place.home, place.chain.url, id, { rpc: () => rpc, ...failing, ...more }).catch(
    (error: unknown) => error,
  )
const ground = (rpc: ChainClient) =>
  ({
    journal: place.journal,
    rpc: () => rpc,
    catalog: { networks: sandboxNetworks, tokens: [], strategies: [], swaps: {} },
    locks: place.home,
    now: Date.now,
  }) as unknown as ExecutionContext
/** The result of `explain` for an operation. */
const said = (id: string, rpc: ChainClient) => {
  const about = { amounts: { in: { formatted: '1', symbol: 'ETH' } } }
  const operation = { ...place.journal.find(id)!, plan: { intents: [null], about, terms: {} } }
  const serviceReport = Promise.resolve({ text: '', delivered: null })
  const planned = { ...place.journal, find: () => operation } as never
  return explain({ ...ground(rpc), journal: planned }, operation as never, {
    serviceReport,
    depth: undefined,
  })
}
/** Sends an operation on a chain that mines no blocks by itself; returns its nonce. */
async function waiting(id: string, more = {}): Promise<number> {
  await place.chain.rpc.request('evm_setAutomine', [false])
  planPayments(place.journal, id)
  await outcome(id, place.chain.rpc, { noWait: true, ...more })
  return place.journal.find(id)!.steps[0]!.nonce!
}

test('a result that two endpoints report differently is not final for an operation or for explain', async () => {
  const before = await paidOn(place.chain)
  const odd = await place.through(async ({ method, params }, ask) => {
    if (method !== 'eth_getTransactionReceipt') return undefined
    const receipt = (await ask(method, params)) as object | null
    return { result: receipt && { ...receipt, status: '0x0' } }
  })
  const two = both(odd.url, place.chain.url)
  planPayments(place.journal, 'watched')
  expect(await outcome('watched', two, { timeoutMs: 3_000 })).toMatchObject({ code: 'PENDING' })
  expect(await hasUnrecordedResult(ground(two), place.journal.find('watched')!, null)).toBe(false)
  expect(
    await recordFromChains(ground(two), place.journal.find('watched')!, { reportedHash: null }),
  ).toMatchObject({
    state: 'EXECUTING',
  })
  const { hash } = attemptsOf(place.journal, 'watched', 0)[0]!
  const stranger = {
    ...ground(two),
    journal: { operationOfHash: () => undefined },
  } as unknown as ExecutionContext
  expect(
    await explainTransaction({ backend: { prices: async () => [] } as never }, stranger, hash),
  ).toMatchObject({
    verdict: {
      verdict: expect.stringMatching(
        / according to \S+; it would be final, but .* show different transactions in block/,
      ),
      funds: expect.stringContaining('Unknown'),
      safeToRetry: false,
    },
  })
  expect(await outcome('watched', place.chain.rpc)).toMatchObject({ state: 'DONE' })
  expect((await paidOn(place.chain)) - before).toBe(oneCoin)
})

describe('a lost nonce is not final', () => {
  test.each(['first', 'second'])(
    'for explain when only the %s of two endpoints reports it',
    async (order) => {
      const nonce = await waiting(order)
      const other = await startChain()
      try {
        await other.rpc.request('anvil_setNonce', [signer.address, hexQuantity(nonce)])
        await other.rpc.request('eth_sendTransaction', [{ from: signer.address, to: payee, value: '0x1' }])
        await other.rpc.request('anvil_mine', ['0x20'])
        const urls =
          order === 'first'
            ? ([other.url, place.chain.url] as const)
            : ([place.chain.url, other.url] as const)
        const rpc = readFromFreshest(both(...urls))
        await rpc.refresh()
        const seen = await readStepFacts(
          rpc,
          sandboxNetworks[0]!,
          place.journal.find(order)!.steps[0]!,
          attemptsOf(place.journal, order, 0),
          1,
        )
        expect(seen?.owner).toMatchObject({ isDeep: false, unlike: { host: new URL(place.chain.url).host } })
        expect(await said(order, rpc)).toMatchObject({
          situation: 'NONCE_TAKEN_NOT_FINAL',
          safeToRetry: false,
          evidence: expect.arrayContaining([
            {
              source: 'chain',
              text: expect.stringContaining('a block is final only if all endpoints have it'),
            },
          ]),
        })
      } finally {
        await other.stop()
      }
      await place.chain.rpc.request('evm_mine')
      expect(await outcome(order, place.chain.rpc)).toMatchObject({ state: 'DONE' })
    },
  )

  test('when the endpoint that reported it is unreachable afterwards', async () => {
    const nonce = await waiting('silent')
    const fees = { maxFeePerGas: 90n * 10n ** 9n, maxPriorityFeePerGas: 9n * 10n ** 9n }
    const call = { to: payee, value: 1n, gas: 21_000n, nonce, chainId: 31337, ...fees }
    await place.chain.rpc.request('anvil_dropAllTransactions')
    const raw = await signer.signTransaction(call)
    const hash = await place.chain.rpc.request('eth_sendRawTransaction', [raw])
    const shown = (await place.chain.rpc.request('eth_getTransactionByHash', [hash])) as object
    await place.chain.rpc.request('anvil_dropAllTransactions')
    let isDown = false
    const odd = await place.through(async ({ method }, ask) => {
      if (isDown && method !== 'eth_getTransactionByHash') return { status: 503 }
      if (method === 'eth_getTransactionCount') return { result: hexQuantity(nonce + 1) }
      if (!/^eth_getTransactionBy/.test(method)) return undefined
      isDown = true
      return { result: { ...shown, blockNumber: await ask('eth_blockNumber', []) } }
    })
    expect(await outcome('silent', both(odd.url, place.chain.url), { timeoutMs: 2_000 })).toMatchObject({
      code: 'PENDING',
    })
    expect(place.journal.find('silent')!.state).toBe('EXECUTING')
  })

  test('while another endpoint has no time left to answer', async () => {
    const nonce = await waiting('cut-short')
    await place.chain.rpc.request('evm_mine')
    const at = Number(await place.chain.rpc.request('eth_blockNumber'))
    const { hash } = attemptsOf(place.journal, 'cut-short', 0)[0]!
    const holder = { at, hash, by: place.chain.rpc.host }
    const clock = systemClock
    const isOver = { clock, until: clock.now() - 60_000 }
    const peers = [clientWithDeadline(httpRpc(place.chain.url), isOver)]
    expect(nonce).toBeGreaterThanOrEqual(0)
    expect(await checkNonceLost(place.chain.rpc, holder, 1, 1_000)).toMatchObject({ deep: true })
    expect(await checkNonceLost({ ...place.chain.rpc, peers }, holder, 1, 1_000)).toMatchObject({
      deep: false,
      unlike: { has: 'no answer yet' },
    })
  })
})

test('a deadline that only one of two endpoints has passed does not cancel the transaction', async () => {
  const deadline = Math.floor(Date.now() / 1000) + 3_600
  const deadlineOf = () => deadline
  await waiting('swap', { deadlineOf })
  const odd = await place.through(async ({ method, params }, ask) => {
    if (method === 'eth_blockNumber') return { result: hexQuantity(Number(await ask(method, params)) + 9) }
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return undefined
    return { result: { ...((await ask(method, params)) as object), timestamp: hexQuantity(deadline + 9) } }
  })
  const ended = await outcome('swap', both(place.chain.url, odd.url), { deadlineOf })
  expect(ended).toMatchObject({ code: 'PENDING' })
  expect(attemptsOf(place.journal, 'swap', 0).map(({ kind }) => kind)).toEqual(['run'])
  const alone = await outcome('swap', httpRpc(odd.url, { retries: 0 }), { deadlineOf })
  expect(alone).toMatchObject({ code: 'PENDING' })
  expect(attemptsOf(place.journal, 'swap', 0).map(({ kind }) => kind)).toEqual(['run', 'cancel'])
})

test('explain does not say that the funds are in the wallet while the transaction with the nonce is unknown', async () => {
  const nonce = await waiting('elsewhere')
  await place.chain.rpc.request('anvil_dropAllTransactions')
  const fees = { maxFeePerGas: 9n * 10n ** 9n, maxPriorityFeePerGas: 3n * 10n ** 9n }
  const call = { to: payee, value: oneCoin, gas: 21_000n, nonce, chainId: 31337 }
  await place.chain.rpc.request('eth_sendRawTransaction', [
    await signer.signTransaction({ ...call, ...fees }),
  ])
  await place.chain.rpc.request('anvil_mine', ['0x100'])
  const odd = await place.through(({ method }) =>
    method === 'eth_getTransactionBySenderAndNonce'
      ? { error: { code: -32601, message: 'the method does not exist' } }
      : undefined,
  )
  expect(await said('elsewhere', httpRpc(odd.url))).toMatchObject({
    situation: 'NONCE_TAKEN_NOT_FINAL',
    verdict: expect.stringContaining('it may be this one'),
    funds: expect.stringContaining('may have left the wallet'),
    safeToRetry: false,
  })
})

test('a deadline that one of two endpoints has not passed does not raise the fee', async () => {
  const head = (await place.chain.rpc.request('eth_getBlockByNumber', ['latest', false])) as {
    number: string
    timestamp: string
  }
  const deadlineOf = () => Number(head.timestamp) + 600
  await waiting('late', { deadlineOf })
  await place.chain.rpc.request('evm_increaseTime', [3_600])
  for (let blocks = 0; blocks < 6; blocks++) {
    await place.chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [hexQuantity(40n * 10n ** 9n)])
    await place.chain.rpc.request('evm_mine')
  }
  const odd = await place.through(({ method, params }) => {
    if (method === 'eth_blockNumber') return { result: head.number }
    return method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { result: head } : undefined
  })
  const impatient = { deadlineOf, patience: { ms: 0, blocks: 0 } }
  // A busy machine may skip an endpoint that answers late, so the run is repeated.
  await expect
    .poll(() => outcome('late', both(place.chain.url, odd.url), impatient), { timeout: 60_000 })
    .toMatchObject({
      code: 'PENDING',
      message: expect.stringMatching(/^Its deadline has passed by .*, but not by that of /),
      details: { host: new URL(odd.url).host, by: new URL(place.chain.url).host },
    })
  expect(attemptsOf(place.journal, 'late', 0).map(({ kind }) => kind)).toEqual(['run'])
})
