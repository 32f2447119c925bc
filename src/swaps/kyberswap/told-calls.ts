import { decodeEventLog, parseAbi } from 'viem/utils'
import { type Address, sameAddress } from '../../domain/address.ts'
import { type Teller, type Telling, teller, type Words } from '../../protocols/call-description.ts'
import type { CallLog, LogTelling } from '../../protocols/call-logs.ts'
import { metaAggregationRouterAbi } from './abi.ts'

const description =
  '(address srcToken, address dstToken, address[] srcReceivers, uint256[] srcAmounts, address[] feeReceivers, uint256[] feeAmounts, address dstReceiver, uint256 amount, uint256 minReturnAmount, uint256 flags, bytes permit) desc'

/** Other forms of the swap, and its event (sources: the verified MetaAggregationRouterV2, as for `metaAggregationRouterAbi`). */
const others = parseAbi([
  `function swapSimpleMode(address caller, ${description}, bytes executorData, bytes clientData) returns (uint256 returnAmount, uint256 gasUsed)`,
  `function swapGeneric((address callTarget, address approveTarget, bytes targetData, ${description}, bytes clientData) execution) payable returns (uint256 returnAmount, uint256 gasUsed)`,
])
const events = parseAbi([
  'event Swapped(address sender, address srcToken, address dstToken, address dstReceiver, uint256 spentAmount, uint256 returnAmount)',
])

const isCoin = (token: Address): boolean => sameAddress(token, '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE')

type Swap = {
  srcToken: Address
  dstToken: Address
  dstReceiver: Address
  amount: bigint
  minReturnAmount: bigint
}

const swapped = (
  say: Words,
  { srcToken, dstToken, dstReceiver, amount, minReturnAmount }: Swap,
): Telling => ({
  text: `swaps ${say.amount(srcToken, amount)} for at least ${say.amount(dstToken, minReturnAmount)}${say.toWhom(dstReceiver)} by KyberSwap`,
  gives: isCoin(srcToken) ? [] : [{ token: srcToken, units: amount }],
  holders: [dstReceiver],
  ...(isCoin(dstToken) && { paysCoinTo: dstReceiver }),
})

/** What calls of the router of KyberSwap do. */
export const kyberSwapTellers: readonly Teller[] = [
  teller(metaAggregationRouterAbi, 'swap', 'swap', ([{ desc }], say) => swapped(say, desc)),
  teller(others, 'swapSimpleMode', 'swap', ([, desc], say) => swapped(say, desc)),
  teller(others, 'swapGeneric', 'swap', ([{ desc }], say) => swapped(say, desc)),
]

/** The coin that the router paid out, by its event. */
export function kyberSwapLogs(logs: readonly CallLog[]): LogTelling {
  const coins = logs.flatMap(({ topics, data }) => {
    try {
      const { args } = decodeEventLog({ abi: events, topics: topics as never, data })
      return isCoin(args.dstToken) ? [{ to: args.dstReceiver, units: args.returnAmount }] : []
    } catch {
      return [] // Another event of the router.
    }
  })
  return { holders: coins.map(({ to }) => to), coins }
}
