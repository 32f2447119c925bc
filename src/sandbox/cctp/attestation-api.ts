import { size, slice } from 'viem/utils'
import type { Hex } from '../../domain/address.ts'
import type { LoopbackAnswer } from '../loopback-server.ts'
import { type AttestedMessage, type Attester, speeds } from './attestation-service.ts'
import { zeroWord } from './message.ts'

const notFound = (what: string): LoopbackAnswer => ({ status: 404, body: { code: 404, error: what } })

/** Answers the reads of the attestation API: `/v2/messages`, `/v2/burn/USDC/fees`, `/v2/fastBurn/USDC/allowance`. */
export function attestationAnswer(
  url: URL,
  attester: Pick<Attester, 'messages'>,
  domains: readonly number[],
  now: () => number,
): LoopbackAnswer {
  const messages = /^\/v2\/messages\/(\d+)$/.exec(url.pathname)
  if (messages) {
    const [hash, nonce] = ['transactionHash', 'nonce'].map((name) =>
      url.searchParams.get(name)?.toLowerCase(),
    )
    if (!hash && !nonce)
      return { status: 400, body: { code: 400, error: 'transactionHash or nonce is required' } }
    const found = attester
      .messages(Number(messages[1]))
      .filter(({ sent }) => (hash ? sent.txHash === hash : sent.nonce === nonce))
    return found.length > 0
      ? { status: 200, body: { messages: found.map(messageAnswer) } }
      : notFound('Message not found')
  }
  const fees = /^\/v2\/burn\/USDC\/fees\/(\d+)\/(\d+)$/.exec(url.pathname)
  if (fees) {
    const [from, to] = [Number(fees[1]), Number(fees[2])]
    if (from === to || !domains.includes(from) || !domains.includes(to)) return notFound('Unknown domains')
    return {
      status: 200,
      body: [speeds.fast, speeds.standard].map(({ threshold, bps }) => ({
        finalityThreshold: threshold,
        minimumFee: Number(bps),
        // Delivery is free in the sandbox.
        ...(url.searchParams.get('forward') === 'true' && { forwardFee: { low: 0, med: 0, high: 0 } }),
      })),
    }
  }
  if (url.pathname === '/v2/fastBurn/USDC/allowance')
    return { status: 200, body: { allowance: 1_000_000_000, lastUpdated: new Date(now()).toISOString() } }
  return notFound('Not found')
}

/** An account in the shape of the API: the last 20 bytes of its word. */
const account = (word: Hex): Hex =>
  word === zeroWord ? '0x0000000000000000000000000000000000000000' : slice(word, 12)

function messageAnswer({ sent, decoded, message, attestation, delayReason }: AttestedMessage): unknown {
  if (!attestation)
    return {
      attestation: 'PENDING',
      message: '0x',
      eventNonce: '0x',
      cctpVersion: 2,
      status: 'pending_confirmations',
      decodedMessage: null,
      delayReason,
    }
  const { burn } = decoded
  return {
    attestation,
    message,
    eventNonce: sent.nonce,
    cctpVersion: 2,
    status: 'complete',
    decodedMessage: {
      sourceDomain: String(decoded.sourceDomain),
      destinationDomain: String(decoded.destinationDomain),
      nonce: decoded.nonce,
      sender: account(decoded.sender),
      recipient: account(decoded.recipient),
      destinationCaller: decoded.destinationCaller,
      minFinalityThreshold: String(decoded.minFinalityThreshold),
      finalityThresholdExecuted: String(decoded.finalityThresholdExecuted),
      messageBody: decoded.body,
      decodedMessageBody: {
        burnToken: account(burn.burnToken),
        mintRecipient: account(burn.mintRecipient),
        amount: String(burn.amount),
        messageSender: account(burn.messageSender),
        maxFee: String(burn.maxFee),
        feeExecuted: String(burn.feeExecuted),
        expirationBlock: String(burn.expirationBlock),
        hookData: size(burn.hookData) === 0 ? null : burn.hookData,
      },
    },
    delayReason,
  }
}
