import { parseAbi } from 'viem/utils'

/**
 * `swap` of KyberSwap's MetaAggregationRouterV2. It pays `feeAmounts` from `amount` to `feeReceivers`, then lets an executor swap at most
 * the rest (`callBytes`). The router itself checks that `dstReceiver` got at least `minReturnAmount`. Sources: the verified contract, and
 * the ERC-7730 descriptor of ethereum/clear-signing-erc7730-registry.
 */
export const metaAggregationRouterAbi = parseAbi([
  'struct SwapDescriptionV2 { address srcToken; address dstToken; address[] srcReceivers; uint256[] srcAmounts; address[] feeReceivers; uint256[] feeAmounts; address dstReceiver; uint256 amount; uint256 minReturnAmount; uint256 flags; bytes permit; }',
  'struct SwapExecutionParams { address callTarget; address approveTarget; bytes targetData; SwapDescriptionV2 desc; bytes clientData; }',
  'function swap(SwapExecutionParams execution) payable returns (uint256 returnAmount, uint256 gasUsed)',
  'function WETH() view returns (address)',
])

/**
 * The flags of `SwapDescriptionV2` that do not affect the output: the router claims the tokens (0x04), calls the executor step by step
 * (0x20), takes fees from the output (0x40) or in basis points (0x80), harmless while there are none, approves its target (0x100), or does
 * nothing (0x200, set by the service for the executor). Not included: partial fill (0x01), extra coin (0x02), burning of gas tokens (0x08,
 * 0x10).
 */
export const harmlessFlags = 0x04n | 0x20n | 0x40n | 0x80n | 0x100n | 0x200n

/** The flags that change the unit of fee amounts, to the output token or to basis points. */
export const feeFlags = 0x40n | 0x80n
