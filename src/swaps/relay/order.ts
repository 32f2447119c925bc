import {
  concatHex,
  decodeAbiParameters,
  encodeAbiParameters,
  hashStruct,
  parseAbiParameters,
} from 'viem/utils'
import { strictDecode } from '../../chain/calldata.ts'
import { type Address, type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import type { Catalog, RelayConstants } from '../../protocols/catalog-types.ts'
import { depositoryAbi, termsParameters } from './abi.ts'

/** How an order may be given back: where, to whom, in which token, and at least how much. `deadline` is in Unix seconds. */
export type RelayRefund = {
  chainId: bigint
  recipient: Address
  currency: Address
  minimum: bigint
  deadline: number
  extraData: Hex
}

/**
 * The terms of an order that are not those of the request: `minimum` and `expected` are what it brings, `deadline` until when it may be
 * filled (Unix s), `extraData` the contract that pays a coin out. `requestId` is the service's name for it, and no part of the order.
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

/** What an order swaps, and for whom. Its input is paid by the deposit. */
export type RelayRoute = {
  tokenIn: Pick<Token, 'chainId' | 'address'>
  tokenOut: Pick<Token, 'chainId' | 'address'>
  amountIn: bigint
  recipient: Address
}

/** Where Relay is on a chain; `undefined` where it is not. */
export const relayOn = ({ relay }: Pick<Catalog, 'relay'>, chainId: number): RelayConstants | undefined =>
  relay.find((one) => one.chainId === chainId)

/** The two chains of an order, as Relay knows them. */
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
 * The number of an order of ours: it has one input and one payment, no calls and no fees, and the solver of the catalogue. It is the hash
 * of the order without a domain (`getOrderId` of the same package). `undefined` if it may be given back on a third chain.
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

/** A deposit for an order, as its call says it; the zero address as `token` is the native coin, whose amount is the value of the call. */
export type RelayDeposit = { depositor: Address; token: Address; amount: bigint; id: Hex }

/** A call of the depository for an order; `undefined` for another one, or one that nothing else may follow and does. */
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

/** How long the two calls are, in hex digits with `0x`. */
const lengths = { native: 2 + 8 + 2 * 64, erc20: 2 + 8 + 4 * 64 }

/** A call of the depository with the terms of its order behind it; `undefined` for anything else. */
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

/** Terms, only if writing them again gives the same bytes. */
function decodeTerms(data: Hex): RelayTerms | undefined {
  try {
    const [terms] = decodeAbiParameters(termsParameters, data)
    return encodeTerms(terms) === data ? terms : undefined
  } catch {
    return undefined // They are no terms: the caller names the refusal.
  }
}

const encodeTerms = (terms: RelayTerms): Hex =>
  encodeAbiParameters(termsParameters, [terms]).toLowerCase() as Hex

/** A call of the depository, with the terms of its order behind it; in lower case. */
export const withTerms = (call: Hex, terms: RelayTerms): Hex =>
  concatHex([call, encodeTerms(terms)]).toLowerCase() as Hex

/** Whether two numbers of orders are the same. */
export const isSameOrder = (one: Hex, other: Hex): boolean => sameAddress(one, other)
