import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Chalk } from 'chalk'
import { afterEach, beforeEach, expect, inject } from 'vitest'
import { createCommandContext } from '../../src/app/create-command-context.ts'
import { main } from '../../src/app/main.ts'
import { directories } from '../../src/app/profiles/directories.ts'
import type { Keychain } from '../../src/app/profiles/keychain.ts'
import { selectProfile } from '../../src/app/profiles/profile-selection.ts'
import { withoutSecrets } from '../../src/app/profiles/saved-secrets.ts'
import { fileSettings } from '../../src/app/profiles/settings-files.ts'
import { signerReads } from '../../src/app/signing/signer-recorded-inputs.ts'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import type { Timers } from '../../src/cli/command-time-type.ts'
import type { Sandbox } from '../../src/cli/sandbox-control-type.ts'
import type { Io, Stream } from '../../src/cli/terminal/io-types.ts'
import type { Hex } from '../../src/domain/address.ts'
import { flagValue, readCommandLine } from '../../src/domain/command-line/read-command-line.ts'
import type { Exit } from '../../src/domain/error-table.ts'
import type { Catalog } from '../../src/protocols/catalog-types.ts'
import { openSigningService } from '../../src/signing/signing-service.ts'
import { noKeychain } from './keys/test-keychain.ts'
import { addEmptyDatabases } from './migrated-databases.ts'
import { attemptsIn } from './spawn-program.ts'
import type { TestSandbox } from './use-sandbox.ts'

/** A parsed document, accessible to any depth. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a document.
export type Document = any

/** The result of one command line. `json` is the single document on stdout; reading it fails the test if there is not exactly one. */
export type Ran = { exit: Exit; out: string; err: string; readonly json: Document }

/** Circumstances of a command beside its command line. */
export type Circumstances = {
  env?: Record<string, string>
  secrets?: Partial<Record<'privateKey' | 'password' | 'apiKey' | 'signerUrl', string | undefined>> & {
    serviceKeys?: Readonly<Record<string, string>> | undefined
    rpcHeaders?: Readonly<Record<string, string>> | undefined
  }
  stdin?: string
  /** The width of stdout if it is a terminal. */
  columns?: number
  /** Additional properties of stdout. */
  out?: Partial<Stream>
  /** The milliseconds by which the clock is ahead. */
  later?: number
  /** The clock of the command stands at this time, in epoch ms. */
  standsAt?: number
  /** The timers of limits and progress; those of the machine by default. */
  timers?: Timers
  /** The keychain of the desktop; none by default. */
  keychain?: Keychain
}

/** The program over the sandbox of a test file, with a new home directory for every test. */
export type Commands = {
  run: (line: string | readonly string[], more?: Circumstances) => Promise<Ran>
  /** The home directory of the current test. */
  home: () => string
  /** The number of signed transactions in the journal of this home directory. */
  attempts: () => number
  /** Fails the test if the work signs anything, in the journal or on a chain. */
  signsNothing: <value>(work: () => Promise<value>) => Promise<value>
}

/**
 * Runs command lines in this process through `main()`, as `bin` does, over the world of `useSandbox()`. `catalog` is the catalogue
 * of engine, wallet and signer, for tests that deploy contracts beyond those of every sandbox.
 */
export function useCommands(
  sandbox: TestSandbox,
  { catalog = () => sandbox.world.catalog() }: { catalog?: () => Catalog } = {},
): Commands {
  let home = ''
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'sluice-commands-'))
    // The genesis of the embedded chains is already built.
    mkdirSync(join(home, 'cache'))
    for (const name of readdirSync(inject('sandboxCache')).filter((one) => one.startsWith('genesis-')))
      symlinkSync(join(inject('sandboxCache'), name), join(home, 'cache', name))
    addEmptyDatabases(home)
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const attempts = () => attemptsIn(join(home, 'data'))
  const nonces = () =>
    Promise.all(
      sandbox.world.chains.map(({ rpc }) =>
        rpc.request<Hex>('eth_getTransactionCount', [sandbox.user.address, 'pending']),
      ),
    )
  return {
    home: () => home,
    attempts,
    signsNothing: async (work) => {
      const before = [attempts(), await nonces()]
      const value = await work()
      expect([attempts(), await nonces()]).toEqual(before)
      return value
    },
    run: async (
      typed,
      {
        env = {},
        secrets = {},
        stdin = '',
        columns,
        out = {},
        later = 0,
        standsAt,
        timers,
        keychain = noKeychain,
      } = {},
    ) => {
      const line = wordsOf(typed)
      const said = { out: '', err: '' }
      const stream = (name: 'out' | 'err', width?: number) => ({
        write: (text: string) => {
          said[name] += text
        },
        isTerminal: width !== undefined,
        columns: width ?? 80,
        paint: new Chalk({ level: 0 }),
      })
      const settings = fileSettings(directories({ SLUICE_HOME: home, ...env }), keychain)
      const io: Io = { out: { ...stream('out', columns), ...out }, err: stream('err'), canAsk: false }
      const { world } = sandbox
      const exit = await main(
        line,
        createCommandContext({
          // State shared by the processes of a machine is shared within a test.
          // A busy machine may take longer for a quote than a user waits.
          env: { SLUICE_HOME: home, TMPDIR: home, SLUICE_QUOTE_DEADLINE: '60', ...env },
          secrets: {
            hasPrivateKey: secrets.privateKey !== undefined,
            password: secrets.password,
            apiKey: secrets.apiKey,
            signerUrl: secrets.signerUrl,
            serviceKeys: secrets.serviceKeys,
            rpcHeaders: secrets.rpcHeaders,
          },
          // The signer of the program runs in this process; other tests cover it as a separate process.
          signingService: async () => {
            const typed = readCommandLine(line)
            const dirs = directories({ SLUICE_HOME: home, ...env })
            const profile = await selectProfile(env, flagValue(typed, '--profile'), withoutSecrets(settings))
            return openSigningService({
              ...signerReads({
                line: typed,
                dirs,
                isSandbox: profile.kind === 'sandbox',
                catalog: async () => catalog(),
              }),
              line: typed,
              privateKey: secrets.privateKey,
              signerUrl: secrets.signerUrl,
              catalog: async () => catalog(),
              sandboxKey: async () => sandbox.user.key,
              say: () => undefined,
              tell: (line) => {
                said.err += `${line}\n`
              },
            })
          },
          version: '0.0.0',
          now: () => (standsAt ?? Date.now()) + later,
          ...(timers && { timers }),
          io,
          interrupt: { signal: new AbortController().signal, critical: (work) => work() },
          stdin: async () => stdin,
          settings,
          openSandbox: {
            admin: adminOf(sandbox),
            open: async () => ({
              catalog: catalog(),
              chains: world.chains.map(({ network: { chainId } }) => ({
                chainId,
                rpcUrl: world.faults.urlOf(chainId),
              })),
              faults: world.faults.list(),
              aheadMs: world.faults.aheadMs(),
              blockHash: (chainId, number) => world.blockHash(chainId, number),
              wasReplaced: async (hash) => world.faults.wasReplaced(hash),
            }),
          },
        }),
      )
      if (line.includes('--no-wait')) for (const { rpc } of world.chains) await untilMined(rpc)
      return {
        exit,
        ...said,
        get json() {
          return oneDocument(said.out)
        },
      }
    },
  }
}

/** The environment with the RPC URLs of a sandbox, by network name; `urls` replace those of the nodes. */
export const rpcEnvOf = (
  { world }: TestSandbox,
  urls: Readonly<Record<string, string>> = {},
): Record<string, string> =>
  Object.fromEntries(
    world.chains.map(({ network: { name }, rpcUrl }) => [
      `SLUICE_RPC_${name.toUpperCase().replace('-', '_')}`,
      urls[name] ?? rpcUrl,
    ]),
  )

/** Waits until a node that mines by itself has mined what can be mined: after `--no-wait` it may still be about to. */
async function untilMined(rpc: ChainClient): Promise<void> {
  const isMining = async () => {
    if (!(await rpc.request<boolean>('anvil_getAutomine'))) return false
    const [pool, block] = (await rpc.batch([
      ['txpool_content', []],
      ['eth_getBlockByNumber', ['pending', false]],
    ])) as [{ pending: Record<string, Record<string, { maxFeePerGas: Hex }>> }, { baseFeePerGas: Hex }]
    return Object.values(pool.pending)
      .flatMap((ofSender) => Object.values(ofSender))
      .some(({ maxFeePerGas }) => BigInt(maxFeePerGas) >= BigInt(block.baseFeePerGas))
  }
  while (await isMining()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** The words of a command line; a list is returned unchanged. */
export const wordsOf = (line: string | readonly string[]): readonly string[] =>
  typeof line === 'string' ? line.split(/\s+/).filter((word) => word !== '') : line

/** The JSON document of a text that contains only this document and a newline. */
export function oneDocument(text: string): Document {
  expect(text.endsWith('\n')).toBe(true)
  return JSON.parse(text)
}

const adminOf = (sandbox: TestSandbox): Sandbox => {
  const status = () => sandbox.world.status()
  const fixed = () => {
    throw new Error('the sandbox of a test file is started and ended by its fixture')
  }
  return {
    status,
    up: status,
    down: fixed,
    reset: fixed,
    fund: (to, what) => sandbox.world.fund(to, what),
    payBitcoin: async (payment) => sandbox.world.payBitcoin(payment),
    warp: async (seconds) => {
      await sandbox.world.warp(seconds)
      return status()
    },
    fault: (request) => sandbox.world.faults.set(request),
    clearFaults: async () => {
      await sandbox.world.faults.clear()
      return []
    },
  }
}
