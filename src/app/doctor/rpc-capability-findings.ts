import type { ChainClient } from '../../chain/chain-client.ts'
import { isHttpRefusal, isNodeError } from '../../chain/rpc/errors.ts'
import { doubtful, type Finding } from '../../cli/health-findings.ts'
import { AppError } from '../../domain/errors.ts'
import { type Network, rpcVariable } from '../../domain/networks.ts'

/** A call that some providers refuse, and the consequence. */
type Question = { method: string; form?: string; params: readonly unknown[]; means: string }

/** An address without a predeployed contract, because some nodes refuse to override the code of those. */
const anybody = '0x00000000000000000000000000000000000c0de5'

const questions = (head: { number: bigint; hash: string }): Question[] => {
  const at = `0x${head.number.toString(16)}`
  return [
    {
      method: 'eth_getLogs',
      params: [{ fromBlock: at, toBlock: at, address: anybody }],
      means: 'history is unavailable, so principal and profit are unknown',
    },
    {
      method: 'eth_simulateV1',
      params: [{ blockStateCalls: [{ calls: [{ from: anybody, to: anybody }] }] }, at],
      means: 'simulation uses eth_call only, which shows neither gas nor events',
    },
    {
      method: 'eth_call',
      form: ' with state overrides',
      params: [{ to: anybody }, at, { [anybody]: { code: '0x' } }],
      means: 'if eth_simulateV1 is refused too, nothing can be simulated before signing',
    },
    {
      method: 'eth_getBalance',
      form: ' by block hash (EIP-1898)',
      params: [anybody, { blockHash: head.hash }],
      means: 'blocks are read by number and checked again afterwards',
    },
    {
      method: 'eth_maxPriorityFeePerGas',
      params: [],
      means: 'the node does not suggest a priority fee',
    },
    {
      method: 'eth_feeHistory',
      params: ['0x1', 'latest', [50]],
      means: 'the priority fee cannot be compared with recent blocks',
    },
  ]
}

/**
 * Returns a finding for each method that a node refuses. A node that does not answer for the moment does not count as
 * refusing.
 */
export async function refusedFindings(
  network: Network,
  rpc: ChainClient,
  head: { number: bigint; hash: string },
): Promise<Finding[]> {
  const all = await Promise.all(
    questions(head).map(async ({ method, form = '', params, means }) => {
      const said = await refusalOf(rpc, method, params)
      if (said === undefined) return []
      return [
        doubtful(
          'rpc',
          network.name,
          `${rpc.host} refuses ${method}${form}: ${means}`,
          `Set an RPC that supports it in ${rpcVariable(network)}.`,
          { host: rpc.host, method, said },
        ),
      ]
    }),
  )
  return all.flat()
}

async function refusalOf(
  rpc: ChainClient,
  method: string,
  params: readonly unknown[],
): Promise<string | undefined> {
  try {
    await rpc.request(method, params)
    return undefined
  } catch (error) {
    if (!(error instanceof AppError && error.code.startsWith('RPC_'))) throw error
    return isNodeError(error) || isHttpRefusal(error) ? error.message : undefined
  }
}
