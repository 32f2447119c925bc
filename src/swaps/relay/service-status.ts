import { z } from 'zod'
import { Hash, type Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { keyVariable } from '../../protocols/public-services.ts'
import type { ApiAnswer } from '../provider-dependencies.ts'

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

/**
 * The path of the service's record of a request, which names its order. Version 3 needs a key; version 2 was to be served until 2026-11-24
 * (docs.relay.link, Migrating to Requests v3).
 */
export const requestPath = (requestId: Hex, isKeyed: boolean): string =>
  `/requests/${isKeyed ? 'v3' : 'v2'}?id=${requestId}`

/** Whether an answer says that its path is no longer served: not found or gone, without a code of the service. */
export const isPathGone = ({ status, body }: Pick<ApiAnswer, 'status' | 'body'>): boolean =>
  status === 410 || (status === 404 && !z.object({ errorCode: z.string() }).safeParse(body).success)

/** The error for a path that is no longer served without a key. */
export const retiredError = (path: string, status: number): AppError =>
  new AppError('PROVIDER_API_ERROR', `Relay no longer answers ${path} without an API key`, {
    details: { provider: 'relay', status },
    next: `Set ${keyVariable('relay')} to an API key of Relay, or use another provider.`,
  })

/** Parses a status response; `undefined` if it is malformed. */
export function parseRelayStatus(body: unknown): RelayStatus | undefined {
  const said = Said.safeParse(body).data
  if (!said) return undefined
  const { status: word, txHashes: hashes, failReason, refundFailReason } = said
  const reason = [refundFailReason, failReason].find((one) => one && one !== 'N/A')
  return { word, text: reason ? `${word} (${reason})` : word, hashes }
}
