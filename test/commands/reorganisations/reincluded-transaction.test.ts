import { expect, test } from 'vitest'
import { usePayments } from '../../support/payments/use-payment-commands.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, rpc, got, pay } = usePayments(sandbox, useCommands(sandbox))

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
