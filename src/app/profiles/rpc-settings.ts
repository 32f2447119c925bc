import { AppError } from '../../domain/errors.ts'
import { type Network, rpcVariable } from '../../domain/networks.ts'
import { didYouMean } from '../../domain/text/did-you-mean.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'

type Env = Readonly<Record<string, string | undefined>>

const rpcPrefix = 'SLUICE_RPC_'

/** Lists the environment variables that set an RPC. */
export const rpcVariables = (env: Env): string[] =>
  Object.keys(env).filter((name) => name.startsWith(rpcPrefix) && env[name])

/** Suggests the network of a misspelt RPC variable, as the end of a sentence. */
export const suggestedNetwork = (variable: string, networks: readonly Network[]): string =>
  didYouMean(
    variable.slice(rpcPrefix.length).toLowerCase().replaceAll('_', '-'),
    networks.map(({ name }) => name),
  )

/**
 * The RPC URLs of the environment by chain id. An unknown network or an invalid URL is CONFIG_INVALID;
 * the URL is never repeated, because it may contain a key.
 */
export function rpcUrls(env: Env, networks: readonly Network[]): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>()
  for (const variable of rpcVariables(env)) {
    const network = networks.find((one) => rpcVariable(one) === variable)
    if (!network)
      throw new AppError(
        'CONFIG_INVALID',
        `${variable} names a network that this version does not support${suggestedNetwork(variable, networks)}`,
        {
          next: advice`Known: ${networks.map(({ name }) => name).join(', ')}. Unset ${variable}. On the sandbox: ${sameWith({ '--profile': 'sandbox' })}`,
        },
      )
    const urls = env[variable]!.split(',').map((url) => url.trim())
    if (!urls.every((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? '')))
      throw new AppError('CONFIG_INVALID', `${variable} is not an http(s) URL`, {
        next: `${variable}=https://..., or several, comma-separated`,
      })
    found.set(network.chainId, urls)
  }
  return found
}

/** The RPC URLs of the environment, unchanged, by network name; an invalid one is CONFIG_INVALID. */
export function rpcUrlsByNetworkName(env: Env, networks: readonly Network[]): Record<string, string> {
  const byChain = rpcUrls(env, networks)
  return Object.fromEntries(
    networks.flatMap(({ name, chainId }) => {
      const urls = byChain.get(chainId)
      return urls ? [[name, urls.join(',')]] : []
    }),
  )
}
