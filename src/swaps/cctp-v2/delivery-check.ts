import { padHex, size } from 'viem/utils'
import { jsonArguments, strictDecode } from '../../chain/strict-calldata-decoding.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { displayNetwork } from '../../domain/networks.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { type CalldataVerdict, refuse } from '../../protocols/calldata-verdict.ts'
import type { DeliverIntent } from '../../protocols/intent.ts'
import { anyCaller, messageTransmitterV2Abi } from './abi.ts'
import type { CctpV2Constants } from './constants-schema.ts'
import { decodeMessage, unattestedForm } from './message.ts'

const asWord = (address: Address): Hex => padHex(address, { size: 32 }).toLowerCase() as Hex

/**
 * Checks the delivery of a burn against its intent. The message must be that of the burn, except for what the attestation fills in, and lead
 * from the bridge's contract on one chain to that on the other. `here` and `there` are the contracts of the chains of burn and delivery.
 */
export function checkDeliveryCalldata(
  { data }: Transaction,
  { wallet, chainFrom, burn, message: sent, token, recipient, amount }: DeliverIntent,
  { here, there }: { here: CctpV2Constants; there: CctpV2Constants },
): CalldataVerdict {
  const call = strictDecode(messageTransmitterV2Abi, data)
  if (call?.functionName !== 'receiveMessage')
    return refuse('POLICY_DECODE', 'It is not a delivery by MessageTransmitterV2')
  const [message, attestation] = call.args
  const brought = decodeMessage(message)
  if (!brought) return refuse('POLICY_DECODE', 'Its message is not a burn of CCTP')
  if (unattestedForm(message) !== unattestedForm(sent))
    return refuse('POLICY_QUOTE_DRIFT', `Its message is not the one of the burn ${burn}`)
  if (!sameAddress(token.address, there.token))
    return refuse('POLICY_QUOTE_DRIFT', `The bridge does not mint ${token.symbol}`)
  if (brought.sourceDomain !== here.domain || brought.destinationDomain !== there.domain)
    return refuse(
      'POLICY_CHAIN',
      `It leads from the domain ${brought.sourceDomain} to ${brought.destinationDomain}, not from ${here.domain} to ${there.domain}`,
    )
  if (brought.sender !== asWord(here.tokenMessenger) || brought.recipient !== asWord(there.tokenMessenger))
    return refuse('POLICY_CONTRACT_NOT_ALLOWED', 'Its message is not from the bridge to the bridge')
  if (!sameAddress(brought.burnToken, here.token))
    return refuse('POLICY_AMOUNT', `The token ${brought.burnToken} was burned, not ${here.token}`)
  if (brought.destinationCaller !== anyCaller && brought.destinationCaller !== asWord(wallet))
    return refuse('POLICY_RECIPIENT', `Only ${brought.destinationCaller} can deliver it`)
  if (!sameAddress(brought.mintRecipient, recipient))
    return refuse('POLICY_RECIPIENT', `It mints to ${brought.mintRecipient}, not to ${recipient}`)
  if (brought.amount - brought.feeExecuted !== amount || brought.feeExecuted > brought.maxFee)
    return refuse(
      'POLICY_AMOUNT',
      `It mints ${formatAmount(brought.amount - brought.feeExecuted, token)}, not ${formatAmount(amount, token)}`,
    )
  return {
    bound: {
      name: 'receiveMessage',
      // What the message says, by the names of MessageV2.sol and BurnMessageV2.sol, instead of its bytes.
      args: jsonArguments({
        sourceDomain: brought.sourceDomain,
        destinationDomain: brought.destinationDomain,
        nonce: brought.nonce,
        burnToken: brought.burnToken,
        amount: brought.amount,
        feeExecuted: brought.feeExecuted,
        mintRecipient: brought.mintRecipient,
        attestation: `${size(attestation)} bytes of signatures`,
      }),
      text: `Deliver ${formatAmount(amount, token)}, burned on ${displayNetwork([], chainFrom).name} in ${burn}, to ${recipient}`,
      value: 0n,
    },
  }
}
