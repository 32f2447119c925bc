import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Service } from '../api/service-type.ts'
import { AppError } from '../domain/errors.ts'
import { slidingLog } from '../store/api-keys/rate-limiter.ts'
import type { Served } from './served-routes.ts'

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
const tooMany = (seconds: number): AppError =>
  new AppError('RATE_LIMITED', 'too many requests', { details: { retryAfter: seconds } })

/**
 * Who asks, by the one header that carries a key, after a place was taken for the request. Throws UNAUTHORIZED with the text of the
 * specification, after `wrong` was told, and RATE_LIMITED.
 */
export async function authenticate(
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

/** How many wrong keys an address may send in a minute before it is told to wait; a right key is never held back by them. */
const mostGuesses = 100
const windowMs = 60_000
const mostAddresses = 10_000

/** Counts wrong keys by the address that they came from. `wrong` throws RATE_LIMITED where there were too many. */
export function wrongKeyCounter(now: () => number): { wrong: (address: string) => void } {
  const windows = [{ ms: windowMs, most: mostGuesses }]
  const logs = new Map<string, ReturnType<typeof slidingLog>>()
  return {
    wrong: (address) => {
      const log = logs.get(address) ?? slidingLog(windows)
      const at = now()
      const waitMs = log.waitMs(at)
      if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000))
      log.take(at)
      // Whoever has many addresses must not fill the memory: the one that came first is forgotten.
      logs.delete(address)
      logs.set(address, log)
      if (logs.size > mostAddresses) logs.delete(logs.keys().next().value!)
    },
  }
}

const name = 'caller'

/** Makes room on every request for whoever asks. */
export const prepare = (app: FastifyInstance): void => void app.decorateRequest(name, undefined)

/** Notes whose request it is. */
export const setCaller = (request: FastifyRequest, caller: Caller): void => request.setDecorator(name, caller)

/** Whose request it is, once that is known. */
export const callerIn = (request: FastifyRequest): Caller | undefined =>
  request.getDecorator<Caller | undefined>(name)

/** Which route of the contract a request is for; none for pages, and where there is nothing. */
export const servedIn = ({ routeOptions }: FastifyRequest): Served | undefined =>
  (routeOptions.config as { served?: Served }).served
