/** What a service says about the end of an endpoint, in epoch ms: since when it is deprecated, and when it is gone. */
export type Retirement = { deprecatedAt: number | null; goneAt: number | null }

/** The latest time of a year with four digits, in epoch ms. */
const latest = Date.UTC(9999, 11, 31)

const timeIn = (ms: number): number | null => (Number.isFinite(ms) && ms >= 0 && ms <= latest ? ms : null)

/**
 * Reads the `Deprecation` (RFC 9745, `@` and epoch seconds) and `Sunset` (RFC 8594, an HTTP date) headers of an answer; `undefined` without a
 * readable one. Header names are in lower case.
 */
export function retirementIn(headers: Readonly<Record<string, string>>): Retirement | undefined {
  const [, seconds] = /^\s*@(\d{1,12})\s*(?:;|$)/.exec(headers.deprecation ?? '') ?? []
  const sunset = headers.sunset?.trim() ?? ''
  const deprecatedAt = seconds === undefined ? null : timeIn(Number(seconds) * 1_000)
  // Date.parse reads other formats too; an HTTP date ends with GMT.
  const goneAt = /^[A-Za-z]{3,9},? .{10,30} GMT$/.test(sunset) ? timeIn(Date.parse(sunset)) : null
  return deprecatedAt === null && goneAt === null ? undefined : { deprecatedAt, goneAt }
}
