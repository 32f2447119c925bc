import { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import { exchangeJson } from '../http/client.ts'
import type { ApiAnswer, SwapDependencies } from './provider-dependencies.ts'

/** An amount in the JSON of an aggregator's service: a decimal string, in the smallest unit. */
export const Amount = z.string().regex(/^\d{1,78}$/)

/** Sends requests to a provider's service. PROVIDER_API_ERROR if it fails, limits the rate or does not answer. */
export type ProviderApi = {
  get: (path: string, signal?: AbortSignal) => Promise<ApiAnswer>
  post: (path: string, body: unknown, signal?: AbortSignal) => Promise<ApiAnswer>
}

/**
 * Opens a provider's service. `label` is its name in messages. Responses are untrusted: those with a status below 500 go to the caller,
 * which parses the body. `headers` can be computed per request, for services that require signed requests.
 */
export function providerApi(
  {
    provider,
    label,
    base,
    headers,
  }: { provider: string; label: string; base: string; headers: Headers | HeadersFor },
  exchangeJson: SwapDependencies['exchangeJson'],
): ProviderApi {
  const ask = async (request: { path: string; body?: unknown; signal?: AbortSignal | undefined }) => {
    const answer = await exchangeJson({
      url: base + request.path,
      headers: typeof headers === 'function' ? await headers(signable(base, request)) : headers,
      body: request.body,
      signal: request.signal,
    }).catch((cause: unknown) => {
      if (!(cause instanceof AppError) || !cause.code.startsWith('SERVICE_')) throw cause
      const isMoved = cause.details?.fault === 'redirect'
      throw new AppError(
        'PROVIDER_API_ERROR',
        `The service of ${label} ${isMoved ? `has moved: ${cause.message}` : 'returned an invalid response'}`,
        {
          details: { provider },
          cause,
          ...(isMoved && { hint: 'Set its new URL, SLUICE_<NAME>_URL: sluice config list' }),
        },
      )
    })
    const { status } = answer
    if (status === 429) throw limited(provider, label, answer)
    if (status >= 500)
      throw unusableResponseError(
        provider,
        `The service of ${label} returned the HTTP status ${status}`,
        status,
      )
    return answer
  }
  return {
    get: (path, signal) => ask({ path, signal }),
    post: (path, body, signal) => ask({ path, body, signal }),
  }
}

type Headers = ApiAnswer['headers']
type HeadersFor = (request: Signable) => Promise<Headers>

/** The parts of a request that a service may require to be signed; `body` is the text to send, empty without a body. */
export type Signable = { method: 'GET' | 'POST'; uri: string; body: string }

function signable(base: string, { path, body }: { path: string; body?: unknown }): Signable {
  const { pathname, search } = new URL(base + path)
  const text = body === undefined ? '' : JSON.stringify(body)
  return { method: body === undefined ? 'GET' : 'POST', uri: pathname + search, body: text }
}

/** The error for an unusable response of a provider's service. */
export const unusableResponseError = (provider: string, message: string, status: number): AppError =>
  new AppError('PROVIDER_API_ERROR', message, { details: { provider, status } })

/** The longest wait of a `retry-after` header that is reported, in seconds. */
const mostWaitSeconds = 86_400

function limited(provider: string, label: string, { status, headers }: ApiAnswer): AppError {
  const seconds = /^\d{1,5}$/.test(headers['retry-after'] ?? '') ? Number(headers['retry-after']) : null
  const wait = seconds !== null && seconds <= mostWaitSeconds ? seconds : null
  return new AppError(
    'PROVIDER_API_ERROR',
    `The service of ${label} limits requests${wait === null ? '' : `; it accepts the next one in ${wait} s`}`,
    { details: { provider, status, retryAfterSeconds: wait } },
  )
}

/** Sends a request to the service of a provider over HTTP. */
export const serviceExchange: SwapDependencies['exchangeJson'] = ({ url, body, headers = {}, signal }) =>
  exchangeJson(body === undefined ? 'GET' : 'POST', url, body, { headers, ...(signal && { signal }) })
