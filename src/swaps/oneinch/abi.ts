import { parseAbi } from 'viem/utils'

/**
 * `swap` of 1inch's AggregationRouterV6, whose executor runs `data`. The router itself checks the output against `minReturnAmount` and pays
 * it out. Flags: partial fill (1), extra coin (2), payment through Permit2 (4). Sources: GenericRouter.sol of the verified contract, and
 * calldata-AggregationRouterV6.tests.json of ethereum/clear-signing-erc7730-registry.
 */
export const aggregationRouterAbi = parseAbi([
  'struct SwapDescription { address srcToken; address dstToken; address srcReceiver; address dstReceiver; uint256 amount; uint256 minReturnAmount; uint256 flags; }',
  'function swap(address executor, SwapDescription desc, bytes data) payable returns (uint256 returnAmount, uint256 spentAmount)',
])
