import { expect, test } from 'vitest'
import { usePayments } from '../../support/payments/use-payment-commands.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, rpc, got, pay } = usePayments(sandbox, useCommands(sandbox))

test('explain does not say that funds are still in the wallet after a reorganised payment was mined again', async () => {
  expect(await run(pay(1))).toMatchObject({ exit: 0 })
  const done = await run(pay(5))
  expect(done).toMatchObject({ exit: 0 })
  const { id, transactions } = done.json
  const raw = await rpc().request<string>('debug_getRawTransaction', [transactions[0].hash])
  const before = await got()
  await rpc().request('anvil_reorg', [1, []])
  expect(await got()).toBe(before - 5_000_000n)
  await rpc().request('evm_mine')
  // Real nodes return the transactions of a removed block to the pool and mine them in a later block.
  await rpc().request('eth_sendRawTransaction', [raw])
  await rpc().request('anvil_mine', ['0x3'])
  expect(await got()).toBe(before)
  const { situation, funds } = (await run(`action explain ${id} --json`)).json
  expect({ situation, funds }).toEqual({
    situation: 'REOPENED',
    funds: expect.not.stringContaining('still in the wallet'),
  })
})
