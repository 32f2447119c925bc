import { AppError } from '../../domain/errors.ts'
import { type ChainClient, isLocal } from '../chain-client.ts'
import { isRecord } from './envelope.ts'

/** The method that sends signed bytes and answers with their receipt (EIP-7966); without bytes it is asked whether a node has it. */
export const syncSendMethod = 'eth_sendRawTransactionSync'

/** How long a node may take to answer with the receipt, in ms: on this machine a block is made at once, or by hand. */
const receiptTimeoutMs = (host: string): number => (isLocal({ host }) ? 250 : 2_000)

/** One call to one endpoint: its result, or RPC_ERROR or RPC_UNREACHABLE. */
type Ask = (method: string, params: readonly unknown[], deadlineMs: number) => Promise<unknown>

/**
 * Sends through one endpoint. Without bytes it asks whether the node can answer with a receipt, remembers that, and never fails. With
 * bytes it returns the receipt, or else the hash or the refusal of a plain send: the same bytes may be sent as often as one likes.
 */
export function syncSends(host: string, deadlineMs: number, ask: Ask): (raw?: unknown) => Promise<unknown> {
  let asked: Promise<void> | undefined
  let isServed = false
  const learn = () => {
    asked ??= ask(syncSendMethod, [], deadlineMs).then(
      () => undefined,
      (error: unknown) => {
        // Only a node that has the method misses what it is to send.
        isServed = error instanceof AppError && error.details?.code === -32602
      },
    )
    return asked
  }
  const send = (raw: unknown) => ask('eth_sendRawTransaction', [raw], deadlineMs)
  return async (raw) => {
    if (raw === undefined) return learn()
    if (!isServed) return send(raw)
    try {
      return await ask(syncSendMethod, [raw], Math.min(deadlineMs, receiptTimeoutMs(host)))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // EIP-7966: the node has it, and has waited long enough.
      const { code, data } = error.details ?? {}
      return code === 4 && typeof data === 'string' ? data : send(raw)
    }
  }
}

/** Asks the nodes of a chain, beside other work, which of them answer a send with the receipt. */
export function learnSyncSends(client: ChainClient): void {
  client.request(syncSendMethod).catch(() => undefined)
}

/** Whether a request may be left unanswered until a block comes, which says nothing about the node. */
export const awaitsBlock = (body: unknown): boolean => isRecord(body) && body.method === syncSendMethod

/** Whether a call only asks whether a node has the method: without bytes nothing is sent. */
export const asksForSyncSends = ({ method, params }: Record<string, unknown>): boolean =>
  method === syncSendMethod && Array.isArray(params) && params.length === 0

/** The receipt among what endpoints answered to the same bytes, if one has waited for it. */
export const receiptAmong = (answers: readonly PromiseSettledResult<unknown>[]): unknown =>
  answers.flatMap((one) => (one.status === 'fulfilled' && isRecord(one.value) ? [one.value] : []))[0]
