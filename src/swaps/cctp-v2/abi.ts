import { parseAbi } from 'viem/utils'
import type { Hex } from '../../domain/address.ts'

/** Value of `destinationCaller` that lets any account complete the transfer. */
export const anyCaller: Hex = `0x${'00'.repeat(32)}`

/** The two speeds as `minFinalityThreshold`: minted before or after the source block is final. */
export const finality = { fast: 1000, standard: 2000 } as const

/** TokenMessengerV2, the bridge's entry contract (`circlefin/evm-cctp-contracts`). */
export const tokenMessengerV2Abi = parseAbi([
  'function getMinFeeAmount(uint256 amount) view returns (uint256)',
  'event MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected)',
])

/** MessageTransmitterV2, which sends and receives the bridge's messages. */
export const messageTransmitterV2Abi = parseAbi([
  'function receiveMessage(bytes message, bytes attestation) returns (bool success)',
  'function usedNonces(bytes32 nonce) view returns (uint256)',
  'event MessageSent(bytes message)',
  'event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)',
])

/** The functions of TokenMessengerV2 that burn USDC for another chain. */
export const burnAbi = parseAbi([
  'function depositForBurn(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold)',
  'function depositForBurnWithHook(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold, bytes hookData)',
])

/**
 * The hook data that requests delivery by Circle's Forwarding Service: "cctp-forward" in 24 bytes, version 0, and data of length 0 (source:
 * developers.circle.com/cctp/concepts/forwarding-service, and `@circle-fin/provider-cctp-v2` 1.14.0).
 */
export const forwardHook: Hex = '0x636374702d666f72776172640000000000000000000000000000000000000000'
