import { AppError } from './errors.ts'
import { didYouMean } from './nearest.ts'
import { type Network, sandboxNetworks } from './network.ts'
import { publicNetworks } from './networks.ts'

/**
 * The network that a person or a service names, by its name or its chain id; UNKNOWN_NETWORK otherwise. One that is known, and is not among
 * them, has no RPC here: whoever named it by a number that nobody typed is told its name.
 */
export function networkNamed(networks: readonly Network[], name: string | number): Network {
  const text = String(name).toLowerCase()
  const isIt = (network: Network) => network.name === text || String(network.chainId) === text
  const found = networks.find(isIt)
  if (found) return found
  const known = [...publicNetworks, ...sandboxNetworks].find(isIt)
  const names = networks.map((network) => network.name)
  if (!known) throw new AppError('UNKNOWN_NETWORK', `There is no network "${name}"${didYouMean(text, names)}`)
  const said = typeof name === 'number' ? known.name : `"${name}"`
  if (isEmbedded(known))
    throw new AppError('UNKNOWN_NETWORK', `The network ${said} belongs to the sandbox`, {
      hint: sandboxHint(known),
    })
  const isSandbox = networks.length > 0 && networks.every(isEmbedded)
  throw new AppError(
    'UNKNOWN_NETWORK',
    isSandbox ? `The sandbox has no network ${said}` : `No RPC is named for the network ${said}`,
    {
      hint: isSandbox
        ? `The sandbox has ${names.join(' and ')}. For real networks: sluice init`
        : `Name one in ${rpcVariable(known)}, then: sluice doctor`,
    },
  )
}

/** The network of a chain id as it is printed, known here or not: one that has no RPC here by its own name, and one that no table knows by its number. */
export const networkShown = (networks: readonly Network[], chainId: number): Network =>
  [...networks, ...publicNetworks, ...sandboxNetworks].find((one) => one.chainId === chainId) ?? {
    name: String(chainId),
    chainId,
    native: { symbol: '', decimals: 18 },
    depth: 1,
    testnet: false,
    explorer: null,
  }

/** Whether a network is one of the embedded chains. */
export const isEmbedded = ({ chainId }: Pick<Network, 'chainId'>): boolean =>
  sandboxNetworks.some((one) => one.chainId === chainId)

/** How an embedded chain is reached from a profile that does not have it. */
export const sandboxHint = (network: Pick<Network, 'name'>): string =>
  `The sandbox has it: --profile sandbox. From another profile, set ${rpcVariable(network)} to its URL, which this tells: sluice sandbox status`

/** The setting that holds the RPC URLs of a network. */
export const rpcVariable = ({ name }: Pick<Network, 'name'>): string =>
  `SLUICE_RPC_${name.toUpperCase().replaceAll('-', '_')}`
