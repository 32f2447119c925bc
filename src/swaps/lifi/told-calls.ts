import { parseAbi } from 'viem/utils'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import { type Teller, type Telling, teller, type Words } from '../../protocols/call-description.ts'
import { diamondAbi } from './abi.ts'

const swapData =
  '(address callTo, address approveTo, address sendingAssetId, address receivingAssetId, uint256 fromAmount, bytes callData, bool requiresDeposit)[] _swapData'
const bridgeData =
  '(bytes32 transactionId, string bridge, string integrator, address referrer, address sendingAssetId, address receiver, uint256 minAmount, uint256 destinationChainId, bool hasSourceSwaps, bool hasDestinationCall) _bridgeData'
const glacisData =
  '(bytes32 receiverAddress, address refundAddress, uint256 nativeFee, bytes32 outputToken) _glacisData'

/** Further functions of the diamond (lifinance/contracts, src/Facets: GenericSwapFacet.sol and GlacisFacet.sol 1.2.0). */
const others = parseAbi([
  `function swapTokensGeneric(bytes32 _transactionId, string _integrator, string _referrer, address _receiver, uint256 _minAmount, ${swapData}) payable`,
  `function startBridgeTokensViaGlacis(${bridgeData}, ${glacisData}) payable`,
  `function swapAndStartBridgeTokensViaGlacis(${bridgeData}, ${swapData}, ${glacisData}) payable`,
])

/** The receiver that stands for an address of a chain without EVM (LiFiData.sol). */
const nonEvm = '0x11f111f111f111F111f111f111F111f111f111F1'

const isCoin = (token: Address): boolean => sameAddress(token, nativeAddress)

type Step = {
  sendingAssetId: Address
  receivingAssetId: Address
  fromAmount: bigint
  requiresDeposit: boolean
}

function swapped(say: Words, receiver: Address, least: bigint, steps: readonly Step[]): Telling | undefined {
  const [first, last] = [steps[0], steps.at(-1)]
  if (!first || !last) return undefined
  return {
    text: `swaps ${say.amount(first.sendingAssetId, first.fromAmount)} for at least ${say.amount(last.receivingAssetId, least)}${say.toWhom(receiver)} by LI.FI`,
    gives: isCoin(first.sendingAssetId) ? [] : [{ token: first.sendingAssetId, units: first.fromAmount }],
    holders: [receiver],
    ...(isCoin(last.receivingAssetId) && { paysCoinTo: receiver }),
  }
}

type Bridge = {
  bridge: string
  sendingAssetId: Address
  receiver: Address
  minAmount: bigint
  destinationChainId: bigint
  hasDestinationCall: boolean
}

function bridged(
  say: Words,
  { bridge, sendingAssetId, receiver, minAmount, destinationChainId, hasDestinationCall }: Bridge,
  steps: readonly Step[],
): Telling {
  const [first] = steps
  const sends = say.amount(sendingAssetId, minAmount)
  const far = `${/^[\w .-]{1,40}$/.test(bridge) ? ` (${bridge})` : ''} to ${say.network(destinationChainId)}, for ${sameAddress(receiver, nonEvm) ? 'an account of a chain without EVM' : receiver}`
  return {
    text: first
      ? `swaps ${say.amount(first.sendingAssetId, first.fromAmount)} and sends at least ${sends} through LI.FI${far}`
      : `sends ${sends} through LI.FI${far}`,
    gives: first
      ? isCoin(first.sendingAssetId) || !first.requiresDeposit
        ? []
        : [{ token: first.sendingAssetId, units: first.fromAmount }]
      : isCoin(sendingAssetId)
        ? []
        : [{ token: sendingAssetId, units: minAmount }],
    ...(hasDestinationCall && { unread: [`the call at the destination`] }),
  }
}

const single = [
  'swapTokensSingleV3ERC20ToERC20',
  'swapTokensSingleV3ERC20ToNative',
  'swapTokensSingleV3NativeToERC20',
] as const
const multiple = [
  'swapTokensMultipleV3ERC20ToERC20',
  'swapTokensMultipleV3ERC20ToNative',
  'swapTokensMultipleV3NativeToERC20',
] as const

/** What calls of the diamond of LI.FI do. */
export const lifiTellers: readonly Teller[] = [
  ...single.map((name) =>
    teller(diamondAbi, name, 'swap', ([, , , receiver, least, step], say) =>
      swapped(say, receiver, least, [step]),
    ),
  ),
  ...multiple.map((name) =>
    teller(diamondAbi, name, 'swap', ([, , , receiver, least, steps], say) =>
      swapped(say, receiver, least, steps),
    ),
  ),
  teller(others, 'swapTokensGeneric', 'swap', ([, , , receiver, least, steps], say) =>
    swapped(say, receiver, least, steps),
  ),
  teller(diamondAbi, 'startBridgeTokensViaAcrossV4', 'bridge', ([bridge], say) => bridged(say, bridge, [])),
  teller(diamondAbi, 'swapAndStartBridgeTokensViaAcrossV4', 'bridge', ([bridge, steps], say) =>
    bridged(say, bridge, steps),
  ),
  teller(others, 'startBridgeTokensViaGlacis', 'bridge', ([bridge], say) => bridged(say, bridge, [])),
  teller(others, 'swapAndStartBridgeTokensViaGlacis', 'bridge', ([bridge, steps], say) =>
    bridged(say, bridge, steps),
  ),
]
