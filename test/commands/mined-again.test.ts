import { expect, test } from 'vitest'

import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { rpcEnvOf, useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run: sandboxRun } = useCommands(sandbox)
const run = (line: string) =>
  sandboxRun(line, {
    env: rpcEnvOf(sandbox, { 'sandbox-one': sandbox.chain(31337).rpcUrl }),
    secrets: { privateKey: sandboxKey() },
  })
const rpc = () => sandbox.chain(31337).rpc
const friend = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const got = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, friend)
let paid = 0
const pay = (amount: number) =>
  `transfer --idempotency-key payment-${++paid} --network sandbox-one --token USDC --to ${friend} --amount ${amount} --yes --json --trust-first-use`

test('what a reorganisation took, and nodes put into another block, is not told to be in the wallet still', async () => {
  expect(await run(pay(1))).toMatchObject({ exit: 0 })
  const done = await run(pay(5))
  expect(done).toMatchObject({ exit: 0 })
  const { id, transactions } = done.json
  const raw = await rpc().request<string>('debug_getRawTransaction', [transactions[0].hash])
  const before = await got()
  await rpc().request('anvil_reorg', [1, []])
  expect(await got()).toBe(before - 5_000_000n)
  await rpc().request('evm_mine')
  // As nodes do by themselves: what was in a block that is gone waits again, and comes into another one.
  await rpc().request('eth_sendRawTransaction', [raw])
  await rpc().request('anvil_mine', ['0x3'])
  expect(await got()).toBe(before)
  const told = (await run(`action explain ${id} --json`)).json
  expect({ situation: told.situation, funds: told.funds }).toMatchObject({
    funds: expect.not.stringContaining('still in the wallet'),
  })
})
