import { padHex } from 'viem/utils'
import type { Address, Hex } from '../../domain/address.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { callOf } from '../../protocols/shared/contract-call.ts'
import { anyCaller, burnAbi, forwardHook, messageTransmitterV2Abi } from './abi.ts'

/**
 * Encodes a burn of `amount`; `recipient` receives at least `amount` minus `maxFee` in the other domain. `isForwarded`: Circle delivers it,
 * and its delivery fee counts against `maxFee`. Otherwise any account can deliver it.
 */
export const depositForBurn = (ask: {
  chainId: number
  messenger: Address
  amount: bigint
  domain: number
  recipient: Address
  burnToken: Address
  maxFee: bigint
  minFinalityThreshold: number
  isForwarded?: boolean
}): Transaction => {
  const args = [
    ask.amount,
    ask.domain,
    padHex(ask.recipient, { size: 32 }).toLowerCase() as Hex,
    ask.burnToken,
    anyCaller,
    ask.maxFee,
    ask.minFinalityThreshold,
  ] as const
  const there = { chainId: ask.chainId, to: ask.messenger }
  return ask.isForwarded
    ? callOf(there, { abi: burnAbi, functionName: 'depositForBurnWithHook', args: [...args, forwardHook] })
    : callOf(there, { abi: burnAbi, functionName: 'depositForBurn', args })
}

/** Encodes the delivery of an attested message, which mints on the destination chain. Any account may send it. */
export const receiveMessage = (ask: {
  chainId: number
  transmitter: Address
  message: Hex
  attestation: Hex
}): Transaction =>
  callOf(
    { chainId: ask.chainId, to: ask.transmitter },
    {
      abi: messageTransmitterV2Abi,
      functionName: 'receiveMessage',
      args: [ask.message.toLowerCase() as Hex, ask.attestation.toLowerCase() as Hex],
    },
  )
