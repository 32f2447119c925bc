import { z } from 'zod'

import { levels } from '../../wallet/policy/assurance.ts'

const text = (most = 500) => z.string().min(1).max(most)
const shaped = (pattern: RegExp) => text().regex(pattern)
const amount = shaped(/^[0-9]+(\.[0-9]+)?\s*([A-Za-z][A-Za-z0-9.]*)?$/)
const address = shaped(/^0x[0-9a-fA-F]{40}$/)
const number = shaped(/^[0-9]{1,15}$/)

/** A kind of value: what it is called, what it looks like, and what may stand for it. */
type Kind = readonly [name: string, about: string, schema: z.ZodType<string>]

const kinds = {
  text: ['text', 'any text', text()],
  amount: ['amount', 'in units of the token: 100.5 or 100.5USDC', amount],
  allOrAmount: ['amount', 'in units of the token, or max', z.union([amount, z.literal('max')])],
  smallest: ['raw-amount', 'a whole number in the smallest unit', shaped(/^[0-9]{1,78}$/)],
  duration: [
    'duration',
    'a number with its unit: 30s, 5m, 1h30m',
    shaped(/^([0-9]+(\.[0-9]+)?(ms|s|m|h|d|w|y))+$/),
  ],
  network: ['network', 'a name or a chain id: base, 8453', text(60)],
  token: ['token', 'a symbol or an address', text(60)],
  address: ['address', '0x and 40 hex digits', address],
  collector: ['address', 'an address, or none', z.union([address, z.literal('none')])],
  wallet: ['wallet', 'an address or the name of a keystore', text(100)],
  id: ['id', 'an id, or what else its command takes in the place of one', text(200)],
  count: ['number', 'a whole number', number],
  rate: ['rate', 'with its unit: 3%', shaped(/^[0-9]+(\.[0-9]+)?%$/)],
  slippage: ['slippage', 'with its unit: 0.5% or 50bps', shaped(/^[0-9]+(\.[0-9]+)?(%|bps)$/)],
  gwei: ['gwei', 'in gwei', shaped(/^[0-9]+(\.[0-9]+)?$/)],
  derivation: ['derivation', "a path of keys: m/44'/60'/0'/0/0", shaped(/^m?(\/?[0-9]+'?)+$/)],
  depth: ['depth', 'a number of blocks, safe or finalized', shaped(/^([1-9][0-9]{0,3}|safe|finalized)$/)],
  nonce: ['nonce', 'N, or NETWORK=N', shaped(/^([^=]+=)?[0-9]{1,15}$/)],
  key: ['key', '8 to 128 letters, digits and . _ : -', shaped(/^[A-Za-z0-9._:-]{8,128}$/)],
  how: ['choice', 'refuse or rewrite', z.enum(['refuse', 'rewrite'])],
  level: ['choice', levels.join(', '), z.enum(levels)],
  status: [
    'choice',
    'INITIAL, PENDING, SUCCESS or FAILED',
    z.enum(['INITIAL', 'PENDING', 'SUCCESS', 'FAILED']),
  ],
  kind: ['choice', 'engine or remote', z.enum(['engine', 'remote'])],
  file: ['file', 'the path of a file', text(4_000)],
  url: ['url', 'a URL', text(2_000)],
  hash: ['hash', '64 hex digits', shaped(/^(0x)?[0-9a-fA-F]{64}$/)],
} satisfies Record<string, Kind>

/** What a value is, by the word that stands for it in a usage line. */
const byPlaceholder: Readonly<Record<string, keyof typeof kinds>> = {
  address: 'address',
  'address|none': 'collector',
  amount: 'amount',
  'amount|max': 'allOrAmount',
  asset: 'text',
  command: 'text',
  conditions: 'text',
  depth: 'depth',
  derivation: 'derivation',
  duration: 'duration',
  file: 'file',
  gwei: 'gwei',
  hash: 'hash',
  host: 'text',
  how: 'how',
  id: 'id',
  key: 'key',
  kind: 'kind',
  level: 'level',
  method: 'text',
  n: 'count',
  name: 'text',
  names: 'text',
  network: 'network',
  nonce: 'nonce',
  path: 'file',
  plan: 'file',
  port: 'count',
  'quote-id': 'id',
  rate: 'rate',
  share: 'rate',
  size: 'slippage',
  slippage: 'slippage',
  slugs: 'text',
  status: 'status',
  symbol: 'token',
  text: 'text',
  token: 'token',
  url: 'url',
  wallet: 'wallet',
}

/** The same, where the word alone does not say it. */
const byFlag: Readonly<Record<string, keyof typeof kinds>> = {
  '--amount-raw': 'smallest',
  'sandbox fault <kind>': 'text',
}

/** What may stand for a flag or an argument: its choices, or what its word in the usage line says; `undefined` where that word is not known. */
export function kindOf(
  placeholder: string,
  where: string,
  choices: readonly string[] | undefined,
): Kind | undefined {
  if (choices && choices.length > 0) return ['choice', choices.join(', '), z.enum(choices)]
  const name = byFlag[where] ?? byPlaceholder[placeholder]
  return name && kinds[name]
}
