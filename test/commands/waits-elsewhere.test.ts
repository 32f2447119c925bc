import { afterEach, expect, test } from 'vitest'

import type { Hex } from '../../src/domain/address.ts'
import { useCopies } from '../support/older-copy.ts'
import { useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const copied = useCopies({ run, home })
const rpc = () => sandbox.chain(31337).rpc
const mining = (on: boolean) => rpc().request('evm_setAutomine', [on])
afterEach(() => mining(true))
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const pay = (amount: number, more: string) =>
  `transfer --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json --trust-first-use ${more}`

/** What waits to be mined: the hash of the only transaction of it. */
async function waiting(): Promise<Hex> {
  const { transactions } = await rpc().request<{ transactions: Hex[] }>('eth_getBlockByNumber', [
    'pending',
    false,
  ])
  expect(transactions).toHaveLength(1)
  return transactions[0]!
}

test('what is left of an action, and was sent elsewhere and waits, is not safe to be asked for anew', async () => {
  const deposit = 'deposit aave-v3-usdc-sandbox-one --amount 3 --yes --json'
  const begun = await run(`${deposit} --no-wait --idempotency-key half-00001`)
  const { id } = begun.json.error.details
  const half = copied()
  const explained = async () => (await half.again(`action explain ${id} --json`)).json
  await mining(false)
  expect(await run(`action resume ${id} --json --no-wait`)).toMatchObject({ exit: 20 })
  const hash = await waiting()
  const unsafe = { safeToRetry: false, funds: expect.stringContaining(hash) }

  const stopped = await half.again(`action resume ${id} --json`)
  expect(stopped).toMatchObject({ exit: 21 })
  expect(stopped.json.error.details.cause).toBe('FOREIGN_PENDING')
  expect(await explained()).toMatchObject({ situation: 'PARTLY_DONE', ...unsafe })
  expect(await half.again(`action abandon ${id} --yes --json`)).toMatchObject({ exit: 0 })
  expect(await explained()).toMatchObject({ situation: 'GIVEN_UP', ...unsafe })
  await mining(true)
  await rpc().request('evm_mine')
  expect(await explained()).toMatchObject({ situation: 'GIVEN_UP', ...unsafe })
})

test('nor is what was never signed, where the very same was sent elsewhere and waits', async () => {
  expect(await run(pay(1, ''))).toMatchObject({ exit: 0 })
  const other = copied()
  await mining(false)
  expect(await run(pay(5, '--no-wait --idempotency-key both-00001'))).toMatchObject({ exit: 20 })
  const hash = await waiting()
  const refused = await other.again(pay(5, '--idempotency-key both-00001'))
  expect(refused).toMatchObject({ exit: 10 })
  const { id } = refused.json.error.details
  const unsafe = {
    situation: 'NOTHING_SIGNED',
    safeToRetry: false,
    funds: expect.stringContaining(hash),
    next: `sluice action explain ${hash}`,
  }
  expect((await other.again(`action explain ${id} --json`)).json).toMatchObject(unsafe)
  await mining(true)
  await rpc().request('evm_mine')
  expect((await other.again(`action explain ${id} --json`)).json).toMatchObject(unsafe)
})

test('what waited elsewhere and was cancelled there for good did not do the same, and is told so', async () => {
  expect(await run(pay(1, ''))).toMatchObject({ exit: 0 })
  const other = copied()
  await mining(false)
  const begun = await run(pay(5, '--no-wait --idempotency-key both-00001'))
  const mine = begun.json.error.details.id
  const hash = await waiting()
  const { id } = (await other.again(pay(5, '--idempotency-key both-00001'))).json.error.details
  expect(await run(`action cancel ${mine} --yes --json --no-wait`)).toMatchObject({ exit: 20 })
  // It waits, and is neither shown nor used: going on looks once more.
  expect((await other.again(`action explain ${id} --json`)).json).toMatchObject({ safeToRetry: false })
  await mining(true)
  await rpc().request('evm_mine')
  expect(await run(`action resume ${mine} --json`)).toMatchObject({ exit: 24 })
  const told = (await other.again(`action explain ${id} --json`)).json
  expect(told).toMatchObject({
    situation: 'NOTHING_SIGNED',
    safeToRetry: true,
    next: `sluice action resume ${id}`,
  })
  expect(JSON.stringify(told.funds)).not.toContain(hash)
})
