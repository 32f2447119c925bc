import { parseAbi } from 'viem/utils'

/**
 * `swap` of KyberSwap's MetaAggregationRouterV2, which calls `callBytes` of an executor. It first pays `feeAmounts` out of `amount` to
 * `feeReceivers`, and hands on no more than the rest (source: the verified contract, and the
 * ERC-7730 descriptor of ethereum/clear-signing-erc7730-registry). The router itself compares what `dstReceiver` got with `minReturnAmount`.
 */
export const metaAggregationRouterAbi = parseAbi([
  'struct SwapDescriptionV2 { address srcToken; address dstToken; address[] srcReceivers; uint256[] srcAmounts; address[] feeReceivers; uint256[] feeAmounts; address dstReceiver; uint256 amount; uint256 minReturnAmount; uint256 flags; bytes permit; }',
  'struct SwapExecutionParams { address callTarget; address approveTarget; bytes targetData; SwapDescriptionV2 desc; bytes clientData; }',
  'function swap(SwapExecutionParams execution) payable returns (uint256 returnAmount, uint256 gasUsed)',
  'function WETH() view returns (address)',
])

/**
 * The flags of `SwapDescriptionV2` that change nothing of what a swap brings: the router claims the tokens (0x04), calls the executor
 * step by step (0x20), takes fees of the output (0x40) or in basis points (0x80), while there are none, approves its target (0x100), or
 * nothing: 0x200 is for the executor, and the service sets it. Left out are a partial fill (0x01), extra coin (0x02) and the burning of gas
 * tokens (0x08, 0x10).
 */
export const harmlessFlags = 0x04n | 0x20n | 0x40n | 0x80n | 0x100n | 0x200n

/** The flags that make the amounts of fees something else than units of the input: units of the output, or basis points. */
export const feeFlags = 0x40n | 0x80n
