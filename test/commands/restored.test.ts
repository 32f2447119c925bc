import { expect, test } from 'vitest'

import { AppError } from '../../src/domain/errors.ts'
import type { Rpc } from '../../src/net/rpc.ts'
import { doneElsewhere } from '../../src/wallet/execution/done-elsewhere.ts'
import { useCopies } from '../support/older-copy.ts'
import { useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const payment = (amount: number, key: string) =>
  `transfer --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json --idempotency-key ${key}`
const got = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, friend)

const copied = useCopies({ run, home })

/** A payment of 5 that the journal which is put back does not know. */
const paidSince = async () => {
  expect(await run(payment(1, 'before-01'))).toMatchObject({ exit: 0 })
  const older = copied()
  const paid = await run(payment(5, 'since-001'))
  expect(paid).toMatchObject({ exit: 0 })
  return { ...older, hash: paid.json.transactions[0].hash as string }
}

test('a payment that an older copy of the journal does not know is not made twice, unless it is wanted', async () => {
  const { again, attempts, hash } = await paidSince()
  const before = await got()
  const refused = await signsNothing(() => again(payment(5, 'since-001')))
  expect(refused).toMatchObject({
    exit: 10,
    json: { error: { code: 'DONE_ELSEWHERE', details: { hash } } },
  })
  expect(refused.json.error.hint).toContain('--allow-duplicate')
  expect(attempts()).toBe(1)
  expect(await got()).toBe(before)
  expect(await again(`${payment(5, 'since-001')} --allow-duplicate`)).toMatchObject({ exit: 0 })
  expect(await got()).toBe(before + 5_000000n)
  // Done on purpose once, it is not held against the next one.
  expect(await again(payment(5, 'since-002'))).toMatchObject({ exit: 0 })
})

test('a swap that an older copy of the journal does not know is recognised, though its deadline and minimum are others', async () => {
  const swap = (amount: number, key: string) =>
    `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in ${amount} --yes --json --idempotency-key ${key}`
  expect(await run(payment(1, 'before-01'))).toMatchObject({ exit: 0 })
  const { again } = copied()
  expect(await run(swap(33, 'since-001'))).toMatchObject({ exit: 0 })
  expect(await signsNothing(() => again(swap(33, 'since-001')))).toMatchObject({
    exit: 10,
    json: { error: { code: 'DONE_ELSEWHERE' } },
  })
  expect(await again(swap(44_000, 'another-1'))).toMatchObject({ exit: 0 })
})

test('nor is it after the older copy has signed something else, which is nobody else’s business', async () => {
  const { again } = await paidSince()
  expect(await again(payment(6, 'other-001'))).toMatchObject({ exit: 0 })
  const before = await got()
  expect(await signsNothing(() => again(payment(5, 'since-001')))).toMatchObject({
    exit: 10,
    json: { error: { code: 'DONE_ELSEWHERE' } },
  })
  expect(await got()).toBe(before)
})

test('what an older copy has in part is not finished twice', async () => {
  const line =
    'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json --idempotency-key half-0001 --no-wait'
  const begun = await run(line)
  expect(begun).toMatchObject({ exit: 20 })
  const { id } = begun.json.error.details
  const { again, attempts } = copied()
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 0 })
  for (const same of [line, `action resume ${id} --json`])
    expect(await signsNothing(() => again(same))).toMatchObject({
      exit: 21,
      json: { error: { code: 'PARTIAL', details: { id, cause: 'DONE_ELSEWHERE', action: { id } } } },
    })
  expect(attempts()).toBe(1)
})

test('a node that cannot be asked who has a nonce is searched for it', async () => {
  const { journal, hash } = await paidSince()
  const { rpc } = sandbox.chain(31337)
  await rpc.request('anvil_mine', ['0x9'])
  const asked: string[] = []
  const plainer: Rpc = {
    ...rpc,
    request: async (method, params) => {
      asked.push(method)
      if (method === 'eth_getTransactionBySenderAndNonce') throw new AppError('RPC_ERROR', 'no such method')
      return rpc.request(method, params)
    },
  }
  const seen = await rpc.request<{ to: `0x${string}`; input: `0x${string}` }>('eth_getTransactionByHash', [
    hash,
  ])
  const ground = { journal: journal(), rpc: () => plainer }
  const call = { to: seen.to, data: seen.input, value: 0n, chainId: 31337 }
  expect(await doneElsewhere(ground, sandbox.user.address, [call])).toBe(hash)
  expect(asked).toContain('eth_getTransactionBySenderAndNonce')
  expect(await doneElsewhere(ground, sandbox.user.address, [{ ...call, value: 1n }])).toBeUndefined()
})
