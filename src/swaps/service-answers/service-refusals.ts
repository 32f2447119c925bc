import { AppError } from '../../domain/errors.ts'
import { type RefusalMeaning, refusalMeanings, waitText } from '../../domain/refusal-meanings.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { retryAfterMs } from '../../http/backoff.ts'
import type { ApiAnswer } from '../provider-dependencies.ts'

/** What a refusal means, and as a predicate of the service's name what it says. */
type Refusal = readonly [meaning: RefusalMeaning, words: string]

/**
 * The refusals of a service: the fields of its error body that hold the code and the sentence, and what its codes mean. `sentences` are for
 * what only the sentence tells; they decide before the codes. `statuses` are for refusals without a known code, in addition to the usual
 * meaning of an HTTP status.
 */
export type ServiceRefusals = {
  codeField: string | null
  sentenceField: string
  codes: Readonly<Record<string, Refusal>>
  sentences?: readonly (readonly [RegExp, ...Refusal])[]
  statuses?: Readonly<Record<number, Refusal>>
}

/** The longest code and sentence of a service that are shown, in characters. */
const longest = { code: 60, sentence: 300 }

/** The longest wait that is reported, in seconds. */
const longestWaitSeconds = 86_400

/** What an HTTP status means by itself. */
function refusalOfStatus(status: number, takesKey: boolean): Refusal {
  if (status === 401 || status === 403)
    return takesKey ? ['key', 'does not accept the API key, or needs one'] : ['request', 'refuses access']
  if (status === 408) return ['fault', 'did not answer in time']
  if (status === 429) return ['limit', 'limits requests']
  if (status === 503) return ['maintenance', 'is not in service now']
  if (status === 501) return ['request', 'does not offer this request']
  return status >= 500 ? ['fault', 'has a fault of its own'] : ['request', 'refuses the request']
}

type Body = Readonly<Record<string, unknown>>

/** A value of a service's error body as text of one line, the texts of a list one after the other; `undefined` for anything else. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value))
    return value
      .flatMap((one) => textOf(one) ?? [])
      .join('; ')
      .trim()
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return sanitizeText(text.replaceAll(/\s+/g, ' ')).trim() || undefined
}

/** The fields in which services put their sentence, where it is not in the one of their table. */
const usualFields = ['message', 'error', 'description', 'detail', 'details', 'reason', 'errors'] as const

/** The sentence of an error body that is a text, not fields; `undefined` for markup, such as the page of a gateway. */
function plainSentence({ body, text }: Pick<ApiAnswer, 'body' | 'text'>): string | undefined {
  const said = textOf(typeof body === 'string' ? body : body === undefined ? text : undefined)
  return said?.startsWith('<') ? undefined : said
}

/** The sentence of a service's error body: in the field of its table, else in a usual one, also one level deeper. */
function sentenceIn(body: Body, field: string): string | undefined {
  const found = [field, ...usualFields].map((name) => body[name])
  const deeper = found.flatMap((value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? usualFields.map((name) => (value as Body)[name])
      : [],
  )
  return [...found, ...deeper].map(textOf).find(Boolean)
}

/**
 * The seconds until a limit ends, from `Retry-After` (seconds or a date) or `RateLimit-Reset` (seconds, or a time in Unix seconds);
 * `null` if neither says so within a day.
 */
export function secondsOfLimit(headers: ApiAnswer['headers'], now: number): number | null {
  const reset = headers['ratelimit-reset'] ?? headers['x-ratelimit-reset']
  const isTime = /^\d{10}$/.test(reset ?? '')
  const stated = isTime ? String(Math.max(1, Number(reset) - Math.floor(now / 1000))) : reset
  for (const header of [headers['retry-after'], stated]) {
    const ms = retryAfterMs(header, now, Infinity)
    if (ms !== undefined && ms <= longestWaitSeconds * 1000) return Math.ceil(ms / 1000)
  }
  return null
}

/** A refusal as a service gave it: who, and the answer. `hide` removes secrets from its texts. */
type Refused = {
  provider: string
  label: string
  refusals: ServiceRefusals
  /** Whether requests to the service can carry a key. */
  takesKey: boolean
  answer: Pick<ApiAnswer, 'status' | 'headers' | 'body' | 'text'>
  hide?: (text: string) => string
  /** What the answer lacks, as a predicate of the service's name, such as that it did not return a quote. */
  what?: string
  /** Whether a call for a given quote was asked for: what was quoted and has no route now has expired. */
  isBuild?: boolean
}

/**
 * The error for a service's refusal: by its code or sentence if the table has it, else by its status. The service's own code and, unless the
 * code has words of ours, its sentence are shown, sanitised and shortened. `undefined` for a body without a refusal and a status below 400.
 */
export function refusalError({
  provider,
  label,
  refusals: { codeField, sentenceField, codes, sentences = [], statuses = {} },
  takesKey,
  answer,
  hide = (text) => text,
  what,
  isBuild = false,
}: Refused): AppError | undefined {
  const { status, headers, body } = answer
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Body
  const said = sentenceIn(fields, sentenceField) ?? plainSentence(answer)
  const code = codeField === null ? undefined : textOf(fields[codeField])?.slice(0, longest.code)
  const sentence = said === undefined ? undefined : hide(said).slice(0, longest.sentence)
  const bySentence = sentences.find(([pattern]) => said !== undefined && pattern.test(said))
  const known: Refusal | undefined = bySentence
    ? [bySentence[1], bySentence[2]]
    : code !== undefined && Object.hasOwn(codes, code)
      ? codes[code]
      : undefined
  if (known === undefined && status < 400) return undefined
  const [is, words] = known ?? statuses[status] ?? refusalOfStatus(status, takesKey)
  const meaning = isBuild && is === 'no-route' ? 'expired' : is
  const wait = meaning === 'limit' ? secondsOfLimit(headers, Date.now()) : null
  const isQuoted = (!known || bySentence !== undefined) && sentence !== undefined && meaning !== 'limit'
  const isOfStatus = code === undefined && !bySentence && meaning !== 'limit'
  return new AppError(
    refusalMeanings[meaning].code,
    [
      known || what === undefined ? `${label} ${words}` : `${label} ${what}: it ${words}`,
      wait === null ? '' : `; it accepts the next one in ${waitText(wait)}`,
      isQuoted ? `: "${sentence}"` : '',
      isOfStatus ? ` (the HTTP status ${status})` : code === undefined ? '' : ` (${code})`,
    ].join(''),
    {
      details: {
        provider,
        status,
        refusal: meaning,
        serviceCode: code ?? null,
        serviceMessage: sentence ?? null,
        ...(meaning === 'limit' && { retryAfterSeconds: wait }),
      },
    },
  )
}

/** For a service that refuses nothing in words of its own. */
export const statusRefusals: ServiceRefusals = { codeField: 'code', sentenceField: 'message', codes: {} }

/** What both statuses of a rejected API key mean, in words that name where the key comes from. */
export const keyRefusals = (words: string): Readonly<Record<number, Refusal>> => ({
  401: ['key', words],
  403: ['key', words],
})
