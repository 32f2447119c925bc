import { formatUnits, parseUnits } from 'viem/utils'
import { z } from 'zod'
import type { FlagName } from './command-line/flags.ts'
import { AppError } from './errors.ts'
import { type Advice, advice, corrected, eachAdvice, ownHelp, sameWith } from './text/next-step.ts'
import type { Unit } from './token.ts'

/**
 * Returns the plain decimals that a malformed amount may mean: with a sign, an exponent, hex, separators, or too many
 * decimals. Two if it is ambiguous, none if it is unreadable.
 */
function readingsOf(text: string, decimals: number): string[] {
  const typed = text.trim()
  const [, digits, power] = /^([0-9.]+)e([+-]?[0-9]{1,2})$/i.exec(typed) ?? []
  const plain = /^[0-9]*(\.[0-9]*)?$/
  const all =
    digits !== undefined
      ? [shifted(digits, Number(power))]
      : /^0x[0-9a-f]{1,64}$/i.test(typed)
        ? [BigInt(typed).toString()]
        : plain.test(typed.replace(/^[+-]/, ''))
          ? [typed.replace(/^[+-]/, '')]
          : separated(typed)
  return all.filter((one) => plain.test(one)).flatMap((one) => written(one, decimals))
}

/** Reads thousands separators, or a comma as the decimal point. */
function separated(typed: string): string[] {
  const isGrouped = /^[0-9]{1,3}([,_' ][0-9]{3})+(\.[0-9]+)?$/.test(typed)
  const isComma = /^[0-9]+,[0-9]+$/.test(typed)
  // As in much of Europe and Latin America: 1.000,50.
  const [, whole, cents] = /^([0-9]{1,3}(?:[._' ][0-9]{3})+),([0-9]+)$/.exec(typed) ?? []
  if (whole !== undefined) return [`${whole.replace(/[._' ]/g, '')}.${cents}`]
  if (/^[0-9]{1,3}(\.[0-9]{3}){2,}$/.test(typed)) return [typed.replaceAll('.', '')]
  return [...(isGrouped ? [typed.replace(/[,_' ]/g, '')] : []), ...(isComma ? [typed.replace(',', '.')] : [])]
}

/** Moves the decimal point of a number. */
function shifted(digits: string, by: number): string {
  const [whole = '', fraction = ''] = digits.split('.')
  const all = `${'0'.repeat(Math.max(0, -by))}${whole}${fraction}${'0'.repeat(Math.max(0, by))}`
  const at = Math.max(0, -by) + whole.length + by
  return `${all.slice(0, at)}.${all.slice(at)}`
}

/** Normalizes a number and cuts it to the token's decimals; empty if nothing is left. */
function written(one: string, decimals: number): string[] {
  const [whole = '', fraction = ''] = one.split('.')
  const kept = fraction.slice(0, decimals).replace(/0+$/, '')
  const text = `${whole.replace(/^0+(?=[0-9])/, '') || '0'}${kept && `.${kept}`}`
  return /[1-9]/.test(text) ? [text] : []
}

/** 2^256 - 1: the largest amount. In a withdrawal it means the whole balance, by convention of this service. */
export const maxUint256 = 2n ** 256n - 1n

/** A token amount in its smallest unit: `bigint` inside, a decimal string on the wire. No sign, exponent, hex or leading zero. */
export const Units = z.codec(
  z.string().regex(/^(0|[1-9][0-9]{0,77})$/, 'expected a whole number in the smallest unit'),
  z.bigint(),
  {
    decode: (text, ctx) => {
      const value = BigInt(text)
      if (value > maxUint256) ctx.issues.push({ code: 'custom', message: 'is above 2^256 - 1', input: text })
      return value
    },
    encode: (value) => value.toString(),
  },
)

/** An amount with a sign, such as the rest after costs. */
export const SignedUnits = z.codec(
  z.string().regex(/^(0|-?[1-9][0-9]{0,77})$/, 'expected a whole number in the smallest unit'),
  z.bigint(),
  { decode: BigInt, encode: (value) => value.toString() },
)

/** A token amount as JSON prints it. */
export type TokenAmount = { raw: string; decimals: number; symbol: string; formatted: string }

/** Converts an amount in the smallest unit to its `--json` form. */
export const tokenAmount = (raw: bigint, { symbol, decimals }: Unit): TokenAmount => ({
  raw: raw.toString(),
  decimals,
  symbol,
  formatted: formatUnits(raw, decimals),
})

/** Amounts of at least half the uint256 range are called unlimited: no token has so much, only an allowance. */
export const unlimitedThreshold = 2n ** 255n

/** Formats an amount for people: `100.5 USDC`, or `unlimited USDC`. */
export const formatAmount = (raw: bigint, unit: Unit): string =>
  `${raw >= unlimitedThreshold ? 'unlimited' : groupedDigits(formatUnits(raw, unit.decimals))} ${unit.symbol}`

/** A decimal number with thousands separators, for people: `49,912.600455`. */
export const groupedDigits = (number: string): string =>
  number.replace(/\B(?<!\.[0-9]*)(?=([0-9]{3})+(?![0-9]))/g, ',')

/** A text without the separators of thousands: older plans and evidence were written without them. */
export const ungrouped = (text: string): string => text.replace(/(?<=[0-9]),(?=[0-9]{3}(?![0-9]))/g, '')

/** The number of an amount for people, without its symbol: `100.5`, or `unlimited`. */
export const writtenAmount = ({ raw, formatted }: Pick<TokenAmount, 'raw' | 'formatted'>): string =>
  /^[0-9]{1,78}$/.test(raw) && BigInt(raw) >= unlimitedThreshold ? 'unlimited' : formatted

/** Where an amount was typed. */
type Place = FlagName | 'operand'

/**
 * Parses an amount in units of the token, with or without its symbol. Otherwise INVALID_AMOUNT with the line that ran for each amount that the text
 * may mean. `share`: the flag also takes `max` and `50%`.
 */
export function parseAmount(text: string, unit: Unit, place: Place = '--amount', share?: 'share'): bigint {
  const [, whole, fraction = '', symbol] =
    /^([0-9]+)(?:\.([0-9]+))?\s*([A-Za-z][A-Za-z0-9.]*)?$/.exec(text.trim()) ?? []
  if (whole === undefined) throw bad(text, unit, whyNot(text, share), place, share)
  if (
    symbol !== undefined &&
    /^(e[0-9]*|x[0-9a-f]*)$/i.test(withoutSymbol(symbol, unit)) &&
    symbol.toLowerCase() !== unit.symbol.toLowerCase()
  )
    throw bad(text, unit, 'is not an amount', place, share)
  if (symbol !== undefined && symbol.toLowerCase() !== unit.symbol.toLowerCase())
    throw new AppError('INVALID_AMOUNT', `"${text}" is in ${symbol}, but this takes ${unit.symbol}`)
  if (fraction.replace(/0+$/, '').length > unit.decimals)
    throw bad(
      text,
      unit,
      `has ${fraction.length} decimals, and ${unit.symbol} has ${unit.decimals}`,
      place,
      share,
    )
  return positive(BigInt(whole + fraction.slice(0, unit.decimals).padEnd(unit.decimals, '0')), text)
}

/** Parses the value of `--amount-raw`: the smallest unit of the token. */
export function parseRawAmount(text: string): bigint {
  if (!/^[0-9]+$/.test(text))
    throw new AppError('INVALID_AMOUNT', `"${text}" is not a whole number in the smallest unit`, {
      next: rawHint(text),
    })
  return positive(BigInt(text), text)
}

function positive(value: bigint, text: string): bigint {
  if (value === 0n) throw new AppError('INVALID_AMOUNT', `"${text}" is zero; an amount must be above zero`)
  if (value > maxUint256) throw new AppError('INVALID_AMOUNT', `"${text}" is more than any token can hold`)
  return value
}

/** Why a text without a plain number is no amount: a sign, or a share of more than everything. */
function whyNot(text: string, share?: 'share'): string {
  if (/^-\s*[0-9.]/.test(text.trim())) return 'is negative; an amount must be above zero'
  const [, percent] = /^([0-9]+(?:\.[0-9]+)?)\s*%$/.exec(text.trim()) ?? []
  return share && Number(percent) > 100 ? 'is more than 100%' : 'is not an amount'
}

function bad(text: string, unit: Unit, why: string, place: Place, share?: 'share'): AppError {
  // The reading of another sign would be another payment.
  const read = /^-/.test(text.trim()) ? [] : readable(withoutSymbol(text.trim(), unit), unit.decimals)
  const meant = read.map((one) => {
    const next = place === 'operand' ? corrected(text, one) : sameWith({ [place]: one })
    return advice`If you mean ${formatAmount(parseUnits(one, unit.decimals), unit)}: ${next}`
  })
  return new AppError('INVALID_AMOUNT', `"${text}" ${why}`, {
    next: meant.length > 0 ? eachAdvice(meant) : amountHelp(unit, share),
  })
}

/** Removes the symbol of the unit from the end of a text. */
const withoutSymbol = (text: string, { symbol }: Unit): string =>
  symbol !== '' && text.toLowerCase().endsWith(symbol.toLowerCase())
    ? text.slice(0, -symbol.length).trimEnd()
    : text

/** The possible readings of a text that do not exceed 2^256 - 1. */
const readable = (text: string, decimals: number): string[] =>
  readingsOf(text, decimals).filter((one) => parseUnits(one, decimals) <= maxUint256)

/** What a malformed raw amount may mean: a number with decimals is in units of the token. */
function rawHint(text: string): Advice {
  const isNegative = /^-/.test(text.trim())
  const units = isNegative ? [] : readingsOf(text, 36).filter((one) => one.includes('.'))
  const whole = isNegative
    ? []
    : readable(text, 0).filter((one) => !units.some((unit) => unit.startsWith(`${one}.`)))
  const meant = [
    ...whole.map(
      (raw) => advice`If you mean ${raw} of the smallest unit: ${sameWith({ '--amount-raw': raw })}`,
    ),
    ...units.map(
      (one) =>
        advice`If you mean ${one} units of the token: ${sameWith({ '--amount': one }, '--amount-raw')}`,
    ),
  ]
  return meant.length > 0 ? eachAdvice(meant) : advice`Give digits alone, such as 1000000: ${ownHelp}`
}

/** How to give an amount of a token. No amount is proposed: it would be a payment that nobody meant. */
export const amountHelp = ({ symbol, decimals }: Unit, share?: 'share'): Advice =>
  advice`Give the amount in units of ${symbol}, such as ${decimals > 0 ? '100.5' : '100'}${share ? ', or a share of what the wallet has, max or 50%' : ''}: ${ownHelp}`

/** A part of a balance, in hundredths of a percent: `max` is 10,000, `50%` is 5,000; `undefined` for any other text. */
export function shareOfBalance(text: string | undefined): bigint | undefined {
  const typed = text?.trim().toLowerCase()
  if (typed === 'max') return 10_000n
  const [, whole, fraction = ''] = /^([0-9]{1,3})(?:\.([0-9]{1,2}))?%$/.exec(typed ?? '') ?? []
  if (whole === undefined) return undefined
  const share = BigInt(whole + fraction.padEnd(2, '0'))
  return share > 0n && share <= 10_000n ? share : undefined
}
