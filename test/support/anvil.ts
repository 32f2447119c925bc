import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { findAnvil } from '../../src/sandbox/anvil.ts'

/** A separate node for one test file. */
export type Chain = { url: string; rpc: ChainClient; stop: () => Promise<void> }

/** The first account of the public test mnemonic, which every new node funds. */
export const testKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('No port')
  return address.port
}

const anvil = (): string => findAnvil({ path: process.env.PATH ?? '' })

/** Starts a node with `args` added to its command line. It keeps the states of its last 64 blocks, or of `states` blocks. */
export async function startChain(args: readonly string[] = [], states = 64): Promise<Chain> {
  for (let tries = 1; ; tries++) {
    const chain = await tryStart(args, states)
    if (chain) return chain
    if (tries === 5) throw new Error('The node does not start')
  }
}

/** One attempt; `undefined` if the node exits, as when another process has taken its port. */
async function tryStart(args: readonly string[], states: number): Promise<Chain | undefined> {
  const port = await freePort()
  // The node writes this file once it listens, which proves that this node answers on the port.
  const listening = join(tmpdir(), `sluice-chain-${randomBytes(8).toString('hex')}.json`)
  const own = ['--host', '127.0.0.1', '--port', String(port), '--prune-history', String(states), '--silent']
  const child = spawn(anvil(), [...own, '--config-out', listening, ...args], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  while (!existsSync(listening) && !hasEnded()) await sleep(5)
  rmSync(listening, { force: true })
  if (hasEnded()) return undefined
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    rpc: httpRpc(url, { retries: 0 }),
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
