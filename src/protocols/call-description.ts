import type { Abi, AbiFunction, ContractFunctionArgs, ContractFunctionName } from 'viem'
import type { Address, Hex } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { Catalog } from './catalog-types.ts'

/** What a call does, in the words of this program's own actions; `other` is everything that none of them is. */
export const callKinds = [
  'deposit',
  'withdraw',
  'swap',
  'bridge',
  'transfer',
  'approve',
  'claim',
  'other',
] as const
/** The same as a type. */
export type CallKind = (typeof callKinds)[number]

/** A call as a transaction contains it; `value` is in wei, `to` is `null` for a contract creation. */
export type RawCall = { to: Address | null; value: bigint; data: Hex }

/** An amount in the smallest unit of a token; the zero address is the native coin. */
export type TokenUnits = { token: Address; units: bigint }

/**
 * A transfer that ends later or elsewhere, as its call states it: what it takes, and where what is to arrive. `arrival` is the token and account
 * on the other chain, or on the same one for an order.
 */
export type StatedTransfer = {
  gives: TokenUnits
  arrival: { chainId: number; token: Address; recipient: Address }
  minimum: bigint
}

/**
 * What a contract's own rules say that a call does. `text` is a predicate ("supplies 5 USDC to Aave v3 USDC"), `gives` what leaves the caller
 * for certain, `holders` other accounts on this chain that it names as recipient or owner, `paysCoinTo` who receives native coin by an
 * internal call, which no log shows. `isDebt`: tokens without a name that it mints or burns stand for a debt. `unread` are parts that are not
 * decoded.
 */
export type Telling = {
  text: string
  kind?: CallKind
  gives?: readonly TokenUnits[]
  holders?: readonly Address[]
  paysCoinTo?: Address | 'caller'
  isDebt?: true
  calls?: readonly DescribedCall[]
  unread?: readonly string[]
  transfer?: StatedTransfer
}

/** A decoded argument as JSON. */
export type CallArgument = { name: string; type: string; value: unknown }

/** A call in words. Without `isDecoded`, its text names nothing but the contract and the coin that it carries. */
export type DescribedCall = {
  to: Address | null
  /** The catalogue's name of the contract; `null` if it has none. */
  contract: string | null
  isDecoded: boolean
  kind: CallKind
  /** The signature of the function; `null` if it is not decoded. */
  signature: string | null
  args: readonly CallArgument[]
  text: string
  gives: readonly TokenUnits[]
  holders: readonly Address[]
  paysCoinTo: Address | 'caller' | null
  isDebt: boolean
  calls: readonly DescribedCall[]
  unread: readonly string[]
  transfer: StatedTransfer | null
}

/** What describes the amounts, tokens and accounts of a call; `inner` describes a call inside it. */
export type Words = {
  chainId: number
  catalog: Catalog
  call: RawCall & { to: Address }
  /** An amount in units of its token, or in its smallest unit with the address if the token is unknown. */
  amount: (token: Address, units: bigint) => string
  /** An amount of a token of another chain. */
  amountAt: (chainId: number, token: Address, units: bigint) => string
  /** The same; the largest amount that an argument can hold is everything that the account has. */
  upTo: (token: Address, units: bigint) => string
  /** The symbol of a token, or its address. */
  token: (token: Address) => string
  coin: (units: bigint) => string
  tokenAt: (address: Address) => Token | undefined
  /** An account as the end of a phrase: ` for 0x…`, or nothing for the caller. */
  forWhom: (account: Address) => string
  toWhom: (account: Address) => string
  /** The name of a network by its chain id. */
  network: (chainId: number | bigint) => string
  /** The symbol of the wrapped coin of this chain's address; `undefined` if unknown. */
  wrapped: Address | undefined
  inner: (call: RawCall) => DescribedCall
}

/** Tells what calls of one function do. */
export type Teller = {
  item: AbiFunction
  kind: CallKind
  tell: (args: readonly unknown[], words: Words) => Telling | undefined
}

/** A contract whose calls are described: its address and name on one chain. */
export type DescribedContract = { address: Address; name: string; tellers: readonly Teller[] }

/**
 * Describes the calls of a function of an ABI, which must not be overloaded in it. `undefined` from `tell` means that these arguments are not
 * understood.
 */
export function teller<
  const abi extends Abi,
  name extends ContractFunctionName<abi, 'nonpayable' | 'payable'>,
>(
  abi: abi,
  name: name,
  kind: CallKind,
  tell: (
    args: ContractFunctionArgs<abi, 'nonpayable' | 'payable', name>,
    words: Words,
  ) => Telling | undefined,
): Teller {
  const item = abi.find((one) => one.type === 'function' && one.name === name) as AbiFunction
  return { item, kind, tell: tell as unknown as Teller['tell'] }
}

/** Every amount of 256, 160 or 128 bits that stands for "all there is". */
const everything: readonly bigint[] = [2n ** 256n - 1n, 2n ** 160n - 1n, 2n ** 128n - 1n]

/** Whether an amount is the largest that its argument can hold, which means everything that the account has. */
export const isEverything = (units: bigint): boolean => everything.includes(units)

/** The calls that contain others, in one sentence. */
export const joinTexts = (calls: readonly DescribedCall[]): string => calls.map(({ text }) => text).join('; ')

/** The kind of a list of calls: that of its first call that is more than a payment or approval of its parts. */
export function kindOfAll(calls: readonly DescribedCall[]): CallKind {
  const kinds = calls.map(({ kind }) => kind)
  const main = kinds.filter((kind) => kind !== 'other' && kind !== 'approve' && kind !== 'transfer')
  return main[0] ?? (kinds.length === 1 ? kinds[0]! : 'other')
}
