import { z } from 'zod'
import { AppError } from '../domain/errors.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
import { createRedactor } from '../http/redaction.ts'
import { type PublicService, publicServices, serviceVariable } from '../protocols/public-services.ts'
import type { ApiAnswer, SwapDependencies } from './provider-dependencies.ts'
import { refusalError, type ServiceRefusals } from './service-answers/service-refusals.ts'

/** An amount in the JSON of an aggregator's service: a decimal string, in the smallest unit. */
export const ServiceAmount = z.string().regex(/^\d{1,78}$/)

/** Sends requests to a provider's service. It throws what the service refuses with a status of 429 or above, or does not answer. */
export type ProviderApi = {
  get: (path: string, signal?: AbortSignal) => Promise<ApiAnswer>
  post: (path: string, body: unknown, signal?: AbortSignal) => Promise<ApiAnswer>
  /** The error for an answer that was not understood: the service's refusal, else that it did `what`. */
  refused: (answer: ApiAnswer, what: string) => AppError
  /** The same for the call of a quote: what has no route any more has expired. */
  refusedCall: (answer: ApiAnswer, what: string) => AppError
}

/**
 * Opens a provider's service. `label` is its name in messages, `service` its name as a public service, whose key it gets, `refusals` its table. Responses are untrusted: those with a status below 429
 * go to the caller, which parses the body. `headers` can be computed per request, for services that require signed requests; their values are
 * never shown.
 */
export function providerApi(
  {
    provider,
    label,
    service,
    base,
    headers,
    refusals,
  }: {
    provider: string
    label: string
    service: PublicService
    base: string
    headers: Headers | HeadersFor
    refusals: ServiceRefusals
  },
  exchangeJson: SwapDependencies['exchangeJson'],
): ProviderApi {
  const secrets = new Set<string>()
  const errorOf = (answer: ApiAnswer, isBuild = false, what?: string): AppError | undefined =>
    refusalError({
      provider,
      label,
      refusals,
      takesKey: publicServices[service].key !== 'none',
      answer,
      isBuild,
      ...(what !== undefined && { what }),
      hide: createRedactor([...secrets], '[secret]'),
    })
  const ask = async (request: { path: string; body?: unknown; signal?: AbortSignal | undefined }) => {
    const sent = typeof headers === 'function' ? await headers(signable(base, request)) : headers
    for (const value of Object.values(sent))
      for (const part of [value, value.replace(/^Bearer /, '')]) if (part.length >= 8) secrets.add(part)
    // A path must not lead to another host, which would get the headers.
    if (new URL(base + request.path).origin !== new URL(base).origin)
      throw new AppError('PROVIDER_API_ERROR', `A request to ${label} would leave its host`, {
        details: { provider },
      })
    const answer = await exchangeJson({
      service,
      url: base + request.path,
      headers: sent,
      body: request.body,
      signal: request.signal,
    }).catch((cause: unknown) => {
      if (!(cause instanceof AppError) || !cause.code.startsWith('SERVICE_')) throw cause
      const isMoved = cause.details?.fault === 'redirect'
      const isGateway = cause.details?.fault === 'gateway'
      const what = isMoved ? 'has moved' : isGateway ? 'does not answer' : undefined
      throw new AppError(
        'PROVIDER_API_ERROR',
        `The service of ${label} ${what === undefined ? 'returned an invalid response' : `${what}: ${cause.message}`}`,
        {
          details: { provider, ...(isMoved && { refusal: 'request' }) },
          cause,
          ...(isMoved && {
            next: advice`Set its new URL in ${serviceVariable(service)}: ${sluice('config list')}`,
          }),
        },
      )
    })
    const refusal = answer.status >= 429 ? errorOf(answer) : undefined
    if (refusal) throw refusal
    return answer
  }
  const refused = (answer: ApiAnswer, what: string, isBuild: boolean) =>
    errorOf(answer, isBuild, what) ?? unusableResponseError(provider, `${label} ${what}`, answer.status)
  return {
    get: (path, signal) => ask({ path, signal }),
    post: (path, body, signal) => ask({ path, body, signal }),
    refused: (answer, what) => refused(answer, what, false),
    refusedCall: (answer, what) => refused(answer, what, true),
  }
}

type Headers = ApiAnswer['headers']
type HeadersFor = (request: RequestToSign) => Promise<Headers>

/** The parts of a request that a service may require to be signed; `body` is the text to send, empty without a body. */
export type RequestToSign = { method: 'GET' | 'POST'; uri: string; body: string }

function signable(base: string, { path, body }: { path: string; body?: unknown }): RequestToSign {
  const { pathname, search } = new URL(base + path)
  const text = body === undefined ? '' : JSON.stringify(body)
  return { method: body === undefined ? 'GET' : 'POST', uri: pathname + search, body: text }
}

/** The error for an unusable response of a provider's service. */
export const unusableResponseError = (provider: string, message: string, status: number): AppError =>
  new AppError('PROVIDER_API_ERROR', message, { details: { provider, status } })
