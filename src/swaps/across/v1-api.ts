import { z } from 'zod'
import { type Address, CatalogAddress, Hash, type Hex, HexData, sameAddress } from '../../domain/address.ts'
import type { Route } from '../provider.ts'
import { ServiceAmount } from '../provider-api.ts'
import { differingFields } from '../service-answers/asked-fields.ts'
import { exclusivityFault } from './abi.ts'
import type { AcrossConstants } from './constants-schema.ts'
import { accountOf } from './deposit-and-payout-events.ts'
import { isWordOf, proposedDepositTerms, type SpokeDepositTerms } from './deposit-terms.ts'

/** The path of a quote of version 1 (docs.across.to/api-reference/v1/quotes/post). */
export const quotesPath = '/v1/quotes'

/** The path of a transfer of version 1 (docs.across.to/api-reference/v1/transfers/orderid/get). */
export const transferPath = (orderId: Hex): string => `/v1/transfers/${orderId}`

/** The path that the documentation names for a first try of a key (docs.across.to/api-reference). */
export const capabilitiesPath = ({ from, to }: { from: number; to: number }): string =>
  `/v1/capabilities?originChainId=${from}&destinationChainId=${to}&include=tokens`

/** The wallet in quotes for an unknown wallet: the depositor of the example in the documentation. No transaction contains it. */
export const placeholderDepositor: Address = '0x1111111111111111111111111111111111111111'

/** The body of a request for a quote, with the documented fields of an exact input. */
export const quoteRequest = (
  { from, to, tokenIn, tokenOut }: Route,
  { amount, depositor }: { amount: bigint; depositor: Address },
) => ({
  origin: {
    token: { chainId: from.chainId, address: tokenIn.address },
    amount: String(amount),
    depositor,
  },
  destination: { token: { chainId: to.chainId, address: tokenOut.address } },
})

/**
 * The documented fields of a quote: its number, what arrives at least, and the actions in order. Which fields an action has is not
 * published, except that it names its kind (`send_transaction`, `submit_execution`) and an `id`.
 */
const Quoted = z.object({
  orderId: Hash,
  destination: z.object({ minAmount: ServiceAmount.transform(BigInt) }),
  nextActions: z.array(z.record(z.string(), z.unknown())).min(1).max(20),
})

/** A call of an action. Its names are those of every provider; the amount and chain are compared if they are there. */
const Call = z.object({
  to: CatalogAddress,
  data: HexData,
  value: z.union([ServiceAmount, z.int().min(0)]).default('0'),
  chainId: z.int().optional(),
})

/** The one call that an action has, in itself or in one of its fields; `undefined` for none or several. */
function callIn(action: Readonly<Record<string, unknown>>): z.output<typeof Call> | undefined {
  const found = [action, ...Object.values(action)].flatMap((one) => Call.safeParse(one).data ?? [])
  return found.length === 1 ? found[0] : undefined
}

/** What a quote of version 1 offers for an input: the terms of its deposit, which hold for our own. */
export type V1Quote = { orderId: Hex; terms: SpokeDepositTerms }

/**
 * Reads a quote of version 1 for an input. Its last action must be a deposit at the catalogue's pool with the asked tokens and amount, for
 * the depositor, without a message; the recipient is ours in any case. Otherwise returns why it is not used, as the rest of a sentence about
 * the answer: it is of an unknown form, wants a signature, or calls another contract.
 */
export function readV1Quote(
  body: unknown,
  asked: { route: Route; amount: bigint; depositor: Address; here: AcrossConstants },
): V1Quote | string {
  const quote = Quoted.safeParse(body).data
  if (!quote) return 'has another form than the documented one'
  const last = quote.nextActions.at(-1)!
  if (Object.values(last).includes('submit_execution')) return 'ends with submit_execution'
  const call = callIn(last)
  if (!call) return 'does not end with one transaction'
  const { route, amount, depositor, here } = asked
  if (!sameAddress(call.to, here.spokePool)) return `calls ${call.to}, which is not the pool of the catalogue`
  const terms = proposedDepositTerms(call.data)
  if (!terms) return 'calls another function of the pool than a deposit'
  const other = differingFields({
    chainId: [route.from.chainId, call.chainId ?? route.from.chainId],
    value: ['0', String(call.value)],
    depositor: [depositor, shownWord(terms.depositor)],
    inputToken: [route.tokenIn.address, shownWord(terms.inputToken)],
    outputToken: [route.tokenOut.address, shownWord(terms.outputToken)],
    inputAmount: [String(amount), String(terms.inputAmount)],
    destinationChainId: [String(route.to.chainId), String(terms.destinationChainId)],
    message: ['0x', terms.message],
    exclusiveRelayer: [shownWord(terms.exclusiveRelayer), accountOf(terms.exclusiveRelayer)],
  })
  if (other) return `makes another deposit: ${other}`
  if (terms.outputAmount < quote.destination.minAmount)
    return `makes a deposit of ${terms.outputAmount}, below its own minimum ${quote.destination.minAmount}`
  // A relayer never pays out more than the deposit.
  if (terms.outputAmount > amount) return 'makes a deposit whose output is above its input'
  const fault = exclusivityFault(terms)
  return fault ? `makes a deposit that ${fault}` : { orderId: quote.orderId, terms }
}

/** A 32-byte word as the address that it holds; unchanged if it holds none. */
const shownWord = (word: Hex): Hex => (isWordOf(word, accountOf(word)) ? accountOf(word) : word)

const Word = z.string().regex(/^[a-z_]{1,60}$/)

/** The documented fields of a transfer that are shown. */
const Transfer = z.object({
  orderId: Hash,
  status: z.object({ state: Word, reason: Word.optional().catch(undefined) }),
})

/** The service's own words for the state of a transfer, such as `completed (filled)`; `undefined` for another answer. */
export function transferWords(body: unknown, orderId: Hex): string | undefined {
  const found = Transfer.safeParse(body).data
  if (!found || !sameAddress(found.orderId, orderId)) return undefined
  const { state, reason } = found.status
  return reason === undefined ? state : `${state} (${reason})`
}
