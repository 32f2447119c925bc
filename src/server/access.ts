import type { Service } from '../api/service.ts'
import { AppError } from '../domain/errors.ts'

/** Whoever asks: the key that limits are counted for, whose key it is, and the service as it is for this customer. */
export type Caller = {
  keyId: string
  customer: string
  service: Service
  /** Whether this customer may know of a network; without it, of every one. */
  sees?: (network: string) => boolean
  /** The ids of the newest actions of this customer, newest first; without it, none are known. */
  recent?: (most: number) => Promise<string[]>
}

/** Who has this API key; `undefined` is nobody. */
export type Access = (apiKey: string) => Promise<Caller | undefined>

/** Takes a place for one request of a key, or says how many seconds until there is one. */
export type Allow = (keyId: string) => Promise<{ ok: true } | { ok: false; retryAfterSeconds: number }>

/** The refusal of what is too much: the header and the body say the same. */
export const tooMany = (seconds: number): AppError =>
  new AppError('RATE_LIMITED', 'too many requests', { details: { retryAfter: seconds } })

/**
 * Who asks, by the one header that carries a key, after a place was taken for the request. Throws UNAUTHORIZED with the text of the
 * specification, after `wrong` was told, and RATE_LIMITED.
 */
export async function admitted(
  { access, allow }: { access: Access; allow: Allow },
  apiKey: string | undefined,
  { wrong, known }: { wrong: () => void; known: (caller: Caller) => void },
): Promise<void> {
  if (apiKey === undefined || apiKey === '') throw new AppError('UNAUTHORIZED', 'no API key provided')
  const caller = await access(apiKey)
  if (!caller) {
    wrong()
    throw new AppError('UNAUTHORIZED', 'invalid API key')
  }
  known(caller)
  const turn = await allow(caller.keyId)
  if (!turn.ok) throw tooMany(turn.retryAfterSeconds)
}
