import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

import { httpRpc, type Rpc } from '../../src/net/rpc.ts'

/** A node of its own for one test file. */
export type Chain = { url: string; rpc: Rpc; stop: () => Promise<void> }

/** The first account of the well-known test phrase, which every fresh node funds. */
export const testKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

const anvil = (): string =>
  join(
    dirname(createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/package.json')),
    'bin',
    'anvil',
  )

/** Starts a node; `args` are added to its command line. It keeps the states of its last 64 blocks, or of so many. */
export async function startChain(args: readonly string[] = [], states = 64): Promise<Chain> {
  const child = spawn(
    anvil(),
    // The node takes a free port itself: one that is looked for before may be another's by then.
    ['--host', '127.0.0.1', '--port', '0', '--prune-history', String(states), ...args],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const url = `http://${await listening(child.stdout)}`
  const rpc = httpRpc(url, { retries: 0 })
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

/** Where the node says that it listens. The rest of what it says is thrown away, or its pipe would be full. */
async function listening(stdout: Readable): Promise<string> {
  let said = ''
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    said += String(chunk)
    const address = /^Listening on (\S+)$/m.exec(said)?.[1]
    if (address !== undefined && said.includes(`${address}\n`)) {
      stdout.resume()
      return address
    }
  }
  throw new Error(`The node ended: ${said}`)
}
