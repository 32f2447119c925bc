/** The default slippage of a swap, as a fraction. */
export const defaultSlippage = 0.005

/** Subtracts slippage from an amount, rounded down. Slippage counts in millionths. */
export const subtractSlippage = (amount: bigint, slippage: number): bigint =>
  (amount * (1_000_000n - BigInt(Math.round(slippage * 1e6)))) / 1_000_000n

/** Adds slippage to an amount, rounded up. */
export const addSlippage = (amount: bigint, slippage: number): bigint =>
  (amount * (1_000_000n + BigInt(Math.round(slippage * 1e6))) + 999_999n) / 1_000_000n

/** Parses `0.5%` or `50bps` as a fraction; `undefined` for other text. */
export function parseSlippage(text: string): number | undefined {
  const [, number, unit] = /^([0-9]+(?:\.[0-9]+)?)(%|bps)$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) / (unit === '%' ? 100 : 10_000)
}
