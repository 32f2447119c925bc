import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { type ChainClient, withCalls } from '../chain/chain-client.ts'
import { readHeader } from '../chain/head.ts'
import type { Address, Hex } from '../domain/address.ts'
import { sandboxNetworks } from '../domain/networks.ts'
import type { SandboxStatus } from '../domain/sandbox-status-type.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { acrossContracts } from '../swaps/across/constants-schema.ts'
import { cctpV2Contracts } from '../swaps/cctp-v2/constants-schema.ts'
import { contractsIn } from '../swaps/swap-contracts.ts'
import { roles, sandboxAddress, sandboxKey, userIndexes } from './accounts.ts'
import { startRelayer } from './across/relayer.ts'
import { sandboxKeyFile } from './aggregator.ts'
import { restoreClock } from './anvil.ts'
import { sandboxAccountFile } from './avenia.ts'
import type { BitcoinPayment } from './bitcoin/chain.ts'
import { depositFaults } from './bitcoin/deposit-service.ts'
import { type BitcoinWorld, openBitcoinWorld } from './bitcoin/start-bitcoin.ts'
import { attestationAnswer } from './cctp/attestation-api.ts'
import { type Attester, bridgeFaults, startAttester } from './cctp/attestation-service.ts'
import { type FundRequest, fund, type Grant } from './faucet.ts'
import { type WorldFaults, worldFaults } from './faults/world-faults.ts'
import { genesis } from './genesis/genesis-cache.ts'
import { jsonBody, serveLoopback } from './loopback-server.ts'
import { startNodes, startSavedNodes } from './node-processes.ts'
import { catalogWithServices, openProviderServices } from './provider-services.ts'
import { forgetWorlds, saveNext } from './saved-worlds.ts'
import type { SandboxNode } from './stand-in-option-types.ts'

const data = encodeFunctionData({ abi: parseAbi(['function report()']), functionName: 'report' })

/**
 * Returns the staking contract of a chain that needs reports. A report pays rewards and finalizes withdrawals, as an
 * oracle does once a day.
 */
const stakingOn = ({ strategies }: Catalog, chainId: number): Address | undefined =>
  strategies.flatMap(({ chainId: of, constants }) =>
    of === chainId && constants.family === 'lido' ? [constants.stEth] : [],
  )[0]

/** Sends a report to a staking contract. On a node that mines at once, this makes a block. */
async function report(rpc: ChainClient, staking: Address): Promise<void> {
  await rpc.request('eth_sendTransaction', [
    { from: sandboxAddress(roles.keeper), to: staking, data, gas: '0x989680' },
  ])
}

/** A chain client that reads the newest block once until `forget`, or until it does anything else than reading blocks. */
function withOneHead(rpc: ChainClient): { rpc: ChainClient; forget: () => void } {
  let head: Promise<unknown> | undefined
  const forget = () => {
    head = undefined
  }
  const request = <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') {
      head ??= rpc.request(method, params)
      return head as Promise<T>
    }
    if (method !== 'eth_getBlockByNumber') forget()
    return rpc.request<T>(method, params)
  }
  return { rpc: withCalls(rpc, { request, batch: rpc.batch }), forget }
}

/** One of the two chains. Its URL stays the same while the world runs, even after a reset. */
export type SandboxChain = SandboxNode & { rpcUrl: string }

/** The running world: two nodes, the services and the bridges between them. */
export type SandboxWorld = {
  catalog: () => Catalog
  /** The genesis it started from, if known. */
  genesis: () => string | undefined
  chains: readonly SandboxChain[]
  attestationUrl: string
  faults: Pick<WorldFaults, 'set' | 'list' | 'clear' | 'freeUsdc' | 'urlOf' | 'wasReplaced' | 'aheadMs'>
  /** Funds an address with coins and tokens on every chain; `amount` is in the smallest unit of the named token. */
  fund: (to: Address, what?: FundRequest) => Promise<Grant[]>
  /** Moves the clocks of both chains and mines one block on each, with the oracle's report to the staking contract. */
  warp: (seconds: number) => Promise<void>
  /** Pays on the sandbox's Bitcoin and returns the transaction hash. */
  payBitcoin: (payment: BitcoinPayment) => string
  /** Resets to genesis and discards the saved world. */
  reset: () => Promise<void>
  /** Saves the world in its state directory; does nothing without one. */
  dump: () => Promise<void>
  status: () => Promise<SandboxStatus>
  /** Returns the hash of a chain's block at a height, regardless of active faults; `null` if there is none. */
  blockHash: (chainId: number, number: number) => Promise<Hex | null>
  snapshot: () => Promise<readonly Hex[]>
  /** Reverts both chains to a snapshot, which can be used once. */
  revert: (snapshot: readonly Hex[]) => Promise<void>
  /** Whether both nodes are alive. */
  isAlive: () => boolean
  /** Stops everything that was started, without saving. */
  stop: () => Promise<void>
}

/** How to start a world. */
type WorldOptions = {
  /** The anvil binary: see `findAnvil`. */
  binary: string
  cacheDir: string
  /** State directory of the world. Without it, the world starts from genesis and is not saved. */
  dir?: string
  /** A directory named in the command lines of the nodes: see `AnvilOptions`. */
  noteDir?: string
  standardDelayMs?: number
  pollMs?: number
  /** Block interval of the sandbox's Bitcoin, in ms. */
  bitcoinBlockMs?: number
  now?: () => number
}

/** Starts the two chains from the saved state, or from genesis, with the bridges and services between them. */
export async function startWorld(options: WorldOptions): Promise<SandboxWorld> {
  const { binary, cacheDir, dir, noteDir, standardDelayMs = 2000, pollMs = 100, now = Date.now } = options
  const { bitcoinBlockMs = 3000 } = options
  const start = { binary, ...(noteDir ? { noteDir } : {}) }
  const { base, nodes, ...left } = await startSavedNodes(start, cacheDir, dir)
  let { saved } = left
  const chains = sandboxNetworks.map((network, index) => ({
    network,
    rpcUrl: nodes[index]!.rpcUrl,
    rpc: nodes[index]!.rpc,
  }))

  const accounts = userIndexes.map((index) => ({
    address: sandboxAddress(index),
    default: index === roles.user,
  }))

  const whole = (): Catalog => ({ ...saved.catalog, networks: sandboxNetworks })
  const chainOf = (chainId: number) => chains.find(({ network }) => network.chainId === chainId)!
  const everywhere = <T>(work: (rpc: ChainClient, index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(chains.map(({ rpc }, index) => work(rpc, index)))
  const warp = async (seconds: number): Promise<void> => {
    await everywhere(async (rpc, index) => {
      await rpc.request('evm_increaseTime', [seconds])
      const staking = stakingOn(saved.catalog, chains[index]!.network.chainId)
      const mined = await rpc.request<Hex>('eth_blockNumber')
      if (staking) await report(rpc, staking)
      if ((await rpc.request<Hex>('eth_blockNumber')) === mined) await rpc.request('evm_mine')
    })
  }
  const usdcOn = (chainId: number): Address =>
    saved.catalog.tokens.find((token) => token.chainId === chainId && token.symbol === 'USDC')!.address
  let isResetting = false
  const faults = worldFaults(chains, (work) => attester.paused(work), warp, usdcOn)
  // These services use the clock of the embedded service, which `stale-quote` sets ahead.
  const serviceNow = () => now() + faults.aheadMs()
  const account = sandboxAccountFile(cacheDir)
  const keyFile = sandboxKeyFile(cacheDir)
  const [relayer, owner] = [sandboxAddress(roles.relayer), sandboxAddress(roles.owner)]
  const standIn = () => ({
    catalog: whole(),
    chains,
    now,
    makesBlocks: (chainId: number) => !faults.isMiningStopped(chainId),
  })

  const openServices = () => openProviderServices(standIn(), faults, account, serviceNow)
  let services = openServices()
  const openBitcoin = (): BitcoinWorld =>
    openBitcoinWorld(whole(), chains, {
      blockMs: bitcoinBlockMs,
      now: serviceNow,
      fault: () => faults.activeFault(...depositFaults),
      isMiningStopped: () => faults.activeFault('bitcoin-unmined') !== undefined,
      quietly: (work) => attester.paused(work),
    })
  let bitcoin = openBitcoin()
  const attest = (): Attester => {
    const given = standIn()
    const reads = chains.map(({ rpc }) => withOneHead(rpc))
    const fill = startRelayer({
      ...given,
      ends: contractsIn(saved.catalog, acrossContracts).map((pool, index) => ({
        pool,
        rpc: reads[index]!.rpc,
      })),
      relayer,
      owner,
      fault: () => ({
        isUnfilled: faults.activeFault('bridge-unfilled') !== undefined,
        fillDelayMs: faults.activeFault('bridge-slow-fill')?.amount ?? 0,
        isUnrefunded: faults.activeFault('bridge-unrefunded') !== undefined,
      }),
    })
    return startAttester({
      ...given,
      ends: contractsIn(saved.catalog, cctpV2Contracts).map((bridge, index) => ({
        bridge,
        rpc: reads[index]!.rpc,
      })),
      key: sandboxKey(roles.attester),
      relayer,
      standardDelayMs,
      pollMs,
      fault: () => faults.activeFault(...bridgeFaults),
      beside: async () => [await fill(), await services.work()].includes(true),
      onRound: () => {
        for (const { forget } of reads) forget()
      },
    })
  }
  let attester = attest()
  const api = await serveLoopback(async (request, url) => {
    const { method = 'GET', headers } = request
    const sent = { url, body: await jsonBody(request), method, headers }
    const slow = faults.activeFault('services-slow')
    if (slow) await sleep(slow.amount)
    for (const answer of [...services.answers, bitcoin.answer]) {
      const found = await answer(sent)
      if (found) return found
    }
    const domains = contractsIn(saved.catalog, cctpV2Contracts).map(({ domain }) => domain)
    return attestationAnswer(url, attester, domains, now)
  })
  const dump = async (): Promise<void> => {
    // While the relayer is paused, no mint can be saved without its burn.
    if (dir) await attester.paused(() => saveNext(dir, saved, chains))
  }

  return {
    chains,
    dump,
    attestationUrl: api.url,
    catalog: () => catalogWithServices(whole(), api.url, { account, keyFile }),
    genesis: () => saved.genesis,
    isAlive: () => isResetting || nodes.every((node) => !node.hasExited()),
    faults,
    fund: async (to, what) => {
      faults.refuseStopped()
      return attester.paused(() => fund(chains, saved.catalog, to, what))
    },
    warp,
    payBitcoin: (payment) => bitcoin.pay(payment),
    reset: async () => {
      isResetting = true
      try {
        await bitcoin.stop()
        await attester.stop()
        faults.forget()
        await Promise.all(nodes.map((node) => node.stop()))
        if (dir) forgetWorlds(dir)
        saved = await genesis(cacheDir, start)
        const ports = nodes.map(({ port }) => port)
        nodes.splice(0, nodes.length, ...(await startNodes(start, saved, ports)))
        services = openServices()
        bitcoin = openBitcoin()
        attester = attest()
      } finally {
        isResetting = false
      }
    },
    status: async () => ({
      running: true,
      pid: process.pid,
      chains: await Promise.all(
        chains.map(async ({ network: { name, chainId }, rpc }) => ({
          network: name,
          chainId,
          rpcUrl: faults.urlOf(chainId),
          blockNumber: Number(await rpc.request<Hex>('eth_blockNumber')),
        })),
      ),
      accounts,
      tokens: saved.catalog.tokens.map(({ chainId, symbol, address, decimals }) => ({
        network: chainOf(chainId).network.name,
        symbol,
        address,
        decimals,
      })),
      ...(faults.list().length > 0 && { faults: faults.list() }),
      ...(faults.aheadMs() > 0 && { aheadMs: faults.aheadMs() }),
      ...(saved.genesis !== base.genesis && { outdated: true as const }),
    }),
    blockHash: async (chainId, number) => (await readHeader(chainOf(chainId).rpc, number))?.hash ?? null,
    snapshot: () => attester.paused(() => everywhere((rpc) => rpc.request<Hex>('evm_snapshot'))),
    revert: async (snapshot) => {
      faults.forget()
      services = openServices()
      // The same transfer may be made again before the attester would notice that the first one is gone.
      await attester.stop()
      await everywhere(async (rpc, index) => {
        await rpc.request('evm_revert', [snapshot[index]])
        await restoreClock(rpc)
      })
      attester = attest()
    },
    stop: async () => {
      await bitcoin.stop()
      await attester.stop()
      await faults.stop()
      await api.close()
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}
