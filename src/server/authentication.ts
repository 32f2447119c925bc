import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Service } from '../api/service-type.ts'
import { AppError } from '../domain/errors.ts'
import { slidingLog } from '../store/api-keys/sliding-log.ts'
import type { Served } from './served-routes.ts'

/** An authenticated caller: the key id for rate limits, the customer, and the service limited to this customer. */
export type Caller = {
  keyId: string
  customer: string
  service: Service
  /** Whether this customer may see a network; default: every one. */
  sees?: (network: string) => boolean
}

/** Returns the caller of an API key; `undefined` if the key is unknown. */
export type CallerLookup = (apiKey: string) => Promise<Caller | undefined>

/** Counts a request against the limits of a key, or returns the seconds until the next is allowed. */
export type RequestAdmission = (
  keyId: string,
) => Promise<{ ok: true } | { ok: false; retryAfterSeconds: number }>

/** The error for too many requests; header and body give the same wait. */
const tooMany = (seconds: number): AppError =>
  new AppError('RATE_LIMITED', 'too many requests', { details: { retryAfter: seconds } })

/**
 * Authenticates a request by its API key and counts it against the key's limits. Throws UNAUTHORIZED with the text of
 * the specification, after calling `wrong` for an unknown key, and RATE_LIMITED.
 */
export async function authenticate(
  { access, allow }: { access: CallerLookup; allow: RequestAdmission },
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

/** Wrong keys allowed from one address in a minute; a valid key is never delayed by them. */
const mostGuesses = 100
const windowMs = 60_000
const mostAddresses = 10_000

/** Counts wrong keys by client address. `wrong` throws RATE_LIMITED when there are too many. */
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
      // A client with many addresses must not fill the memory: drop the least recent one.
      logs.delete(address)
      logs.set(address, log)
      if (logs.size > mostAddresses) logs.delete(logs.keys().next().value!)
    },
  }
}

const name = 'caller'

/** Reserves a field for the caller on every request. */
export const reserveCaller = (app: FastifyInstance): void => void app.decorateRequest(name, undefined)

/** Stores the caller of a request. */
export const setCaller = (request: FastifyRequest, caller: Caller): void => request.setDecorator(name, caller)

/** Returns the caller of a request, once authenticated. */
export const callerOf = (request: FastifyRequest): Caller | undefined =>
  request.getDecorator<Caller | undefined>(name)

/** Returns the contract route of a request; `undefined` for pages and unknown paths. */
export const servedRouteOf = ({ routeOptions }: FastifyRequest): Served | undefined =>
  (routeOptions.config as { served?: Served }).served
