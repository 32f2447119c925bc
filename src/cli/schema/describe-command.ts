import type { Argument, Command, Option } from 'commander'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { actionStatuses } from '../../domain/swap-outcome.ts'
import { assuranceLevels } from '../../guard/assurance.ts'
import {
  keyedServices,
  keyVariable,
  publicServiceNames,
  serviceVariable,
} from '../../protocols/public-services.ts'
import { examplesOf, placeholderOf, signs, wordsOf } from '../options/command-tree-queries.ts'
import { repeatable } from '../options/option-values.ts'
import type { CommandSchema } from './commands.ts'
import { Failure } from './common.ts'
import { endsOf, type Standing } from './exit-codes.ts'
import { outputs } from './outputs.ts'

/** The environment variables and their meanings: the rows of `help environment`. */
export type Variables = readonly (readonly [name: string, meaning: string])[]

const placed = ['SLUICE_HOME', 'XDG_', 'NO_COLOR', 'SLUICE_PROFILE']
const asked = [
  'SLUICE_BASE_URL',
  'SLUICE_LEGACY_BASE_URL',
  'SLUICE_API_KEY',
  'SLUICE_RPC_',
  'SLUICE_PRICES_URL',
  'SLUICE_SWAP_PROVIDERS',
  'SLUICE_QUOTE_DEADLINE',
  ...publicServiceNames.map(serviceVariable),
  ...keyedServices.map(keyVariable),
  'SLUICE_AVENIA_FILE',
  'SLUICE_ONEINCH_FILE',
  'SLUICE_DATABASE_',
  'SLUICE_ANVIL',
]
const signing = ['SLUICE_PRIVATE_KEY', 'SLUICE_PASSWORD', 'SLUICE_SIGNER_URL', 'SLUICE_LEDGER_SPECULOS']

/** The variables that a command heeds, of those that there are. */
export function environmentOf(
  all: Variables,
  standing: Standing,
  signs: boolean,
): { name: string; meaning: string }[] {
  const heeded = [
    ...placed,
    ...(standing === 'settings' ? [] : standing === 'sandbox' ? ['SLUICE_ANVIL'] : asked),
    ...(signs ? signing : []),
  ]
  return all
    .filter(([name]) => heeded.some((one) => name.startsWith(one)))
    .map(([name, meaning]) => ({ name, meaning }))
}

const text = (most = 500) => z.string().min(1).max(most)
const shaped = (pattern: RegExp, most?: number) => text(most).regex(pattern)
const amount = shaped(/^[0-9]+(\.[0-9]+)?\s*([A-Za-z][A-Za-z0-9.]*)?$/)
const address = shaped(/^0x[0-9a-fA-F]{40}$/)
const number = shaped(/^[0-9]{1,15}$/)

/** A kind of value: its name, its form, and its schema. */
type Kind = readonly [name: string, about: string, schema: z.ZodType<string>]

const kinds = {
  text: ['text', 'any text', text()],
  amount: ['amount', 'in units of the token: 100.5 or 100.5USDC', amount],
  allOrAmount: [
    'amount',
    'in units of the token: 100.5 or 100.5USDC; or max, or a share: 50%',
    // One text, so that every client of the schema has its type.
    shaped(/^(max|[0-9]{1,3}(\.[0-9]{1,2})?%|[0-9]+(\.[0-9]+)?\s*([A-Za-z][A-Za-z0-9.]*)?)$/),
  ],
  smallest: ['raw-amount', 'a whole number in the smallest unit', shaped(/^[0-9]{1,78}$/)],
  duration: [
    'duration',
    'a number with its unit: 30s, 5m, 1h30m',
    shaped(/^([0-9]+(\.[0-9]+)?(ms|s|m|h|d|w|y))+$/),
  ],
  network: ['network', 'a name or a chain id: base, 8453', text(60)],
  token: ['token', 'a symbol or an address', text(60)],
  address: ['address', '0x and 40 hex digits', address],
  payee: [
    'address',
    '0x and 40 hex digits, or an address of Bitcoin',
    shaped(/^(0x[0-9a-fA-F]{40}|[0-9A-Za-z]{14,90})$/),
  ],
  collector: ['address', 'an address, or none', z.union([address, z.literal('none')])],
  wallet: ['wallet', 'an address or the name of a keystore', text(100)],
  id: ['id', 'an ID, or another identifier that the command accepts', text(200)],
  count: ['number', 'a whole number', number],
  rate: ['rate', 'with its unit: 3%', shaped(/^[0-9]+(\.[0-9]+)?%$/)],
  slippage: ['slippage', 'with its unit: 0.5% or 50bps', shaped(/^[0-9]+(\.[0-9]+)?(%|bps)$/)],
  gwei: ['gwei', 'in gwei', shaped(/^[0-9]+(\.[0-9]+)?$/)],
  derivation: ['derivation', "a derivation path: m/44'/60'/0'/0/0", shaped(/^m?(\/?[0-9]+'?)+$/)],
  depth: ['depth', 'a number of blocks, safe or finalized', shaped(/^([1-9][0-9]{0,3}|safe|finalized)$/)],
  nonce: ['nonce', 'N, or NETWORK=N', shaped(/^([^=]+=)?[0-9]{1,15}$/)],
  key: ['key', '8 to 128 letters, digits and . _ : -', shaped(/^[A-Za-z0-9._:-]{8,128}$/)],
  how: ['choice', 'refuse or rewrite', z.enum(['refuse', 'rewrite'])],
  level: ['choice', assuranceLevels.join(', '), z.enum(assuranceLevels)],
  status: ['choice', actionStatuses.join(', '), z.enum(actionStatuses)],
  kind: ['choice', 'engine or remote', z.enum(['engine', 'remote'])],
  file: ['file', 'a file path', text(4_000)],
  url: ['url', 'a URL', text(2_000)],
  bytes: [
    'bytes',
    '0x and hex digits, or - for standard input',
    shaped(/^(-|0x([0-9a-fA-F]{2})+)$/, 300_000),
  ],
  usd: ['usd', 'in USD', shaped(/^[0-9]{1,15}(\.[0-9]+)?$/)],
  time: ['time', 'in ISO 8601, or how long ago: 2h', text(40)],
  hash: ['hash', '64 hex digits', shaped(/^(0x)?[0-9a-fA-F]{64}$/)],
} satisfies Record<string, Kind>

/** The kind of value, by the placeholder in the usage. */
const byPlaceholder: Readonly<Record<string, keyof typeof kinds>> = {
  address: 'address',
  'address|none': 'collector',
  amount: 'amount',
  'amount|max': 'allOrAmount',
  asset: 'text',
  command: 'text',
  conditions: 'text',
  data: 'bytes',
  delivery: 'id',
  depth: 'depth',
  derivation: 'derivation',
  duration: 'duration',
  expr: 'text',
  file: 'file',
  gwei: 'gwei',
  hash: 'hash',
  host: 'text',
  how: 'how',
  id: 'id',
  ids: 'id',
  key: 'key',
  kind: 'kind',
  level: 'level',
  method: 'text',
  n: 'count',
  name: 'text',
  customer: 'text',
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
  time: 'time',
  token: 'token',
  types: 'text',
  url: 'url',
  usd: 'usd',
  wallet: 'wallet',
  wei: 'smallest',
}

/** The kind of value where the placeholder is ambiguous. */
const byFlag: Readonly<Record<string, keyof typeof kinds>> = {
  '--amount-raw': 'smallest',
  '--refund': 'payee',
  'sandbox pay-bitcoin <address>': 'payee',
  'sandbox fault <kind>': 'text',
}

/**
 * The kind of value of a flag or an argument: its choices, or the kind of its placeholder; `undefined`
 * for an unknown placeholder.
 */
export function kindOf(
  placeholder: string,
  where: string,
  choices: readonly string[] | undefined,
): Kind | undefined {
  if (choices && choices.length > 0) return ['choice', choices.join(', '), z.enum(choices)]
  const name = byFlag[where] ?? byPlaceholder[placeholder]
  return name && kinds[name]
}

/** Everything that a program needs to know of a command, off the tree of commands and the table of outputs. */
export function describe(command: Command, variables: Variables): CommandSchema {
  const words = wordsOf(command)
  const output = outputs[words]
  if (!output) throw new AppError('BUG', `The output of ${words} is not defined`)
  return {
    command: words,
    description: command.description(),
    usage: `sluice ${words} ${command.usage()}`.trim(),
    signs: signs(command),
    arguments: command.registeredArguments.map((one) => argumentOf(words, one)),
    flags: command.options.filter(({ hidden }) => !hidden).map((one) => flagOf(one)),
    environment: environmentOf(variables, output.stands, signs(command)),
    output: {
      success: output.success && jsonSchema(output.success),
      plan: output.plan ? jsonSchema(output.plan) : null,
      line: output.line ? jsonSchema(output.line) : null,
      failure: jsonSchema(Failure),
    },
    exitCodes: endsOf(output.stands),
    examples: examplesOf(command),
  }
}

/** A schema as JSON Schema 2020-12. A union of objects also gets the type object. */
export function jsonSchema(shape: z.ZodType): Record<string, unknown> {
  const made = z.toJSONSchema(shape, { target: 'draft-2020-12' }) as Record<string, unknown>
  return made.type === undefined && made.anyOf ? { ...made, type: 'object' } : made
}

function argumentOf(words: string, argument: Argument): CommandSchema['arguments'][number] {
  const { description, variadic, required, argChoices } = argument
  const name = argument.name()
  const kind = known(name, `${words} <${name}>`, argChoices)
  return { name, ...kind, description, required, repeatable: variadic }
}

function flagOf(option: Option): CommandSchema['flags'][number] {
  const { long, short, description, argChoices, mandatory, defaultValue, helpGroupHeading } = option
  const takes = option.required ? 'required' : option.optional ? 'optional' : 'none'
  const name = long ?? short ?? ''
  const kind = takes === 'none' ? toggle : known(placeholderOf(option), name, argChoices)
  return {
    name,
    short: short ?? null,
    value: takes,
    placeholder: placeholderOf(option) || null,
    ...kind,
    description,
    required: mandatory,
    repeatable: repeatable(option),
    default: defaultValue === undefined || defaultValue === true ? null : String(defaultValue),
    group: helpGroupHeading?.replace(/:$/, '') ?? 'Options',
  }
}

const toggle = { type: 'boolean', about: 'yes, if given', choices: null }

/** The type, form and choices of a placeholder. */
function known(placeholder: string, where: string, choices: readonly string[] | undefined) {
  const kind = kindOf(placeholder, where, choices)
  if (!kind) throw new AppError('BUG', `The kind of <${placeholder}> of ${where} is not defined`)
  const [type, about, schema] = kind
  return { type, about, choices: schema instanceof z.ZodEnum ? schema.options.map(String) : null }
}
