import type { RpcAdvice } from '../../domain/error-table.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { retryAfterMs } from '../../http/backoff.ts'
import { askedWait, exchangeJson, hostOf, isWebPage, namedOnce } from '../../http/client.ts'
import { newDispatcher } from '../../http/dispatcher.ts'
import { createRedactor } from '../../http/redaction.ts'
import { secretUrlParts } from '../../http/secret-url-parts.ts'
import { batchRefusedError, busyFault, isRecord, isWriteMethod, type RpcCall, unwrap } from './envelope.ts'
import { isExecutionErrorBody, isQuotaUsedUp } from './error-table.ts'
import { isBusy } from './errors.ts'
import { quantity } from './quantities.ts'
import { asksForSyncSends } from './sync-send.ts'

/**
 * One JSON-RPC URL: its host, and one exchange within a deadline, which may wait for its turn until `until` (monotonic). RPC_UNREACHABLE without
 * an answer.
 */
export type Endpoint = {
  host: string
  exchange: (body: unknown, deadlineMs: number, until?: number) => Promise<unknown>
  /** The most calls of one exchange that its plan allows; no limit without. */
  most?: () => number
  /** The number of calls that the next exchange sends beside its own: the check of the chain. */
  beside?: () => number
}

/** How an endpoint is opened. `headers` go with every request, and their values are secrets. */
type EndpointOptions = {
  chainId?: number
  checkMs?: number
  firstMs?: number
  signal?: AbortSignal
  headers?: Readonly<Record<string, string>>
}

/** Words of header values that are no secrets. */
const isPlainWord = (word: string): boolean => word.length < 8 && /^[a-z]+$/i.test(word)

/** The secret parts of headers: each value, and the words in it, as the token after `Bearer`. */
const secretHeaderParts = (headers: Readonly<Record<string, string>>): string[] =>
  Object.values(headers)
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((part) => !isPlainWord(part))

/**
 * Opens an endpoint with its own connections. Sends no request, and errors never reveal the secrets of its URL. The chain id is checked
 * before anything is sent, and before the first answer is used; that takes at most `firstMs`.
 */
export function openEndpoint(
  url: string,
  { chainId, checkMs = 30_000, firstMs = Infinity, signal, headers: own = {} }: EndpointOptions,
): Endpoint {
  const host = hostOf(url)
  const secrets = [...secretUrlParts(url), ...secretHeaderParts(own)]
  const hide = secrets.length > 0 && { hide: createRedactor(secrets, '[secret of the RPC]') }
  const dispatcher = newDispatcher()
  const exchange: Endpoint['exchange'] = async (body, deadlineMs) => {
    const { status, headers, text, ...said } = await exchangeJson('POST', url, body, {
      dispatcher,
      deadlineMs,
      headers: own,
      takesWebPages: true,
      chainId,
      ...hide,
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      throw unreachable(host, error)
    })
    const answer = inLowerCase(text, said.body)
    if (status === 200 && answer !== undefined) return answer
    const [only] = [answer].flat()
    const error = isRecord(only) && isRecord(only.error) ? only.error : undefined
    // A refused call may have an HTTP status of its own; a failure of the server or a proxy is no answer.
    if (error && isRecord(answer) && answer.jsonrpc === '2.0' && isNodeAnswer(status, error)) return answer
    // A batch is refused by one error in place of all answers, or as too large.
    if (Array.isArray(body) && status === 500 && isRecord(answer) && answer.error) return answer
    if (Array.isArray(body) && status === 413)
      throw batchRefusedError(host, body.length, `HTTP status ${status}`)
    const waitMs = retryAfterMs(headers['retry-after'], Date.now())
    const words = typeof error?.message === 'string' ? `: ${error.message}` : ''
    const who = isWebPage({ headers, text })
      ? `The gateway in front of the node at ${host}, and not the node,`
      : `The node at ${host}`
    throw new AppError(
      'RPC_UNREACHABLE',
      `${who} answers with HTTP status ${status}${words}${askedWait(waitMs)}`,
      {
        details: {
          host,
          status,
          ...(waitMs !== undefined && { retryAfterMs: waitMs }),
          ...(status === 429 && { fault: isQuotaUsedUp(words) ? 'refused' : busyFault }),
        },
        ...([401, 402, 403].includes(status) && {
          next: (setting: string) =>
            advice`Check the key and the plan of the provider in ${setting}. To find the faulty one: ${sluice('doctor')}`,
        }),
      },
    )
  }
  /** When it last confirmed the expected chain id. */
  let right = chainId === undefined ? Infinity : -Infinity
  let longestMs = firstMs
  let checking: Promise<void> | undefined
  /** Checked once for all who ask meanwhile. */
  const checkChain = (deadlineMs: number): Promise<void> => {
    checking ??= askChain(deadlineMs).finally(() => {
      checking = undefined
    })
    return checking
  }
  const askChain = async (deadlineMs: number) => {
    const call: RpcCall = { jsonrpc: '2.0', id: 0, method: 'eth_chainId', params: [] }
    const answer = await exchange(call, Math.min(deadlineMs, longestMs)).finally(() => {
      longestMs = Infinity
    })
    const said = chainIdOf(host, call)(answer)
    right = said === chainId ? performance.now() : -Infinity
    if (said === chainId) return
    throw new AppError('CHAIN_ID_MISMATCH', `The node at ${host} is on chain ${said}, not ${chainId}`, {
      details: { host, expected: chainId, said },
    })
  }
  const isUnchecked = () => performance.now() - right >= checkMs
  return {
    host,
    beside: () => (isUnchecked() ? 1 : 0),
    exchange: async (body, deadlineMs) => {
      if (right === -Infinity) {
        const until = performance.now() + deadlineMs
        // A read may be asked beside the check: its answer is used only after that.
        const reading = isWrite(body) ? undefined : exchange(body, deadlineMs)
        reading?.catch(() => undefined)
        await checkChain(deadlineMs)
        return reading ?? exchange(body, until - performance.now())
      }
      if (!isUnchecked()) return exchange(body, deadlineMs)
      // The node may have moved to another chain. Checked in parallel, without extra time; if unanswered, it is checked first next
      // time.
      right = performance.now()
      const [answer] = await Promise.all([
        exchange(body, deadlineMs),
        checkChain(deadlineMs).catch((error: unknown) => {
          right = -Infinity
          if (!(error instanceof AppError) || error.code === 'CHAIN_ID_MISMATCH') throw error
        }),
      ])
      return answer
    },
  }
}

/** Whether a body holds a call that changes something. */
const isWrite = (body: unknown): boolean =>
  [body]
    .flat()
    .some((call) => isRecord(call) && isWriteMethod(String(call.method)) && !asksForSyncSends(call))

/** An answer with its hex in lower case for comparison: some nodes write it otherwise. */
const inLowerCase = (text: string, body: unknown): unknown =>
  body !== undefined && /"0[xX][0-9a-f]*[A-F]/.test(text)
    ? JSON.parse(text.replace(/"0[xX][0-9a-fA-F]+"/g, (hex) => hex.toLowerCase()))
    : body

/** Parses a node's chain id. A refusal is no answer for the calls that follow. */
const chainIdOf = (host: string, call: RpcCall) => (answer: unknown) => {
  try {
    return Number(quantity(unwrap(host, answer, call), 'the chain id'))
  } catch (cause) {
    if (!(cause instanceof AppError && cause.code === 'RPC_ERROR')) throw cause
    throw new AppError(
      'RPC_UNREACHABLE',
      `The node at ${host} does not return its chain ID: ${String(cause.details?.message)}`,
      {
        details: { host, fault: 'refused' },
        cause,
      },
    )
  }
}

/**
 * Whether an error is a node's answer to a call. A demand for a key or payment, or a general ban, comes from a proxy; of internal
 * errors only a failed execution is an answer.
 */
const isNodeAnswer = (status: number, error: Record<string, unknown>): boolean =>
  (status >= 400 && status < 500 && !isBusy(status) && ![401, 402, 403].includes(status)) ||
  (status === 403 && error.code === -32601) ||
  (status === 500 && isExecutionErrorBody(error))
const unreachable = (host: string, cause: unknown): AppError =>
  new AppError(
    'RPC_UNREACHABLE',
    namedOnce('The node', host, cause instanceof Error ? cause.message : 'no answer'),
    {
      details: { host, ...(cause instanceof AppError && { fault: cause.details?.fault }) },
      cause,
      ...(cause instanceof AppError && faultAdvice(cause)),
    },
  )

/** What helps against a fault of the connection. */
const faultAdvice = ({ details }: AppError): { next?: string | RpcAdvice } => {
  if (details?.fault === 'certificate')
    return {
      next: (setting) =>
        `If the issuer is your own authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem. Otherwise set another RPC in ${setting}.`,
    }
  if (details?.fault === 'proxy')
    return { next: 'Use a proxy that allows this host, or exclude the host in NO_PROXY.' }
  return details?.fault === 'redirect'
    ? {
        next: (setting) =>
          `Set the URL that it leads to in ${setting}; it often begins with https:// instead of http://.`,
      }
    : {}
}
