/** What a service says about the end of an endpoint, in epoch ms: since when it is deprecated, and when it is gone. */
export type Retirement = { deprecatedAt: number | null; goneAt: number | null }

/** The latest time of a year with four digits, in epoch ms. */
const latest = Date.UTC(9999, 11, 31)

const timeIn = (ms: number): number | null => (Number.isFinite(ms) && ms >= 0 && ms <= latest ? ms : null)

/** An HTTP date in epoch ms; `null` for other text. `Date.parse` reads other formats too; an HTTP date ends with GMT. */
const httpDate = (text: string): number | null =>
  /^[A-Za-z]{3,9},? .{10,30} GMT$/.test(text) ? timeIn(Date.parse(text)) : null

/**
 * Reads the `Deprecation` header (RFC 9745, `@` and epoch seconds; its drafts had an HTTP date or `true`) and the `Sunset` header (RFC 8594,
 * an HTTP date) of an answer; `undefined` without a readable one. Header names are in lower case.
 */
export function retirementIn(headers: Readonly<Record<string, string>>): Retirement | undefined {
  const [deprecation, sunset] = [headers.deprecation?.trim() ?? '', headers.sunset?.trim() ?? '']
  const [, seconds] = /^@(\d{1,12})\s*(?:;|$)/.exec(deprecation) ?? []
  const deprecatedAt = seconds === undefined ? httpDate(deprecation) : timeIn(Number(seconds) * 1_000)
  const goneAt = httpDate(sunset)
  const isStated = deprecatedAt !== null || goneAt !== null || /^(true|\?1)$/i.test(deprecation)
  return isStated ? { deprecatedAt, goneAt } : undefined
}
