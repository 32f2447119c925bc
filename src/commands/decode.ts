import { Command } from 'commander'
import { action } from '../cli/command-action.ts'
import type { Cli } from '../cli/command-run-types.ts'
import { unknownHash } from '../cli/lookup/unknown-hash.ts'
import { address } from '../cli/options/option-values.ts'
import type { View } from '../cli/output/view-types.ts'
import type { CommandContext } from '../cli/program-context-types.ts'
import { type FieldRow, fieldTable } from '../cli/terminal/table.ts'
import { wrapLabelled } from '../cli/terminal/text-wrap.ts'
import { type CallJson, callJson, type TransactionJson } from '../diagnosis/calls/call-json.ts'
import { callWithoutContract } from '../diagnosis/calls/calldata-without-contract.ts'
import { describeCall, describedContractsAt } from '../diagnosis/calls/describe-call.ts'
import { readTransaction, type SignedCall } from '../diagnosis/calls/raw-transaction.ts'
import { type FoundTransaction, findEverywhere } from '../diagnosis/lookup/transaction-lookup.ts'
import { type Address, type Hex, HexData } from '../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../domain/amount.ts'
import type { OptionsOf } from '../domain/command-line/flags.ts'
import { AppError } from '../domain/errors.ts'
import { type Network, networkNamed, publicNetworks, sandboxNetworks } from '../domain/networks.ts'
import { advice, ownHelp, sameWith, sameWithout, sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { isTransactionHash } from '../planning/named-operation.ts'
import type { RawCall } from '../protocols/call-description.ts'
import type { Catalog } from '../protocols/catalog-types.ts'

/** `decode`: what a call does, by its bytes alone or of a transaction on a network. */
export const decode = (program: CommandContext) =>
  new Command('decode')
    .description(
      'Show what calldata, a raw transaction or the transaction of a hash does, and what of it cannot be read. Only a hash is looked up on a network. Signs nothing.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ sluice decode 0x617ba037... --to 0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2 --network ethereum\n  $ sluice decode 0x02f8...\n  $ sluice decode 0xa4430fd02f380847b2d41d851dae3eedf4c9b22b1a3ce89dc82347ed1ffada17',
    )
    .action(action(program, decodeOne))

type Options = OptionsOf<'decode'>

/** The answer of `decode`. */
type Decoded = CallJson & {
  network: string | null
  chainId: number | null
  from: Address | null
  value: TokenAmount | null
  hash: Hex | null
  maxFee: TokenAmount | null
  /** The outcome of a hash; `null` of anything else. */
  status: TransactionJson['status'] | 'unknown' | null
  /** The contracts that have the function, for calldata without a contract. */
  candidates: readonly string[]
}

async function decodeOne(cli: Cli, typed: string, options: Options): Promise<void> {
  const data = dataOf(typed === '-' ? await cli.program.stdin() : typed)
  if (isTransactionHash(data) && options.to === undefined)
    return cli.emit(await decodedHash(cli, data, options), view)
  const signed = options.to === undefined ? await readTransaction(data) : undefined
  if (signed) return cli.emit(await decodedRaw(cli, signed, options), view)
  cli.emit(await decodedCalldata(cli, data, options), view)
}

/** Bytes as hex; every other text is an error that says what is wrong with it. */
function dataOf(text: string): Hex {
  const data = text.trim().replace(/^"(.*)"$/, '$1')
  const parsed = HexData.safeParse(data)
  if (parsed.success && data.length >= 10) return data.toLowerCase() as Hex
  const digits = data.replace(/^0x/i, '')
  if (digits === '')
    throw new AppError('USAGE', 'There are no bytes to decode', {
      next: sluice('decode', { '--help': true }),
    })
  if (/^[0-9a-f]+$/i.test(digits) && digits.length % 2 === 1)
    throw new AppError(
      'USAGE',
      `It has ${digits.length} hex digits, an odd number: a digit is missing or too many, so no byte of it is certain`,
      { next: 'Copy it again, whole.' },
    )
  if (/^[0-9a-f]+$/i.test(data) && digits.length >= 8)
    throw new AppError('USAGE', 'It does not begin with 0x', { next: 'Put 0x in front of it.' })
  if (/^0x[0-9a-f]*$/i.test(data))
    throw new AppError(
      'USAGE',
      `It has ${digits.length / 2} bytes; calldata has at least the 4 of its function`,
      {
        next: 'Copy it again, whole.',
      },
    )
  throw new AppError(
    'USAGE',
    `It is not hex: "${sanitizeText(data.slice(0, 20))}${data.length > 20 ? '…' : ''}"`,
    {
      next: 'Give calldata, a raw transaction or a transaction hash: 0x and hex digits.',
    },
  )
}

async function catalogFor(cli: Cli, chainId: number | undefined): Promise<Catalog> {
  const isEmbedded = sandboxNetworks.some((one) => one.chainId === chainId)
  return isEmbedded ? cli.backend.catalog() : cli.program.wholeCatalog()
}

/** The chain of an option, by name or number, of any network that this version knows. */
const namedNetwork = (name: string): Network => networkNamed([...publicNetworks, ...sandboxNetworks], name)

async function decodedRaw(cli: Cli, signed: SignedCall, { network: name }: Options): Promise<Decoded> {
  const named = name === undefined ? undefined : namedNetwork(name)
  const { chainId, call, from, hash, maxFee } = signed
  if (chainId !== undefined && named && named.chainId !== chainId)
    throw new AppError(
      'USAGE',
      `The transaction is for chain ${chainId}, not for ${named.name} (${named.chainId})`,
      {
        next: advice`A signed transaction names its chain: ${sameWithout('--network')}`,
      },
    )
  const id = chainId ?? named?.chainId
  if (id === undefined)
    throw new AppError('USAGE', 'The transaction names no chain: it is valid on every one', {
      next: advice`Name the network: ${sameWith({ '--network': 'ethereum' })}`,
    })
  const known = [...publicNetworks, ...sandboxNetworks].find((one) => one.chainId === id)
  if (!known)
    throw new AppError(
      'UNKNOWN_NETWORK',
      `The transaction is for chain ${id}, which this version does not know`,
      {
        next: advice`The networks that it knows: ${sluice('networks list')}`,
      },
    )
  const catalog = await catalogFor(cli, id)
  const described = describeCall(catalog, known, call, from)
  return documentOf(catalog, known, described, { value: call.value, from: from ?? null, hash, maxFee })
}

async function decodedCalldata(cli: Cli, data: Hex, options: Options): Promise<Decoded> {
  const value = weiOf(options.value)
  const from = options.from === undefined ? undefined : address(options.from, '--from')
  if (options.to === undefined) return decodedBySelector(cli, { data, value, from }, options.network)
  const { to, network, catalog } = await placeOf(cli, options.to, options.network)
  const call: RawCall = { to, value, data }
  return documentOf(catalog, network, describeCall(catalog, network, call, from), {
    value,
    from: from ?? null,
    hash: null,
    maxFee: null,
  })
}

/** Calldata alone: by its function, over every contract of the named network, or of all of them. */
async function decodedBySelector(
  cli: Cli,
  { data, value, from }: { data: Hex; value: bigint; from: Address | undefined },
  name: string | undefined,
): Promise<Decoded> {
  const only = name === undefined ? undefined : namedNetwork(name)
  const catalog = await catalogFor(cli, only?.chainId)
  return {
    network: only?.name ?? null,
    chainId: only?.chainId ?? null,
    hash: null,
    from: from ?? null,
    ...callWithoutContract(catalog, only ? [only] : catalog.networks, { data, value }),
    value: only ? tokenAmount(value, only.native) : null,
    maxFee: null,
    status: null,
  }
}

/** The contract and its network: the one that is named, or the only one whose catalogue has a contract at the address. */
async function placeOf(
  cli: Cli,
  at: string,
  name: string | undefined,
): Promise<{ to: Address; network: Network; catalog: Catalog }> {
  if (name !== undefined) {
    const network = namedNetwork(name)
    return { to: address(at, '--to', network), network, catalog: await catalogFor(cli, network.chainId) }
  }
  const to = address(at, '--to')
  const catalog = await cli.program.wholeCatalog()
  const found = catalog.networks.filter(
    ({ chainId }) => describedContractsAt(catalog, chainId, to).length > 0,
  )
  if (found.length === 1) return { to, network: found[0]!, catalog }
  throw new AppError(
    'USAGE',
    found.length === 0
      ? `No network of the catalogue has a contract at ${to}, so its network is not known`
      : `The contract ${to} is on ${found.length} networks: ${found.map((one) => one.name).join(', ')}`,
    { next: advice`Name the network: ${sameWith({ '--network': found[0]?.name ?? 'NAME' })}` },
  )
}

function weiOf(text = '0'): bigint {
  if (/^(0|[1-9][0-9]{0,77})$/.test(text)) return BigInt(text)
  throw new AppError('USAGE', `--value must be a whole number of wei, not "${sanitizeText(text)}"`, {
    next: advice`1000000000000000000 is one coin of 18 decimals: ${ownHelp}`,
  })
}

async function decodedHash(cli: Cli, hash: Hex, { network: name }: Options): Promise<Decoded> {
  const context = await cli.backend.context()
  const only = name === undefined ? undefined : namedNetwork(name)
  const { found, silent } = await findEverywhere(context, hash, only?.chainId)
  const [first, ...others] = found
  if (!first) throw unknownHash(hash, silent, { again: sluice('decode', hash), asked: null })
  if (others.length > 0)
    throw new AppError(
      'USAGE',
      `${found.length} networks have a transaction with this hash: ${found.map(({ network }) => network.name).join(', ')}`,
      { next: sluice('decode', hash, { '--network': first.network.name }) },
    )
  return ofFound(context.catalog, hash, first)
}

const ofFound = (
  catalog: Catalog,
  hash: Hex,
  { network, from, call, described, block }: FoundTransaction,
): Decoded => ({
  ...documentOf(catalog, network, described, { value: call.value, from, hash, maxFee: null }),
  status: statusOf(block),
})

/** The outcome of a transaction; `unknown` where the nodes report different ones. */
function statusOf(block: FoundTransaction['block']): NonNullable<Decoded['status']> {
  if (!block) return 'pending'
  if (block.unlike?.has === 'something else') return 'unknown'
  return block.succeeded ? 'success' : 'reverted'
}

const documentOf = (
  catalog: Catalog,
  network: Network,
  described: Parameters<typeof callJson>[2],
  {
    value,
    from,
    hash,
    maxFee,
  }: { value: bigint; from: Address | null; hash: Hex | null; maxFee: bigint | null },
): Decoded => ({
  network: network.name,
  chainId: network.chainId,
  hash,
  from,
  ...callJson(catalog, network, described),
  value: tokenAmount(value, network.native),
  maxFee: maxFee === null ? null : tokenAmount(maxFee, network.native),
  status: null,
  candidates: [],
})

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** What a transaction of a hash came to, before what its call does. */
const outcome = {
  pending: 'Pending: ',
  success: '',
  reverted: 'Reverted, so none of it happened: ',
  unknown: 'The nodes report different outcomes: ',
} as const

/** The longest argument that a terminal shows whole. */
const longest = 200

/** The most candidates that a terminal names. */
const mostNamed = 6

const view: View<Decoded> = (one, to, line) => {
  const { paint } = to
  const amount = ({ formatted, symbol }: TokenAmount) => `${formatted} ${symbol}`
  const hasFailed = one.status === 'reverted'
  const text = sanitizeText(one.text)
  const begun = one.status === null ? text : `${outcome[one.status]}${text}`
  const { candidates } = one
  const named = to.isTerminal ? candidates.slice(0, mostNamed) : candidates
  const others = candidates.length - named.length
  const isUnnamed = candidates.length > 0
  const contract = one.to === null ? 'a new contract' : `${one.to}${one.contract ? ` (${one.contract})` : ''}`
  return [
    (hasFailed ? paint.red : one.decoded ? paint.bold : paint.yellow)(`${capital(begun)}.`),
    '',
    fieldTable(
      [
        one.network !== null && ['network', one.network],
        isUnnamed
          ? ['candidates', `${named.join(', ')}${others > 0 ? `, and ${others} others` : ''}`]
          : ['contract', sanitizeText(contract)],
        one.function !== null && ['function', one.function],
        ...one.arguments.map(
          ({ name, type, value }): FieldRow => [
            `  ${sanitizeText(name || type)}`,
            argumentText(value, to.isTerminal),
          ],
        ),
        one.from !== null && ['from', one.from],
        one.value !== null && one.value.raw !== '0' && ['value', amount(one.value)],
        one.maxFee !== null && ['max fee', amount(one.maxFee)],
        one.hash !== null && ['hash', one.hash],
        one.status !== null && ['outcome', one.status],
        one.status !== null &&
          one.status !== 'success' && ['next', line(sluice('action explain', one.hash ?? ''))],
        isUnnamed && [
          'next',
          `To make it certain, name the contract: ${line(sluice('decode', { '--help': true }))}`,
        ],
      ],
      to,
    ),
    ...(one.unread.length > 0
      ? ['', ...one.unread.map((part) => wrapLabelled(['not read', sanitizeText(part)], { column: 10 }, to))]
      : []),
  ].join('\n')
}

/** An argument as it is encoded; a terminal shows only the beginning of a very long one. */
function argumentText(value: unknown, isTerminal: boolean): string {
  const text = sanitizeText(typeof value === 'string' ? value : JSON.stringify(value))
  return isTerminal && text.length > longest
    ? `${text.slice(0, longest)}...[${text.length} characters]`
    : text
}
