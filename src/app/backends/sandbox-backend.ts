import { join } from 'node:path'
import { aroundCalls, type ChainClient, clientOf } from '../../chain/chain-client.ts'
import { namingNetwork } from '../../chain/network-client.ts'
import type { Backend } from '../../cli/backend-types.ts'
import type { Sandbox } from '../../cli/sandbox-control-type.ts'
import type { Serving } from '../../cli/server-administration.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { SandboxFault } from '../../domain/sandbox-fault.ts'
import { commandLine, sluice } from '../../domain/text/next-step.ts'
import { coalesceRequests } from '../../engine/request-coalescing.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { sandboxAccountAddress } from '../../sandbox/accounts.ts'
import type { SignerIdentity } from '../../signing/signer.ts'
import { serviceSigner } from '../../signing/signer-process-client.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { once } from '../once.ts'
import { machinePolicy } from '../profiles/machine-policy.ts'
import { serveProfile } from '../serving/serve-profile.ts'
import type { BackendInputs } from './backend-input-types.ts'
import { localEngine } from './local-engine.ts'
import { localWallet } from './local-side-of-profile.ts'
import { callLimitReport, withCallTrace } from './rpc-debug-log.ts'
import { servicesOf } from './services-with-keys.ts'

/** Access to the embedded chains: their administration, and the facts that the engine needs. */
export type OpenSandbox = {
  admin: Sandbox
  open: () => Promise<{
    catalog: Catalog
    chains: readonly { chainId: number; rpcUrl: string }[]
    faults: readonly SandboxFault[]
    /** How far the service's clock is ahead of this machine's, in ms. */
    aheadMs: number
    /** Whether another version of this program created it. */
    outdated?: boolean
    /** Returns the hash of a chain's block at a height; `null` if there is none. */
    blockHash: (chainId: number, number: number) => Promise<Hex | null>
    /** Whether only a fault removed a block, so that the chain is still the same. */
    wasReplaced: (hash: Hex) => Promise<boolean>
  }>
}

type Needs = BackendInputs & {
  sandbox: OpenSandbox
  /** Whether to announce once that the sandbox is the default profile. */
  announce: boolean
}

/** This version may read an outdated sandbox wrongly. It is not reset automatically: only its user decides that. */
const outdatedNotice = `This sandbox was created by another version of sluice, and some strategies may not answer. To reset it: ${commandLine(sluice('sandbox reset'))}`

/** Maximum time of a read with all retries, in ms; little more than the time of a short command. */
const patienceMs = 30_000

/** The sandbox profile: the embedded engine over the embedded chains. */
export function sandboxBackend(needs: Needs): Backend {
  const { dirs, signingService, io, globals, sandbox, announce, now } = needs
  const dir = join(dirs.data, 'sandbox')
  const opened = once(async () => {
    if (announce && !globals.quiet)
      io.err.write(
        io.err.paint.dim(
          `profile sandbox: local chains, play money; for real ones: ${commandLine(sluice('init'))}\n`,
        ),
      )
    const { catalog, chains, faults, aheadMs, outdated, blockHash, wasReplaced } = await sandbox.open()
    if (outdated && !globals.quiet) io.err.write(`${outdatedNotice}\n`)
    if (!globals.quiet)
      for (const { text } of faults) io.err.write(io.err.paint.dim(`sandbox fault: ${text}\n`))
    const { httpRpc } = await import('../../chain/rpc/failover.ts')
    const budgetMs = Math.min(patienceMs, (globals.timeoutMs ?? patienceMs) + 5_000)
    const at = (rpcUrl: string, chainId: number) =>
      namingNetwork(
        networkNamed(catalog.networks, chainId),
        withCallTrace(
          httpRpc(rpcUrl, { budgetMs, chainId, ...callLimitReport(globals.debug ? io : undefined) }),
          globals.debug ? io : undefined,
        ),
      )
    const byChain = new Map(chains.map(({ chainId, rpcUrl }) => [chainId, at(rpcUrl, chainId)]))
    const rpc = (chainId: number): ChainClient => {
      const found = byChain.get(chainId)
      if (found) return found
      const { name } = networkNamed(catalog.networks, chainId)
      throw new AppError('UNKNOWN_NETWORK', `The sandbox has no network ${name}`)
    }
    const { openSandboxDatabases } = await import('./sandbox-databases.ts')
    const chainIds = chains.map(({ chainId }) => chainId)
    const state = await openSandboxDatabases(dir, {
      chainIds,
      blockHash,
      wasReplaced,
      // The journal and the chains have one clock.
      now: () => now() + aheadMs,
    })
    if (state.setAside && !globals.quiet)
      io.err.write(`These actions belong to an earlier sandbox; they were moved to ${state.setAside}\n`)
    needs.keep(state.journal)
    needs.keep(state.store)
    return { catalog, rpc, at, ...state, aheadMs }
  })
  const account = async (): Promise<SignerIdentity> => ({
    address: sandboxAccountAddress,
    label: 'sandbox account',
    source: 'sandbox',
    unlock: async () => serviceSigner(await signingService(), { kind: 'sandbox' }),
  })
  return {
    profile: 'sandbox',
    kind: 'sandbox',
    serviceHost: null,
    serving: sandboxServing(needs, { dir, sandbox: sandbox.admin, opened }),
    ...localEngine(needs, async () => {
      const { catalog, rpc, store, aheadMs } = await opened()
      return { catalog, rpc, store, now: () => now() + aheadMs }
    }),
    ...localWallet(needs, opened, account),
    context: async () => {
      const { catalog, rpc, journal, aheadMs } = await opened()
      const ahead = () => now() + aheadMs
      return {
        catalog,
        rpc,
        journal,
        locks: join(dir, 'locks'),
        now: ahead,
        policy: machinePolicy(dirs),
        services: await servicesOf(needs),
      }
    },
  }
}

/** Interval in which a server asks for the sandbox, in ms, which keeps it from its idle end. */
const lookMs = 5_000

type ServingInputs = {
  dir: string
  sandbox: Pick<Sandbox, 'status'>
  /** `at` connects to this chain at a URL. */
  opened: () => Promise<{
    catalog: Catalog
    rpc: (chainId: number) => ChainClient
    at: (rpcUrl: string, chainId: number) => ChainClient
    aheadMs: number
    store: EngineStore
  }>
}

/**
 * A server over the sandbox. Before it reads a chain it asks for the URLs of the chains, which change with faults, and for the sandbox's clock: a
 * fault is obeyed when the command that sets it returns.
 */
function sandboxServing(needs: BackendInputs, { dir, sandbox, opened }: ServingInputs): Serving {
  const chains = new Map<number, { rpcUrl: string; rpc: ChainClient }>()
  let ahead: number | undefined
  const look = async () => {
    const [{ at }, { chains: found, aheadMs = 0 }] = await Promise.all([opened(), sandbox.status()])
    ahead = aheadMs
    for (const { chainId, rpcUrl } of found)
      if (chains.get(chainId)?.rpcUrl !== rpcUrl) chains.set(chainId, { rpcUrl, rpc: at(rpcUrl, chainId) })
  }
  const lookOnce = coalesceRequests(() => look().catch(() => undefined))
  return serveProfile(
    { ...needs, now: () => needs.now() + (ahead ?? 0) },
    {
      dir,
      opened: async () => {
        const { catalog, rpc, aheadMs } = await opened()
        ahead ??= aheadMs
        return {
          catalog,
          rpc: (chainId) =>
            aroundCalls(
              clientOf(() => chains.get(chainId)?.rpc ?? rpc(chainId)),
              async (_, __, send) => {
                await lookOnce()
                return send()
              },
            ),
        }
      },
      own: async () => (await opened()).store,
      keepAlive: { work: lookOnce, everyMs: lookMs },
    },
  )
}
