import { padHex } from 'viem/utils'
import { type Hex, sameAddress } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { decodeBurn } from '../swaps/cctp-v2/burn-call.ts'
import { decodeMessage } from '../swaps/cctp-v2/message.ts'

/** Whether a call of the bridge burned what a message of CCTP says: token, recipient and amount, all by their addresses. */
export function isBurnOfMessage(transaction: Transaction, message: Hex): boolean {
  const sent = decodeMessage(message)
  const burned = sent && decodeBurn(transaction, sent.messageSender)
  return (
    sent !== undefined &&
    burned !== undefined &&
    sameAddress(burned.burnToken, sent.burnToken) &&
    sameAddress(burned.mintRecipient, padHex(sent.mintRecipient, { size: 32 })) &&
    burned.amount === sent.amount
  )
}
