import { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import { exchangeJson } from '../http/client.ts'
import type { ApiAnswer, SwapDependencies } from './provider-dependencies.ts'

/** An amount as the services of aggregators write it, in the smallest unit. */
export const Amount = z.string().regex(/^\d{1,78}$/)

/** The service of a provider: requests below one base URL. PROVIDER_API_ERROR if it fails, limits the requests or does not answer. */
export type ProviderApi = {
  get: (path: string, signal?: AbortSignal) => Promise<ApiAnswer>
  post: (path: string, body: unknown, signal?: AbortSignal) => Promise<ApiAnswer>
}

/**
 * Opens the service of a provider. `label` is its name in messages. What it answers is data of a stranger: a status below 500 is given
 * to the caller, who parses the body. `headers` may be made for each request: for its method, its path with the query, and its body.
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
      throw new AppError('PROVIDER_API_ERROR', `The service of ${label} does not answer as it should`, {
        details: { provider },
        cause,
      })
    })
    const { status } = answer
    if (status === 429) throw limited(provider, label, answer)
    if (status >= 500)
      throw badAnswer(provider, `The service of ${label} answers with the HTTP status ${status}`, status)
    return answer
  }
  return {
    get: (path, signal) => ask({ path, signal }),
    post: (path, body, signal) => ask({ path, body, signal }),
  }
}

type Headers = ApiAnswer['headers']
type HeadersFor = (request: Signable) => Promise<Headers>

/** What of a request a service may want to be signed; `body` is the text that is sent, empty without one. */
export type Signable = { method: 'GET' | 'POST'; uri: string; body: string }

function signable(base: string, { path, body }: { path: string; body?: unknown }): Signable {
  const { pathname, search } = new URL(base + path)
  const text = body === undefined ? '' : JSON.stringify(body)
  return { method: body === undefined ? 'GET' : 'POST', uri: pathname + search, body: text }
}

/** The error for an answer of a provider's service that cannot be used. */
export const badAnswer = (provider: string, message: string, status: number): AppError =>
  new AppError('PROVIDER_API_ERROR', message, { details: { provider, status } })

/** The longest wait that a service may ask for, in seconds; a longer one is not repeated. */
const mostWaitSeconds = 86_400

function limited(provider: string, label: string, { status, headers }: ApiAnswer): AppError {
  const seconds = /^\d{1,5}$/.test(headers['retry-after'] ?? '') ? Number(headers['retry-after']) : null
  const wait = seconds !== null && seconds <= mostWaitSeconds ? seconds : null
  return new AppError(
    'PROVIDER_API_ERROR',
    `The service of ${label} limits the requests${wait === null ? '' : `, and takes the next one in ${wait} s`}`,
    { details: { provider, status, retryAfterSeconds: wait } },
  )
}

/** Sends a request to the service of a provider over HTTP. */
export const serviceExchange: SwapDependencies['exchangeJson'] = ({ url, body, headers = {}, signal }) =>
  exchangeJson(body === undefined ? 'GET' : 'POST', url, body, { headers, ...(signal && { signal }) })
