import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/network.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Which core answers. `announce`: nobody asked for anything, so it is said once that it is the sandbox. */
export type Chosen = { kind: 'sandbox' | 'engine' | 'remote'; announce: boolean }

const kinds = ['sandbox', 'engine', 'remote'] as const
const rpcPrefix = 'SLUICE_RPC_'

/** The profile of a command line: the flag, then SLUICE_PROFILE, then what the environment gives, then the sandbox. */
export function chosenProfile(env: Env, flag: string | undefined): Chosen {
  const named = flag ?? (env.SLUICE_PROFILE || undefined)
  const rpcs = rpcVariables(env)
  if (named === undefined) {
    if (env.SLUICE_BASE_URL) return { kind: 'remote', announce: false }
    return rpcs.length > 0 ? { kind: 'engine', announce: false } : { kind: 'sandbox', announce: true }
  }
  const kind = kinds.find((one) => one === named)
  if (!kind)
    throw new AppError('CONFIG_INVALID', `There is no profile "${named}"`, {
      hint: `Known: ${kinds.join(', ')}`,
    })
  if (kind === 'engine' && rpcs.length === 0)
    throw new AppError('CONFIG_INVALID', 'The profile engine needs the RPC of at least one network', {
      hint: 'Set SLUICE_RPC_<NETWORK> to the URL of an RPC; several are separated by commas.',
    })
  if (kind === 'remote' && !env.SLUICE_BASE_URL)
    throw new AppError('CONFIG_INVALID', 'The profile remote needs the address of the service', {
      hint: 'Set SLUICE_BASE_URL to it, and SLUICE_API_KEY to the key.',
    })
  return { kind, announce: false }
}

/** The variables of the environment that give an RPC. */
const rpcVariables = (env: Env): string[] =>
  Object.keys(env).filter((name) => name.startsWith(rpcPrefix) && env[name])

/** The variable that holds the RPC of a network. */
export const rpcVariable = ({ name }: Network): string =>
  `${rpcPrefix}${name.toUpperCase().replaceAll('-', '_')}`

/**
 * The RPC URLs that the environment gives, by chain id. A variable for a network that nobody knows, and what is no URL,
 * is CONFIG_INVALID; a URL is never repeated, for it may hold a key.
 */
export function rpcUrls(env: Env, networks: readonly Network[]): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>()
  for (const variable of rpcVariables(env)) {
    const network = networks.find((one) => rpcVariable(one) === variable)
    if (!network)
      throw new AppError('CONFIG_INVALID', `${variable} is for a network that this version does not serve`, {
        hint: `Known: ${networks.map(({ name }) => name).join(', ')}. Unset ${variable}, or name the sandbox: --profile sandbox`,
      })
    const urls = env[variable]!.split(',').map((url) => url.trim())
    if (!urls.every((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? '')))
      throw new AppError('CONFIG_INVALID', `${variable} holds something that is not an http(s) URL`, {
        hint: `${variable}=https://..., several separated by commas`,
      })
    found.set(network.chainId, urls)
  }
  return found
}
