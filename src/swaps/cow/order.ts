import {
  concatHex,
  encodeAbiParameters,
  hashTypedData,
  keccak256,
  numberToHex,
  parseAbiParameters,
  stringToHex,
} from 'viem/utils'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import type { CowConstants } from './constants-schema.ts'

/** The app data document of our orders, as the order book stores it; it requests nothing. */
export const appDocument = '{"appCode":"sluice","metadata":{},"version":"1.3.0"}'

/** The hash of the app data document, a field of the order. */
export const appHash: Hex = keccak256(stringToHex(appDocument))

/**
 * An order of ours: fill-or-kill, with token balances and no extra fee. `sell`: `sellAmount` is exact and `buyAmount` the minimum. `buy`:
 * `buyAmount` is exact and `sellAmount` the maximum. `validTo` is in Unix seconds.
 */
export type CowOrder = {
  kind: 'sell' | 'buy'
  sellToken: Address
  buyToken: Address
  receiver: Address
  sellAmount: bigint
  buyAmount: bigint
  validTo: number
}

/** The order of a swap between two tokens: one amount is exact, the other is its bound. */
export const orderOf = (
  { tokenIn, tokenOut }: { tokenIn: Pick<Token, 'address'>; tokenOut: Pick<Token, 'address'> },
  { exact, amountIn, amountOut }: { exact: 'in' | 'out'; amountIn: bigint; amountOut: bigint },
  { recipient, validTo }: { recipient: Address; validTo: number },
): CowOrder => ({
  kind: exact === 'in' ? 'sell' : 'buy',
  sellToken: tokenIn.address,
  buyToken: tokenOut.address,
  receiver: recipient,
  sellAmount: amountIn,
  buyAmount: amountOut,
  validTo,
})

/** The fields of an order (`ORDER_TYPE_FIELDS` of `@cowprotocol/contracts` 1.8.0). */
const types = {
  Order: parseAbiParameters(
    'address sellToken, address buyToken, address receiver, uint256 sellAmount, uint256 buyAmount, uint32 validTo, bytes32 appData, uint256 feeAmount, string kind, bool partiallyFillable, string sellTokenBalance, string buyTokenBalance',
  ),
} as const

/** The EIP-712 domain of a settlement's orders (GPv2Signing of the same package). */
const domainOf = ({ chainId, settlement }: Pick<CowConstants, 'chainId' | 'settlement'>) => ({
  name: 'Gnosis Protocol',
  version: 'v2',
  chainId,
  verifyingContract: settlement,
})

/** The hash of the EIP-712 domain, which the settlement publishes. */
export function orderDomain(at: Pick<CowConstants, 'chainId' | 'settlement'>): Hex {
  const { name, version, chainId, verifyingContract } = domainOf(at)
  const type = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
  const [kind, first, second] = [type, name, version].map((text) => keccak256(stringToHex(text)))
  return keccak256(
    encodeAbiParameters(parseAbiParameters('bytes32, bytes32, bytes32, uint256, address'), [
      kind!,
      first!,
      second!,
      BigInt(chainId),
      verifyingContract,
    ]),
  )
}

/** The uid of an order of `owner`: EIP-712 digest, owner and `validTo` (`packOrderUidParams` of the package). */
export function uidOf(
  at: Pick<CowConstants, 'chainId' | 'settlement'>,
  order: CowOrder,
  owner: Address,
): Hex {
  const digest = hashTypedData({
    domain: domainOf(at),
    types,
    primaryType: 'Order',
    message: {
      ...order,
      appData: appHash,
      feeAmount: 0n,
      partiallyFillable: false,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
    },
  })
  return concatHex([digest, owner, numberToHex(order.validTo, { size: 4 })]).toLowerCase() as Hex
}

/** The owner and the expiry (Unix s) in an order's uid of 56 bytes; `undefined` for another length. */
export const partsOfUid = (uid: Hex): { owner: Address; validTo: number } | undefined =>
  uid.length === 2 + 112
    ? { owner: `0x${uid.slice(66, 106)}`, validTo: Number.parseInt(uid.slice(106), 16) }
    : undefined

/** Whether two uids are equal. */
export const isSameUid = (one: Hex, other: Hex): boolean => sameAddress(one, other)

/** `filledAmount` of an order that its owner invalidated. */
const invalid = 2n ** 256n - 1n

/** The state of an order. */
export type OrderEnd = 'filled' | 'cancelled' | 'expired' | 'open'

/**
 * The state of an order, from `filledAmount` and `preSignature` at one block; `isPast`: that block is after `validTo`. A filled order
 * counts as filled even if the node does not show its event.
 */
export function orderEnd(filled: bigint, signed: bigint, isPast: boolean): OrderEnd {
  if (filled > 0n && filled !== invalid) return 'filled'
  if (filled === invalid || signed === 0n) return 'cancelled'
  return isPast ? 'expired' : 'open'
}
