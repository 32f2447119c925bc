import { AppError } from './errors.ts'
import { didYouMean } from './nearest.ts'
import { type Network, sandboxNetworks } from './network.ts'
import { publicNetworks } from './networks.ts'

/** The network that a person or a service names, by its name or its chain id. One that is known, and is not among them, has no RPC here. */
export function networkNamed(networks: readonly Network[], name: string | number): Network {
  const text = String(name).toLowerCase()
  const isIt = (network: Network) => network.name === text || String(network.chainId) === text
  const found = networks.find(isIt)
  if (found) return found
  const known = publicNetworks.find(isIt)
  const names = networks.map((network) => network.name)
  if (!known) throw new AppError('UNKNOWN_NETWORK', `There is no network "${name}"${didYouMean(text, names)}`)
  const isSandbox =
    networks.length > 0 &&
    networks.every(({ chainId }) => sandboxNetworks.some((one) => one.chainId === chainId))
  throw new AppError(
    'UNKNOWN_NETWORK',
    isSandbox ? `The sandbox has no network "${name}"` : `No RPC is named for the network "${name}"`,
    {
      hint: isSandbox
        ? `The sandbox has ${names.join(' and ')}. For real networks: sluice init`
        : `Name one in ${rpcVariable(known)}, then: sluice doctor`,
    },
  )
}

/** The setting that holds the RPC URLs of a network. */
export const rpcVariable = ({ name }: Pick<Network, 'name'>): string =>
  `SLUICE_RPC_${name.toUpperCase().replaceAll('-', '_')}`
