import { z } from 'zod'
import { Hash, type Hex } from '../../domain/address.ts'

const Word = z
  .string()
  .regex(/^[A-Z0-9_]{1,60}$/)
  .optional()
  .catch(undefined)

/** What the service says of an order: its word, which may be new, why it failed or was not given back, and the transactions that paid. */
const Said = z.object({
  status: z.string().regex(/^[a-z_-]{1,40}$/i),
  txHashes: z.array(Hash).max(20).catch([]).default([]),
  failReason: Word,
  refundFailReason: Word,
})

/** The same in one text: its word, and the reason against giving back before the other one, which the service calls N/A where it is none. */
export type RelayWord = { word: string; text: string; hashes: readonly Hex[] }

/** Where the service tells what became of an order. */
export const statusPath = (requestId: Hex): string => `/intents/status/v3?requestId=${requestId}`

/** Reads that answer; `undefined` if it is none. */
export function saidIn(body: unknown): RelayWord | undefined {
  const said = Said.safeParse(body).data
  if (!said) return undefined
  const { status: word, txHashes: hashes, failReason, refundFailReason } = said
  const reason = [refundFailReason, failReason].find((one) => one && one !== 'N/A')
  return { word, text: reason ? `${word} (${reason})` : word, hashes }
}
