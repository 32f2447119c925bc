/** 100 % in basis points. */
export const allBps = 10_000

/** Whether a number is a valid share in basis points: an integer from 0 to 10,000. */
export const isBps = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= allBps

/** Parses a share in basis points; `undefined` if invalid. */
export const parseBps = (text: string | undefined): number | undefined =>
  text !== undefined && /^[0-9]{1,5}$/.test(text) && isBps(Number(text)) ? Number(text) : undefined
