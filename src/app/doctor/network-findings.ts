import { askOtherNodes } from '../../chain/ask-all-nodes.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import type { Chain } from '../../chain/network-client.ts'
import { isNodeError } from '../../chain/rpc/errors.ts'
import { doubtful, type Finding, fine, found } from '../../cli/health-findings.ts'
import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { refusedFindings } from './rpc-capability-findings.ts'

type Needs = { catalog: Catalog; rpc: (chainId: number) => ChainClient; now: () => number }

/** A distance in blocks that only an archive node can look back: at least two days on every network. */
const longAgo = 1_000_000n

/**
 * Checks each network: its node answers, is on the right chain and current, whether it is an archive node, and how
 * many markets match the catalogue.
 */
export async function networkFindings({ catalog, rpc, now }: Needs): Promise<Finding[]> {
  const { openChain } = await import('../../chain/network-client.ts')
  const all = await Promise.all(
    catalog.networks.map((network) => {
      const one = rpc(network.chainId)
      return found('rpc', network.name, async () => [
        ...(await otherNodeFindings(network, one)),
        ...(await nodeFindings(network, openChain(network, one), catalog, now())),
      ])
    }),
  )
  return all.flat()
}

/** Checks the other nodes of a network one by one, because failover to a dead node would not help. */
async function otherNodeFindings({ name, chainId }: Network, client: ChainClient): Promise<Finding[]> {
  const all = await askOtherNodes(client, ({ host, request }) =>
    found('rpc', name, async () => {
      const said = Number(await request<string>('eth_chainId'))
      if (said === chainId) return []
      throw new AppError('CHAIN_ID_MISMATCH', `${host} is on chain ${said}, but ${name} is chain ${chainId}`)
    }),
  )
  // The first node answers, so this is only a warning.
  return all
    .flat()
    .map((one) => ({ ...one, state: 'warning', says: `one of several endpoints: ${one.says}` }))
}

/** Describes a node and lists the methods it refuses. */
async function nodeFindings(
  network: Network,
  chain: Chain,
  catalog: Catalog,
  nowMs: number,
): Promise<Finding[]> {
  const { latestBlock } = await import('../../chain/head.ts')
  const node = await nodeFinding(network, chain, catalog, nowMs)
  return [node, ...(await refusedFindings(network, chain.rpc, await latestBlock(chain)))]
}

async function nodeFinding(
  network: Network,
  chain: Chain,
  catalog: Catalog,
  nowMs: number,
): Promise<Finding> {
  const [{ latestBlock }, { marketsOf }, { dependencyFaults, marketFaults }] = await Promise.all([
    import('../../chain/head.ts'),
    import('../../protocols/registry.ts'),
    import('../../engine/catalog-checks/contract-check.ts'),
  ])
  const { name, chainId, headMaxAgeMs } = network
  const began = performance.now()
  const said = Number(await chain.rpc.request<string>('eth_chainId'))
  if (said !== chainId)
    throw new AppError(
      'CHAIN_ID_MISMATCH',
      `${chain.rpc.host} is on chain ${said}, but ${name} is chain ${chainId}`,
    )
  const head = await latestBlock(chain)
  const ms = Math.round((performance.now() - began) / 2)
  const markets = marketsOf(catalog).filter(({ entry }) => entry.chainId === chainId)
  const [archive, flawed, faults] = await Promise.all([
    keepsAll(chain, head.number),
    marketFaults(chain, markets),
    dependencyFaults(chain, catalog, head.number),
  ])
  const pass = markets.length - flawed.length
  const details = {
    chainId,
    host: chain.rpc.host,
    blockNumber: Number(head.number),
    archive,
    ms,
    markets: { total: markets.length, pass },
    flawed: flawed.map(({ market, faults }) => ({ slug: market.entry.slug, faults })),
    faults,
  }
  const says = `${chain.rpc.host} chain ${chainId}, block ${head.number}, ${archive ? 'archive' : 'no archive'}, ${pass} of ${markets.length} markets pass${faults.length > 0 ? `, ${faults.length} faults in prices, swaps, bridges or first blocks` : ''}, ${ms} ms`
  const ageMs = nowMs - head.timestamp * 1000
  if (headMaxAgeMs !== undefined && ageMs > headMaxAgeMs)
    throw new AppError('RPC_INCONSISTENT', `${says}; its newest block is ${spanText(ageMs)} old`, {
      hint: 'The node is behind, or the clock of this machine is ahead. Set another RPC, or correct the clock.',
      details,
    })
  if (headMaxAgeMs !== undefined && ageMs < -120_000)
    return doubtful(
      'rpc',
      name,
      `${says}; its newest block is ${spanText(-ageMs)} in the future`,
      'The clock of this machine seems to be behind, so deadlines and quotes will be wrong. Correct the clock.',
      details,
    )
  if (flawed.length + faults.length > 0)
    return doubtful(
      'rpc',
      name,
      says,
      'For details: sluice doctor --json (details.flawed, by market; details.faults)',
      details,
    )
  return fine('rpc', name, says, details)
}

/** Whether a node has old states. Realised rates need them; history is read from logs. */
async function keepsAll({ rpc }: Chain, head: bigint): Promise<boolean> {
  const block = head > longAgo ? head - longAgo : 0n
  const anybody = '0x0000000000000000000000000000000000000001'
  try {
    await rpc.request('eth_getBalance', [anybody, `0x${block.toString(16)}`])
    return true
  } catch (error) {
    if (isNodeError(error)) return false
    throw error
  }
}
