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
        throw faultOf(
          variable,
          `names a network that this version does not support${suggestedNetwork(variable.replace(/_HEADERS$/, ''), networks)}`,
        )
      const own = urls.get(network.chainId)
      if (!own) return []
      const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
      const invalid = (what: string) => faultOf(variable, what)
      return [[network.chainId, headersOf(lines, own, { setting: rpcVariable(network), invalid })] as const]
    }),
  )
}

/** The headers for the RPCs of a network out of an option of the library, by the same rules: `name` is the network as the option has it. */
export const optionHeaders = (
  name: string,
  headers: Readonly<Record<string, string>>,
  urls: readonly string[],
): Readonly<Record<string, string>> =>
  headersOf(
    Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
    urls,
    {
      setting: `rpcs.${name}`,
      invalid: (what) =>
        new AppError('CONFIG_INVALID', `rpcHeaders.${name} ${what}`, {
          next: "For example { Authorization: 'Bearer TOKEN' }. The RPC must be a single https URL, or on this machine.",
        }),
    },
  )

/** Where the URLs are set, and the error for a fault of the headers. */
type Setting = { setting: string; invalid: (what: string) => AppError }

function headersOf(
  lines: readonly string[],
  urls: readonly string[],
  { setting, invalid }: Setting,
): Record<string, string> {
  const all = urls.map((url) => new URL(url))
  if (new Set(all.map(({ host }) => host)).size > 1)
    throw invalid(`is for one RPC, but ${setting} names several hosts`)
  if (!all.every(isProtected))
    throw invalid(`is a secret, but the connection to ${all[0]!.host} is not encrypted`)
  return Object.fromEntries(
    lines.map((line, at) => {
      const [, name, value] = headerLine.exec(line.trim()) ?? []
      if (name === undefined || value === undefined) throw invalid(`is not a header in line ${at + 1}`)
      if (ownHeaders.includes(name.toLowerCase()))
        throw invalid(`sets ${name}, which every request sets itself`)
      return [name.toLowerCase(), value]
    }),
  )
}

const faultOf = (variable: string, what: string): AppError =>
  new AppError('CONFIG_INVALID', `${variable} ${what}`, {
    next: `One header a line: ${variable}='Authorization: Bearer TOKEN'. The RPC must be a single https URL, or on this machine.`,
  })
