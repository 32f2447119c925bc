import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { ChainClient } from '../src/chain/chain-client.ts'
import { httpRpc } from '../src/chain/rpc/failover.ts'
import { createChainTrackers } from '../src/engine/tracking/chain-trackers.ts'
import { connectSandbox } from '../src/sandbox/daemon-client.ts'
import { sendTogether, storeWithActions, walletAt } from '../test/support/tracked-actions.ts'
import { figure, home, run, sluice } from './measure.ts'

/*
 * The requests that following a chain costs with 10, 1,000 and 10,000 open actions: a block in which nobody sent anything, one in which ten of them were
 * sent, and the passes over all of them after a start. `npm run bench:tracking`
 */

const place = home()
try {
  await run([...sluice, 'sandbox', 'up'], place.env)
  const sandbox = await connectSandbox(join(place.env.SLUICE_HOME!, 'data'))
  if (!sandbox) throw new Error('the sandbox does not run')
  const { catalog, found } = sandbox
  const { chainId, rpcUrl } = found.chains[0]!
  const rpc: ChainClient = httpRpc(rpcUrl, { retries: 0 })
  for (const count of [10, 1_000, 10_000]) {
    const from = Number(await rpc.request<string>('eth_blockNumber'))
    const { store, sql } = await storeWithActions(count, from)
    const trackers = createChainTrackers({
      ...{ catalog, store, holder: 'bench', now: Date.now, newId: randomUUID, rpc: () => rpc },
    })
    const passes: number[] = []
    const pass = async () => {
      const done = await trackers.pass(chainId)
      if (!done) throw new Error('another process follows the chain')
      return done
    }
    for (;;) {
      const { requests, isMore } = await pass()
      passes.push(requests)
      if (!isMore) break
    }
    await rpc.request('anvil_mine', ['0x1'])
    const quiet = await pass()
    await sendTogether(
      rpc,
      Array.from({ length: 10 }, (_, at) => ({ at })),
    )
    const busy = await pass()
    if (busy.read !== 10) throw new Error(`${busy.read} of 10 sent actions were read`)
    process.stdout.write(
      `${String(count).padStart(6)} open actions  ${quiet.requests} requests for a block without changes  ${busy.requests} with ten  ${passes.length} passes of at most ${Math.max(...passes)} after a start\n`,
    )
    figure('tracking', `quiet-block-${count}`, quiet.requests, 'none', 'calls')
    figure('tracking', `ten-changes-${count}`, busy.requests, 'none', 'calls')
    await sql.close()
    // The next store has the same wallets, whose nonces are used now.
    await rpc.request('anvil_mine', ['0x1'])
    for (let at = 0; at < 10; at++) await rpc.request('anvil_setNonce', [walletAt(at), '0x0'])
  }
} finally {
  await place.close()
}
