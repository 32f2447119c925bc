import { z } from 'zod'
import { EvmAddress, HexData } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { Quote, TakenQuote } from './quote.ts'
import { ChainId, TransactionItem } from './transaction.ts'
import { DecimalsInput, extension, Fraction, Name, nullish, orNull } from './wire-fields.ts'

/**
 * Query of `GET /strategies/{id}/bytecode`; the default `action` is `lend`. `amount` is in the smallest unit of the strategy's asset; 2^256
 * - 1 withdraws all. `claim` (extension) is the second step of queued withdrawals: it takes everything that is claimable, or else the
 * shares of all lapsed requests; its `amount` is always 2^256 - 1. `from` (extension) names the network of the funds, if it is not the
 * strategy's. `slippage` (extension) is the maximum loss against the current price, as a fraction, for strategies that trade at a market
 * price.
 */
export const StrategyBytecodeInput = z.object({
  id: Name,
  action: z.enum(['lend', 'withdraw', 'claim']).default('lend'),
  amount: Units,
  wallet: EvmAddress,
  from: Name.optional(),
  slippage: Fraction.optional(),
})
export type StrategyBytecodeInput = z.output<typeof StrategyBytecodeInput>

/**
 * Marks a withdrawal that only requests its funds, to be claimed later. `seconds` is the protocol's stated waiting time, `null` if it
 * states none.
 */
const Queued = z.object({ seconds: nullish(z.int().min(0)) })

/**
 * The ordered transactions of a deposit, a withdrawal or a claim. `feeCharged` is in the smallest unit of the asset; `fees` (extension)
 * lists each fee with its kind, amount and collector. `quote` is the bridge quote of a cross-chain deposit. `queued` (extension) is `null`
 * if the funds arrive at once.
 */
export const StrategyBytecode = z.codec(
  z.object({
    id: z.string(),
    feeCharged: nullish(z.union([z.string(), z.number()])),
    fees: extension(z.array(z.unknown())),
    chainIdIn: ChainId,
    chainIdOut: ChainId,
    crossChain: nullish(
      z.object({ isCrossChain: z.boolean(), chainIdIn: nullish(ChainId), chainIdOut: nullish(ChainId) }),
    ),
    quote: nullish(Quote),
    queued: extension(Queued),
    bytecode: z.array(TransactionItem),
  }),
  z.object({
    id: z.string(),
    feeCharged: z.string(),
    fees: z.array(z.unknown()).nullable(),
    chainIdIn: z.int(),
    chainIdOut: z.int(),
    crossChain: z.object({ isCrossChain: z.boolean(), chainIdIn: z.int(), chainIdOut: z.int() }),
    quote: z.custom<z.output<typeof Quote>>().nullable(),
    queued: z.object({ seconds: z.int().nullable() }).nullable(),
    bytecode: z.array(z.custom<z.output<typeof TransactionItem>>()),
  }),
  {
    decode: (wire) => ({
      id: wire.id,
      feeCharged: String(wire.feeCharged ?? '0'),
      fees: orNull(wire.fees),
      chainIdIn: wire.chainIdIn,
      chainIdOut: wire.chainIdOut,
      crossChain: {
        isCrossChain: wire.crossChain?.isCrossChain ?? wire.chainIdIn !== wire.chainIdOut,
        chainIdIn: wire.crossChain?.chainIdIn ?? wire.chainIdIn,
        chainIdOut: wire.crossChain?.chainIdOut ?? wire.chainIdOut,
      },
      quote: orNull(wire.quote),
      queued: wire.queued ? { seconds: orNull(wire.queued.seconds) } : null,
      bytecode: wire.bytecode,
    }),
    encode: (value) => value,
  },
)
export type StrategyBytecode = z.output<typeof StrategyBytecode>

/** Body of `POST /v2/swap/bytecode`: the quote exactly as received, and the sending wallet. */
export const SwapBytecodeInput = z.object({
  quote: TakenQuote,
  walletAddress: EvmAddress,
  destinationAddress: EvmAddress.optional(),
  decimalsIn: DecimalsInput.optional(),
})

const WireCall = z.object({
  to: EvmAddress,
  data: HexData,
  value: Units,
  chainId: ChainId.optional(),
  gasLimit: nullish(z.union([z.number(), z.string()])),
  gasLimitReason: extension(z.string()),
})
const oneOrMore = z.union([WireCall, z.array(WireCall)])

/** Parses a gas limit, decimal or hex; `null` for other values. */
const gasOf = (limit: string | number | null | undefined): bigint | null =>
  /^([0-9]{1,20}|0x[0-9a-fA-F]{1,16})$/.test(String(limit)) ? BigInt(limit!) : null

/** Encodes no item as `null`, one item as itself, and several as a list. */
const noneOneOrList = <item>(items: readonly item[]): item | item[] | null =>
  items.length > 1 ? [...items] : (items[0] ?? null)

/** The transaction fields in the order of sending. */
const fieldOrder = ['approveData', 'transactionData', 'feeData'] as const

/**
 * The transactions of a swap in the order of sending: approvals, the swap, and payments of the service's fee. On the wire,
 * `transactionData` is one object, `feeData` (extension) has the fee payments, and `order` (extension) gives the order of the fields.
 * `type` is `SAMECHAIN_SWAP` or `CROSSCHAIN_SWAP`. `gasLimit` is that of the swap; it is `null` if it cannot be estimated, and
 * `gasLimitReason` (extension) says why. A swap from Bitcoin (`BITCOIN_DEPOSIT`, extension) has no transactions; `rawSwapData.deposit` has
 * the payment instructions.
 */
export const SwapBytecode = z.codec(
  z.object({
    type: z.string(),
    provider: z.string(),
    chainId: ChainId,
    transactionData: nullish(oneOrMore),
    approveData: nullish(oneOrMore),
    feeData: extension(oneOrMore),
    order: extension(z.array(z.string())),
    swapDetails: z.unknown().optional(),
    rawSwapData: z.unknown().optional(),
    message: nullish(z.string()),
  }),
  z.object({
    type: z.string(),
    provider: z.string(),
    chainId: z.int(),
    approvals: z.array(z.custom<z.output<typeof TransactionItem>>()),
    transactions: z.array(z.custom<z.output<typeof TransactionItem>>()),
    gasLimit: z.bigint().nullable(),
    gasLimitReason: z.string().nullable(),
    swapDetails: z.unknown(),
    rawSwapData: z.unknown(),
    message: z.string().nullable(),
  }),
  {
    decode: ({ transactionData, approveData, feeData, order: _, ...wire }) => {
      const list = (calls: z.output<typeof oneOrMore> | null | undefined) =>
        (calls ? [calls].flat() : []).map(({ to, data, value, chainId }) => ({
          to,
          data,
          value,
          chainId: chainId ?? wire.chainId,
        }))
      const swapCall = [transactionData].flat().at(-1)
      return {
        ...wire,
        approvals: list(approveData),
        transactions: [...list(transactionData), ...list(feeData)],
        gasLimit: gasOf(swapCall?.gasLimit),
        gasLimitReason: orNull(swapCall?.gasLimitReason),
        swapDetails: orNull(wire.swapDetails),
        rawSwapData: orNull(wire.rawSwapData),
        message: orNull(wire.message),
      }
    },
    encode: ({ approvals, transactions: [call, ...payments], gasLimit, gasLimitReason, ...value }) => {
      const calls = {
        approveData: noneOneOrList(approvals),
        transactionData: call
          ? { ...call, gasLimit: gasLimit === null ? null : String(gasLimit), gasLimitReason }
          : null,
        feeData: noneOneOrList(payments),
      }
      return { ...value, ...calls, order: fieldOrder.filter((name) => calls[name] !== null) }
    },
  },
)
export type SwapBytecode = z.output<typeof SwapBytecode>
