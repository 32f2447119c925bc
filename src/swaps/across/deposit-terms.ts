import { padHex } from 'viem/utils'
import { strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { depositAbi, depositV3Abi } from './abi.ts'

/** The terms of a deposit, decoded from its call; accounts and tokens are 32-byte words, times are in Unix seconds. */
export type SpokeDepositTerms = {
  depositor: Hex
  recipient: Hex
  inputToken: Hex
  outputToken: Hex
  inputAmount: bigint
  outputAmount: bigint
  destinationChainId: bigint
  exclusiveRelayer: Hex
  quoteTimestamp: number
  fillDeadline: number
  exclusivityParameter: number
  message: Hex
}

type Args = readonly [Hex, Hex, Hex, Hex, bigint, bigint, bigint, Hex, number, number, number, Hex]

function termsOf(args: Args): SpokeDepositTerms {
  const [depositor, recipient, inputToken, outputToken, inputAmount, outputAmount, ...rest] = args
  const [destinationChainId, exclusiveRelayer, quoteTimestamp, fillDeadline, exclusivityParameter, message] =
    rest
  const word = (account: Hex): Hex => padHex(account, { size: 32 })
  return {
    depositor: word(depositor),
    recipient: word(recipient),
    inputToken: word(inputToken),
    outputToken: word(outputToken),
    inputAmount,
    outputAmount,
    destinationChainId,
    exclusiveRelayer: word(exclusiveRelayer),
    quoteTimestamp,
    fillDeadline,
    exclusivityParameter,
    message,
  }
}

/** The terms of a call of `deposit`, the only deposit that the program makes; `undefined` for any other call. */
export function depositTerms(data: Hex): SpokeDepositTerms | undefined {
  const call = strictDecode(depositAbi, data)
  return call && termsOf(call.args)
}

/** The terms of a deposit that a service proposes, in either form; `undefined` for any other call. */
export function proposedDepositTerms(data: Hex): SpokeDepositTerms | undefined {
  const old = strictDecode(depositV3Abi, data)
  return old ? termsOf(old.args) : depositTerms(data)
}

/** Whether a 32-byte word holds an address, and nothing else. */
export const isWordOf = (word: Hex, address: Address): boolean =>
  sameAddress(word, padHex(address, { size: 32 }))
