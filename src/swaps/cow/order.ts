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
import type { CowConstants } from '../../protocols/catalog-types.ts'

/** The document that our orders refer to, as the order book keeps it; it asks for nothing. */
export const appDocument = '{"appCode":"sluice","metadata":{},"version":"1.3.0"}'

/** Its hash, which stands in the order. */
export const appHash: Hex = keccak256(stringToHex(appDocument))

/**
 * An order of ours: it is filled at once and whole or not at all, between balances of tokens, and pays no fee beside its amounts. `sell`:
 * `sellAmount` is exact and `buyAmount` the least; `buy`: `buyAmount` is exact and `sellAmount` the most. `validTo` is in Unix seconds.
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

/** The order of a swap between two tokens: the amounts are exact on the fixed side, and the bound on the other. */
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

/** The EIP-712 domain of the orders of a settlement (GPv2Signing of the same package). */
const domainOf = ({ chainId, settlement }: Pick<CowConstants, 'chainId' | 'settlement'>) => ({
  name: 'Gnosis Protocol',
  version: 'v2',
  chainId,
  verifyingContract: settlement,
})

/** The hash of that domain, which the settlement names. */
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

/** The uid of an order of `owner` at a settlement: its EIP-712 digest, the owner and `validTo` (`packOrderUidParams` of the package). */
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

/** The owner and the last second of an order, out of its uid of 56 bytes; `undefined` for another length. */
export const partsOfUid = (uid: Hex): { owner: Address; validTo: number } | undefined =>
  uid.length === 2 + 112
    ? { owner: `0x${uid.slice(66, 106)}`, validTo: Number.parseInt(uid.slice(106), 16) }
    : undefined

/** Whether two uids are the same. */
export const isSameUid = (one: Hex, other: Hex): boolean => sameAddress(one, other)

/** `filledAmount` of an order that its owner made invalid. */
const invalid = 2n ** 256n - 1n

/** What has become of an order. */
export type OrderEnd = 'filled' | 'cancelled' | 'expired' | 'open'

/**
 * What has become of an order, by the settlement's `filledAmount` and `preSignature` of one block, and whether that block is past
 * `validTo`. What is filled is filled, whether a node shows its event or not.
 */
export function orderEnd(filled: bigint, signed: bigint, isPast: boolean): OrderEnd {
  if (filled > 0n && filled !== invalid) return 'filled'
  if (filled === invalid || signed === 0n) return 'cancelled'
  return isPast ? 'expired' : 'open'
}
