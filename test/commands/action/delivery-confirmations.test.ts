import { expect, test } from 'vitest'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)

test('--confirmations also applies to the delivery of a bridge on the destination chain', async () => {
  const done = await run(
    'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 20 --speed standard --confirmations 6 --yes --json --timeout 30s',
  )
  expect(done).toMatchObject({ exit: 0 })
  const { rpc } = sandbox.chain(31338)
  const { blockNumber } = await rpc.request<{ blockNumber: string }>('eth_getTransactionReceipt', [
    done.json.destinationTxHash,
  ])
  const head = Number(await rpc.request('eth_blockNumber'))
  expect(head - Number(blockNumber) + 1).toBeGreaterThanOrEqual(6)
})
