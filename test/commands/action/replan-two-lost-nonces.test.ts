import { afterEach, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const rpc = () => sandbox.chain(31337).rpc
const mining = (on: boolean) => rpc().request('evm_setAutomine', [on])
afterEach(() => mining(true))

test('replan completes a pipelined deposit whose two steps lost their nonces, and deposits once', async () => {
  const { address: wallet } = sandbox.user
  const nonce = Number(await rpc().request<Hex>('eth_getTransactionCount', [wallet, 'latest']))
  const usdc = () => sandbox.balanceOf(31337, sandbox.token(31337, 'USDC').address, wallet)
  const before = await usdc()
  await mining(false)
  const sent = await run(
    'deposit aave-v3-usdc-sandbox-one --amount 5 --yes --json --pipeline --no-wait --idempotency-key both-lost-1',
  )
  expect(sent.exit).toBe(20)
  const { id } = sent.json.error.details
  await rpc().request('anvil_dropAllTransactions')
  for (const at of [nonce, nonce + 1])
    await rpc().request('eth_sendTransaction', [
      { from: wallet, to: wallet, value: '0x0', nonce: `0x${at.toString(16)}` },
    ])
  await rpc().request('evm_mine')
  await mining(true)
  const resumed = await run(`action resume ${id} --json --timeout 10s`)
  expect(resumed).toMatchObject({ exit: 23, json: { error: { code: 'SUPERSEDED' } } })
  const { transactions } = (await run(`action show ${id} --json`)).json
  expect(transactions.map(({ status }: { status: string }) => status)).toEqual(['superseded', 'superseded'])
  const anew = await run(`action replan ${id} --yes --json`)
  expect({ exit: anew.exit, out: anew.out.slice(0, 300) }).toMatchObject({ exit: 0 })
  expect(before - (await usdc())).toBe(5_000000n)
})
