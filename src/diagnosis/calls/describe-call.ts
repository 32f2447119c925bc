import type { AbiFunction, AbiParameter } from 'viem'
import { getAddress, size, toFunctionSelector, toFunctionSignature } from 'viem/utils'
import { decodeWithRest } from '../../chain/strict-calldata-decoding.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { multicall3, type Network, publicNetworks, sandboxNetworks } from '../../domain/networks.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { type Token, tokenAt, wrappedOn } from '../../domain/token.ts'
import { authorityText } from '../../guard/authority-granting-calls.ts'
import { contractName } from '../../guard/contract-names.ts'
import {
  type CallArgument,
  type DescribedCall,
  type DescribedContract,
  isEverything,
  type RawCall,
  type Teller,
  type Telling,
  type Words,
} from '../../protocols/call-description.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { describedMarketContracts } from '../../protocols/described-contracts.ts'
import { describedSwapContracts } from '../../swaps/described-contracts.ts'
import { contractsOn } from '../../swaps/swap-contracts.ts'
import { uniswapV4Contracts } from '../../swaps/uniswap-v4/constants-schema.ts'
import { entryPoints } from './entry-point-calls.ts'
import { conditionalCalls, multicall3Tellers, permit2Tellers } from './shared-contract-calls.ts'
import { tokenTellers, wrappedCoinTellers } from './token-calls.ts'

/** The deepest call inside calls that is described. */
const maxDepth = 5

/** The address that several services use for the native coin. */
const coinAlias = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

/** Whether an address stands for the native coin. */
export const isCoinAddress = (token: string): boolean =>
  sameAddress(token, nativeAddress) || sameAddress(token, coinAlias)

/** A token of the catalogue, or the receipt of a market. */
export const knownToken = (
  { tokens, strategies }: Catalog,
  chainId: number,
  address: string,
): Token | undefined =>
  tokenAt(tokens, chainId, address) ??
  strategies.find(({ receipt }) => receipt.chainId === chainId && sameAddress(receipt.address, address))
    ?.receipt

/** An amount in units of its token, or in the smallest unit with the address of an unknown one; the coin has the zero address. */
export function amountText(catalog: Catalog, network: Network, token: Address, units: bigint): string {
  if (isCoinAddress(token)) return formatAmount(units, network.native)
  const known = knownToken(catalog, network.chainId, token)
  return known ? sanitizeText(formatAmount(units, known)) : `${units} units of ${token}`
}

type Described = ReturnType<typeof describedSwapContracts>[number]

/** The described contracts of a catalogue's chains by address in lower case, each chain listed once. */
const listed = new WeakMap<Catalog, Map<number, Map<string, Described[]>>>()

function contractsByAddress(catalog: Catalog, chainId: number): Map<string, Described[]> {
  const chains = listed.get(catalog) ?? new Map<number, Map<string, Described[]>>()
  listed.set(catalog, chains)
  const known = chains.get(chainId)
  if (known) return known
  const permit2 = contractsOn(catalog, uniswapV4Contracts, chainId)?.permit2
  const all: Described[] = [
    ...describedMarketContracts(catalog, chainId),
    ...describedSwapContracts(catalog, chainId),
    { address: multicall3, name: 'Multicall3', tellers: multicall3Tellers },
    ...entryPoints,
    ...(permit2 ? [{ address: permit2, name: 'Permit2', tellers: permit2Tellers }] : []),
  ]
  const byAddress = Map.groupBy(all, ({ address }) => address.toLowerCase())
  chains.set(chainId, byAddress)
  return byAddress
}

/** Every contract of a chain whose calls are described; tokens stand for all of their chain, as the last two. */
export const describedContractsOf = (
  catalog: Catalog,
  chainId: number,
): Pick<DescribedContract, 'name' | 'tellers'>[] => [
  ...[...contractsByAddress(catalog, chainId).values()].flat(),
  { name: 'a token', tellers: tokenTellers },
  { name: 'the wrapped coin', tellers: wrappedCoinTellers },
]

/** The contracts of a chain whose calls are described at an address; several if they share it. */
export const describedContractsAt = (catalog: Catalog, chainId: number, to: Address): Described[] => [
  ...(contractsByAddress(catalog, chainId).get(to.toLowerCase()) ?? []),
  ...tokenContracts(catalog, chainId, to),
]

function tokenContracts(catalog: Catalog, chainId: number, to: Address): DescribedContract[] {
  const token = knownToken(catalog, chainId, to)
  if (!token || token.isShares) return []
  const wrapped = wrappedOn(catalog, chainId)
  const tellers =
    wrapped && sameAddress(wrapped, to) ? [...wrappedCoinTellers, ...tokenTellers] : tokenTellers
  return [{ address: to, name: token.symbol, tellers }]
}

/**
 * Describes a call of `from` (unknown if `undefined`) by the contracts of the catalogue: the contract by its address, and the function by its
 * selector and exact encoding. Anything else is not decoded.
 */
export function describeCall(
  catalog: Catalog,
  network: Network,
  call: RawCall,
  from: Address | undefined,
  depth = 0,
): DescribedCall {
  const described = describedAt(catalog, network, call, from, depth)
  const coin = depth === 0 && call.value > 0n ? [{ token: nativeAddress, units: call.value }] : []
  const gives = described.gives.filter(({ units }) => units > 0n && !isEverything(units))
  return { ...described, gives: [...coin, ...gives] }
}

const plain = {
  args: [],
  gives: [],
  holders: [],
  paysCoinTo: null,
  isDebt: false,
  calls: [],
  unread: [],
  transfer: null,
  signature: null,
} as const

/** A call that creates a contract. */
const creation = ({ value, data }: RawCall, coin: (units: bigint) => string): DescribedCall => ({
  ...plain,
  to: null,
  contract: null,
  isDecoded: true,
  kind: 'other',
  text: `creates a contract${value === 0n ? '' : ` with ${coin(value)}`}`,
  unread: [`the code of the contract (${size(data)} bytes)`],
})

function describedAt(
  catalog: Catalog,
  network: Network,
  call: RawCall,
  from: Address | undefined,
  depth: number,
): DescribedCall {
  const { to, value, data } = call
  const coin = (units: bigint) => formatAmount(units, network.native)
  if (to === null) return creation(call, coin)
  const { chainId } = network
  const contracts = describedContractsAt(catalog, chainId, to)
  const contract = contracts[0]?.name ?? contractName(catalog, chainId, to)
  const known = { ...plain, to, contract: contract === null ? null : sanitizeText(contract) }
  if (data === '0x') {
    const wrapped = wrappedOn(catalog, chainId)
    const wraps = wrapped !== undefined && sameAddress(wrapped, to)
    return {
      ...known,
      isDecoded: true,
      kind: wraps ? 'other' : 'transfer',
      text: wraps
        ? `wraps ${coin(value)} into ${known.contract}`
        : `sends ${coin(value)} to ${to}${contract === null ? '' : ` (${known.contract})`}`,
      holders: wraps ? [] : [to],
    }
  }
  const words = wordsOf(catalog, network, { ...call, to }, from, depth)
  const found =
    depth < maxDepth
      ? toldBy(
          contracts.flatMap(({ tellers }) => tellers),
          words,
        )
      : undefined
  if (found) {
    const { teller, args, rest, telling } = found
    const { text, kind = teller.kind, unread = [], calls = [], ...more } = telling
    return {
      ...known,
      ...more,
      calls,
      isDecoded: calls.every(({ isDecoded }) => isDecoded),
      kind,
      signature: toFunctionSignature(teller.item),
      args: argumentsOf(teller, args),
      text: `${text}${carriedText(teller, text, value, coin)}`,
      unread: [...unread, ...calls.flatMap((one) => one.unread), ...restText(rest)],
    } as DescribedCall
  }
  return {
    ...known,
    isDecoded: false,
    kind: 'other',
    text: `calls ${contract === null ? `${to}, which is not in the catalogue` : `${known.contract} (${to}) with ${data.slice(0, 10)}`}${value === 0n ? '' : `, with ${coin(value)}`}: not decoded`,
    unread: [
      `the call (${data.slice(0, 10)}, ${size(data)} bytes)`,
      ...guessed(catalog, network, call, to, depth),
    ],
  }
}

/** The selectors of functions, each hashed once. */
const selectors = new WeakMap<AbiFunction, string>()

export function selectorOf(item: AbiFunction): string {
  const selector = selectors.get(item) ?? toFunctionSelector(item)
  selectors.set(item, selector)
  return selector
}

/** The first function that decodes the whole call and understands its arguments. */
function toldBy(
  tellers: readonly Teller[],
  words: Words,
): { teller: Teller; args: readonly unknown[]; rest: Hex; telling: Telling } | undefined {
  const selector = words.call.data.slice(0, 10).toLowerCase()
  for (const teller of tellers) {
    if (selectorOf(teller.item) !== selector) continue
    const decoded = decodeWithRest(teller.item, words.call.data)
    const telling = decoded && teller.tell(decoded.args, words)
    if (decoded && telling) return { teller, ...decoded, telling }
  }
  return undefined
}

function wordsOf(
  catalog: Catalog,
  network: Network,
  call: Words['call'],
  from: Address | undefined,
  depth: number,
): Words {
  const { chainId } = network
  const isCaller = (account: Address) => from !== undefined && sameAddress(account, from)
  const amount = (token: Address, units: bigint) => amountText(catalog, network, token, units)
  const token = (address: Address) =>
    isCoinAddress(address)
      ? network.native.symbol
      : sanitizeText(knownToken(catalog, chainId, address)?.symbol ?? address)
  return {
    chainId,
    catalog,
    call,
    amount,
    amountAt: (other, address, units) =>
      amountText(catalog, networkOf(catalog, other) ?? network, address, units),
    upTo: (address, units) => (isEverything(units) ? `all ${token(address)}` : amount(address, units)),
    token,
    coin: (units) => formatAmount(units, network.native),
    tokenAt: (address) => knownToken(catalog, chainId, address),
    forWhom: (account) => (isCaller(account) ? '' : ` for ${account}`),
    toWhom: (account) => (isCaller(account) ? '' : ` to ${account}`),
    network: (id) => networkOf(catalog, Number(id))?.name ?? `chain ${id}`,
    wrapped: wrappedOn(catalog, chainId),
    // A contract that calls itself does so for the same caller.
    inner: (inside) =>
      describeCall(
        catalog,
        network,
        inside,
        inside.to && sameAddress(inside.to, call.to) ? from : call.to,
        depth + 1,
      ),
  }
}

const networkOf = ({ networks }: Catalog, chainId: number): Network | undefined =>
  [...networks, ...publicNetworks, ...sandboxNetworks].find((one) => one.chainId === chainId)

/** The coin that a call carries, if its text does not name it. */
function carriedText({ item }: Teller, text: string, value: bigint, coin: (units: bigint) => string): string {
  if (value === 0n || text.includes(coin(value))) return ''
  return item.stateMutability === 'payable'
    ? `, with ${coin(value)}`
    : `, with ${coin(value)}, which this function does not take`
}

/** The bytes after the arguments of a call, which its function ignores. */
export const restText = (rest: Hex): string[] =>
  rest === '0x'
    ? []
    : [
        `${size(rest)} ${size(rest) === 1 ? 'byte' : 'bytes'} after the arguments (${rest.length > 66 ? `${rest.slice(0, 66)}…` : rest})`,
      ]

/** What a call of an unknown contract would do if it is what its function suggests; said as a condition. */
function guessed(
  catalog: Catalog,
  network: Network,
  { data }: RawCall,
  to: Address,
  depth: number,
): string[] {
  const selector = data.slice(0, 10).toLowerCase() as Hex
  for (const { item, ifIs, inside } of conditionalCalls) {
    const decoded = selectorOf(item) === selector && depth < maxDepth ? decodeWithRest(item, data) : undefined
    if (!decoded) continue
    const texts = inside(decoded.args).map((one) => describeCall(catalog, network, one, to, depth + 1).text)
    return [`if the contract is ${ifIs}, which is not certain: ${texts.join('; ') || 'no call'}`]
  }
  const power = authorityText(selector)
  return power === undefined ? [] : [`the selector is that of ${power}, if the contract has this function`]
}

/** The arguments of a call as JSON, with whole numbers as text. */
export const argumentsOf = ({ item }: Pick<Teller, 'item'>, args: readonly unknown[]): CallArgument[] =>
  item.inputs.map((input: AbiParameter, at) => ({
    name: input.name ?? '',
    type: input.type,
    value: plainValue(args[at]),
  }))

function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, plainValue(inside)]))
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) ? getAddress(value) : value
}
