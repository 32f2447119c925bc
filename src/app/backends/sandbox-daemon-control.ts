import { join } from 'node:path'
import type { Sandbox } from '../../cli/sandbox-control-type.ts'
import type { Io } from '../../cli/terminal/io-types.ts'
import { longWork } from '../../http/waits.ts'
import type { SandboxClient } from '../../sandbox/daemon-client.ts'
import type { Directories } from '../profiles/directories.ts'
import type { OpenSandbox } from './sandbox-backend.ts'

/** The sandbox in its own process, started by the first command that needs it. */
export function daemonSandbox(
  { data, cache }: Directories,
  env: Readonly<Record<string, string | undefined>>,
  io: Io | undefined,
): OpenSandbox {
  const options = {
    entry: join(import.meta.dirname, '..', 'sandbox-daemon-main.ts'),
    dataDir: data,
    cacheDir: cache,
    env,
    onStart: () =>
      io?.err.write(io.err.paint.dim('Starting the sandbox: two local chains with real contracts.\n')),
  }
  const client = (how: { anew?: true } = {}): Promise<SandboxClient> =>
    longWork('starting the sandbox', async () =>
      (await import('../../sandbox/daemon-client.ts')).ensureSandbox({ ...options, ...how }),
    )
  const admin: Sandbox = {
    up: async () => (await client()).found,
    down: async () => {
      const { sandboxDown, sandboxStatus } = await import('../../sandbox/daemon-client.ts')
      await longWork('stopping the sandbox', () => sandboxDown(data))
      return sandboxStatus(data)
    },
    status: async () => (await import('../../sandbox/daemon-client.ts')).sandboxStatus(data),
    reset: async () => {
      // A stopped sandbox is not started from its saved world, which may be damaged and is discarded anyway.
      const sandbox = await client({ anew: true })
      await longWork('resetting the sandbox', () => sandbox.reset())
      return sandbox.status()
    },
    fund: async (to, what) => (await client()).fund(to, what),
    warp: async (seconds) => {
      const sandbox = await client()
      await longWork('moving the clock of the sandbox', () => sandbox.warp(seconds))
      return sandbox.status()
    },
    payBitcoin: async (payment) => (await client()).payBitcoin(payment),
    fault: async (request) => (await client()).fault(request),
    clearFaults: async () =>
      (await (await import('../../sandbox/daemon-client.ts')).connectSandbox(data))?.clearFaults() ?? [],
  }
  return {
    admin,
    open: async () => {
      const { catalog, found, blockHash, wasReplaced } = await client()
      const { chains, faults = [], aheadMs = 0, outdated = false } = found
      return { catalog, chains, faults, aheadMs, outdated, blockHash, wasReplaced }
    },
  }
}
