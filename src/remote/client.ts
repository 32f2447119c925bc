import { randomUUID } from 'node:crypto'
import { missingHeader, parseMissingHeader } from '../api/missing-networks.ts'
import { History } from '../api/position-history.ts'
import { routes } from '../api/routes.ts'
import type { CallOptions, Service } from '../api/service-type.ts'
import { historyStatuses, historyTypes, swapStatuses } from '../api/status-and-history-words.ts'
import { Wallet } from '../api/wallet-positions.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import { checkedApiKey, checkedServiceUrl } from '../domain/service-url-and-key.ts'
import { actionStatuses, wordOf } from '../domain/swap-outcome.ts'
import type { HttpAnswer } from '../http/client.ts'
import {
  completeQuote,
  isMissingPage,
  olderPageInstead,
  olderPageOf,
  type TokenAt,
} from './older-endpoints.ts'
import type { RateLimiter, Wait } from './rate-limiter.ts'
import { createRequester, type RouteRequest, type TracedExchange } from './request.ts'
import { isRepeatable, isWrite, readBackOf } from './unconfirmed-writes.ts'

/**
 * A deployment of the service and its API key. `deadlineMs` limits one call with all retries; `limitMs` limits the additional waiting for
 * rate limits. `legacyBaseUrl` is the base URL of the older endpoints; the key is sent there, too. `tokenAt` reads tokens locally.
 * Callbacks: `onWait` before each wait, in seconds; `onClockDifference` once if the clocks differ by more than five minutes, in ms;
 * `onUnknownWord` once per unknown word; `onMissingNetwork` once per network that is left out of a response.
 */
export type Deployment = {
  baseUrl: string
  legacyBaseUrl?: string | undefined
  apiKey: string
  deadlineMs?: number
  limitMs?: () => number
  now?: () => number
  governor?: RateLimiter
  tokenAt?: TokenAt
  onClockDifference?: (byMs: number) => void
  onUnknownWord?: (word: UnknownWord) => void
  onMissingNetwork?: (network: string) => void
  onWait?: (seconds: number, why: Wait) => void
  onExchange?: (exchange: TracedExchange) => void
  onAnswer?: (name: keyof Service, answer: HttpAnswer) => void
}

/** The methods whose responses may lack networks. */
const methodsWithMissing: readonly (keyof Service)[] = [
  'listStrategies',
  'recommend',
  'getWallet',
  'listActions',
]

const toleranceMs = 5 * 60_000
const nothing = () => undefined

/** A service over HTTP: each method is one exchange. Requests without side effects are retried at most three times. */
export function remoteService(deployment: Deployment): Service {
  const { now = Date.now, deadlineMs = 15_000, tokenAt = async () => undefined } = deployment
  const base = checkedServiceUrl(deployment.baseUrl, 'base URL')
  const legacy =
    deployment.legacyBaseUrl === undefined
      ? undefined
      : checkedServiceUrl(deployment.legacyBaseUrl, 'legacy base URL')
  const ask = createRequester({
    apiKey: checkedApiKey(deployment.apiKey),
    deadlineMs,
    limitMs: deployment.limitMs ?? (() => deadlineMs),
    now,
    governor: deployment.governor,
    onWait: deployment.onWait ?? nothing,
    onExchange: deployment.onExchange ?? nothing,
  })
  const report = onceReporters(deployment, now)
  const call = async (
    name: keyof Service,
    input: unknown,
    { signal, isDraft }: CallOptions,
  ): Promise<unknown> => {
    const complete = name === 'quote' && {
      complete: (body: unknown, sent: object) => completeQuote(body, sent, tokenAt),
    }
    let left: string[] = []
    const back = readBackOf(name, input)
    const readBack = back && {
      readBack: (): Promise<unknown> => call(back[0], back[1], { ...(signal && { signal }) }),
    }
    // One key for all tries of this call.
    const write = isWrite(name) && {
      write: { name, key: isRepeatable(name) ? randomUUID() : undefined },
    }
    const at = (url: string, route: RouteRequest, isHeard = true) =>
      ask(url, { ...route, ...complete, ...readBack, ...write }, input, {
        signal,
        isDraft,
        onAnswer: (answer) => {
          report.clock(answer)
          if (methodsWithMissing.includes(name))
            left = parseMissingHeader(answer.headers[missingHeader] ?? '')
          if (isHeard) deployment.onAnswer?.(name, answer)
        },
      })
    const stats = async (wallet: Wallet): Promise<Wallet> => {
      if (wallet.stats !== null || legacy === undefined) return wallet
      const older = (await at(legacy, olderPageOf(name)!, false).catch(undefinedIfNotFound)) as
        | Wallet
        | undefined
      return { ...wallet, stats: older?.stats ?? null }
    }
    const result = await at(base, routes[name]).catch((error: unknown) => {
      const nothing = nothingThere(name, input, error)
      if (nothing !== undefined) return nothing
      const older = legacy !== undefined && isMissingPage(error) ? olderPageInstead(name, input) : undefined
      if (older === undefined) throw error
      // The current route's schema also reads the older shapes.
      return at(legacy!, { ...older, output: routes[name].output })
    })
    for (const one of unknownWords(name, result)) report.unknown(one)
    const lacking = left
    if (name !== 'listActions') for (const network of lacking) report.missing(network)
    const value = name === 'getWallet' ? await stats(result as Wallet) : result
    return lacking.length > 0 ? { ...(value as object), missing: lacking } : value
  }
  const methods = (Object.keys(routes) as (keyof Service)[]).map((name) => [
    name,
    (input: unknown, options: CallOptions = {}) => call(name, input, options),
  ])
  return Object.fromEntries(methods) as Service
}

/** Treats a 404 as no result. */
function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof AppError && errorRow(error.code).status === 404) return undefined
  throw error
}

/** Reports the clock difference, each unknown word and each missing network only once. */
function onceReporters(
  { onClockDifference, onUnknownWord, onMissingNetwork }: Deployment,
  now: () => number,
) {
  let isClockReported = false
  const reportedWords = new Set<string>()
  const reportedNetworks = new Set<string>()
  return {
    clock: ({ headers }: HttpAnswer) => {
      const byMs = Date.parse(headers.date ?? '') - now()
      if (isClockReported || !(Math.abs(byMs) > toleranceMs)) return
      isClockReported = true
      onClockDifference?.(byMs)
    },
    missing: (network: string) => {
      if (reportedNetworks.has(network)) return
      reportedNetworks.add(network)
      onMissingNetwork?.(network)
    },
    unknown: (one: UnknownWord) => {
      const key = JSON.stringify(one)
      if (reportedWords.has(key)) return
      reportedWords.add(key)
      onUnknownWord?.(one)
    },
  }
}

/** A word that this version does not know, and the field that it is from. */
export type UnknownWord = { of: string; word: string }

type CheckedWord = readonly [of: string, known: readonly string[], word: string | null]

/** The words to check in each method's response. */
const knownWords: { [name in keyof Service]?: (value: Awaited<ReturnType<Service[name]>>) => CheckedWord[] } =
  {
    getAction: ({ status }) => [['status of an action', actionStatuses, status]],
    listActions: ({ items }) =>
      items.map(({ status }): CheckedWord => ['status of an action', actionStatuses, status]),
    swapStatus: (swap) => [['status of a swap', swapStatuses, wordOf(swap)]],
    quote: ({ quote }) => [['status of a quote', swapStatuses, quote.status]],
    listQuotes: ({ items }) =>
      items.map(({ status }): CheckedWord => ['status of a quote', swapStatuses, status]),
    walletHistory: ({ items }) =>
      items.flatMap(({ type, status }): CheckedWord[] => [
        ['type of an event of the history', historyTypes, type],
        ['status of an event of the history', historyStatuses, status],
      ]),
  }

/** All words of a response that this version does not know; they are passed on unchanged. */
export function unknownWords(name: keyof Service, value: unknown): UnknownWord[] {
  const words = (knownWords[name] as ((value: unknown) => CheckedWord[]) | undefined)?.(value) ?? []
  return words.flatMap(([of, known, word]) => (word === null || known.includes(word) ? [] : [{ of, word }]))
}

type Empty = { [name in keyof Service]?: (input: never) => Awaited<ReturnType<Service[name]>> }

/** The empty results of the methods for which a 404 says that there is nothing (the specification: "address not found or has no positions"). */
const empty: Empty = {
  getWallet: ({ address }: { address: string }) =>
    Wallet.decode({ address, positions: [], totalValueUSD: '0' } as never),
  walletHistory: () => History.decode({ transactions: [], page: 1, totalPages: 0, total: 0 }),
}

const other = /\b(strategy|endpoint|route|page)\b/i

/**
 * The empty result that a 404 means; `undefined` for any other error. Its code or message must speak of the wallet or of what it lacks: a
 * missing endpoint, whose message repeats the path, and an unknown strategy stay errors.
 */
function nothingThere(name: keyof Service, input: unknown, error: unknown): unknown {
  if (!(error instanceof AppError) || errorRow(error.code).status !== 404) return undefined
  const { code = error.code, said = '' } = error.details ?? {}
  const words = `${code} ${error.message} ${said}`.replace(/\S*\/\S*/g, '').replaceAll('_', ' ')
  const isAboutWallet = /\b(wallets?|address|positions?|transactions?|history)\b/i.test(words)
  const isAboutOther = (name === 'getWallet' ? /\b(endpoint|route|page)\b/i : other).test(words)
  return isAboutWallet && !isAboutOther ? empty[name]?.(input as never) : undefined
}
