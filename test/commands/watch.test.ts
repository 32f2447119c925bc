import { join } from 'node:path'
import { expect, test } from 'vitest'

import { exclusiveLock } from '../../src/store/lock.ts'
import { type Document, useCommands } from '../support/run.ts'
import { topicOf, useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const across =
  'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100 --yes --json --no-wait'
/** A swap whose burn is sent, and that nobody follows. */
const burned = async (): Promise<string> => {
  const { id } = (await run(across)).json.error.details
  expect(await run(['action', 'resume', id, '--json', '--no-wait'])).toMatchObject({ exit: 20 })
  return id
}
/** A watch: what it ended with, and all that it printed, as documents. */
const watch = async (ids: string | string[], timeout = '20s') => {
  const line = ['action', 'watch', ...[ids].flat(), '--interval', '50ms', '--json', '--timeout', timeout]
  const { exit, out } = await signsNothing(() => run(line))
  const all: Document[] = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text))
  return { exit, all, last: all.findLast((one) => !one.error), error: all.at(-1).error }
}
const shown = async (id: string) => (await run(['action', 'show', id, '--json'])).json
/** The transaction that minted on the other chain, by the node's own logs. */
const mint = async (): Promise<string | undefined> => {
  const { tokenMessenger: address } = sandbox.world.catalog().cctpV2.find((end) => end.chainId === 31338)!
  const topics = [topicOf('MintAndWithdraw(address,uint256,address,uint256)')]
  const logs = await sandbox
    .chain(31338)
    .rpc.request<{ transactionHash: string }[]>('eth_getLogs', [{ address, topics, fromBlock: '0x0' }])
  return logs.at(-1)?.transactionHash
}

test.each(['turn', 'chain'])(
  'a watch notes what a bridge delivered where nobody is at work with the wallet, and never beside somebody who is: %s',
  async (which) => {
    const id = await burned()
    await expect.poll(mint, { timeout: 10_000 }).toBeDefined()
    const before = await shown(id)
    const wallet = sandbox.user.address.toLowerCase()
    const name = which === 'turn' ? `${wallet}.turn` : `31337-${wallet}.lock`
    const lock = await exclusiveLock(join(home(), 'data', 'sandbox', 'locks', name), 0)
    try {
      expect(await watch(id, '1500ms')).toMatchObject({ exit: 20, error: { code: 'PENDING' } })
      expect(await shown(id)).toEqual(before)
    } finally {
      lock!.release()
    }
    const { exit, last } = await watch(id)
    expect(exit).toBe(0)
    expect(last).toMatchObject({ id, status: 'SUCCESS', destinationTxHash: await mint() })
    expect(last.amounts.out).toMatchObject({ formatted: '99.99' })
    expect(await shown(id)).toEqual(last)
  },
)
