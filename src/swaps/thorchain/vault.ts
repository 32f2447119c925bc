import { z } from 'zod'
import { hostOf } from '../../http/client.ts'
import type { BitcoinConstants } from '../../protocols/bitcoin-services.ts'
import { badAnswer, providerApi } from '../provider-api.ts'
import type { SwapNetwork } from '../provider-network.ts'

const name = 'thorchain'

/** The vaults as a node names them (recorded: thorchain-inbound-addresses.json of the facts). */
const Inbound = z.array(
  z.object({ chain: z.string().optional(), address: z.string().optional(), halted: z.boolean() }),
)

/** The service of a THORNode. */
export const thornodeApi = (base: string, exchangeJson: SwapNetwork['exchangeJson']) =>
  providerApi(
    { provider: name, label: 'THORChain', base: base.replace(/\/$/, ''), headers: {} },
    exchangeJson,
  )

/**
 * Holds the address of a quote to the vault for BTC that THORNodes name: that of the quote, and a second one where one is set. Returns the
 * hosts of the nodes, all of which name it. PROVIDER_API_ERROR where one names another, or takes no BTC now.
 */
export async function confirmVault(
  { thornode, secondThornode = null }: BitcoinConstants,
  exchangeJson: SwapNetwork['exchangeJson'],
  address: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const nodes = [thornode, secondThornode].filter((one) => one !== null)
  return Promise.all(
    nodes.map(async (node) => {
      const host = hostOf(node)
      const { status, body } = await thornodeApi(node, exchangeJson).get(
        '/thorchain/inbound_addresses',
        signal,
      )
      const vault = Inbound.safeParse(body).data?.find(({ chain }) => chain === 'BTC')
      if (!vault) throw badAnswer(name, `The node ${host} of THORChain names no vault for BTC`, status)
      if (vault.halted) throw badAnswer(name, 'THORChain takes no BTC now: it is halted', status)
      if (vault.address !== address)
        throw badAnswer(
          name,
          `The node ${host} of THORChain names another address for BTC (${vault.address ?? 'none'}) than the quote (${address}). Do not pay it`,
          status,
        )
      return host
    }),
  )
}
