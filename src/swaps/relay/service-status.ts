import { z } from 'zod'
import { Hash, type Hex } from '../../domain/address.ts'

const Word = z
  .string()
  .regex(/^[A-Z0-9_]{1,60}$/)
  .optional()
  .catch(undefined)

/**
 * The service's response about an order: its status, which may be unknown, the reasons of a failure or a failed refund, and the payments.
 */
const Said = z.object({
  status: z.string().regex(/^[a-z_-]{1,40}$/i),
  txHashes: z.array(Hash).max(20).catch([]).default([]),
  failReason: Word,
  refundFailReason: Word,
})

/** The service's status: the word, a text with the reason (of a failed refund first; `N/A` means none), and the payments. */
export type RelayStatus = { word: string; text: string; hashes: readonly Hex[] }

/** The path of an order's status in the service. */
export const statusPath = (requestId: Hex): string => `/intents/status/v3?requestId=${requestId}`

/** The path of the service's record of a request, which names its order. */
export const requestPath = (requestId: Hex): string => `/requests/v2?id=${requestId}`

/** Parses a status response; `undefined` if it is malformed. */
export function parseRelayStatus(body: unknown): RelayStatus | undefined {
  const said = Said.safeParse(body).data
  if (!said) return undefined
  const { status: word, txHashes: hashes, failReason, refundFailReason } = said
  const reason = [refundFailReason, failReason].find((one) => one && one !== 'N/A')
  return { word, text: reason ? `${word} (${reason})` : word, hashes }
}
