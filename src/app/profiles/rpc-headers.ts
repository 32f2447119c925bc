import { AppError } from '../../domain/errors.ts'
import { type Network, rpcVariable } from '../../domain/networks.ts'
import { isProtected } from '../../http/client.ts'
import { suggestedNetwork } from './rpc-settings.ts'

/** The variable that sets the headers for the RPCs of a network. */
export const rpcHeadersVariable = (network: Network): string => `${rpcVariable(network)}_HEADERS`

/** Headers that the HTTP client sets itself. */
const ownHeaders = [
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** A header as it is written in a setting: `Name: value`, of visible ASCII (RFC 9110, section 5). */
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)[ \t]*$/

/**
 * The headers for the RPCs of each network, by chain id, from the secrets of the environment: one `Name: value` a line. They go to one
 * host only, over an encrypted connection or to this machine: CONFIG_INVALID otherwise, and no error repeats a value.
 */
export function rpcHeaders(
  set: Readonly<Record<string, string>> = {},
  networks: readonly Network[],
  urls: ReadonlyMap<number, readonly string[]>,
): ReadonlyMap<number, Readonly<Record<string, string>>> {
  return new Map(
    Object.entries(set).flatMap(([variable, text]) => {
      const network = networks.find((one) => rpcHeadersVariable(one) === variable)
      if (!network)
        throw invalid(
          variable,
          `names a network that this version does not support${suggestedNetwork(variable.replace(/_HEADERS$/, ''), networks)}`,
        )
      const own = urls.get(network.chainId)
      if (!own) return []
      const all = own.map((url) => new URL(url))
      if (new Set(all.map(({ host }) => host)).size > 1)
        throw invalid(variable, `is for one RPC, but ${rpcVariable(network)} names several hosts`)
      if (!all.every(isProtected))
        throw invalid(variable, `is a secret, but the connection to ${all[0]!.host} is not encrypted`)
      return [[network.chainId, headersIn(text, variable)] as const]
    }),
  )
}

function headersIn(text: string, variable: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line, at) => {
      const [, name, value] = headerLine.exec(line.trim()) ?? []
      if (name === undefined || value === undefined)
        throw invalid(variable, `is not a header in line ${at + 1}`)
      if (ownHeaders.includes(name.toLowerCase()))
        throw invalid(variable, `sets ${name}, which every request sets itself`)
      return [name.toLowerCase(), value]
    }),
  )
}

const invalid = (variable: string, what: string): AppError =>
  new AppError('CONFIG_INVALID', `${variable} ${what}`, {
    hint: `One header a line: ${variable}='Authorization: Bearer TOKEN'. The RPC must be a single https URL, or on this machine.`,
  })
