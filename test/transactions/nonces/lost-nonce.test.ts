import { expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { checkNonceLost } from '../../../src/chain/finality/finality.ts'
import { nodeBeforeTime } from '../../../src/chain/finality/node-before-time.ts'
import { httpRpc } from '../../../src/chain/rpc/failover.ts'
import { hexQuantity, quantity } from '../../../src/chain/rpc/quantities.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { attemptsOf } from '../../support/attempts-of.ts'
import { payee, planPayments, run, signer } from '../../support/payments/payment-operation.ts'
import { usePlace } from '../../support/use-journal-and-chain.ts'

// A nonce is declared lost late and after two checks: the user may then sign the same payment again.

const place = usePlace()
const head = async () =>
  Number(quantity(await place.chain.rpc.request('eth_blockNumber'), 'the number of the newest block'))
const outcome = (id: string, more: object) =>
  run(place.journal, place.home, place.chain.url, id, { timeoutMs: 1_500, ...more }).catch(
    (error: unknown) => error,
  )

/** A pending operation on a chain that mines no blocks by itself, and another transaction with its nonce that no node has. */
async function waiting(id: string) {
  await place.chain.rpc.request('evm_setAutomine', [false])
  planPayments(place.journal, id)
  await outcome(id, { noWait: true })
  const nonce = place.journal.find(id)!.steps[0]!.nonce!
  const fees = { maxFeePerGas: 90n * 10n ** 9n, maxPriorityFeePerGas: 9n * 10n ** 9n }
  const raw = await signer.signTransaction({
    to: payee,
    value: 1n,
    gas: 21_000n,
    nonce,
    chainId: 31337,
    ...fees,
  })
  await place.chain.rpc.request('anvil_dropAllTransactions')
  const hash = await place.chain.rpc.request<string>('eth_sendRawTransaction', [raw])
  const stranger = (await place.chain.rpc.request('eth_getTransactionByHash', [hash])) as object
  await place.chain.rpc.request('anvil_dropAllTransactions')
  return { nonce, hash, stranger }
}

test('a nonce counts as lost at finalized depth, or at once where a single confirmation is enough', async () => {
  await place.chain.rpc.request('anvil_mine', ['0x60'])
  const newest = await head()
  // Only the depth matters here, so the transaction list of the block is left out.
  const request: ChainClient['request'] = async (method, params) => {
    const answer = await place.chain.rpc.request<object>(method, params)
    return (method === 'eth_getBlockByNumber' ? { ...answer, transactions: undefined } : answer) as never
  }
  const rpc = { ...place.chain.rpc, request }
  const lost = (at: number, usual: number) =>
    checkNonceLost(rpc, { at, hash: `0x${'77'.repeat(32)}`, by: rpc.host }, usual, 1_000)
  expect(await lost(newest - 10, 3)).toMatchObject({ deep: false })
  expect(await lost(newest - 80, 3)).toMatchObject({ deep: true })
  expect(await lost(newest - 10, 1)).toMatchObject({ deep: true })
})

test('a nonce that another transaction has in only every second answer is not lost', async () => {
  const { nonce, hash, stranger } = await waiting('twice')
  const blockNumber = hexQuantity(await head())
  let looks = 0
  const odd = await place.through(({ method, params }) => {
    if (method === 'eth_getTransactionCount') return { result: hexQuantity(nonce + 1) }
    if (method === 'eth_getTransactionByHash' && params[0] === hash) return { result: stranger }
    if (method !== 'eth_getTransactionBySenderAndNonce') return undefined
    return { result: looks++ % 2 === 0 ? { ...stranger, blockNumber } : null }
  })
  const ended = await outcome('twice', { rpc: () => httpRpc(odd.url) })
  expect(looks).toBeGreaterThan(1)
  expect(ended).toMatchObject({ code: 'PENDING' })
  expect(place.journal.find('twice')).toMatchObject({ state: 'EXECUTING', steps: [{ state: 'BROADCAST' }] })
})

test('a nonce is not lost to a transaction that its block does not list', async () => {
  const { nonce, hash, stranger } = await waiting('unlike')
  const shown = { ...stranger, value: '0x2', blockNumber: hexQuantity(await head()) }
  const odd = await place.through(({ method, params }) => {
    if (method === 'eth_getTransactionCount') return { result: hexQuantity(nonce + 1) }
    const isAsked = method === 'eth_getTransactionBySenderAndNonce' || params[0] === hash
    return isAsked ? { result: shown } : undefined
  })
  expect(await outcome('unlike', { rpc: () => httpRpc(odd.url) })).toMatchObject({ code: 'PENDING' })
  expect(place.journal.find('unlike')).toMatchObject({ state: 'EXECUTING', steps: [{ state: 'BROADCAST' }] })
})

test('a nonce that all endpoints count as used is lost without a hash, and nothing is sent', async () => {
  const { nonce } = await waiting('unnamed')
  const counting = (count: number) =>
    place.through(({ method }) => {
      if (method === 'eth_getTransactionCount') return { result: hexQuantity(count) }
      return method === 'eth_getTransactionBySenderAndNonce'
        ? { error: { code: -32601, message: 'no such method' } }
        : undefined
    })
  const [odd, behind] = [await counting(nonce + 1), await counting(nonce)]
  const bump = (peers: ChainClient[]) => ({
    rpc: () => ({ ...httpRpc(odd.url), peers }),
    replacement: 'bump',
  })
  expect(await outcome('unnamed', bump([httpRpc(behind.url)]))).toMatchObject({ code: 'PENDING' })
  expect(await outcome('unnamed', { ...bump([]), timeoutMs: 10_000 })).toMatchObject({
    code: 'SUPERSEDED',
    details: { hash: null },
  })
  expect(attemptsOf(place.journal, 'unnamed', 0)).toHaveLength(1)
  expect(odd.asked).not.toContain('eth_sendRawTransaction')
})

test('a nonce that is counted as used is not lost while an endpoint has a receipt of the step', async () => {
  const { nonce } = await waiting('receipt')
  await place.chain.rpc.request('eth_sendRawTransaction', [attemptsOf(place.journal, 'receipt', 0)[0]!.raw])
  await place.chain.rpc.request('evm_mine')
  const blind = await place.through(({ method }) => {
    if (method === 'eth_getTransactionBySenderAndNonce' || method === 'eth_getTransactionReceipt')
      return { result: null }
    return method === 'eth_getTransactionCount' ? { result: hexQuantity(nonce + 1) } : undefined
  })
  const rpc = () => ({ ...httpRpc(blind.url), peers: [place.chain.rpc] })
  expect(await outcome('receipt', { rpc })).not.toMatchObject({ code: 'SUPERSEDED' })
  expect(place.journal.find('receipt')!.state).not.toBe('ATTENTION')
})

test('an endpoint that is unreachable or too old does not dispute that a deadline has passed', async () => {
  type Block = { timestamp: string }
  const { timestamp } = await place.chain.rpc.request<Block>('eth_getBlockByNumber', ['latest', false])
  const time = Number(timestamp) + 100
  const gone = () => Promise.reject(new AppError('RPC_UNREACHABLE', 'gone'))
  const silent = { ...place.chain.rpc, request: gone, batch: gone }
  const afterIt = <T>(said: T): T => ({ ...said, timestamp: hexQuantity(time + 1) })
  const late: ChainClient = {
    ...place.chain.rpc,
    request: async (method, params) => afterIt(await place.chain.rpc.request(method, params)),
    batch: async (calls) => (await place.chain.rpc.batch(calls)).map(afterIt),
  }
  const asked = (peer: ChainClient, now: number, maxAgeMs?: number, first = late) =>
    nodeBeforeTime({ ...first, peers: [peer] }, { chainId: 31337, time }, { now, maxAgeMs })
  const now = Number(timestamp) * 1_000 + 50_000
  expect(await asked(place.chain.rpc, now, 60_000)).toBe(place.chain.rpc.host)
  expect(await asked(place.chain.rpc, now, 40_000)).toBeUndefined()
  expect(await asked(place.chain.rpc, now)).toBe(place.chain.rpc.host)
  expect(await asked(silent as ChainClient, now, 60_000)).toBeUndefined()
  // The late block came from another endpoint, which has failed since.
  expect(await asked(late, now, 60_000, place.chain.rpc)).toBe(place.chain.rpc.host)
})
