import { afterEach, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const rpc = () => sandbox.chain(31337).rpc
const wallet = () => sandbox.user.address
const mining = (on: boolean) => rpc().request('evm_setAutomine', [on])
afterEach(() => mining(true))
const explain = async (id: string) =>
  (await signsNothing(() => run(['action', 'explain', id, '--json']))).json

type Shown = { hash: Hex; to: Hex; input: Hex; nonce: Hex; gas: Hex }
const swap = (key: string) =>
  `swap execute --from sandbox-one --token-in USDC --token-out USDT --amount-in 5 --yes --json --idempotency-key ${key}`

/** A pending swap that loses its nonce to a changed copy of its call with a higher fee; returns its ID and the hash of the copy. */
const swapLostTo = async (change: (data: string) => { to?: Hex; data: string }) => {
  expect(await run(swap('first-0001'))).toMatchObject({ exit: 0 })
  await mining(false)
  const sent = await run(`${swap('second-001')} --no-wait --pipeline --allow-duplicate`)
  const { id } = sent.json.error.details
  const { hash: own } = (await run(`action show ${id} --json`)).json.transactions.at(-1)
  const { input, ...shown } = await rpc().request<Shown>('eth_getTransactionByHash', [own])
  await rpc().request('anvil_dropTransaction', [own])
  // Mines the approval that precedes the swap.
  await rpc().request('evm_mine')
  const hash = await rpc().request<Hex>('eth_sendTransaction', [
    {
      from: wallet(),
      to: shown.to,
      nonce: shown.nonce,
      gas: shown.gas,
      maxFeePerGas: '0x174876e800',
      maxPriorityFeePerGas: '0x174876e800',
      ...change(input),
    },
  ])
  await rpc().request('evm_mine')
  await mining(true)
  expect(await run(['action', 'resume', id, '--json'])).toMatchObject({ exit: 23 })
  return { id, hash }
}

test('explain says that an abandoned swap that lost its nonce is unsafe to retry, and names the other transaction', async () => {
  const { id, hash } = await swapLostTo(() => ({ to: wallet(), data: '0x' }))
  expect(await run(['action', 'abandon', id, '--yes', '--json'])).toMatchObject({ exit: 0 })
  const said = await explain(id)
  expect(said).toMatchObject({
    situation: 'GIVEN_UP',
    verdict: expect.stringContaining(`was used by ${hash}, which may have done the same`),
    safeToRetry: false,
  })
  expect(said.funds).toContain(`5 USDC: still in the wallet`)
  expect(said.funds).toContain(`unless ${hash} moved the funds`)
})
