import { encodeFunctionData, getAddress, padHex, parseAbi, size, sliceHex } from 'viem/utils'

import { unlessSame } from '../domain/accepted.ts'
import { type Address, type Hex, sameAddress } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import type { CctpV2Constants } from '../domain/catalog.ts'
import type { Intent } from '../domain/intent.ts'
import type { Transaction } from '../domain/transaction.ts'
import { printed, refuse, strictDecode, type Verdict } from './decode.ts'

/** As `destinationCaller`: anyone may finish the transfer. */
const anyone: Hex = `0x${'00'.repeat(32)}`

/** The two speeds of the bridge, as `minFinalityThreshold`: before and after the source block is final. */
export const finality = { fast: 1000, standard: 2000 } as const

/** The entry contract of the bridge (`circlefin/evm-cctp-contracts`, TokenMessengerV2). */
export const tokenMessengerV2Abi = parseAbi([
  'function depositForBurn(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold)',
  'function getMinFeeAmount(uint256 amount) view returns (uint256)',
  'event MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected)',
])

/** Sends and receives the messages of the bridge (MessageTransmitterV2). */
export const messageTransmitterV2Abi = parseAbi([
  'function receiveMessage(bytes message, bytes attestation) returns (bool success)',
  'function usedNonces(bytes32 nonce) view returns (uint256)',
  'event MessageSent(bytes message)',
  'event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)',
])

const burn = parseAbi([
  'function depositForBurn(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold)',
])

/** Burns `amount` here, so that `amount` less at most `maxFee` is minted to `recipient` in the other domain. */
export const depositForBurn = (ask: {
  chainId: number
  messenger: Address
  amount: bigint
  domain: number
  recipient: Address
  burnToken: Address
  maxFee: bigint
  minFinalityThreshold: number
}): Transaction => ({
  to: ask.messenger,
  data: encodeFunctionData({
    abi: burn,
    functionName: 'depositForBurn',
    args: [
      ask.amount,
      ask.domain,
      padHex(ask.recipient, { size: 32 }).toLowerCase() as Hex,
      ask.burnToken,
      anyone,
      ask.maxFee,
      ask.minFinalityThreshold,
    ],
  }),
  value: 0n,
  chainId: ask.chainId,
})

/** Hands an attested message to the destination chain, which mints. Anyone may send it. */
export const receiveMessage = (ask: {
  chainId: number
  transmitter: Address
  message: Hex
  attestation: Hex
}): Transaction => ({
  to: ask.transmitter,
  data: encodeFunctionData({
    abi: messageTransmitterV2Abi,
    functionName: 'receiveMessage',
    args: [ask.message.toLowerCase() as Hex, ask.attestation.toLowerCase() as Hex],
  }),
  value: 0n,
  chainId: ask.chainId,
})

/** A message of the bridge with the burn inside it. `nonce` is zero until it is attested. */
export type BurnMessage = {
  sourceDomain: number
  destinationDomain: number
  nonce: Hex
  sender: Hex
  recipient: Hex
  destinationCaller: Hex
  minFinalityThreshold: number
  finalityThresholdExecuted: number
  burnToken: Address
  mintRecipient: Address
  amount: bigint
  messageSender: Address
  maxFee: bigint
  feeExecuted: bigint
  expirationBlock: bigint
  hookData: Hex
}

/** Where the burn begins in a message (MessageV2.sol), and how long it is without hook data (BurnMessageV2.sol). */
const bodyAt = 148
const bodySize = 228

/** Reads a message; `undefined` when it is too short or of another version. Offsets: MessageV2.sol and BurnMessageV2.sol. */
export function decodeMessage(message: Hex): BurnMessage | undefined {
  if (size(message) < bodyAt + bodySize) return undefined
  const bytes = (at: number, length: number): Hex => sliceHex(message, at, at + length)
  const number = (at: number): number => Number(bytes(at, 4))
  const word = (at: number): bigint => BigInt(bytes(bodyAt + at, 32))
  const account = (at: number): Address => getAddress(bytes(bodyAt + at + 12, 20))
  if (number(0) !== 1 || number(bodyAt) !== 1) return undefined
  return {
    sourceDomain: number(4),
    destinationDomain: number(8),
    nonce: bytes(12, 32),
    sender: bytes(44, 32),
    recipient: bytes(76, 32),
    destinationCaller: bytes(108, 32),
    minFinalityThreshold: number(140),
    finalityThresholdExecuted: number(144),
    burnToken: account(4),
    mintRecipient: account(36),
    amount: word(68),
    messageSender: account(100),
    maxFee: word(132),
    feeExecuted: word(164),
    expirationBlock: word(196),
    hookData: size(message) > bodyAt + bodySize ? sliceHex(message, bodyAt + bodySize) : '0x',
  }
}

/** Binds a burn to the transfer to another chain that was asked for. `here` and `there` are the bridge's two ends. */
export function bindCctpV2(
  { data }: Transaction,
  intent: Extract<Intent, { kind: 'swap' }>,
  { here, there }: { here: CctpV2Constants; there: CctpV2Constants },
): Verdict {
  const { tokenIn, tokenOut } = intent
  const call = strictDecode(burn, data)
  if (!call) return refuse('POLICY_DECODE', 'It is not a call of depositForBurn of TokenMessengerV2')
  const [amount, domain, mintRecipient, burnToken, destinationCaller, maxFee, threshold] = call.args
  if (!sameAddress(tokenIn.address, here.token) || !sameAddress(tokenOut.address, there.token))
    return refuse('POLICY_QUOTE_DRIFT', `The bridge does not carry ${tokenIn.symbol} to ${tokenOut.symbol}`)
  if (!sameAddress(burnToken, tokenIn.address))
    return refuse('POLICY_AMOUNT', `It burns the token ${burnToken}, not ${tokenIn.address}`)
  if (domain !== there.domain)
    return refuse(
      'POLICY_CHAIN',
      `It sends to the domain ${domain}, and chain ${there.chainId} is ${there.domain}`,
    )
  if (mintRecipient !== padHex(intent.recipient, { size: 32 }).toLowerCase())
    return refuse('POLICY_RECIPIENT', `It mints to ${mintRecipient}, not to ${intent.recipient}`)
  if (destinationCaller !== anyone)
    return refuse('POLICY_RECIPIENT', `Only ${destinationCaller} could finish it on the other chain`)
  if (threshold !== finality.fast && threshold !== finality.standard)
    return refuse(
      'POLICY_QUOTE_DRIFT',
      `It asks for the finality ${threshold}, which is neither fast nor standard`,
    )
  if (intent.speed && threshold !== finality[intent.speed])
    return refuse('POLICY_QUOTE_DRIFT', `It is not the ${intent.speed} transfer that was asked for`)
  if (intent.exact === 'in' ? amount !== intent.amountIn : amount > intent.amountIn)
    return refuse(
      'POLICY_AMOUNT',
      `It burns ${formatAmount(amount, tokenIn)}, not ${formatAmount(intent.amountIn, tokenIn)}`,
    )
  if (maxFee >= amount || amount - maxFee < intent.amountOut)
    return refuse(
      'POLICY_MIN_OUT',
      `After a fee of ${formatAmount(maxFee, tokenIn)} it may bring less than ${formatAmount(intent.amountOut, tokenOut)}`,
    )
  return {
    bound: {
      name: 'depositForBurn',
      args: printed({
        amount,
        destinationDomain: domain,
        mintRecipient,
        burnToken,
        destinationCaller,
        maxFee,
        minFinalityThreshold: threshold,
      }),
      text: `Send ${formatAmount(amount, tokenIn)} to chain ${there.chainId}, at least ${formatAmount(amount - maxFee, tokenOut)} arrive for ${intent.recipient}${unlessSame(amount - maxFee, intent.amountOut, tokenOut)}`,
      value: 0n,
      spends: { token: tokenIn.address, amount },
    },
  }
}
