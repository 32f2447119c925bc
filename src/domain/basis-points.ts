/** Everything, in basis points. */
export const allBps = 10_000

/** Whether a number is a share in basis points: a whole one from 0 to 10,000. */
export const isBps = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= allBps

/** The share that a text says in basis points; `undefined` where it says none. */
export const bpsIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^[0-9]{1,5}$/.test(text) && isBps(Number(text)) ? Number(text) : undefined
