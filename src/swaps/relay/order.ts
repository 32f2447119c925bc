import {
  concatHex,
  decodeAbiParameters,
  encodeAbiParameters,
  hashStruct,
  parseAbiParameters,
} from 'viem/utils'
import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { contractsOn } from '../swap-contracts.ts'
import { depositoryAbi, termsParameters } from './abi.ts'
import { type RelayConstants, relayContracts } from './constants-schema.ts'

/** A possible refund of an order: chain, recipient, token and minimum. `deadline` is in Unix seconds. */
export type RelayRefund = {
  chainId: bigint
  recipient: Address
  currency: Address
  minimum: bigint
  deadline: number
  extraData: Hex
}

/**
 * The terms of an order that are not in the request. `minimum` and `expected` are its output, `deadline` the last fill time (Unix s),
 * `extraData` the contract that pays out a native coin. `requestId` is the service's id, and not part of the order.
 */
export type RelayTerms = {
  requestId: Hex
  salt: bigint
  minimum: bigint
  expected: bigint
  deadline: number
  extraData: Hex
  refunds: readonly RelayRefund[]
}

/** The swap of an order and its recipient. The deposit pays its input. */
export type RelayRoute = {
  tokenIn: Pick<Token, 'chainId' | 'address'>
  tokenOut: Pick<Token, 'chainId' | 'address'>
  amountIn: bigint
  recipient: Address
}

/** The contracts of Relay on a chain; `undefined` if there are none. */
export const relayOn = (catalog: Pick<Catalog, 'swaps'>, chainId: number): RelayConstants | undefined =>
  contractsOn(catalog, relayContracts, chainId)

/** The two chains of an order. */
export type RelayEnds = readonly [here: RelayConstants, there: RelayConstants]

/** The fields of an order (`ORDER_EIP712_TYPES` of `@reservoir0x/relay-protocol-sdk` 0.0.63). */
const types = {
  Order: [
    ...parseAbiParameters('string version, string solverChainId, address solver, uint256 salt'),
    { name: 'inputs', type: 'Input[]' },
    { name: 'output', type: 'Output' },
    { name: 'fees', type: 'Fee[]' },
  ],
  Input: [
    { name: 'payment', type: 'InputPayment' },
    { name: 'refunds', type: 'InputRefund[]' },
  ],
  InputPayment: parseAbiParameters('string chainId, bytes currency, uint256 amount, uint256 weight'),
  InputRefund: parseAbiParameters(
    'string chainId, bytes recipient, bytes currency, uint256 minimumAmount, uint32 deadline, bytes extraData',
  ),
  Output: [
    { name: 'chainId', type: 'string' },
    { name: 'payments', type: 'OutputPayment[]' },
    ...parseAbiParameters('uint32 deadline, bytes[] calls, bytes extraData'),
  ],
  OutputPayment: parseAbiParameters(
    'bytes recipient, bytes currency, uint256 minimumAmount, uint256 expectedAmount',
  ),
  Fee: parseAbiParameters(
    'string recipientChainId, bytes recipient, string currencyChainId, bytes currency, uint256 amount',
  ),
} as const

/**
 * The id of an order: its EIP-712 struct hash without a domain (`getOrderId` of the same package). Our orders have one input, one payment,
 * no calls, no fees, and the catalogue's solver. `undefined` if a refund is on a third chain.
 */
export function orderIdOf(
  [here, there]: RelayEnds,
  { tokenIn, tokenOut, amountIn, recipient }: RelayRoute,
  { salt, minimum, expected, deadline, extraData, refunds }: RelayTerms,
): Hex | undefined {
  const nameOf = (chainId: bigint) => [here, there].find((end) => BigInt(end.chainId) === chainId)?.chain
  const options = refunds.flatMap(({ chainId, minimum: minimumAmount, ...refund }) => {
    const name = nameOf(chainId)
    return name === undefined ? [] : [{ ...refund, chainId: name, minimumAmount }]
  })
  if (options.length < refunds.length) return undefined
  const payment = { chainId: here.chain, currency: tokenIn.address, amount: amountIn, weight: 1n }
  const paid = { recipient, currency: tokenOut.address, minimumAmount: minimum, expectedAmount: expected }
  return hashStruct({
    types,
    primaryType: 'Order',
    data: {
      version: 'v1',
      solverChainId: here.solverChain,
      solver: here.solver,
      salt,
      inputs: [{ payment, refunds: options }],
      output: { chainId: there.chain, payments: [paid], deadline, calls: [], extraData },
      fees: [],
    },
  })
}

/** A deposit for an order, decoded from its call. The zero address as `token` is the native coin; its amount is the call's value. */
export type RelayDeposit = { depositor: Address; token: Address; amount: bigint; id: Hex }

/** Decodes a depository call for an order; `undefined` for other calls, and for calls followed by other data. */
export function decodeDeposit({ data, value }: { data: Hex; value: bigint }): RelayDeposit | undefined {
  const call = strictDecode(depositoryAbi, data)
  if (!call) return undefined
  if (call.functionName === 'depositNative') {
    const [depositor, id] = call.args
    return { depositor, token: nativeAddress, amount: value, id }
  }
  const [depositor, token, amount, id] = call.args
  return { depositor, token, amount, id }
}

/** The lengths of the two calls, in characters of hex with `0x`. */
const lengths = { native: 2 + 8 + 2 * 64, erc20: 2 + 8 + 4 * 64 }

/** Decodes a depository call that is followed by its order's terms; `undefined` for other data. */
export function decodeOrder(transaction: {
  data: Hex
  value: bigint
}): (RelayDeposit & { terms: RelayTerms }) | undefined {
  const data = transaction.data.toLowerCase() as Hex
  for (const length of Object.values(lengths)) {
    const deposit = decodeDeposit({ data: data.slice(0, length) as Hex, value: transaction.value })
    const terms = deposit && decodeTerms(`0x${data.slice(length)}`)
    if (terms) return { ...deposit, terms }
  }
  return undefined
}

/** Decodes terms only if encoding them again gives the same bytes. */
function decodeTerms(data: Hex): RelayTerms | undefined {
  try {
    const [terms] = decodeAbiParameters(termsParameters, data)
    return encodeTerms(terms) === data ? terms : undefined
  } catch {
    return undefined // Not terms: the caller names the refusal.
  }
}

const encodeTerms = (terms: RelayTerms): Hex =>
  encodeAbiParameters(termsParameters, [terms]).toLowerCase() as Hex

/** A depository call followed by its order's terms, in lower case. */
export const withTerms = (call: Hex, terms: RelayTerms): Hex =>
  concatHex([call, encodeTerms(terms)]).toLowerCase() as Hex

/** Whether two order ids are equal. */
export const isSameOrder = (one: Hex, other: Hex): boolean => sameAddress(one, other)
