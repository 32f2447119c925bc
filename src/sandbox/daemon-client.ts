import { setTimeout as sleep } from 'node:timers/promises'
import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { FaultRequest, SandboxFault } from '../domain/sandbox-fault.ts'
import type { SandboxStatus } from '../domain/sandbox-status-type.ts'
import { postJson } from '../http/client.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { BitcoinPayment } from './bitcoin/chain.ts'
import { type EnsureOptions, startDaemon } from './daemon-launch.ts'
import { readRecord, sandboxFiles } from './daemon-record.ts'
import { type ErrorWire, errorFromWire } from './error-json.ts'
import type { FundRequest, Grant } from './faucet.ts'

/** A running sandbox, in this process or another. */
export type SandboxClient = {
  catalog: Catalog
  /** Its status when it was found. */
  found: SandboxStatus
  status: () => Promise<SandboxStatus>
  /** Funds an address with coins and tokens on every chain; `amount` is in the smallest unit of the named token. */
  fund: (to: Address, what?: FundRequest) => Promise<Grant[]>
  warp: (seconds: number) => Promise<void>
  /** Pays on the sandbox's Bitcoin and returns the transaction hash. */
  payBitcoin: (payment: BitcoinPayment) => Promise<string>
  reset: () => Promise<void>
  fault: (request: FaultRequest) => Promise<SandboxFault>
  clearFaults: () => Promise<SandboxFault[]>
  /** Returns the hash of a chain's block at a height, regardless of active faults; `null` if there is none. */
  blockHash: (chainId: number, number: number) => Promise<Hex | null>
  /** Whether a fault replaced this block since the last reset. */
  wasReplaced: (hash: Hex) => Promise<boolean>
  /** Saves and stops the sandbox, and waits for its exit. */
  down: () => Promise<void>
}

/** Returns the sandbox of a data directory and starts it if needed. Concurrent callers share one daemon. */
export async function ensureSandbox(options: EnsureOptions): Promise<SandboxClient> {
  const { dataDir, onStart, waitMs = 30_000 } = options
  const until = performance.now() + waitMs
  let isFirst = true
  for (;;) {
    const running = await connectSandbox(dataDir)
    if (running) return running
    if (performance.now() > until)
      throw new AppError(
        'SANDBOX_UNAVAILABLE',
        'A process that does not answer holds the sandbox of this data directory',
        {
          details: { directory: sandboxFiles(dataDir).dir },
        },
      )
    if (isFirst) onStart?.()
    isFirst = false
    if ((await startDaemon(options)) === 'ready') continue
    // Another process holds the lock: it will soon answer or exit.
    for (let tries = 0; tries < 20; tries++) {
      await sleep(50)
      const theirs = await connectSandbox(dataDir)
      if (theirs) return theirs
    }
  }
}

/** Returns the status for `sandbox status`, without starting a sandbox. */
export async function sandboxStatus(dataDir: string): Promise<SandboxStatus> {
  const running = await connectSandbox(dataDir)
  return running ? running.found : { running: false, pid: null, chains: [], accounts: [], tokens: [] }
}

/** Stops the sandbox of a data directory; `false` if none was running. */
export async function sandboxDown(dataDir: string): Promise<boolean> {
  const running = await connectSandbox(dataDir)
  await running?.down()
  return running !== undefined
}

/** Connects to the running sandbox of a data directory; `undefined` if none answers. */
export async function connectSandbox(dataDir: string): Promise<SandboxClient | undefined> {
  const record = readRecord(sandboxFiles(dataDir).record)
  if (!record) return undefined
  const call = async <T>(
    name: string,
    input: Record<string, string> = {},
    deadlineMs = 60_000,
  ): Promise<T> => {
    const headers = { authorization: `Bearer ${record.token}` }
    const { status, body } = await postJson(`${record.controlUrl}/${name}`, input, { headers, deadlineMs })
    const { value, error } = (body ?? {}) as { value?: T; error?: ErrorWire | string }
    if (typeof error === 'object') throw errorFromWire(error)
    if (status !== 200)
      throw new AppError('SANDBOX_UNAVAILABLE', `The sandbox answers with status ${status}`, {
        details: { status },
      })
    return value as T
  }
  const answer = (): Promise<SandboxStatus | undefined> =>
    call<SandboxStatus>('status', {}, 3000).catch(() => undefined)
  const now = await answer()
  if (!now) return undefined
  return {
    catalog: record.catalog,
    found: now,
    status: () => call('status'),
    fund: async (to, what) => {
      const amount = what?.amount === undefined ? {} : { amount: String(what.amount) }
      const asked = { to, ...(what ? { symbol: what.symbol } : {}), ...amount }
      const grants = await call<(Omit<Grant, 'amount'> & { amount: string })[]>('fund', asked)
      return grants.map((grant) => ({ ...grant, amount: BigInt(grant.amount) }))
    },
    warp: (seconds) => call('warp', { seconds: String(seconds) }),
    payBitcoin: ({ address, amount, memo, replaces }) =>
      call('pay-bitcoin', {
        address,
        amount: String(amount),
        ...(memo !== undefined && { memo }),
        ...(replaces !== undefined && { replaces }),
      }),
    reset: () => call('reset'),
    fault: (request) => call('fault', { request: JSON.stringify(request) }),
    clearFaults: () => call('fault-clear'),
    blockHash: (chainId, number) =>
      call('block-hash', { chainId: String(chainId), number: String(number) }, 2_000),
    wasReplaced: (hash) => call('was-replaced', { hash }),
    down: async () => {
      await call('down')
      while (await answer()) await sleep(10)
    },
  }
}
