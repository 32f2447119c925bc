import { decodeEventLog, parseAbi } from 'viem/utils'
import { type Address, sameAddress } from '../../domain/address.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import { type Teller, teller, type Words } from '../../protocols/call-description.ts'
import type { CallLog, LogTelling } from '../../protocols/call-logs.ts'
import { preSignatureAbi, settlementAbi } from './abi.ts'
import { partsOfUid } from './order.ts'

/** Settlements of solvers, and cancellations (`@cowprotocol/contracts` 1.8.0, GPv2Settlement.json). */
const others = parseAbi([
  'struct TradeData { uint256 sellTokenIndex; uint256 buyTokenIndex; address receiver; uint256 sellAmount; uint256 buyAmount; uint32 validTo; bytes32 appData; uint256 feeAmount; uint256 flags; uint256 executedAmount; bytes signature; }',
  'struct InteractionData { address target; uint256 value; bytes callData; }',
  'function settle(address[] tokens, uint256[] clearingPrices, TradeData[] trades, InteractionData[][3] interactions)',
  'function invalidateOrder(bytes orderUid)',
])

const isCoin = (token: Address): boolean => sameAddress(token, '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE')

type Trade = {
  sellTokenIndex: bigint
  buyTokenIndex: bigint
  receiver: Address
  sellAmount: bigint
  buyAmount: bigint
  flags: bigint
}

/** One order of a settlement; the lowest flag tells a buy order from a sell order (GPv2Trade.sol). */
function tradeText(
  say: Words,
  tokens: readonly Address[],
  { sellTokenIndex, buyTokenIndex, receiver, sellAmount, buyAmount, flags }: Trade,
): string | undefined {
  const [sold, bought] = [tokens[Number(sellTokenIndex)], tokens[Number(buyTokenIndex)]]
  if (!sold || !bought) return undefined
  const isBuy = (flags & 1n) === 1n
  const whom = BigInt(receiver) === 0n ? '' : `, paid to ${receiver}`
  return `an order of ${isBuy ? 'at most ' : ''}${say.amount(sold, sellAmount)} for ${isBuy ? 'exactly' : 'at least'} ${say.amount(bought, buyAmount)}${whom}`
}

/** The most orders of a settlement that its text lists. */
const mostListed = 5

/** What calls of CoW Protocol's settlement do. */
export const cowTellers: readonly Teller[] = [
  teller(preSignatureAbi, 'setPreSignature', 'swap', ([uid, isSigned], say) => {
    const parts = partsOfUid(uid)
    return {
      kind: isSigned ? 'swap' : 'other',
      text: `${isSigned ? 'signs' : 'revokes'} the order ${uid} at CoW Protocol${parts ? `${say.forWhom(parts.owner)}${isSigned ? `, which may be filled until ${momentText(parts.validTo * 1_000)}` : ''}` : ''}`,
      unread: ['what the order sells and buys, which only its hash is in the call of'],
    }
  }),
  teller(others, 'invalidateOrder', 'other', ([uid]) => ({
    text: `cancels the order ${uid} at CoW Protocol`,
  })),
  teller(others, 'settle', 'swap', ([tokens, , trades], say) => {
    const texts = trades.map((trade) => tradeText(say, tokens, trade))
    if (texts.some((text) => text === undefined)) return undefined
    const more = texts.length - mostListed
    return {
      text: `settles ${trades.length === 1 ? texts[0] : `${trades.length} orders`} of CoW Protocol as a solver${trades.length > 1 ? `: ${texts.slice(0, mostListed).join('; ')}${more > 0 ? `; and ${more} more` : ''}` : ''}`,
      holders: trades.flatMap(({ receiver }) => (BigInt(receiver) === 0n ? [] : [receiver])),
      unread: ['the calls by which the solver exchanges the tokens'],
    }
  }),
]

/** The owners of the filled orders, and the coin that was paid for them, by the events of the settlement. */
export function cowLogs(logs: readonly CallLog[], receivers: readonly Address[]): LogTelling {
  const trades = logs.flatMap(({ topics, data }) => {
    try {
      const { eventName, args } = decodeEventLog({ abi: settlementAbi, topics: topics as never, data })
      return eventName === 'Trade' ? [args] : []
    } catch {
      return [] // Another event of the settlement.
    }
  })
  // The receiver of an order is in the call; only one order tells whose it is.
  const payee = (owner: Address): Address => (trades.length === 1 ? (receivers[0] ?? owner) : owner)
  return {
    holders: trades.map(({ owner }) => owner),
    coins: trades.flatMap(({ owner, buyToken, buyAmount }) =>
      isCoin(buyToken) ? [{ to: payee(owner), units: buyAmount }] : [],
    ),
  }
}
