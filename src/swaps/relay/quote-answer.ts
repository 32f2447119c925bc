import { z } from 'zod'
import { type Address, CatalogAddress, Hash, type Hex, HexData } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import type { Token } from '../../domain/token.ts'
import type { OfferFee, Route } from '../provider.ts'
import { ServiceAmount } from '../provider-api.ts'
import { differingFields } from '../service-answers/asked-fields.ts'
import { decodeDeposit, isSameOrder, orderIdOf, type RelayEnds, type RelayTerms } from './order.ts'
import { refundFault } from './refund-terms-check.ts'

const Units = ServiceAmount.transform(BigInt).refine((units) => units <= maxUint256)
/** A time in Unix seconds. */
const Deadline = z.int().min(1).max(0xffffffff)
const Bytes = HexData.refine((bytes) => bytes.length <= 2 + 2 * 1_024)
const Account = CatalogAddress.transform((address) => address.toLowerCase() as Address)

/**
 * The order of a quote (`Order` of `@reservoir0x/relay-protocol-sdk` 0.0.63) with one input, one payment, no calls and no fees. The hash,
 * which is computed again, covers the fields that are not parsed here.
 */
const Order = z.object({
  solverChainId: z.string(),
  solver: CatalogAddress,
  salt: Hash,
  inputs: z.tuple([
    z.object({
      refunds: z
        .array(
          z.object({
            chainId: z.string(),
            recipient: Account,
            currency: Account,
            minimumAmount: Units,
            deadline: Deadline,
            extraData: Bytes,
          }),
        )
        .min(1)
        .max(8),
    }),
  ]),
  output: z.object({
    payments: z.tuple([z.object({ minimumAmount: Units, expectedAmount: Units })]),
    calls: z.tuple([]),
    deadline: Deadline,
    extraData: Bytes,
  }),
  fees: z.tuple([]),
})

const QuotedOrder = z.object({ orderId: Hash, orderData: z.unknown() })

/**
 * The used fields of a response of `/quote/v2` (`@relayprotocol/relay-sdk` 7.0.3, api.d.ts) or `/quote/v3` (docs.relay.link, Migrating to Quote
 * v3: the same fields, flatter, with one step per action).
 */
const Quoted = z.object({
  requestId: Hash.optional(),
  steps: z.array(z.looseObject({ id: z.string() })).min(1),
  fees: z.record(z.string(), z.unknown()).optional(),
  details: z.object({ timeEstimate: z.number().min(0).max(1e6).nullish() }).optional(),
  protocol: z.union([z.object({ v2: QuotedOrder }).transform(({ v2 }) => v2), QuotedOrder]).optional(),
})
const Call = z.object({
  to: CatalogAddress,
  data: HexData,
  value: ServiceAmount.default('0'),
  chainId: z.int(),
})
const deposits = { id: z.literal('deposit'), kind: z.literal('transaction'), requestId: Hash.optional() }
const OfItems = z.object({ ...deposits, items: z.tuple([z.object({ data: Call })]) })
/** A step of one action has its call in itself, or in a field. */
const OfOneAction = z.union([
  z.object({ ...deposits, items: z.never().optional(), data: Call }),
  z.object({ ...deposits, items: z.never().optional(), transaction: Call }),
  z.object({ ...deposits, items: z.never().optional(), ...Call.shape }),
])

/** The call and the request of a deposit step; `undefined` for another step. */
function depositIn(
  step: unknown,
  request: Hex | undefined,
): { call: z.output<typeof Call>; requestId: Hex } | undefined {
  const old = OfItems.safeParse(step).data
  const flat = old ? undefined : OfOneAction.safeParse(step).data
  const requestId = (old ?? flat)?.requestId ?? request
  if (requestId === undefined) return undefined
  if (old) return { call: old.items[0].data, requestId }
  if (!flat) return undefined
  const call = 'to' in flat ? flat : 'transaction' in flat ? flat.transaction : flat.data
  return { call, requestId }
}

const Fee = z.object({
  amount: z.string().regex(/^[1-9]\d{0,77}$/),
  currency: z.object({ chainId: z.int(), address: CatalogAddress }),
})

/**
 * The service's fees and our kinds. Not included: `gas`, the cost of the deposit itself, and `relayer`, the sum of two others. v3 has the
 * names of `/requests/v3`.
 */
const feeKinds = { relayerGas: 'network', relayerService: 'relayer', app: 'app' } as const
const feeKindsV3 = { execution: 'network', platform: 'relayer', app: 'app' } as const
const FeesV3 = z.object({ currency: Fee.shape.currency, quoted: z.record(z.string(), z.unknown()) })

/** The request that a quote must match. */
type Asked = { route: Route; amount: bigint; wallet: Address; recipient: Address }

/** A quote that matches its request: the terms of its order, whose hash is `id`; `seconds` until the payment, `null` if unknown. */
export type RelayQuote = { terms: RelayTerms; id: Hex; seconds: number | null; fees: OfferFee[] }

/** A response that was understood, not yet compared with its request. */
type ReadQuote = {
  call: z.output<typeof Call>
  requestId: Hex
  order: z.output<typeof Order> | undefined
  orderId: Hex | undefined
  seconds: number | null
  fees: Readonly<Record<string, unknown>>
}

/** Reads the shape of a quote, or returns its fault as the rest of a sentence that begins with the service's name. */
export function readQuote(body: unknown): ReadQuote | string {
  const found = Quoted.safeParse(body).data
  if (!found) return 'did not return a quote'
  // Ignore an approval before the deposit: the program makes its own.
  const isAlone = found.steps.slice(0, -1).every(({ id }) => id === 'approve')
  const deposit = isAlone ? depositIn(found.steps.at(-1), found.requestId) : undefined
  if (!deposit) return 'does not request exactly one deposit for an order'
  return {
    ...deposit,
    order: Order.safeParse(found.protocol?.orderData).data,
    orderId: found.protocol?.orderId,
    seconds: found.details?.timeEstimate ?? null,
    fees: found.fees ?? {},
  }
}

/**
 * Checks a quote, or returns its fault as the rest of a sentence that begins with the service's name. Its deposit must be one of exactly the
 * input for the order in the response; the hash of that order with our tokens, amount and recipient must be the order id.
 */
export function checkQuote(
  found: ReadQuote,
  asked: Asked,
  ends: RelayEnds,
  tokens: readonly Token[],
): RelayQuote | string {
  const { route, amount, wallet, recipient } = asked
  const [here] = ends
  const { to, data, value, chainId } = found.call
  const otherDepository = differingFields({ to: [here.depository, to] })
  if (otherDepository) return `returned another depository than the catalogue: ${otherDepository}`
  const call = decodeDeposit({ data, value: BigInt(value) })
  if (!call)
    return 'requests a deposit that differs from the swap input: its call is not that of the depository'
  const otherInput = differingFields({
    chainId: [here.chainId, chainId],
    depositor: [wallet, call.depositor],
    token: [route.tokenIn.address, call.token],
    amount: [amount, call.amount],
  })
  if (otherInput) return `requests a deposit that differs from the swap input: ${otherInput}`
  const { order, orderId } = found
  if (!order || !orderId) return 'returned an order that does not pay only the recipient'
  const otherSolver = differingFields({
    solver: [here.solver, order.solver],
    solverChainId: [here.solverChain, order.solverChainId],
  })
  if (otherSolver) return `returned another solver than the catalogue: ${otherSolver}`
  const terms = termsOf(order, found.requestId, ends)
  const id = terms && orderIdOf(ends, { ...route, amountIn: amount, recipient }, terms)
  if (!terms || !id || !isSameOrder(id, orderId) || !isSameOrder(id, call.id))
    return 'returned an order that differs from its deposit or from the request'
  const fault = refundFault(terms, { asked: { ...route, wallet, recipient }, ends, tokens })
  if (fault) return `returned an order that ${fault.text}`
  return { terms, id, seconds: found.seconds, fees: feesOf(found.fees, route) }
}

/** The terms of an order between two chains; `undefined` if a refund is on a third chain. */
function termsOf(
  { salt, inputs: [{ refunds }], output }: z.output<typeof Order>,
  requestId: Hex,
  ends: RelayEnds,
): RelayTerms | undefined {
  const [{ minimumAmount: minimum, expectedAmount: expected }] = output.payments
  const { deadline, extraData } = output
  const options = refunds.flatMap(({ chainId: name, minimumAmount, ...refund }) => {
    const end = ends.find(({ chain }) => chain === name)
    return end ? [{ ...refund, chainId: BigInt(end.chainId), minimum: minimumAmount }] : []
  })
  if (options.length < refunds.length) return undefined
  return { requestId, salt: BigInt(salt), minimum, expected, deadline, extraData, refunds: options }
}

/** The fees in tokens of the two chains; the amounts already include them. Negative fees, which are discounts, are left out. */
function feesOf(fees: Readonly<Record<string, unknown>>, { from, to }: Route): OfferFee[] {
  const flat = FeesV3.safeParse(fees).data
  return Object.entries(flat ? feeKindsV3 : feeKinds).flatMap(([name, kind]) => {
    const one = flat ? { currency: flat.currency, ...Object(flat.quoted[name]) } : fees[name]
    const fee = Fee.safeParse(one).data
    if (!fee || ![from.chainId, to.chainId].includes(fee.currency.chainId)) return []
    const { chainId, address: token } = fee.currency
    return [{ kind, token, chainId, amount: fee.amount }]
  })
}
