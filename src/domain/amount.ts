import { formatUnits, parseUnits } from 'viem/utils'
import { z } from 'zod'
import type { Unit } from './amount-unit.ts'
import { AppError } from './errors.ts'

/**
 * What somebody may have meant who typed an amount with a sign, an exponent, in hex, with separators, or with more decimals than there are, as plain
 * decimals: two where it reads as two, none where nobody can say.
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

/** With separators of thousands, or with a comma for the point. */
function separated(typed: string): string[] {
  const isGrouped = /^[0-9]{1,3}([,_' ][0-9]{3})+(\.[0-9]+)?$/.test(typed)
  const isComma = /^[0-9]+,[0-9]+$/.test(typed)
  return [...(isGrouped ? [typed.replace(/[,_' ]/g, '')] : []), ...(isComma ? [typed.replace(',', '.')] : [])]
}

/** A number with its point moved. */
function shifted(digits: string, by: number): string {
  const [whole = '', fraction = ''] = digits.split('.')
  const all = `${'0'.repeat(Math.max(0, -by))}${whole}${fraction}${'0'.repeat(Math.max(0, by))}`
  const at = Math.max(0, -by) + whole.length + by
  return `${all.slice(0, at)}.${all.slice(at)}`
}

/** As it is to be typed, cut off where the token has no more decimals; nothing where nothing is left of it. */
function written(one: string, decimals: number): string[] {
  const [whole = '', fraction = ''] = one.split('.')
  const kept = fraction.slice(0, decimals).replace(/0+$/, '')
  const text = `${whole.replace(/^0+(?=[0-9])/, '') || '0'}${kept && `.${kept}`}`
  return /[1-9]/.test(text) ? [text] : []
}

/** 2^256 - 1: the largest amount, and by convention of this service "all of it" for a withdrawal. */
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

/** The same with a sign: what is left of an amount after costs. */
export const SignedUnits = z.codec(
  z.string().regex(/^(0|-?[1-9][0-9]{0,77})$/, 'expected a whole number in the smallest unit'),
  z.bigint(),
  { decode: BigInt, encode: (value) => value.toString() },
)

/** A token amount as JSON prints it. */
export type TokenAmount = { raw: string; decimals: number; symbol: string; formatted: string }

/** An amount in the smallest unit, as the object that `--json` prints. */
export const tokenAmount = (raw: bigint, { symbol, decimals }: Unit): TokenAmount => ({
  raw: raw.toString(),
  decimals,
  symbol,
  formatted: formatUnits(raw, decimals),
})

/** `100.5 USDC`: an amount as a person reads it. */
export const formatAmount = (raw: bigint, unit: Unit): string =>
  `${formatUnits(raw, unit.decimals)} ${unit.symbol}`

/**
 * Reads what a person typed after `--amount`: units of the token, with its symbol or without. Anything else is INVALID_AMOUNT and
 * names both readings, or the one that there is after `flag`, a flag that has no other beside it.
 */
export function parseAmount(text: string, unit: Unit, flag?: string): bigint {
  const [, whole, fraction = '', symbol] =
    /^([0-9]+)(?:\.([0-9]+))?\s*([A-Za-z][A-Za-z0-9.]*)?$/.exec(text.trim()) ?? []
  if (whole === undefined) throw bad(text, unit, 'is not an amount', flag)
  if (
    symbol !== undefined &&
    /^(e[0-9]*|x[0-9a-f]*)$/i.test(withoutSymbol(symbol, unit)) &&
    symbol.toLowerCase() !== unit.symbol.toLowerCase()
  )
    throw bad(text, unit, 'is not an amount', flag)
  if (symbol !== undefined && symbol.toLowerCase() !== unit.symbol.toLowerCase())
    throw new AppError('INVALID_AMOUNT', `"${text}" is in ${symbol}, but this takes ${unit.symbol}`)
  if (fraction.replace(/0+$/, '').length > unit.decimals)
    throw bad(text, unit, `has ${fraction.length} decimals, and ${unit.symbol} has ${unit.decimals}`, flag)
  return positive(BigInt(whole + fraction.slice(0, unit.decimals).padEnd(unit.decimals, '0')), text)
}

/** Reads what a person typed after `--amount-raw`: the smallest unit of the token. */
export function parseRawAmount(text: string): bigint {
  if (!/^[0-9]+$/.test(text))
    throw new AppError('INVALID_AMOUNT', `"${text}" is not a whole number in the smallest unit`, {
      hint: rawHint(text),
    })
  return positive(BigInt(text), text)
}

function positive(value: bigint, text: string): bigint {
  if (value === 0n) throw new AppError('INVALID_AMOUNT', `"${text}" is zero; an amount must be above zero`)
  if (value > maxUint256) throw new AppError('INVALID_AMOUNT', `"${text}" is more than any token can hold`)
  return value
}

function bad(text: string, unit: Unit, why: string, flag?: string): AppError {
  const read = readable(withoutSymbol(text.trim(), unit), unit.decimals)
  const lines = read.map((one) => `${flag ?? '--amount'} ${one}`).join(' or ')
  const raw = read.map((one) => `--amount-raw ${parseUnits(one, unit.decimals)}`).join(' or ')
  const meant = flag === undefined ? `${lines}; the same in the smallest unit: ${raw}` : lines
  const example =
    flag === undefined ? amountExample(unit) : `In units of the token: ${flag} ${exampleOf(unit)}`
  return new AppError('INVALID_AMOUNT', `"${text}" ${why}`, { hint: read.length > 0 ? meant : example })
}

/** A text without the symbol of the unit behind it. */
const withoutSymbol = (text: string, { symbol }: Unit): string =>
  symbol !== '' && text.toLowerCase().endsWith(symbol.toLowerCase())
    ? text.slice(0, -symbol.length).trimEnd()
    : text

/** What a text may mean, as far as it is not more than any token can hold. */
const readable = (text: string, decimals: number): string[] =>
  readingsOf(text, decimals).filter((one) => parseUnits(one, decimals) <= maxUint256)

/** The next step of who typed a smallest unit that is none: what has decimals is in units of the token. */
function rawHint(text: string): string {
  const units = readingsOf(text, 36).filter((one) => one.includes('.'))
  const whole = readable(text, 0).filter((one) => !units.some((unit) => unit.startsWith(`${one}.`)))
  const lines = [
    ...whole.map((raw) => `--amount-raw ${raw}`),
    ...units.map((example) => `in units of the token: --amount ${example}`),
  ]
  return lines.length > 0 ? lines.join(' or ') : 'Digits alone, such as: --amount-raw 1000000'
}

/** The two ways to type an amount of a token, as the next step of who typed neither. */
export function amountExample({ decimals }: Unit): string {
  const [example, raw] = [exampleOf({ decimals }), decimals > 0 ? 1005n * 10n ** BigInt(decimals - 1) : 100n]
  return `--amount ${example}, or the same in the smallest unit: --amount-raw ${raw}`
}

const exampleOf = ({ decimals }: Pick<Unit, 'decimals'>): string => (decimals > 0 ? '100.5' : '100')
