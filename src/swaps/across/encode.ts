import { padHex } from 'viem/utils'
import type { Address, Hex } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../../protocols/shared/contract-call.ts'
import { anyRelayer, depositAbi } from './abi.ts'

const asWord = (address: Address): Hex => padHex(address, { size: 32 }).toLowerCase() as Hex

/**
 * Encodes a deposit of `amountIn`. A relayer pays `amountOut` to `recipient` on the other chain before `fillDeadline` (Unix s, destination
 * clock), else `depositor` gets a refund. `quoteTimestamp` is the time of the fee quote, in Unix seconds. Any relayer may fill it, unless one has
 * the right alone: `exclusivityParameter` is its duration or end.
 */
export const depositAcross = (ask: {
  chainId: number
  spokePool: Address
  depositor: Address
  recipient: Address
  inputToken: Address
  outputToken: Address
  amountIn: bigint
  amountOut: bigint
  destinationChainId: number
  quoteTimestamp: number
  fillDeadline: number
  exclusiveRelayer?: Address | undefined
  exclusivityParameter?: number | undefined
}): Transaction => {
  const args = [
    asWord(ask.depositor),
    asWord(ask.recipient),
    asWord(ask.inputToken),
    asWord(ask.outputToken),
    ask.amountIn,
    ask.amountOut,
    BigInt(ask.destinationChainId),
    ask.exclusiveRelayer === undefined ? anyRelayer : asWord(ask.exclusiveRelayer),
    ask.quoteTimestamp,
    ask.fillDeadline,
    ask.exclusivityParameter ?? 0,
    '0x',
  ] as const
  return callOf(
    { chainId: ask.chainId, to: ask.spokePool },
    { abi: depositAbi, functionName: 'deposit', args },
  )
}
