import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { httpRpc, type Rpc } from '../../src/net/rpc.ts'

/** A node of its own for one test file. */
export type Chain = { url: string; rpc: Rpc; stop: () => Promise<void> }

/** The first account of the well-known test phrase, which every fresh node funds. */
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

const anvil = (): string =>
  join(
    dirname(createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/package.json')),
    'bin',
    'anvil',
  )

/** Starts a node; `args` are added to its command line. It keeps the states of its last 64 blocks, or of so many. */
export async function startChain(args: readonly string[] = [], states = 64): Promise<Chain> {
  const port = await freePort()
  const child: ChildProcess = spawn(
    anvil(),
    ['--host', '127.0.0.1', '--port', String(port), '--prune-history', String(states), '--silent', ...args],
    { stdio: 'ignore' },
  )
  const url = `http://127.0.0.1:${port}`
  const rpc = httpRpc(url, { retries: 0 })
  for (let tried = 0; ; tried++) {
    try {
      await rpc.request('eth_chainId')
      break
    } catch (error) {
      if (tried > 200 || child.exitCode !== null) throw error
      await sleep(25)
    }
  }
  return {
    url,
    rpc,
    stop: async () => {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
