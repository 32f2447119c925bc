import type { ChalkInstance } from 'chalk'
import { groupedDigits } from '../../domain/amount.ts'
import { percentText } from '../../domain/price-impact-share.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'

/** A fraction as a percentage: 0.0525 is `5.25%`; an unknown one is a dash. */
export const percent = (fraction: number | null, digits = 2): string =>
  fraction === null ? '-' : percentText(fraction, digits)

/** A decimal string of dollars with thousands separators and two decimals, rounded towards zero; less than a cent is `<$0.01`, an unknown one is a dash. */
export function dollars(value: string | null): string {
  if (value === null) return '-'
  const [, sign, whole = '0', fraction = ''] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(value) ?? []
  if (/^0*$/.test(whole) && /^00/.test(fraction.padEnd(2, '0')) && /[1-9]/.test(fraction))
    return sign ? '>-$0.01' : '<$0.01'
  return `${sign ?? ''}$${groupedDigits(whole)}.${fraction.slice(0, 2).padEnd(2, '0')}`
}

/**
 * A decimal string with thousands separators: exactly, or cut to `places` decimals with a sign:
 * `~0.012345`. A value that would be zero is `<0.000001` or `>-0.000001`.
 */
export function decimal(value: string, places = Number.POSITIVE_INFINITY): string {
  const [, minus = '', whole = '', fraction = ''] = /^(-?)([0-9]+)(?:\.([0-9]*?)0*)?$/.exec(value) ?? []
  if (whole === '') return value
  const kept = fraction.slice(0, places).replace(/0+$/, '')
  const text = `${minus}${groupedDigits(whole)}${kept ? `.${kept}` : ''}`
  if (fraction.length <= places) return text
  const isNothing = kept === '' && /^0+$/.test(whole)
  return isNothing ? `${minus ? '>-' : '<'}0.${'0'.repeat(places - 1)}1` : `~${text}`
}

/** An amount with its symbol: `1,234.5 USDC`, by the rules of `decimal`; an unknown one is a dash. */
export const amountShown = (
  amount: { formatted: string; symbol: string } | null | undefined,
  places?: number,
): string => (amount ? `${decimal(amount.formatted, places)} ${sanitizeText(amount.symbol)}` : '-')

/** An ISO time for people, in UTC: `2026-11-21 12:05:26Z`. */
export const utcTime = (iso: string | null): string =>
  iso === null ? '-' : iso.replace('T', ' ').replace(/\.[0-9]+Z$/, 'Z')

/** A word of state in its colour. */
export function stateWord(word: string, paint: ChalkInstance): string {
  const upper = word.toUpperCase()
  if (['SUCCESS', 'DONE', 'FULFILLED', 'CONFIRMED'].includes(upper)) return paint.green(word)
  if (['FAILED', 'REFUNDED', 'EXPIRED', 'CANCELLED', 'ATTENTION'].includes(upper)) return paint.red(word)
  return paint.yellow(word)
}

/** A whole number of smallest units in units, exactly: `100500000` with 6 decimals is `100.5`. */
export function formatUnits(raw: string, decimals: number): string {
  const [, sign = '', digits = '0'] = /^(-?)([0-9]+)$/.exec(raw) ?? []
  const padded = digits.padStart(decimals + 1, '0')
  const cut = padded.length - decimals
  const fraction = padded.slice(cut).replace(/0+$/, '')
  return `${sign}${padded.slice(0, cut)}${fraction === '' ? '' : `.${fraction}`}`
}
