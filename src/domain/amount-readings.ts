/**
 * What somebody may have meant who typed an amount with a sign, an exponent, in hex, with separators, or with more decimals than there are, as plain
 * decimals: two where it reads as two, none where nobody can say.
 */
export function readingsOf(text: string, decimals: number): string[] {
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
