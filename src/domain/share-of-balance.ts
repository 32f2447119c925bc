/** A part of a balance, in hundredths of a percent: `max` is 10,000, `50%` is 5,000; `undefined` for any other text. */
export function shareOfBalance(text: string | undefined): bigint | undefined {
  const typed = text?.trim().toLowerCase()
  if (typed === 'max') return 10_000n
  const [, whole, fraction = ''] = /^([0-9]{1,3})(?:\.([0-9]{1,2}))?%$/.exec(typed ?? '') ?? []
  if (whole === undefined) return undefined
  const share = BigInt(whole + fraction.padEnd(2, '0'))
  return share > 0n && share <= 10_000n ? share : undefined
}
