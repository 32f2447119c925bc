import { expect, test } from 'vitest'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, attempts } = useCommands(sandbox)
const swap =
  'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 20 --speed standard'
const deposit = 'deposit aave-v3-usdc-sandbox-two --amount 20 --from sandbox-one'

/** An action of which only the approval is sent, and whose quote expires before the burn; returns its ID. */
const stale = async (line: string): Promise<string> => {
  const { id } = (await run(`${line} --yes --json --no-wait`)).json.error.details
  await sandbox.world.warp(3_600)
  return id
}
/** Signs a transfer on the other chain, so that the journal has transactions there too. */
const signedThere = () =>
  run(
    `transfer --network sandbox-two --token USDC --to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC --amount 1 --yes --json`,
  )
const resume = (id: string, timeout = '30s') => run(['action', 'resume', id, '--json', '--timeout', timeout])
const explain = async (id: string) => (await run(['action', 'explain', id, '--json'])).json

test.each([
  ['swap', swap, 2],
  ['deposit', deposit, 4],
])(
  'a %s over a bridge whose quote expired before the burn completes with a new quote',
  async (_, line, signed) => {
    const id = await stale(line)
    const done = await resume(id)
    expect(done.err).toContain('The quote expired. A new quote with no lower output')
    expect(done).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
    expect(attempts()).toBe(signed)
  },
)

test('a swap whose burn lost its nonce completes after a replan', async () => {
  const { rpc } = sandbox.chain(31337)
  await rpc.request('evm_setAutomine', [false])
  const { id } = (await run(`${swap} --yes --json --no-wait --pipeline`)).json.error.details
  const { transactions } = (await run(['action', 'show', id, '--json'])).json
  await rpc.request('anvil_dropTransaction', [transactions[1].hash])
  await rpc.request('evm_setAutomine', [true])
  await rpc.request('evm_mine')
  await sandbox.sendAs(31337, sandbox.user.address, { to: sandbox.user.address, value: 1n })
  expect(await resume(id)).toMatchObject({ exit: 23, json: { error: { code: 'SUPERSEDED' } } })
  const done = await run(['action', 'replan', id, '--yes', '--json', '--timeout', '30s'])
  expect(done).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
  expect(attempts()).toBe(3)
})

test('the service reports a burn that was replanned, and resume then needs no logs of the destination chain', async () => {
  expect(await run('sandbox fault bridge stuck --json')).toMatchObject({ exit: 0 })
  const id = await stale(swap)
  expect(await resume(id, '3s')).toMatchObject({ exit: 20 })
  await sandbox.world.faults.clear()
  const said = async () =>
    (await explain(id)).evidence.find(({ source }: { source: string }) => source === 'service').text
  await expect.poll(said, { timeout: 10_000 }).toContain('the swap is fulfilled')
  // Without logs the node cannot find the delivery: only the service names it.
  await run('sandbox fault rpc-502 --network sandbox-two --method eth_getLogs --json')
  expect(await resume(id)).toMatchObject({ exit: 0, json: { status: 'SUCCESS' } })
})

test('speed-up raises the fee of a pending burn while the destination chain does not answer, and signs nothing else', async () => {
  expect(await signedThere()).toMatchObject({ exit: 0 })
  const { rpc } = sandbox.chain(31337)
  await rpc.request('evm_setAutomine', [false])
  const { id } = (await run(`${deposit} --yes --json --no-wait --pipeline`)).json.error.details
  const before = attempts()
  await run('sandbox fault rpc-502 --network sandbox-two --json')
  const faster = await run(['action', 'speed-up', id, '--max-fee', '500', '--json'])
  expect(faster).toMatchObject({ exit: 20, json: { error: { code: 'PENDING' } } })
  expect(faster.err).toContain('so nothing but the higher fee of the pending transaction is signed')
  expect(attempts()).toBe(before + 1)
  await run('sandbox fault clear --json')
  await rpc.request('evm_setAutomine', [true])
  await rpc.request('evm_mine')
  expect(await resume(id)).toMatchObject({ exit: 0 })
})

test('speed-up signs nothing once the destination chain did not answer, though the bridge has delivered', async () => {
  expect(await signedThere()).toMatchObject({ exit: 0 })
  const [one, two] = [sandbox.chain(31337).rpc, sandbox.chain(31338).rpc]
  const blocks = () => two.request('eth_blockNumber')
  await one.request('evm_setAutomine', [false])
  const { id } = (await run(`${deposit} --yes --json --no-wait --pipeline`)).json.error.details
  const [before, early] = [attempts(), await blocks()]
  await one.request('evm_setAutomine', [true])
  await one.request('evm_mine')
  await expect.poll(blocks, { timeout: 10_000 }).not.toBe(early)
  // Five failures exhaust the retries of one read.
  await run('sandbox fault rpc-502 --network sandbox-two --method eth_getTransactionCount --times 5 --json')
  const faster = await run(['action', 'speed-up', id, '--json'])
  expect(faster.err).toContain('so nothing but the higher fee of the pending transaction is signed')
  expect(faster).toMatchObject({ exit: 20, json: { error: { code: 'PENDING' } } })
  expect(attempts()).toBe(before)
  expect(await resume(id)).toMatchObject({ exit: 0 })
})
