import type { ChainClient } from '../../chain/chain-client.ts'
import { latestBlock } from '../../chain/head.ts'
import { openChain } from '../../chain/network-client.ts'
import { AppError } from '../../domain/errors.ts'
import { rpcVariable, sandboxNetworks } from '../../domain/networks.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'

/** Reads the newest block of each network of a server. The error names every network that fails. */
export async function servedNetworks(
  { networks }: Pick<Catalog, 'networks'>,
  rpc: (chainId: number) => ChainClient,
): Promise<{ network: string; chainId: number; blockNumber: number }[]> {
  const asked = await Promise.allSettled(
    networks.map(async (network) => ({
      network: network.name,
      chainId: network.chainId,
      blockNumber: Number((await latestBlock(openChain(network, rpc(network.chainId)))).number),
    })),
  )
  const failed = networks.flatMap((network, at) => {
    const answer = asked[at]!
    return answer.status === 'rejected' ? [{ network, fault: answer.reason as unknown }] : []
  })
  const [first] = failed
  if (!first) return asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const unknown = failed.find(({ fault }) => !(fault instanceof AppError))
  if (unknown) throw unknown.fault
  const faults = failed.map(({ network, fault }) => ({ network, fault: fault as AppError }))
  const isSandbox = failed.every(({ network }) =>
    sandboxNetworks.some(({ chainId }) => chainId === network.chainId),
  )
  const variables = failed.map(({ network }) => rpcVariable(network)).join(', ')
  throw new AppError(
    faults[0]!.fault.code,
    faults.map(({ network, fault }) => `${network.name}: ${fault.message}`).join('; '),
    {
      details: { networks: failed.map(({ network }) => network.name) },
      cause: first.fault,
      hint: `Try again, or set another RPC in ${variables}.${isSandbox ? ' In the sandbox: sluice sandbox status' : ''}`,
    },
  )
}
